package io.leaderstarter.sample.demo.node;

import io.leaderstarter.election.spi.TimeSource;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;

/**
 * Lets a node that was frozen believe that no time has passed. With the clocks of a
 * machine that goes on it would see at once that its lease is over, and try nothing.
 */
@Configuration(proxyBeanMethods = false)
@Profile("demo")
class NodeClocks {

	@Bean
	TimeSource clocks(@Value("${leader.backend:jdbc}") String backend) {
		// The leases of ZooKeeper are counted by the clocks of the machine too.
		StoppableClocks clocks = new StoppableClocks(TimeSource.SYSTEM, backend.equals("zookeeper"));
		clocks.start();
		return clocks;
	}

}
