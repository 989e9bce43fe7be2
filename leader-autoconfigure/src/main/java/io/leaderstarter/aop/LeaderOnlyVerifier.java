package io.leaderstarter.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Makes sure that no {@code @LeaderOnly} is ignored: once all beans are there, each that
 * carries the annotation must be proxied by us, and its methods must be such that a proxy
 * sees their calls. What the annotation says is worked out here too, so that a mistake
 * shows at start and every role is joined.
 *
 * @since 0.1.0
 */
public final class LeaderOnlyVerifier implements SmartInitializingSingleton {

	private final ConfigurableListableBeanFactory beanFactory;

	private final LeaderOnlyAdvisor advisor;

	/**
	 * Makes the verifier.
	 * @param beanFactory whose beans are looked at
	 * @param advisor what they must be proxied with
	 */
	public LeaderOnlyVerifier(ConfigurableListableBeanFactory beanFactory, LeaderOnlyAdvisor advisor) {
		this.beanFactory = beanFactory;
		this.advisor = advisor;
	}

	@Override
	public void afterSingletonsInstantiated() {
		for (String name : this.beanFactory.getBeanNamesForType(Object.class, true, false)) {
			Class<?> type = determineType(name);
			if (type != null && LeaderOnlyOperations.isCandidate(type)) {
				Set<Method> methods = MethodIntrospector.selectMethods(type,
						(ReflectionUtils.MethodFilter) (method) -> isMeant(method)
								&& LeaderOnlyOperations.isLeaderOnly(method, type));
				if (!methods.isEmpty()) {
					verify(name, type, methods);
				}
			}
		}
	}

	private @Nullable Class<?> determineType(String name) {
		if (name.startsWith("scopedTarget.")) {
			return null;
		}
		Class<?> type = AutoProxyUtils.determineTargetClass(this.beanFactory, name);
		return (type != null) ? ClassUtils.getUserClass(type) : null;
	}

	/**
	 * An annotation on the class is about what others can call. One on a method is always
	 * meant.
	 */
	private static boolean isMeant(Method method) {
		boolean callable = !Modifier.isPrivate(method.getModifiers()) && !Modifier.isStatic(method.getModifiers())
				&& !method.isSynthetic();
		return callable || LeaderOnlyOperations.isAnnotated(method);
	}

	private void verify(String name, Class<?> type, Set<Method> methods) {
		Object bean = this.beanFactory.containsSingleton(name) ? this.beanFactory.getBean(name) : null;
		boolean throughInterface = bean != null && AopUtils.isJdkDynamicProxy(bean);
		for (Method method : methods) {
			if (bean != null && !isAdvised(bean)) {
				throw new LeaderOnlyException(method,
						"the bean '%s' is not proxied, so every node would run it".formatted(name),
						"Usually the bean is needed too early, by a BeanPostProcessor or BeanFactoryPostProcessor: move the method to a bean of its own.",
						null);
			}
			if (!throughInterface) {
				requireOverridable(method);
			}
			this.advisor.operations().get(method, type);
		}
	}

	private boolean isAdvised(Object bean) {
		if (bean instanceof Advised advised) {
			for (Advisor candidate : advised.getAdvisors()) {
				if (candidate == this.advisor) {
					return true;
				}
			}
		}
		return false;
	}

	private static void requireOverridable(Method method) {
		int modifiers = method.getModifiers();
		String kind = Modifier.isPrivate(modifiers) ? "private"
				: Modifier.isStatic(modifiers) ? "static" : Modifier.isFinal(modifiers) ? "final" : null;
		if (kind != null) {
			throw new LeaderOnlyException(method, "it is %s, so no proxy sees its calls".formatted(kind),
					"Remove '%s'.".formatted(kind), null);
		}
	}

}
