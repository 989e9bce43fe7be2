package io.leaderstarter.aop;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * Finds the methods that the container calls on a bean directly, without its proxy:
 * callbacks of its lifecycle and injection.
 */
final class ContainerCallbacks {

	/** By name, as the classes are optional. */
	private static final Set<String> ANNOTATIONS = Set.of("jakarta.annotation.PostConstruct",
			"jakarta.annotation.PreDestroy", "jakarta.annotation.Resource", "jakarta.inject.Inject",
			"org.springframework.beans.factory.annotation.Autowired",
			"org.springframework.beans.factory.annotation.Value");

	/** Destroy methods that Spring infers if a bean definition names none. */
	private static final List<String> INFERRED = List.of("close", "shutdown");

	private final ConfigurableListableBeanFactory beanFactory;

	ContainerCallbacks(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	/**
	 * Return whether the container calls the method on the bean of this name. Products of
	 * a {@code FactoryBean} are not initialized or destroyed by the container.
	 */
	boolean include(Method method, String name, Class<?> type) {
		if (!this.beanFactory.containsBeanDefinition(name) || this.beanFactory.isFactoryBean(name)) {
			return false;
		}
		return isAnnotated(method) || implementsCallback(method, type)
				|| isNamed(method, this.beanFactory.getMergedBeanDefinition(name), type);
	}

	private static boolean isAnnotated(Method method) {
		return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY)
			.stream()
			.anyMatch((annotation) -> ANNOTATIONS.contains(annotation.getType().getName()));
	}

	private static boolean implementsCallback(Method method, Class<?> type) {
		return ClassUtils.getAllInterfacesForClassAsSet(type)
			.stream()
			.flatMap((candidate) -> Arrays.stream(candidate.getMethods()))
			.filter((candidate) -> isCallback(candidate.getDeclaringClass()))
			.anyMatch((candidate) -> implementedBy(method, candidate, type));
	}

	private static boolean isCallback(Class<?> type) {
		return type == InitializingBean.class || type == DisposableBean.class || Aware.class.isAssignableFrom(type);
	}

	private static boolean implementedBy(Method method, Method candidate, Class<?> type) {
		return candidate.getName().equals(method.getName())
				&& AopUtils.getMostSpecificMethod(candidate, type).equals(method);
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
		return INFERRED.stream()
			.map((name) -> ClassUtils.getMethodIfAvailable(type, name))
			.filter(Objects::nonNull)
			.map(Method::getName)
			.findFirst()
			.orElse(null);
	}

}
