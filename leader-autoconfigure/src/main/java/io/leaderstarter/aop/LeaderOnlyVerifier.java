package io.leaderstarter.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Verifies that no {@code @LeaderOnly} is ignored: once all beans are created, each with
 * the annotation must have a proxy with the advisor, and the proxy must intercept all
 * calls of its methods. The annotations are resolved here too, so that mistakes stop the
 * start and every role is joined.
 * <p>
 * Beans that are created later are verified twice: at start as far as their type is
 * known, and when they are created.
 *
 * @since 0.1.0
 */
public final class LeaderOnlyVerifier implements SmartInitializingSingleton, BeanPostProcessor {

	private final ConfigurableListableBeanFactory beanFactory;

	private final LeaderOnlyAdvisor advisor;

	private final ContainerCallbacks callbacks;

	private volatile boolean started;

	/**
	 * Create a new verifier.
	 * @param beanFactory the beans to verify
	 * @param advisor the advisor that their proxies must have
	 */
	public LeaderOnlyVerifier(ConfigurableListableBeanFactory beanFactory, LeaderOnlyAdvisor advisor) {
		this.beanFactory = beanFactory;
		this.advisor = advisor;
		this.callbacks = new ContainerCallbacks(beanFactory);
	}

	@Override
	public void afterSingletonsInstantiated() {
		for (String name : this.beanFactory.getBeanNamesForType(Object.class, true, false)) {
			if (!isScopedProxy(name)) {
				Object bean = isCreated(name) ? this.beanFactory.getSingleton(name) : null;
				if (bean != null && !(bean instanceof FactoryBean)) {
					verifyCreated(name, bean);
				}
				else {
					verifyType(name);
				}
			}
		}
		this.started = true;
	}

	/**
	 * Some mistakes would otherwise be reported by Spring without the reason: a proxy
	 * that cannot be created, and a factory method that is refused as this member does
	 * not lead.
	 */
	@Override
	public Object postProcessBeforeInitialization(Object bean, String beanName) {
		Class<?> type = ClassUtils.getUserClass(bean);
		for (Method method : LeaderOnlyMethods.of(type)) {
			LeaderOnlyMethods.requireNoFactory(method, type);
			if (isSubclassed(beanName, type)) {
				LeaderOnlyMethods.requireOpen(method, type);
			}
		}
		return bean;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (this.started && !(bean instanceof ScopedObject)) {
			verifyCreated(beanName, bean);
		}
		return bean;
	}

	private void verifyCreated(String name, Object bean) {
		verify(name, ClassUtils.getUserClass(AopProxyUtils.ultimateTargetClass(bean)), bean);
		if (Proxy.isProxyClass(bean.getClass())) {
			// Annotations of its interfaces may be missing on the class of its target.
			verify(name, bean.getClass(), bean);
		}
	}

	/** Products of factories are not created only to verify them. */
	private void verifyType(String name) {
		Class<?> type = AutoProxyUtils.determineTargetClass(this.beanFactory, name);
		Class<?> userType = (type != null) ? ClassUtils.getUserClass(type) : null;
		if (userType != null && !LeaderOnlyMethods.of(userType).isEmpty()) {
			verify(name, userType, isCreated(name) ? this.beanFactory.getBean(name) : null);
		}
	}

	/**
	 * A scoped proxy only delegates to the target bean, which has another name and
	 * another proxy.
	 */
	private boolean isScopedProxy(String name) {
		return this.beanFactory.containsBeanDefinition(ScopedProxyUtils.getTargetBeanName(name));
	}

	private boolean isCreated(String name) {
		return this.beanFactory.containsSingleton(name) && this.beanFactory.isSingleton(name);
	}

	private void verify(String name, Class<?> type, @Nullable Object bean) {
		Set<Method> methods = LeaderOnlyMethods.of(type);
		for (Method method : methods) {
			LeaderOnlyMethods.requireNoFactory(method, type);
			if (bean != null && !isAdvised(bean)) {
				throw new LeaderOnlyException(method,
						"the bean '%s' is not proxied, so every node would run it".formatted(name),
						Proxy.isProxyClass(bean.getClass())
								? "The application creates the proxy of the bean itself: annotate the method of its interface."
								: "Usually the bean is needed too early, by a BeanPostProcessor or BeanFactoryPostProcessor: move the method to a separate bean.",
						null);
			}
			if (LeaderOnlyOperations.isAnnotated(method) && this.callbacks.include(method, name, type)) {
				throw new LeaderOnlyException(method,
						"the container calls it directly, without the proxy of the bean, so every node would run it",
						"Move the work to a method that is called through the bean, such as a @Scheduled one, or run it by LeaderElections.runExclusively(role, timeout, work).",
						null);
			}
			LeaderOnlyMethods.requireOwnCalls(method);
			if (bean != null && AopUtils.isJdkDynamicProxy(bean)) {
				LeaderOnlyMethods.requireInterface(method, type, AopProxyUtils.proxiedUserInterfaces(bean));
			}
			else if (bean != null || isSubclassed(name, type)) {
				LeaderOnlyMethods.requireOverridable(method, type, (bean != null) ? bean.getClass() : type);
			}
			this.advisor.operations().get(method, type);
		}
	}

	private boolean isAdvised(Object bean) {
		return bean instanceof Advised advised && advised.indexOf(this.advisor) >= 0;
	}

	/**
	 * Return whether the proxy of a bean that is not created yet will be a subclass.
	 * Spring creates no subclass of a proxy or lambda, whatever is configured.
	 */
	private boolean isSubclassed(String name, Class<?> type) {
		if (type.isInterface() || Proxy.isProxyClass(type) || ClassUtils.isLambdaClass(type)) {
			return false;
		}
		Object creator = this.beanFactory.getBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME);
		return (creator instanceof ProxyConfig config && config.isProxyTargetClass())
				|| AutoProxyUtils.shouldProxyTargetClass(this.beanFactory, name)
				|| ClassUtils.getAllInterfacesForClass(type).length == 0;
	}

}
