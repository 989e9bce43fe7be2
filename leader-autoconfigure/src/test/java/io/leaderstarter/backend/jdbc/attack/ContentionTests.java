package io.leaderstarter.backend.jdbc.attack;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import javax.sql.DataSource;

import io.leaderstarter.backend.jdbc.attack.Contention.Term;
import io.leaderstarter.election.state.LeaseTiming;
import io.leaderstarter.testsupport.AdaptedDataSource;
import io.leaderstarter.testsupport.MariaDbServer;
import io.leaderstarter.testsupport.MemoryDatabases;
import io.leaderstarter.testsupport.PostgresServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds the lease statements to their promise under contention: however the threads are
 * scheduled, no two holders of a role ever rely on it at the same time.
 */
@Tag("verify")
class ContentionTests {

	private static final int CONTENDERS = 16;

	private static final int ROLES = 4;

	/** Some seconds, or what is asked for; see CONTRIBUTING.md. */
	private static final int SECONDS = Integer.getInteger("contention.seconds", 8);

	/** Generous: four roles and leases of 50 ms make about 90 in a second. */
	private static final int LEAST_TERMS = 12 * SECONDS;

	private static final LeaseTiming TIMING = new LeaseTiming(Duration.ofMillis(50), Duration.ofMillis(18),
			Duration.ofMillis(10), Duration.ofMillis(3));

	@ParameterizedTest
	@EnumSource
	void holdersNeverOverlapAndEpochsGrow(Setting setting) throws Exception {
		long seed = System.nanoTime();
		Contention contention = new Contention(setting.dataSource(), TIMING, Contention.fromSending(TIMING), ROLES);
		List<Term> terms = contention.run(CONTENDERS, Duration.ofSeconds(SECONDS),
				() -> used(contention.terms()) > LEAST_TERMS && contention.renewals() > LEAST_TERMS / 4, seed);
		long used = used(terms);
		System.out.printf("%s, seed %d: %d terms, %d of them used, %d renewals, %d failures%n", setting, seed,
				terms.size(), used, contention.renewals(), contention.failures());
		assertThat(grantedTwice(terms)).as("epochs granted twice").isEmpty();
		assertThat(overlaps(terms)).as("terms that overlap").isEmpty();
		assertThat(used).as("terms").isGreaterThan(LEAST_TERMS);
		assertThat(contention.renewals()).as("renewals").isGreaterThan(LEAST_TERMS / 4);
	}

	@Test
	void overlapsAreSeenIfHoldersRelyOnMoreThanTheyWereGiven() throws Exception {
		Contention contention = new Contention(MemoryDatabases.newH2(), TIMING,
				Contention.fromReceiving(TIMING, Duration.ofMillis(30)), ROLES);
		List<Term> terms = contention.run(CONTENDERS, Duration.ofSeconds(2),
				() -> overlaps(contention.terms()).size() > 5, 1);
		assertThat(grantedTwice(terms)).isEmpty();
		assertThat(overlaps(terms)).hasSizeGreaterThan(5);
	}

	private static long used(List<Term> terms) {
		return terms.stream().filter(Term::wasUsed).count();
	}

	private static Set<String> grantedTwice(List<Term> terms) {
		Set<String> seen = new HashSet<>();
		return terms.stream()
			.map((term) -> term.role() + "/" + term.epoch())
			.filter((epoch) -> !seen.add(epoch))
			.collect(Collectors.toSet());
	}

	/**
	 * A term must be over before any of a higher epoch begins. So this also finds epochs
	 * that do not grow in time.
	 */
	private static List<String> overlaps(List<Term> terms) {
		List<String> overlaps = new ArrayList<>();
		Map<String, List<Term>> byRole = terms.stream()
			.filter(Term::wasUsed)
			.collect(Collectors.groupingBy(Term::role));
		byRole.forEach((role, ofRole) -> {
			Term last = null;
			for (Term term : ofRole.stream().sorted(Comparator.comparingLong(Term::epoch)).toList()) {
				if (last != null && term.from() - last.until() < 0) {
					overlaps.add("%s by %d us".formatted(term, (last.until() - term.from()) / 1000));
				}
				if (last == null || term.until() - last.until() > 0) {
					last = term;
				}
			}
		});
		return overlaps;
	}

	/** A database and what its connections are set to. */
	enum Setting {

		POSTGRESQL_READ_COMMITTED, POSTGRESQL_REPEATABLE_READ, POSTGRESQL_SERIALIZABLE, MARIADB_READ_COMMITTED,
		MARIADB_REPEATABLE_READ, MARIADB_SERIALIZABLE, H2;

		DataSource dataSource() {
			DataSource database = (this == H2) ? MemoryDatabases.newH2()
					: name().startsWith("MARIADB") ? MariaDbServer.newDatabase() : PostgresServer.newDatabase();
			int isolation = name().endsWith("SERIALIZABLE") ? Connection.TRANSACTION_SERIALIZABLE
					: name().endsWith("REPEATABLE_READ") ? Connection.TRANSACTION_REPEATABLE_READ
							: Connection.TRANSACTION_READ_COMMITTED;
			return new AdaptedDataSource(database, (connection) -> connection.setTransactionIsolation(isolation));
		}

	}

}
