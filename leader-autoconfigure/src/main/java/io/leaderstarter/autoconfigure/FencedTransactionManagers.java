package io.leaderstarter.autoconfigure;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.leaderstarter.fencing.FencedTransactions;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionManager;

/**
 * Attaches {@link FencedTransactions} to every transaction manager of the application,
 * also to those that the application creates itself, which Boot gives no listeners.
 * <p>
 * A {@link BeanPostProcessor} bean would miss the managers that another one needs, as
 * these are created before it is registered. So there is one that is no bean and is
 * registered before all others. What is created earlier still, is registered as it is, or
 * belongs to a parent context, is looked up before the first term begins.
 */
final class FencedTransactionManagers implements BeanFactoryPostProcessor, SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(FencedTransactionManagers.class);

	private final ObjectProvider<FencedTransactions> transactions;

	private final Set<String> warned = ConcurrentHashMap.newKeySet();

	private final ConfigurableListableBeanFactory beanFactory;

	FencedTransactionManagers(ObjectProvider<FencedTransactions> transactions,
			ConfigurableListableBeanFactory beanFactory) {
		this.transactions = transactions;
		this.beanFactory = beanFactory;
	}

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		beanFactory.addBeanPostProcessor(new BeanPostProcessor() {

			@Override
			public Object postProcessAfterInitialization(Object bean, String beanName) {
				if (bean instanceof TransactionManager manager) {
					attach(beanName, manager);
				}
				return bean;
			}

		});
	}

	@Override
	public void afterSingletonsInstantiated() {
		attachToAll();
	}

	/**
	 * Attach to all managers that exist. Those that are created later are attached to
	 * when they are created.
	 */
	void attachToAll() {
		for (ListableBeanFactory factory : FencedDataSources.withAncestors(this.beanFactory)) {
			for (String name : factory.getBeanNamesForType(TransactionManager.class, true, false)) {
				// One that a parent context creates later would not be attached to.
				if ((factory == this.beanFactory) ? this.beanFactory.containsSingleton(name)
						: factory.isSingleton(name)) {
					attach(name, factory.getBean(name, TransactionManager.class));
				}
			}
		}
	}

	private void attach(String name, TransactionManager manager) {
		if (manager instanceof ConfigurableTransactionManager configurable) {
			this.transactions.getObject().attach(configurable, name);
		}
		else if (this.warned.add(name)) {
			logger.warn(("Transactions of '%s' cannot be checked, as it is no ConfigurableTransactionManager. "
					+ "Their writes are fenced only if it delegates to one. Use another transaction manager for @LeaderOnly methods")
				.formatted(name));
		}
	}

}
