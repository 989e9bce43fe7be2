package io.leaderstarter.aop;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.leaderstarter.LeaderContext;
import io.leaderstarter.LeaderElection;
import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.NotLeaderException;
import io.leaderstarter.Otherwise;
import io.leaderstarter.TestContexts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.annotation.AliasFor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LeaderOnlyOperations}: all places of the annotation.
 */
class LeaderOnlyPlacementTests {

	private final ApplicationContextRunner contextRunner = TestContexts.local();

	@ParameterizedTest
	@ValueSource(
			classes = { OnMethod.class, OnClass.class, OnInterface.class, OnInterfaceMethod.class, OnSuperclass.class,
					OnOverriddenMethod.class, InheritedMethod.class, Meta.class, MetaOnClass.class, Generic.class })
	void appliesToTheLeaderAndToFollowers(Class<? extends Job> type) {
		this.contextRunner.withBean("job", type).run((context) -> {
			assertThat(context.getBean(LeaderElections.class).all()).extracting(LeaderElection::role)
				.containsExactly("placed");
			assertThatExceptionOfType(NotLeaderException.class)
				.isThrownBy(() -> context.getBean(Job.class).run("argument"));
			TestContexts.lead(context);
			assertThat(context.getBean(Job.class).run("argument")).isEqualTo("placed");
		});
	}

	@Test
	void methodSaysMoreThanItsClass() {
		this.contextRunner.withBean(MethodWins.class).run((context) -> {
			assertThat(context.getBean(LeaderElections.class).all()).extracting(LeaderElection::role)
				.containsExactly("on-class", "on-method");
			MethodWins bean = context.getBean(MethodWins.class);
			assertThat(bean.own()).isNull();
			TestContexts.lead(context);
			assertThat(bean.own()).isEqualTo("on-method");
			assertThat(bean.other()).isEqualTo("on-class");
		});
	}

	@Test
	void metaAnnotationCanNameTheRoleAndWhatHappensOtherwise() {
		this.contextRunner.withBean(Aliased.class).run((context) -> {
			assertThat(context.getBean(LeaderElections.class).all()).extracting(LeaderElection::role)
				.containsExactly("aliased");
			assertThat(context.getBean(Aliased.class).run("argument")).isNull();
		});
	}

	@Test
	void privateMethodsOfAClassThatCarriesItAreLeftAlone() {
		this.contextRunner.withBean(OnClassWithPrivateMethod.class).run((context) -> {
			TestContexts.lead(context);
			assertThat(context.getBean(OnClassWithPrivateMethod.class).run()).isEqualTo("placed");
		});
	}

	interface Job {

		String run(String argument);

	}

	@LeaderOnly("placed")
	interface LeaderOnlyJob extends Job {

	}

	interface LeaderOnlyMethodJob extends Job {

		@Override
		@LeaderOnly("placed")
		String run(String argument);

	}

	interface GenericJob<T> {

		String run(T argument);

	}

	@Target({ ElementType.METHOD, ElementType.TYPE })
	@Retention(RetentionPolicy.RUNTIME)
	@LeaderOnly("placed")
	@interface Placed {

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@LeaderOnly
	@interface SkippedElsewhere {

		@AliasFor(annotation = LeaderOnly.class, attribute = "value")
		String duty();

		@AliasFor(annotation = LeaderOnly.class, attribute = "otherwise")
		Otherwise elsewhere() default Otherwise.SKIP;

	}

	abstract static class Base implements Job {

		@Override
		public String run(String argument) {
			return LeaderContext.current().orElseThrow().role();
		}

	}

	static class OnMethod extends Base {

		@Override
		@LeaderOnly("placed")
		public String run(String argument) {
			return super.run(argument);
		}

	}

	@LeaderOnly("placed")
	static class OnClass extends Base {

	}

	static class OnInterface extends Base implements LeaderOnlyJob {

	}

	static class OnInterfaceMethod extends Base implements LeaderOnlyMethodJob {

	}

	static class OnSuperclass extends OnClass {

		@Override
		public String run(String argument) {
			return super.run(argument);
		}

	}

	static class OnOverriddenMethod extends OnMethod {

		@Override
		public String run(String argument) {
			return super.run(argument);
		}

	}

	static class InheritedMethod extends OnMethod {

	}

	static class Meta extends Base {

		@Override
		@Placed
		public String run(String argument) {
			return super.run(argument);
		}

	}

	@Placed
	static class MetaOnClass extends Base {

	}

	static class Generic extends Base implements GenericJob<String> {

		@Override
		@LeaderOnly("placed")
		public String run(String argument) {
			return super.run(argument);
		}

	}

	@LeaderOnly("on-class")
	static class MethodWins {

		@LeaderOnly(value = "on-method", otherwise = Otherwise.SKIP)
		public String own() {
			return LeaderContext.current().orElseThrow().role();
		}

		public String other() {
			return LeaderContext.current().orElseThrow().role();
		}

	}

	static class Aliased extends Base {

		@Override
		@SkippedElsewhere(duty = "aliased")
		public String run(String argument) {
			return super.run(argument);
		}

	}

	@LeaderOnly("placed")
	static class OnClassWithPrivateMethod {

		public String run() {
			return role();
		}

		private String role() {
			return LeaderContext.current().orElseThrow().role();
		}

	}

}
