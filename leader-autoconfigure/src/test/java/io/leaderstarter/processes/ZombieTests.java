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
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A leader's process is stopped in the middle of a transaction, its successor leads and
 * writes, and the process goes on: nothing of what it still does may be committed.
 */
class ZombieTests {

	private static final Duration TTL = Duration.ofSeconds(3);

	private static final Duration IDLE = Duration.ofSeconds(1);

	/** One raise that is held up, a look after it, and a slow machine. */
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
	@CsvSource({ "POSTGRESQL, before-writes, check, jdbc", "POSTGRESQL, after-check, check, jdbc",
			"POSTGRESQL, before-check, begin, jdbc", "MARIADB, before-writes, check, jdbc",
			"MARIADB, after-check, begin, jdbc", "MARIADB, before-check, begin, jdbc",
			"POSTGRESQL, before-writes, check, etcd", "POSTGRESQL, after-check, check, etcd",
			"POSTGRESQL, before-check, begin, etcd", "MARIADB, after-check, begin, etcd",
			"POSTGRESQL, before-writes, check, zookeeper", "POSTGRESQL, after-check, check, zookeeper",
			"POSTGRESQL, before-check, begin, zookeeper", "MARIADB, after-check, begin, zookeeper" })
	void nothingOfAZombieIsCommittedAndItsSuccessorWorks(TestDatabase kind, String point, String idleFrom,
			String backend) throws Exception {
		DriverManagerDataSource database = kind.make();
		JdbcTemplate jdbc = new JdbcTemplate(database);
		jdbc.execute("create table written (epoch bigint not null)");
		jdbc.execute("create table account (id int primary key, epoch bigint not null)");
		jdbc.update("insert into account values (1, 0)");
		Path release = this.folder.resolve("release");
		List<String> properties = with(store(backend), "spring.application.name=zombies",
				"spring.main.web-application-type=none", "spring.main.keep-alive=true", "spring.main.banner-mode=off",
				"spring.datasource.url=" + database.getUrl(), "leader.lease.ttl=" + TTL.toMillis() + "ms",
				"leader.fence.idle-timeout=" + IDLE.toMillis() + "ms", "leader.fence.idle-timeout-from=" + idleFrom,
				"release=" + release, "leader.backend=" + backend);
		LeaderProcess zombie = start("zombie", with(properties, "stick=" + point));
		await(zombie, (process) -> process.has("stuck"));
		LeaderProcess successor = start("successor", properties);
		await(successor, LeaderProcess::isUp);
		zombie.signal("STOP");
		long stopped = System.nanoTime();
		await(successor, (process) -> process.has("committed"));
		Event first = successor.events().stream().filter((event) -> event.kind().equals("committed")).findFirst().get();
		this.watch.assertTookLessThan(TTL.plus(IDLE).plus(SLACK), stopped, first.time());
		Files.createFile(release);
		zombie.signal("CONT");
		await(zombie, (process) -> process.has("refused"));
		long epoch = zombie.events().stream().filter((event) -> event.kind().equals("stuck")).findFirst().get().epoch();
		assertThat(jdbc.queryForList("select epoch from written where epoch <= ?", Long.class, epoch)).isEmpty();
		assertThat(jdbc.queryForObject("select epoch from account", Long.class)).isGreaterThan(epoch);
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
					"leader.etcd.key-prefix=/zombies/" + UUID.randomUUID(), "leader.etcd.connection-timeout=20s");
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

}
