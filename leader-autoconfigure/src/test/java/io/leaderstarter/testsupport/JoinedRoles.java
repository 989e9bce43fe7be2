package io.leaderstarter.testsupport;

import java.util.Arrays;

import io.leaderstarter.LeaderElections;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;

/**
 * Joins roles for an application that has no code that does. The property
 * {@code test.roles} names them.
 */
public final class JoinedRoles implements ApplicationContextInitializer<ConfigurableApplicationContext> {

	@Override
	public void initialize(ConfigurableApplicationContext context) {
		String roles = context.getEnvironment().getProperty("test.roles");
		if (roles != null && context instanceof GenericApplicationContext application) {
			application.registerBean("testRoles", SmartInitializingSingleton.class,
					() -> () -> application.getBeanProvider(LeaderElections.class)
						.ifAvailable((elections) -> Arrays.stream(roles.split(",")).forEach(elections::join)));
		}
	}

}
