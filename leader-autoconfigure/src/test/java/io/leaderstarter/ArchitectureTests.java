package io.leaderstarter;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.properties.HasName;
import com.tngtech.archunit.core.domain.properties.HasOwner;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.leaderstarter.election.spi.Platform;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds the rules for packages. A package that is not in {@link #MAY_USE} fails, so that
 * a new one gets its place here first.
 */
class ArchitectureTests {

	private static final String BASE = "io.leaderstarter";

	/**
	 * Package (below the base package; the empty name is the API) to the packages of ours
	 * that it may use, itself apart.
	 */
	private static final Map<String, Set<String>> MAY_USE = Map.ofEntries(Map.entry("", Set.of()),
			Map.entry("election.spi", Set.of("")), Map.entry("election.state", Set.of("", "election.spi")),
			Map.entry("election.membership", Set.of("", "election.spi")),
			Map.entry("election", Set.of("", "election.spi", "election.state", "election.membership")),
			Map.entry("jdbc", Set.of("", "election.spi")),
			Map.entry("fencing", Set.of("", "election.spi", "jdbc", "fencing.trigger")),
			Map.entry("fencing.jdbc", Set.of("", "fencing")),
			Map.entry("fencing.trigger", Set.of("election.spi", "jdbc")), Map.entry("fencing.receiver", Set.of("")),
			Map.entry("http", Set.of("")), Map.entry("backend.support", Set.of("", "election.spi")),
			Map.entry("backend.jdbc", Set.of("", "election.spi", "jdbc", "backend.support")),
			Map.entry("backend.local", Set.of("", "election.spi")),
			Map.entry("backend.zookeeper", Set.of("", "election.spi", "backend.support")),
			Map.entry("backend.etcd", Set.of("", "election.spi", "backend.support")),
			Map.entry("aop", Set.of("", "election", "election.spi", "fencing")),
			Map.entry("actuate",
					Set.of("", "election", "election.spi", "election.state", "election.membership", "fencing")),
			Map.entry("metrics", Set.of("", "election", "election.spi", "fencing")),
			Map.entry("autoconfigure",
					Set.of("", "election", "election.spi", "election.state", "election.membership", "jdbc", "fencing",
							"fencing.jdbc", "backend.jdbc", "backend.local", "backend.zookeeper", "backend.etcd", "aop",
							"actuate", "metrics", "http")));

	/** Packages outside ours, to the packages of ours that may use them. */
	private static final Map<String, Set<String>> MAY_BE_USED_BY = Map.ofEntries(
			Map.entry("org.springframework.boot", Set.of("autoconfigure", "actuate")),
			Map.entry("org.springframework.jdbc",
					Set.of("jdbc", "fencing", "fencing.jdbc", "backend.jdbc", "autoconfigure")),
			Map.entry("org.postgresql", Set.of("jdbc", "backend.jdbc")),
			Map.entry("io.micrometer", Set.of("metrics", "autoconfigure")), Map.entry("reactor", Set.of("aop")),
			Map.entry("org.reactivestreams", Set.of("aop")),
			Map.entry("org.apache.curator", Set.of("backend.zookeeper", "autoconfigure")),
			Map.entry("org.apache.zookeeper", Set.of("backend.zookeeper", "autoconfigure")),
			Map.entry("io.etcd", Set.of("backend.etcd", "autoconfigure")),
			Map.entry("io.grpc", Set.of("backend.etcd", "autoconfigure")),
			Map.entry("io.netty", Set.of("backend.etcd", "autoconfigure")),
			Map.entry("org.springframework.aop", Set.of("aop", "autoconfigure")),
			Map.entry("org.springframework.http", Set.of("http", "autoconfigure")),
			Map.entry("org.springframework.web", Set.of("http", "autoconfigure")));

	private final JavaClasses classes = new ClassFileImporter()
		.withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
		.importPackages(BASE);

	@Test
	void packagesUseOnlyWhatTheyMay() {
		List<String> violations = this.classes.stream().flatMap(this::violations).sorted().toList();
		assertThat(violations).as("uses of packages that the rules do not allow").isEmpty();
	}

	@Test
	void packagesHaveNoCycles() {
		slices().matching(BASE + ".(**)").should().beFreeOfCycles().allowEmptyShould(true).check(this.classes);
	}

	/**
	 * The pool that all share has one thread on two cores, which an application may keep
	 * busy for longer than a term lasts.
	 */
	@Test
	void nothingWaitsForTheCommonPool() {
		List<String> calls = this.classes.stream()
			.flatMap((type) -> type.getMethodCallsFromSelf().stream())
			.filter((call) -> call.getTargetOwner().isAssignableTo(CompletionStage.class))
			.filter((call) -> call.getName().endsWith("Async") || call.getName().equals("delayedExecutor"))
			.filter((call) -> call.getTarget()
				.getRawParameterTypes()
				.stream()
				.noneMatch((parameter) -> parameter.isEquivalentTo(Executor.class)))
			.map(JavaMethodCall::getDescription)
			.toList();
		assertThat(calls).as("calls without an executor").isEmpty();
	}

	/**
	 * What decides who leads is a function of state, input and time, so that every case
	 * can be tested without threads.
	 */
	@Test
	void decisionsUseNeitherThreadsNorInputOrOutput() {
		noClasses().that()
			.resideInAnyPackage(BASE + ".election.state", BASE + ".election.membership")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("java.util.concurrent..", "java.io..", "java.nio.file..", "java.nio.channels..",
					"java.net.http..", "java.sql..", "javax..")
			.orShould()
			.dependOnClassesThat()
			.areAssignableTo(Thread.class)
			.orShould()
			.callMethod(System.class, "nanoTime")
			.orShould()
			.callMethod(System.class, "currentTimeMillis")
			.check(this.classes);
	}

	/**
	 * A simulation replaces the platform, and would not be deterministic otherwise.
	 */
	@Test
	void electionsUseClocksThreadsAndRandomNumbersOfTheirPlatform() {
		noClasses().that()
			.resideInAnyPackage(BASE + ".election", BASE + ".backend.support")
			.should()
			.callMethod(System.class, "nanoTime")
			.orShould()
			.callMethod(System.class, "currentTimeMillis")
			.orShould()
			.callMethod(Math.class, "random")
			.orShould()
			.callMethod(java.util.UUID.class, "randomUUID")
			.orShould()
			.dependOnClassesThat()
			.areAssignableTo(java.util.Random.class)
			.orShould()
			.callConstructorWhere(JavaCall.Predicates
				.target(HasOwner.Predicates.With.<JavaClass>owner(JavaClass.Predicates.assignableTo(Thread.class)
					.or(JavaClass.Predicates.assignableTo(java.util.concurrent.ExecutorService.class)))))
			.orShould()
			.callMethodWhere(JavaCall.Predicates.target(HasName.Predicates.name("sleep")))
			.check(this.classes);
	}

	/**
	 * A thread that is not a daemon keeps a process from ending, which only a stop may.
	 */
	@Test
	void threadsAreCreatedInOnePlace() {
		noClasses().that()
			.doNotHaveFullyQualifiedName(Platform.class.getName())
			.and()
			.haveSimpleNameNotEndingWith("LeaderLifecycle")
			.should()
			.callConstructorWhere(JavaCall.Predicates
				.target(HasOwner.Predicates.With.<JavaClass>owner(JavaClass.Predicates.assignableTo(Thread.class))))
			.check(this.classes);
	}

	@Test
	void everyPackageIsNullMarked() {
		Set<String> unmarked = new TreeSet<>();
		this.classes.stream()
			.map(JavaClass::getPackage)
			.filter((javaPackage) -> !javaPackage.isAnnotatedWith(NullMarked.class))
			.forEach((javaPackage) -> unmarked.add(javaPackage.getName()));
		assertThat(unmarked).as("packages without @NullMarked in package-info.java").isEmpty();
	}

	@Test
	void autoConfigurationsAreFinal() {
		classes().that()
			.areAnnotatedWith("org.springframework.boot.autoconfigure.AutoConfiguration")
			.should()
			.bePublic()
			.andShould()
			.haveModifier(com.tngtech.archunit.core.domain.JavaModifier.FINAL)
			.andShould()
			.haveSimpleNameEndingWith("AutoConfiguration")
			.check(this.classes);
	}

	private Stream<String> violations(JavaClass origin) {
		String from = ours(origin.getPackageName());
		Set<String> allowed = MAY_USE.get(from);
		if (allowed == null) {
			return Stream.of(origin.getName() + " is in a package without a rule");
		}
		return origin.getDirectDependenciesFromSelf()
			.stream()
			.map((dependency) -> dependency.getTargetClass().getBaseComponentType())
			.distinct()
			.filter((target) -> !mayUse(from, allowed, target.getPackageName()))
			.map((target) -> origin.getName() + " uses " + target.getName());
	}

	private static boolean mayUse(String from, Set<String> allowed, String target) {
		if (isIn(BASE, target)) {
			String to = ours(target);
			return to.equals(from) || allowed.contains(to);
		}
		if (from.isEmpty() && !isIn("java", target) && !isIn("org.jspecify", target) && !target.isEmpty()) {
			return false;
		}
		return MAY_BE_USED_BY.entrySet()
			.stream()
			.allMatch((rule) -> !isIn(rule.getKey(), target) || rule.getValue().contains(from));
	}

	private static String ours(String packageName) {
		return packageName.equals(BASE) ? "" : packageName.substring(BASE.length() + 1);
	}

	private static boolean isIn(String root, String packageName) {
		return packageName.equals(root) || packageName.startsWith(root + ".");
	}

}
