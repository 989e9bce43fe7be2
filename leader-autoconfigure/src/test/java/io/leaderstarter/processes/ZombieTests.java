package io.leaderstarter.processes;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;

import io.leaderstarter.processes.LeaderProcess.Event;
import io.leaderstarter.testsupport.EtcdCluster;
import io.leaderstarter.testsupport.PauseWatch;
import io.leaderstarter.testsupport.TestDatabase;
import io.leaderstarter.testsupport.ZooKeeperEnsemble;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A leader's process is stopped in the middle of a transaction, its successor leads and
 * writes, and the process goes on: nothing of what it still does may be committed.
 */
@Order(1)
class ZombieTests {

	private static final Duration TTL = Duration.ofSeconds(3);

	private static final Duration IDLE = Duration.ofSeconds(1);

	/** One raise that is held up, a poll after it, and a slow machine. */
	private static final Duration SLACK = Duration.ofSeconds(7);

	private final PauseWatch watch = new PauseWatch();

	@TempDir
	private Path folder;

	private final List<LeaderProcess> processes = new ArrayList<>();

	@AfterEach
	void end() throws Exception {
		for (LeaderProcess process : this.processes) {
			process.end();
		}
		this.watch.close();
	}

	@ParameterizedTest
	@Tag("verify")
	@CsvSource({ "POSTGRESQL, before-writes, check, jdbc", "POSTGRESQL, after-check, check, jdbc",
			"POSTGRESQL, before-check, begin, jdbc", "MARIADB, before-writes, check, jdbc",
			"MARIADB, after-check, begin, jdbc", "MARIADB, before-check, begin, jdbc",
			"POSTGRESQL, before-writes, check, etcd", "POSTGRESQL, after-check, check, etcd",
			"POSTGRESQL, before-check, begin, etcd", "MARIADB, after-check, begin, etcd",
			"POSTGRESQL, before-writes, check, zookeeper", "POSTGRESQL, after-check, check, zookeeper",
			"POSTGRESQL, before-check, begin, zookeeper", "MARIADB, after-check, begin, zookeeper" })
	void nothingOfAZombieIsCommittedAndItsSuccessorWorks(TestDatabase kind, String point, String idleFrom,
			String backend) throws Exception {
		Zombie zombie = freeze(kind, point, idleFrom, backend);
		this.watch.assertTookLessThan(TTL.plus(IDLE).plus(SLACK), zombie.stopped, zombie.replaced.time());
		zombie.wakeUp();
		zombie.assertThatNothingIsCommitted();
	}

	/** Once per backend: what can happen to a leader, with real processes. */
	@ParameterizedTest
	@ValueSource(strings = { "jdbc", "zookeeper", "etcd" })
	void zombieIsRefusedAndTakesOverFromASuccessorThatIsKilled(String backend) throws Exception {
		Zombie zombie = freeze(TestDatabase.POSTGRESQL, "before-check", "begin", backend);
		zombie.wakeUp();
		zombie.assertThatNothingIsCommitted();
		zombie.successor.signal("KILL");
		await(zombie.process, (process) -> process.has("committed"));
		assertThat(first(zombie.process, "committed").epoch()).isGreaterThan(zombie.replaced.epoch());
		zombie.assertThatNothingIsCommitted();
	}

	/**
	 * Stops the process of a leader in the middle of a transaction, and waits until its
	 * successor has committed one.
	 */
	private Zombie freeze(TestDatabase kind, String point, String idleFrom, String backend) throws Exception {
		DriverManagerDataSource database = kind.make();
		JdbcTemplate jdbc = new JdbcTemplate(database);
		jdbc.execute("create table written (epoch bigint not null)");
		jdbc.execute("create table account (id int primary key, epoch bigint not null)");
		jdbc.update("insert into account values (1, 0)");
		Path release = this.folder.resolve("release");
		List<String> properties = with(store(backend), "spring.application.name=zombies",
				"spring.main.web-application-type=none", "spring.main.keep-alive=true", "spring.main.banner-mode=off",
				"spring.datasource.url=" + database.getUrl(), "leader.lease.ttl=" + TTL.toMillis() + "ms",
				"release=" + release, "leader.backend=" + backend);
		if (idleFrom.equals("begin")) {
			properties.add("leader.fence.idle-timeout=" + IDLE.toMillis() + "ms");
		}
		LeaderProcess process = start("zombie", with(properties, "stick=" + point));
		await(process, (zombie) -> zombie.has("stuck"));
		LeaderProcess successor = start("successor", properties);
		await(successor, LeaderProcess::isUp);
		process.signal("STOP");
		long stopped = System.nanoTime();
		await(successor, (it) -> it.has("committed"));
		return new Zombie(process, successor, stopped, first(successor, "committed"), release, jdbc);
	}

	private static Event first(LeaderProcess process, String kind) {
		return process.events().stream().filter((event) -> event.kind().equals(kind)).findFirst().orElseThrow();
	}

	private LeaderProcess start(String name, List<String> properties) throws Exception {
		LeaderProcess process = LeaderProcess.start(this.folder, name, ZombieApplication.class, properties);
		this.processes.add(process);
		return process;
	}

	/** Where the leases are. */
	private static List<String> store(String backend) {
		return switch (backend) {
			case "etcd" -> List.of("leader.etcd.endpoints=" + String.join(",", EtcdCluster.shared().endpoints()),
					"leader.etcd.key-prefix=/zombies/" + UUID.randomUUID());
			case "zookeeper" -> List.of("leader.zookeeper.connect-string=" + ZooKeeperEnsemble.shared().connectString(),
					"leader.zookeeper.base-path=/zombies/" + UUID.randomUUID(),
					"leader.zookeeper.tick-time=" + ZooKeeperEnsemble.TICK.toMillis() + "ms");
			default -> List.of();
		};
	}

	private static List<String> with(List<String> properties, String... more) {
		List<String> all = new ArrayList<>(properties);
		all.addAll(List.of(more));
		return all;
	}

	private static void await(LeaderProcess process, Predicate<LeaderProcess> condition) {
		try {
			soon().until(() -> condition.test(process));
		}
		catch (ConditionTimeoutException ex) {
			System.err.println(process.log());
			throw ex;
		}
	}

	private static ConditionFactory soon() {
		return Awaitility.await().pollInterval(Duration.ofMillis(10)).atMost(Duration.ofSeconds(90));
	}

	/**
	 * A leader that was stopped and replaced.
	 *
	 * @param process its process
	 * @param successor the process that leads now
	 * @param stopped when it was stopped, by the clock that all processes share
	 * @param replaced the first transaction that its successor committed
	 * @param release the file that its transaction waits for
	 * @param jdbc the database
	 */
	private record Zombie(LeaderProcess process, LeaderProcess successor, long stopped, Event replaced, Path release,
			JdbcTemplate jdbc) {

		/** Lets it go on with its transaction, until that is refused. */
		void wakeUp() throws Exception {
			Files.createFile(this.release);
			this.process.signal("CONT");
			await(this.process, (zombie) -> zombie.has("refused"));
		}

		void assertThatNothingIsCommitted() {
			long epoch = first(this.process, "stuck").epoch();
			assertThat(this.jdbc.queryForList("select epoch from written where epoch <= ?", Long.class, epoch))
				.isEmpty();
			assertThat(this.jdbc.queryForObject("select epoch from account", Long.class)).isGreaterThan(epoch);
		}

	}

}
