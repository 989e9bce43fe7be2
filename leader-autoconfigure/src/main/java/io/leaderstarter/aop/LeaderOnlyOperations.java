package io.leaderstarter.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.OnLoss;
import io.leaderstarter.election.Calls;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.RoleElection;
import io.leaderstarter.election.spi.LastRuns;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds {@code @LeaderOnly} on methods and classes, also as a meta-annotation and on
 * interfaces, and resolves and caches it.
 */
final class LeaderOnlyOperations {

	private static final Set<String> SCHEDULED = Set.of("org.springframework.scheduling.annotation.Scheduled");

	private final AtomicBoolean missed = new AtomicBoolean();

	private final Supplier<DefaultLeaderElections> elections;

	private final UnaryOperator<String> roleResolver;

	private final Function<String, Duration> durations;

	private final Supplier<@Nullable LastRuns> lastRuns;

	private final ClassValue<Map<Method, LeaderOnlyOperation>> operations = new ClassValue<>() {

		@Override
		protected Map<Method, LeaderOnlyOperation> computeValue(Class<?> type) {
			return new ConcurrentHashMap<>();
		}

	};

	/**
	 * Create the operations.
	 * @param elections supplies the elections when the first method is resolved
	 * @param roleResolver resolves the role of an annotation
	 * @param durations resolves a duration of an annotation
	 * @param lastRuns supplies where last runs are kept, if there is a fenced database
	 */
	LeaderOnlyOperations(Supplier<DefaultLeaderElections> elections, UnaryOperator<String> roleResolver,
			Function<String, Duration> durations, Supplier<@Nullable LastRuns> lastRuns) {
		this.lastRuns = lastRuns;
		this.durations = durations;
		this.elections = elections;
		this.roleResolver = roleResolver;
	}

	static boolean isCandidate(Class<?> type) {
		return AnnotationUtils.isCandidateClass(type, LeaderOnly.class);
	}

