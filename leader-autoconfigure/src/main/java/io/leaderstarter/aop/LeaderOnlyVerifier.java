package io.leaderstarter.aop;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
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
 * Makes sure that no {@code @LeaderOnly} is ignored: once all beans are there, each that
 * carries the annotation must be proxied by us, and its methods must be such that a proxy
 * sees their calls. What the annotation says is worked out here too, so that a mistake
 * shows at start and every role is joined.
 * <p>
 * Beans that are made later are looked at twice: at start as far as it is known what they
 * will be, and when they are made.
 *
 * @since 0.1.0
 */
public final class LeaderOnlyVerifier implements SmartInitializingSingleton, BeanPostProcessor {

	private final ConfigurableListableBeanFactory beanFactory;

	private final LeaderOnlyAdvisor advisor;

	private final ContainerCallbacks callbacks;

	private volatile boolean started;

	/**
	 * Makes the verifier.
	 * @param beanFactory whose beans are looked at
	 * @param advisor what they must be proxied with
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
				Object bean = isMade(name) ? this.beanFactory.getSingleton(name) : null;
				if (bean != null && !(bean instanceof FactoryBean)) {
					verifyMade(name, bean);
				}
				else {
					verifyType(name);
				}
			}
		}
		this.started = true;
	}

	/**
	 * Some mistakes would otherwise be told by others, who do not know what was meant: a
	 * proxy that cannot be made, and a factory method that is refused as this member does
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
			verifyMade(beanName, bean);
		}
		return bean;
	}

	private void verifyMade(String name, Object bean) {
		verify(name, ClassUtils.getUserClass(AopProxyUtils.ultimateTargetClass(bean)), bean);
		if (Proxy.isProxyClass(bean.getClass())) {
			// What its interfaces say may stand nowhere in the class behind it.
			verify(name, bean.getClass(), bean);
		}
	}

	/** What a factory makes is not made for this alone. */
	private void verifyType(String name) {
		Class<?> type = AutoProxyUtils.determineTargetClass(this.beanFactory, name);
		Class<?> userType = (type != null) ? ClassUtils.getUserClass(type) : null;
		if (userType != null && !LeaderOnlyMethods.of(userType).isEmpty()) {
			verify(name, userType, isMade(name) ? this.beanFactory.getBean(name) : null);
		}
	}

	/**
	 * Such a proxy only finds the bean that is meant, which has a name and a proxy of its
	 * own.
	 */
	private boolean isScopedProxy(String name) {
		return this.beanFactory.containsBeanDefinition(ScopedProxyUtils.getTargetBeanName(name));
	}

	private boolean isMade(String name) {
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
								? "The application makes the proxy of the bean itself: annotate the method of its interface."
								: "Usually the bean is needed too early, by a BeanPostProcessor or BeanFactoryPostProcessor: move the method to a bean of its own.",
						null);
			}
			if (LeaderOnlyOperations.isAnnotated(method) && this.callbacks.include(method, name, type)) {
				throw new LeaderOnlyException(method,
						"the container calls it on the bean itself, past its proxy, so every node would run it",
						"Move the work to a method that is called through the bean, such as a @Scheduled one, or do it by LeaderElections.runExclusively(role, timeout, work).",
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
		if (bean instanceof Advised advised) {
			for (Advisor candidate : advised.getAdvisors()) {
				if (candidate == this.advisor) {
					return true;
				}
			}
		}
		return false;
	}

	/**
	 * Whether the proxy of a bean that is not made yet will be a subclass. Spring makes
	 * none of what is made at runtime for an interface, whatever is configured.
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
