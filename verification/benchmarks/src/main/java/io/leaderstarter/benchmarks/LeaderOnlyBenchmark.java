package io.leaderstarter.benchmarks;

import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.leaderstarter.LeaderElection;
import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeaderOnly;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * What {@code isLeader()} and a {@code @LeaderOnly} call cost, on the leader and on a
 * follower, in a real application.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class LeaderOnlyBenchmark {

	/** Whether this member leads. */
	@Param({ "false", "true" })
	public boolean leader;

	private ConfigurableApplicationContext context;

	private LeaderElection election;

	private Job job;

	@Setup
	public void start() throws InterruptedException {
		SpringApplication application = new SpringApplication(Application.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		application.setDefaultProperties(
				Map.of("spring.application.name", "benchmark", "leader.backend", "local", "leader.candidate.enabled",
						this.leader, "spring.main.banner-mode", "off", "logging.level.root", "warn"));
		this.context = application.run();
		this.job = this.context.getBean(Job.class);
		this.election = this.context.getBean(LeaderElections.class).election("job");
		while (this.election.isLeader() != this.leader) {
			Thread.sleep(10);
		}
	}

	@TearDown
	public void stop() {
		this.context.close();
	}

	@Benchmark
	public boolean isLeader() {
		return this.election.isLeader();
	}

	@Benchmark
	public void leaderOnlyCall() {
		this.job.run();
	}

	@Benchmark
	public void plainCall() {
		this.job.plain();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		Job job() {
			return new Job();
		}

	}

	/** A bean as users write it. */
	public static class Job {

		private long runs;

		@LeaderOnly("job")
		public void run() {
			this.runs++;
		}

		public void plain() {
			this.runs++;
		}

	}

}
