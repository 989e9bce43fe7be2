package io.leaderstarter.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Set;
import java.util.stream.Stream;

import org.springframework.aop.support.AopUtils;
import org.springframework.context.annotation.Bean;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the {@code @LeaderOnly} methods of a class, and verifies that a proxy can
 * intercept them.
 */
final class LeaderOnlyMethods {

	/** A cache, as prototypes are created again and again. */
	private static final ClassValue<Set<Method>> METHODS = new ClassValue<>() {

		@Override
		protected Set<Method> computeValue(Class<?> type) {
			return Set.copyOf(MethodIntrospector.selectMethods(type,
					(ReflectionUtils.MethodFilter) (method) -> isApplicable(method)
							&& LeaderOnlyOperations.isLeaderOnly(method, type)));
		}

	};

	private LeaderOnlyMethods() {
	}

	/**
	 * Return the {@code @LeaderOnly} methods, none for most classes.
	 */
	static Set<Method> of(Class<?> type) {
		return LeaderOnlyOperations.isCandidate(type) ? METHODS.get(type) : Set.of();
	}

	/**
	 * Refuse methods that no proxy of any kind can intercept.
	 */
	static void requireOwnCalls(Method method) {
		refuseIf(Modifier.isPrivate(method.getModifiers()), method, "it is private", "Remove 'private'.");
		refuseIf(Modifier.isStatic(method.getModifiers()), method, "it is static", "Remove 'static'.");
	}

	/**
	 * Refuse methods that a proxy that is a subclass cannot intercept. A package-private
	 * method is overridden in its package only; called on a proxy of another package it
	 * runs on the proxy, without any advice.
	 * @param method the method
	 * @param type the class of the bean
	 * @param proxy the class of its proxy, or of the bean if that is not created yet
	 */
	static void requireOverridable(Method method, Class<?> type, Class<?> proxy) {
		refuseIf(Modifier.isFinal(method.getModifiers()), method, "it is final", "Remove 'final'.");
		requireOpen(method, type);
		refuseIf(isPackagePrivate(method) && !isSamePackage(method.getDeclaringClass(), proxy), method,
				"it is visible only in the package %s, which %s does not belong to".formatted(
						method.getDeclaringClass().getPackageName(), type.getName()),
				"Make it protected or public.");
	}

	/**
	 * Refuse a class that no proxy can be a subclass of.
	 */
	static void requireOpen(Method method, Class<?> type) {
		refuseIf(type.isRecord(), method, "its class is a record, and a record has no subclass",
				"Convert the record to a class.");
		refuseIf(Modifier.isFinal(type.getModifiers()), method, "its class is final, and a final class has no subclass",
				"Remove 'final' from the class. In Kotlin, add 'open' to the class and the method, or use the compiler plugin kotlin-spring.");
	}

	/**
	 * Refuse {@code @Bean} methods. The container calls them on every node, and the start
	 * would fail where the call is refused.
	 */
	static void requireNoFactory(Method method, Class<?> type) {
		if (isFactory(method)) {
			String instead = "Put @LeaderOnly on the methods of the bean that are to run on the leader only, such as those that are @Scheduled.";
			throw new LeaderOnlyException(method,
					"it is a @Bean method, which every node has to call, as the bean must exist when the node leads",
					LeaderOnlyOperations.isAnnotated(method) ? "Remove @LeaderOnly from the @Bean method. " + instead
							: "Remove @LeaderOnly from the class %s, which has @Bean methods. %s"
								.formatted(type.getName(), instead),
					null);
		}
	}

	/**
	 * Refuse methods that a JDK proxy does not have. If only the class has the
	 * annotation, methods that other classes cannot call are ignored. The methods of a
	 * bean that is a proxy itself are those of its interfaces.
	 */
	static void requireInterface(Method method, Class<?> type, Class<?>[] interfaces) {
		boolean present = Stream.of(interfaces)
			.flatMap((candidate) -> Stream.of(candidate.getMethods()))
			.anyMatch((candidate) -> candidate.equals(method) || isImplementation(method, candidate, type));
		refuseIf(!present && LeaderOnlyOperations.isAnnotated(method), method,
				"it is in no interface of the bean, whose JDK proxy has only the methods of interfaces",
				"Add it to an interface of the bean, or remove spring.aop.proxy-target-class=false if that is set.");
	}

	/**
	 * Return whether the annotation applies to a method. One on the class applies to
	 * methods that other classes can call, and to {@code @Bean} methods, to refuse them.
	 */
	private static boolean isApplicable(Method method) {
		boolean callable = !Modifier.isPrivate(method.getModifiers()) && !Modifier.isStatic(method.getModifiers())
				&& !method.isSynthetic();
		return callable || LeaderOnlyOperations.isAnnotated(method) || isFactory(method);
	}

	/**
	 * Return whether a method is what a class implements the method of an interface by.
	 */
	static boolean isImplementation(Method method, Method declared, Class<?> type) {
		return declared.getName().equals(method.getName())
				&& AopUtils.getMostSpecificMethod(declared, type).equals(method);
	}

	private static boolean isFactory(Method method) {
		return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).isPresent(Bean.class);
	}

	private static boolean isPackagePrivate(Method method) {
		return (method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED | Modifier.PRIVATE)) == 0;
	}

	/**
	 * As the JVM does: another class loader defines another package of the same name.
	 */
	private static boolean isSamePackage(Class<?> one, Class<?> other) {
		return one.getPackageName().equals(other.getPackageName()) && one.getClassLoader() == other.getClassLoader();
	}

	private static void refuseIf(boolean refused, Method method, String reason, String advice) {
		if (refused) {
			throw new LeaderOnlyException(method, reason + ", so no proxy intercepts its calls", advice, null);
		}
	}

}
