package io.leaderstarter.sample.demo.node;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.Leadership;
import io.leaderstarter.LeadershipGrantedEvent;
import io.leaderstarter.LeadershipRevokedEvent;
import io.leaderstarter.election.spi.CallObserver;
import io.leaderstarter.fencing.FenceListener;
import io.leaderstarter.fencing.Fences;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.EventListener;

/**
 * Prints what happens on this node, one line for each {@link Report}, for the process
 * that has started it.
 */
@Configuration(proxyBeanMethods = false)
@Profile("demo")
class NodeReports {

	private static final JsonMapper JSON = JsonMapper.builder().build();

	@EventListener
	void onReady(ApplicationReadyEvent event) {
		String port = event.getApplicationContext().getEnvironment().getProperty("local.server.port", "0");
		print(new Report("ready", null, Long.parseLong(port), null, System.currentTimeMillis()));
	}

	@EventListener
	void onGranted(LeadershipGrantedEvent event) {
		print("granted", event.leadership(), null);
	}

	@EventListener
	void onRevoked(LeadershipRevokedEvent event) {
		print("revoked", event.leadership(), event.reason().name());
	}

	@Bean
	CallObserver reportCalls() {
		return (term, type, function) -> {
			print("begun", term, null);
			return new CallObserver.Observed() {

				@Override
				public void onEnd(@Nullable Throwable failure) {
					print("done", term, (failure != null) ? failure.toString() : null);
				}

			};
		};
	}

	@Bean
	SmartInitializingSingleton reportRefusals(Fences fences) {
		return () -> fences.all().forEach((fence) -> fence.addListener(new FenceListener() {

			@Override
			public void onRefusal(String database, Leadership leadership, Refuser by) {
				print("refused", leadership, by.name());
			}

		}));
	}

	private static void print(String kind, ActiveTerm term, @Nullable String detail) {
		print(kind, term.leadership(), detail);
	}

	private static void print(String kind, Leadership leadership, @Nullable String detail) {
		print(new Report(kind, leadership.role(), leadership.epoch(), detail, System.currentTimeMillis()));
	}

	private static void print(Report report) {
		System.out.println(Report.PREFIX + JSON.writeValueAsString(report));
	}

}
