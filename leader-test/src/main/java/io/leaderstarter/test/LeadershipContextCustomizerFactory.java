package io.leaderstarter.test;

import java.util.List;

import io.leaderstarter.autoconfigure.LeaderAutoConfiguration;
import io.leaderstarter.autoconfigure.LeaderFenceAutoConfiguration;
import io.leaderstarter.autoconfigure.LeaderOnlyAutoConfiguration;
import io.leaderstarter.autoconfigure.LeaderWebAutoConfiguration;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotatedBeanDefinitionReader;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.util.ClassUtils;

/**
 * Distinguishes contexts of tests from those of applications, and gives slices such as
 * {@code @DataJpaTest} the elections, which they would leave out: {@code @LeaderOnly}
 * would be ignored there.
 */
final class LeadershipContextCustomizerFactory implements ContextCustomizerFactory {

	/** What slices have in common. By name, as it may not be there. */
	private static final String OVERRIDE = "org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration";

	@Override
	public ContextCustomizer createContextCustomizer(Class<?> testClass,
			List<ContextConfigurationAttributes> configAttributes) {
		boolean slice = MergedAnnotations.search(SearchStrategy.TYPE_HIERARCHY)
			.withEnclosingClasses(ClassUtils::isInnerClass)
			.from(testClass)
			.get(OVERRIDE)
			.getValue("enabled", Boolean.class)
			.map((enabled) -> !enabled)
			.orElse(false);
		return new Customizer(slice);
	}

	/**
	 * Part of the key by which tests share a context.
	 *
	 * @param slice whether the test leaves auto-configurations out
	 */
	private record Customizer(boolean slice) implements ContextCustomizer {

		@Override
		public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration mergedConfig) {
			if (context.getBeanFactory() instanceof BeanDefinitionRegistry registry) {
				new AnnotatedBeanDefinitionReader(registry, context.getEnvironment())
					.register(this.slice ? SliceOfTest.class : StartedByTest.class);
			}
		}

	}

	/**
	 * Says that a test has started the context.
	 */
	static class StartedByTest {

	}

	/**
	 * What a slice lacks.
	 */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ LeaderTestAutoConfiguration.class, LeaderAutoConfiguration.class,
			LeaderFenceAutoConfiguration.class, LeaderOnlyAutoConfiguration.class, LeaderWebAutoConfiguration.class })
	static class SliceOfTest extends StartedByTest {

	}

}
