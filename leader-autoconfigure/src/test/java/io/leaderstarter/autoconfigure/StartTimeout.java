package io.leaderstarter.autoconfigure;

import java.time.Duration;
import java.util.function.Supplier;

import io.leaderstarter.backend.etcd.EtcdLeaseProperties;
import io.leaderstarter.backend.zookeeper.ZooKeeperLeaseProperties;

import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/**
 * Changes how long the start waits for etcd or ZooKeeper, which no property does.
 *
 * @param timeout how long it waits
 */
record StartTimeout(Duration timeout) implements ApplicationContextInitializer<ConfigurableApplicationContext> {

	@Override
	public void initialize(ConfigurableApplicationContext context) {
		replace(context, EtcdLeaseProperties.class, () -> {
			EtcdLeaseProperties configured = context.getBean(LeaderEtcdProperties.class).toLeaseProperties();
			return new EtcdLeaseProperties(configured.keyPrefix(), this.timeout);
		});
		replace(context, ZooKeeperLeaseProperties.class, () -> {
			ZooKeeperLeaseProperties configured = context.getBean(LeaderZooKeeperProperties.class)
				.toLeaseProperties(false);
			return new ZooKeeperLeaseProperties(configured.basePath(), configured.tickTime(), this.timeout,
					configured.creatorOnly());
		});
	}

	private static <T> void replace(ConfigurableApplicationContext context, Class<T> type, Supplier<T> settings) {
		GenericApplicationContext registry = (GenericApplicationContext) context;
		if (registry.containsBeanDefinition(type.getName())) {
			registry.removeBeanDefinition(type.getName());
		}
		registry.registerBean(type.getName(), type, settings, (definition) -> definition.setLazyInit(true));
	}

}
