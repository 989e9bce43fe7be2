package io.leaderstarter.election.adversary;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.leaderstarter.LeaderElections;
import io.leaderstarter.LeaderOnly;
import io.leaderstarter.StaleLeaderException;
import io.leaderstarter.TestContexts;
import io.leaderstarter.autoconfigure.LeaderAutoConfiguration;
import io.leaderstarter.autoconfigure.LeaderFenceAutoConfiguration;
import io.leaderstarter.autoconfigure.LeaderOnlyAutoConfiguration;
import io.leaderstarter.election.DefaultLeaderElections;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseStoreFactory;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.testsupport.PostgresServer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Applications over the elections of the textbooks: each elects two leaders, of which one
 * writes over what the other has written, and none does if the database is fenced.
 */
@Tag("verify")
@ResourceLock(TestContexts.LOG)
class ClassicElectionsTests {

	private static final String ROLE = "duty";

	private static final int NODES = 3;

	private final DriverManagerDataSource database = PostgresServer.newDatabase();

	private final JdbcTemplate observer = new JdbcTemplate(this.database);

	@BeforeEach
	void openAccount() {
		this.observer.execute("create table account (balance int)");
		this.observer.execute("insert into account values (0)");
	}

	@ParameterizedTest
	@EnumSource
	void withoutAFenceAWriteIsLost(Classic kind) {
		run(kind, false, (nodes) -> {
			Node first = awaitLeader(nodes);
			first.add(1, () -> {
				awaitSecondLeader(nodes, first).addInAnotherThread(10);
				assertThat(balance()).isEqualTo(10);
			});
			assertThat(balance()).as("balance, of which 11 were acknowledged").isOne();
		});
	}

	@ParameterizedTest
	@EnumSource
	void withAFenceNoWriteIsLost(Classic kind) {
		run(kind, true, (nodes) -> {
			Node first = awaitLeader(nodes);
			AtomicReference<Node> second = new AtomicReference<>();
			Throwable refusal = catchThrowable(() -> first.add(1, () -> {
				second.set(awaitSecondLeaderOrRefusal(nodes, first));
				if (second.get() != null) {
					second.get().addInAnotherThread(10);
				}
			}));
			assertThat(second.get() != null || !kind.epochGrows).as("a second node leads").isTrue();
			if (second.get() != null || refusal != null) {
				assertThat(refusal).isInstanceOf(StaleLeaderException.class);
			}
			int acknowledged = ((second.get() != null) ? 10 : 0) + ((refusal == null) ? 1 : 0);
			assertThat(balance()).isEqualTo(acknowledged);
		});
	}

	private void run(Classic kind, boolean fenced, Consumer<List<Node>> test) {
		ClassicNodes cluster = new ClassicNodes(kind, this.database);
		ApplicationContextRunner runner = new ApplicationContextRunner()
			.withPropertyValues("leader.namespace=classic", "leader.lease.ttl=1m", "leader.lease.renew-interval=100ms",
					"leader.fence.enabled=" + fenced, "spring.datasource.url=" + this.database.getUrl())
			.withConfiguration(AutoConfigurations.of(LeaderAutoConfiguration.class, DataSourceAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
					TransactionAutoConfiguration.class, LeaderFenceAutoConfiguration.class,
					LeaderOnlyAutoConfiguration.class))
			.withBean(Factory.class, () -> new Factory(cluster))
			.withBean(Account.class);
		run(runner, new ArrayList<>(), test);
	}

	/** Start applications, and when all are there let them compete. */
	private static void run(ApplicationContextRunner runner, List<Node> nodes, Consumer<List<Node>> test) {
		if (nodes.size() == NODES) {
			nodes.forEach((node) -> TestContexts.ready(node.context));
			test.accept(nodes);
			return;
		}
		runner.run((context) -> {
			assertThat(context).hasNotFailed();
			nodes.add(new Node(context));
			run(runner, nodes, test);
		});
	}

	private static Node awaitLeader(List<Node> nodes) {
		TestContexts.await().until(() -> nodes.stream().anyMatch(Node::leads));
		return nodes.stream().filter(Node::leads).findFirst().orElseThrow();
	}

	/** Return another node that leads while the first does, as the election has it. */
	private static Node awaitSecondLeader(List<Node> nodes, Node first) {
		first.disturb();
		Node second = awaitLeader(others(nodes, first));
		first.awaitConfirmed();
		assertThat(List.of(first, second)).allMatch(Node::leads);
		return second;
	}

	/**
	 * Return another node that leads while the first does, or {@code null} if there is
	 * one that would be elected, but the fence knows better.
	 */
	private static Node awaitSecondLeaderOrRefusal(List<Node> nodes, Node first) {
		first.disturb();
		List<Node> others = others(nodes, first);
		TestContexts.await().until(() -> others.stream().anyMatch((node) -> node.leads() || node.isRefused()));
		first.awaitConfirmed();
		assertThat(first.leads()).isTrue();
		return others.stream().filter(Node::leads).findFirst().orElse(null);
	}

	private static List<Node> others(List<Node> nodes, Node first) {
		return nodes.stream().filter((node) -> node != first).toList();
	}

	private int balance() {
		return this.observer.queryForObject("select balance from account", Integer.class);
	}

	/** An application. */
	private static final class Node {

		private final ApplicationContext context;

		private Node(ApplicationContext context) {
			this.context = context;
		}

		private boolean leads() {
			return this.context.getBean(LeaderElections.class).election(ROLE).isLeader();
		}

		private boolean isRefused() {
			return this.context.getBean(DefaultLeaderElections.class).storeStatus().refused().containsKey(ROLE);
		}

		private void disturb() {
			Factory factory = this.context.getBean(Factory.class);
			factory.nodes.disturb(factory.created);
		}

		/** Wait until the election has said again that this node is elected. */
		private void awaitConfirmed() {
			ClassicElection election = this.context.getBean(Factory.class).created;
			int confirmed = election.confirmed();
			TestContexts.await().until(() -> election.confirmed() > confirmed + 1);
		}

		private void add(int amount, Runnable meanwhile) {
			this.context.getBean(Account.class).add(amount, meanwhile);
		}

		/** As another process would. */
		private void addInAnotherThread(int amount) {
			assertThat(CompletableFuture.runAsync(() -> add(amount, () -> {
			}))).succeedsWithin(Duration.ofSeconds(30));
		}

	}

	private static final class Factory implements LeaseStoreFactory {

		private final ClassicNodes nodes;

		private volatile ClassicElection created;

		private Factory(ClassicNodes nodes) {
			this.nodes = nodes;
		}

		@Override
		public String name() {
			return "classic";
		}

		@Override
		public Duration minimumTtl() {
			return Duration.ofSeconds(1);
		}

		@Override
		public LeaseStore create(StoreIdentity identity) {
			this.created = this.nodes.join(identity.member());
			return this.created;
		}

	}

	/** Reads, thinks, and writes. */
	static class Account {

		private final JdbcTemplate jdbc;

		Account(@Qualifier("jdbcTemplate") JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		@LeaderOnly(ROLE)
		@Transactional
		public void add(int amount, Runnable meanwhile) {
			int balance = this.jdbc.queryForObject("select balance from account", Integer.class);
			meanwhile.run();
			this.jdbc.update("update account set balance = ?", balance + amount);
		}

	}

}
