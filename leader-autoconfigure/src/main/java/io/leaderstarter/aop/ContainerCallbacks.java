package io.leaderstarter.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.util.ClassUtils;

/**
 * Finds the methods that the container calls on a bean directly, without its proxy:
 * callbacks of its lifecycle and injection.
 *
 * @param beanFactory the beans
 */
record ContainerCallbacks(ConfigurableListableBeanFactory beanFactory) {

	/** By name, as the classes are optional. */
	private static final Set<String> ANNOTATIONS = Set.of("jakarta.annotation.PostConstruct",
			"jakarta.annotation.PreDestroy", "jakarta.annotation.Resource", "jakarta.inject.Inject",
			"org.springframework.beans.factory.annotation.Autowired",
			"org.springframework.beans.factory.annotation.Value");

	/** Destroy methods that Spring infers if a bean definition names none. */
	private static final List<String> INFERRED = List.of("close", "shutdown");

	/**
	 * Return whether the container calls the method on the bean of this name. Products of
	 * a {@code FactoryBean} are not initialized or destroyed by the container.
	 */
	boolean include(Method method, String name, Class<?> type) {
		if (!this.beanFactory.containsBeanDefinition(name) || this.beanFactory.isFactoryBean(name)) {
			return false;
		}
		return LeaderOnlyReturns.carries(method, ANNOTATIONS) || implementsCallback(method, type)
				|| isNamed(method, this.beanFactory.getMergedBeanDefinition(name), type);
	}

	private static boolean implementsCallback(Method method, Class<?> type) {
		return ClassUtils.getAllInterfacesForClassAsSet(type)
			.stream()
			.flatMap((candidate) -> Arrays.stream(candidate.getMethods()))
			.filter((candidate) -> isCallback(candidate.getDeclaringClass()))
			.anyMatch((candidate) -> LeaderOnlyMethods.isImplementation(method, candidate, type));
	}

	private static boolean isCallback(Class<?> type) {
		return type == InitializingBean.class || type == DisposableBean.class || Aware.class.isAssignableFrom(type);
	}

	private static boolean isNamed(Method method, BeanDefinition merged, Class<?> type) {
		if (!(merged instanceof AbstractBeanDefinition definition) || method.getParameterCount() > 1) {
			return false;
		}
		String name = method.getName();
		return (contains(definition.getInitMethodNames(), name) && method.getParameterCount() == 0)
				|| name.equals(inferredDestroyMethod(definition, type))
				|| contains(definition.getDestroyMethodNames(), name);
	}

	private static boolean contains(String @Nullable [] names, String name) {
		return names != null && Arrays.asList(names).contains(name);
	}

	/** As {@code DisposableBeanAdapter} infers it. */
	private static @Nullable String inferredDestroyMethod(AbstractBeanDefinition definition, Class<?> type) {
		String named = definition.getDestroyMethodName();
		boolean inferred = AbstractBeanDefinition.INFER_METHOD.equals(named)
				|| (named == null && AutoCloseable.class.isAssignableFrom(type));
		if (!inferred || definition.isPrototype() || DisposableBean.class.isAssignableFrom(type)) {
			return null;
		}
		return INFERRED.stream().filter((name) -> ClassUtils.hasMethod(type, name)).findFirst().orElse(null);
	}

}
