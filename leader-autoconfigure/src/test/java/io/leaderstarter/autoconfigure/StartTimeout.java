package io.leaderstarter.autoconfigure;

import java.time.Duration;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Changes how long the start waits for etcd or ZooKeeper, which applications cannot.
 *
 * @param timeout how long it waits
 */
record StartTimeout(
		Duration timeout) implements ApplicationContextInitializer<ConfigurableApplicationContext>, BeanPostProcessor {

	@Override
	public void initialize(ConfigurableApplicationContext context) {
		context.getBeanFactory().addBeanPostProcessor(this);
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String name) {
		if (bean instanceof LeaderEtcdProperties properties) {
			properties.connectionTimeout = this.timeout;
		}
		if (bean instanceof LeaderZooKeeperProperties properties) {
			properties.connectionTimeout = this.timeout;
		}
		return bean;
	}

}
