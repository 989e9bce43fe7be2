package io.leaderstarter.scale;

import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeadershipGrantedEvent;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;

/**
 * An application as users write it, with the defaults of the starter. It says when it is
 * up, was notified that it leads, and begins to close, by a clock that all processes of a
 * machine share.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class ReplicaApplication {

	private final LeaderElections elections;

	ReplicaApplication(LeaderElections elections) {
		this.elections = elections;
	}

	public static void main(String[] args) {
		SpringApplication.run(ReplicaApplication.class, args);
	}

	@EventListener
	void onReady(ApplicationReadyEvent event) {
		this.elections.join("role");
		say(Replica.Word.UP);
	}

	@EventListener
	void onGranted(LeadershipGrantedEvent event) {
		say(Replica.Word.LEADS);
	}

	@EventListener
	void onClosed(ContextClosedEvent event) {
		say(Replica.Word.CLOSES);
	}

	private static void say(Replica.Word word) {
		System.out.println(word + " " + System.nanoTime());
	}

}
