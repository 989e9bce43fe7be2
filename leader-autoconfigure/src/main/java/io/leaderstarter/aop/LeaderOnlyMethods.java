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
 * The methods of a class that {@code @LeaderOnly} is meant for, and what a proxy needs of
 * them.
 */
final class LeaderOnlyMethods {

	/** Remembered, as some beans are made over and over again. */
	private static final ClassValue<Set<Method>> METHODS = new ClassValue<>() {

		@Override
		protected Set<Method> computeValue(Class<?> type) {
			return Set.copyOf(
					MethodIntrospector.selectMethods(type, (ReflectionUtils.MethodFilter) (method) -> isMeant(method)
							&& LeaderOnlyOperations.isLeaderOnly(method, type)));
		}

	};

	private LeaderOnlyMethods() {
	}

	/**
	 * Returns the methods that are meant, none for most classes.
	 */
	static Set<Method> of(Class<?> type) {
		return LeaderOnlyOperations.isCandidate(type) ? METHODS.get(type) : Set.of();
	}

	/**
	 * Refuses methods whose calls no proxy of any kind sees.
	 */
	static void requireOwnCalls(Method method) {
		refuseIf(Modifier.isPrivate(method.getModifiers()), method, "it is private", "Remove 'private'.");
		refuseIf(Modifier.isStatic(method.getModifiers()), method, "it is static", "Remove 'static'.");
	}

	/**
	 * Refuses methods whose calls a proxy that is a subclass does not see. One that is
	 * package-private is overridden in its own package only; called on a proxy elsewhere
	 * it runs on the proxy, past everything.
	 * @param method the method
	 * @param type the class of the bean
	 * @param proxy the class of its proxy, or of the bean if that is not made yet
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
		refuseIf(type.isRecord(), method, "its class is final, as each record is, and a final class has no subclass",
				"Make it a class that is no record.");
		refuseIf(Modifier.isFinal(type.getModifiers()), method, "its class is final, and a final class has no subclass",
				"Remove 'final' from the class. In Kotlin, add 'open' to the class and the method, or use the compiler plugin kotlin-spring.");
	}

	/**
	 * Refuse methods that make beans. The container calls them on every node, and fails
	 * where the call is refused.
	 */
	static void requireNoFactory(Method method, Class<?> type) {
		if (isFactory(method)) {
			String instead = "Put @LeaderOnly on the methods of the bean that are to run on the leader only, such as those that are @Scheduled.";
			throw new LeaderOnlyException(method,
					"it is a @Bean method, which every node has to call, as the bean must be there when the node leads",
					LeaderOnlyOperations.isAnnotated(method) ? "Remove @LeaderOnly from the @Bean method. " + instead
							: "Remove @LeaderOnly from the class %s, which makes beans. %s".formatted(type.getName(),
									instead),
					null);
		}
	}

	/**
	 * Refuses methods that a proxy of interfaces does not have. If only the class carries
	 * the annotation, what others cannot call is not meant. The methods of a bean that is
	 * a proxy itself are those of its interfaces.
	 */
	static void requireInterface(Method method, Class<?> type, Class<?>[] interfaces) {
		boolean present = Stream.of(interfaces)
			.flatMap((candidate) -> Stream.of(candidate.getMethods()))
			.anyMatch((candidate) -> candidate.equals(method) || (candidate.getName().equals(method.getName())
					&& AopUtils.getMostSpecificMethod(candidate, type).equals(method)));
		refuseIf(!present && LeaderOnlyOperations.isAnnotated(method), method,
				"it is in no interface of the bean, whose proxy has only the methods of interfaces",
				"Add it to an interface of the bean, or remove spring.aop.proxy-target-class=false if that is set.");
	}

	/**
	 * An annotation on the class is about what others can call. One on a method is always
	 * meant, and methods that make beans are, to be refused.
	 */
	private static boolean isMeant(Method method) {
		boolean callable = !Modifier.isPrivate(method.getModifiers()) && !Modifier.isStatic(method.getModifiers())
				&& !method.isSynthetic();
		return callable || LeaderOnlyOperations.isAnnotated(method) || isFactory(method);
	}

	private static boolean isFactory(Method method) {
		return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).isPresent(Bean.class);
	}

	private static boolean isPackagePrivate(Method method) {
		return (method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED | Modifier.PRIVATE)) == 0;
	}

	/**
	 * As the JVM sees it: another class loader makes another package of the same name.
	 */
	private static boolean isSamePackage(Class<?> one, Class<?> other) {
		return one.getPackageName().equals(other.getPackageName()) && one.getClassLoader() == other.getClassLoader();
	}

	private static void refuseIf(boolean unseen, Method method, String reason, String advice) {
		if (unseen) {
			throw new LeaderOnlyException(method, reason + ", so no proxy sees its calls", advice, null);
		}
	}

}