	/**
	 * Return whether the method itself has the annotation.
	 */
	static boolean isAnnotated(Method method) {
		return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).isPresent(LeaderOnly.class);
	}

	/**
	 * Return whether calls of the method have to be intercepted.
	 */
	static boolean isLeaderOnly(Method method, Class<?> targetClass) {
		return find(method, targetClass) != null;
	}

	/**
	 * Return the operation of a method. Only the first call resolves it.
	 */
	LeaderOnlyOperation get(Method method, Class<?> targetClass) {
		Map<Method, LeaderOnlyOperation> known = this.operations.get(targetClass);
		LeaderOnlyOperation operation = known.get(method);
		if (operation == null) {
			return known.computeIfAbsent(method, (key) -> create(key, targetClass));
		}
		return operation.election().isGone() ? rejoined(operation, method, known) : operation;
	}

	/**
	 * Return the operation of a role that was left. If it was joined again, that is
	 * another election.
	 */
	private LeaderOnlyOperation rejoined(LeaderOnlyOperation operation, Method method,
			Map<Method, LeaderOnlyOperation> known) {
		RoleElection election = this.elections.get().find(operation.election().role()).orElse(operation.election());
		if (election == operation.election()) {
			return operation;
		}
		LeaderOnlyOperation renewed = operation.with(election);
		known.put(method, renewed);
		return renewed;
	}

	/**
	 * Return what runs work under a term.
	 */
	Calls calls() {
		return this.elections.get().calls();
	}

	private LeaderOnlyOperation create(Method method, Class<?> targetClass) {
		MergedAnnotation<LeaderOnly> annotation = find(method, targetClass);
		Method specific = isGenerated(targetClass) ? method : AopUtils.getMostSpecificMethod(method, targetClass);
		if (annotation == null) {
			throw new IllegalStateException("There is no @LeaderOnly on " + specific);
		}
		LeaderOnly leaderOnly = annotation.synthesize();
		CallShape shape = LeaderOnlyReturns.shape(specific);
		Duration awaitUpTo = duration(specific, "awaitUpTo", leaderOnly.awaitUpTo());
		if (!awaitUpTo.isZero() && LeaderOnlyReturns.isStream(specific)) {
			throw new LeaderOnlyException(specific, "a stream cannot wait for leadership (awaitUpTo)",
					"Remove awaitUpTo, and repeat the subscription instead.", null);
		}
		LeaderOnlyOperation.Fallback fallback = LeaderOnlyReturns.fallback(specific, leaderOnly.otherwise());
		RoleElection election = join(specific, leaderOnly.value());
		Predicate<ActiveTerm> isDue = isDue(specific, targetClass, election, leaderOnly.atMostEvery());
		return new LeaderOnlyOperation(specific, election, fallback, admission(specific, awaitUpTo, isDue),
				leaderOnly.onLoss() == OnLoss.INTERRUPT, shape);
	}

	/**
	 * Return which calls may begin. A scheduled run blocks nothing, so it waits until
	 * this member competes anyway. The start of the application may wait for any other
	 * call. Only the first scheduled run that is too early is logged, as they are
	 * repeated.
	 */
	private LeaderOnlyOperation.Admission admission(Method method, Duration waitUpTo, Predicate<ActiveTerm> isDue) {
		boolean scheduled = LeaderOnlyReturns.carries(method, SCHEDULED);
		return new LeaderOnlyOperation.Admission(waitUpTo, !scheduled, scheduled ? this.missed : new AtomicBoolean(),
				isDue);
	}

	private Predicate<ActiveTerm> isDue(Method method, Class<?> targetClass, RoleElection election,
			String atMostEvery) {
		Duration period = duration(method, "atMostEvery", atMostEvery);
		if (period.isZero()) {
			return (term) -> true;
		}
		if (method.getReturnType() != void.class) {
			throw new LeaderOnlyException(method, "atMostEvery would skip calls whose result the caller needs",
					"Let the method return void, or remove atMostEvery.", null);
		}
		LastRuns runs = this.lastRuns.get();
		try {
			if (runs == null) {
				throw new IllegalStateException("there is no fenced database");
			}
			runs.require(election.role());
		}
		catch (IllegalStateException ex) {
			throw new LeaderOnlyException(method, "atMostEvery has no table for last runs: " + ex.getMessage(),
					"Add a DataSource and leave leader.fence.enabled on, or remove atMostEvery.", ex);
		}
		// By the class of the bean: another one may inherit the same method.
		String task = stableType(method, targetClass).getName() + "." + method.getName()
				+ Arrays.stream(method.getParameterTypes())
					.map(Class::getSimpleName)
					.collect(Collectors.joining(",", "(", ")"));
		return (term) -> runs.begin(term, task, period);
	}

	/**
	 * Return whether the class has neither a stable name, nor methods with all
	 * information of those of its interfaces, such as generic types.
	 */
	private static boolean isGenerated(Class<?> type) {
		return Proxy.isProxyClass(type) || ClassUtils.isLambdaClass(type);
	}

	private static Class<?> stableType(Method method, Class<?> targetClass) {
		if (!isGenerated(targetClass)) {
			return ClassUtils.getUserClass(targetClass);
		}
		return Arrays.stream(targetClass.getInterfaces())
			.filter(method.getDeclaringClass()::isAssignableFrom)
			.findFirst()
			.orElse(method.getDeclaringClass());
	}

	private Duration duration(Method method, String attribute, String value) {
		try {
			Duration duration = value.isEmpty() ? Duration.ZERO : this.durations.apply(value);
			if (duration.isNegative()) {
				throw new IllegalArgumentException("it is negative");
			}
			return duration;
		}
		catch (IllegalArgumentException ex) {
			throw new LeaderOnlyException(method, "%s = \"%s\" is not a time".formatted(attribute, value),
					"Write it like 5s, 500ms or PT1M.", ex);
		}
	}

	private RoleElection join(Method method, String role) {
		try {
			return this.elections.get().join(this.roleResolver.apply(role));
		}
		catch (IllegalArgumentException ex) {
			throw new LeaderOnlyException(method, ex.getMessage(), role.isEmpty()
					? "Give @LeaderOnly a role, or set spring.application.name to what can be one: it is the role of all annotations without one."
					: "Give @LeaderOnly a role, or set the property of its placeholder.", ex);
		}
		catch (NoSuchBeanDefinitionException ex) {
			throw new LeaderOnlyException(method,
					"there are no elections (no bean of type %s), so no node or every node would run it"
						.formatted(DefaultLeaderElections.class.getSimpleName()),
					"Do not exclude LeaderAutoConfiguration. Where there is only one node, as in development, leader.backend=local lets it lead without a store.",
					null);
		}
	}

	private static @Nullable MergedAnnotation<LeaderOnly> find(Method method, Class<?> targetClass) {
		if (ReflectionUtils.isObjectMethod(method)) {
			return null;
		}
		Method specific = AopUtils.getMostSpecificMethod(method, targetClass);
		MergedAnnotation<LeaderOnly> onMethod = MergedAnnotations.from(specific, SearchStrategy.TYPE_HIERARCHY)
			.get(LeaderOnly.class);
		if (onMethod.isPresent()) {
			return onMethod;
		}
		MergedAnnotation<LeaderOnly> onInterface = findOnInterfaces(specific, targetClass);
		if (onInterface != null) {
			return onInterface;
		}
		if (specific.isSynthetic()) {
			return null;
		}
		MergedAnnotation<LeaderOnly> onClass = MergedAnnotations
			.from(ClassUtils.getUserClass(targetClass), SearchStrategy.TYPE_HIERARCHY)
			.get(LeaderOnly.class);
		return onClass.isPresent() ? onClass : null;
	}

	/**
	 * Find an annotation on a method of an interface that is implemented by a method of a
	 * superclass that does not implement the interface. It is not in the hierarchy of
	 * that method.
	 */
	private static @Nullable MergedAnnotation<LeaderOnly> findOnInterfaces(Method specific, Class<?> targetClass) {
		if (specific.getDeclaringClass() == ClassUtils.getUserClass(targetClass)) {
			return null;
		}
		return ClassUtils.getAllInterfacesForClassAsSet(targetClass)
			.stream()
			.flatMap((type) -> Arrays.stream(type.getMethods()))
			.filter((method) -> LeaderOnlyMethods.isImplementation(specific, method, targetClass))
			.map((method) -> MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).get(LeaderOnly.class))
			.filter(MergedAnnotation::isPresent)
			.findFirst()
			.orElse(null);
	}

}
