package io.leaderstarter.chaos;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What a run is asked for.
 *
 * @param backend where the leases are
 * @param database what is fenced
 * @param duration for how long faults are injected
 * @param seed decides the faults
 * @param fence whether the fence is on; without it the run has to find stale writes
 */
record Options(Backend backend, Database database, Duration duration, long seed, boolean fence) {

	/** How long a lease lasts. */
	static final Duration TTL = Duration.ofSeconds(3);

	/** How much longer than the ttl it may take until a role is led again. */
	static final Duration GRACE = Duration.ofSeconds(2);

	/** How many members there are. */
	static final int MEMBERS = 5;

	static Options read() {
		String seed = System.getProperty("chaos.seed", "new");
		return new Options(choice(Backend.class, "backend", "jdbc"), choice(Database.class, "database", "postgresql"),
				Duration.ofSeconds((long) (Double.parseDouble(System.getProperty("chaos.minutes", "2")) * 60)),
				seed.equals("new") ? System.nanoTime() % 1_000_000_000 : Long.parseLong(seed),
				!System.getProperty("chaos.fence", "on").equals("off"));
	}

	private static <E extends Enum<E>> E choice(Class<E> type, String name, String otherwise) {
		String value = System.getProperty("chaos." + name, otherwise);
		return Arrays.stream(type.getEnumConstants())
			.filter((constant) -> constant.name().equalsIgnoreCase(value))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException(
					"There is no %s '%s'. -P%s is one of %s".formatted(name, value, name,
							Arrays.stream(type.getEnumConstants())
								.map((constant) -> constant.name().toLowerCase(Locale.ROOT))
								.collect(Collectors.joining(", ")))));
	}

	String command() {
		return "./gradlew chaos -Pbackend=%s -Pdatabase=%s -Pminutes=%s -Pseed=%d%s".formatted(lower(this.backend),
				lower(this.database), String.format(Locale.ROOT, "%.1f", this.duration.toSeconds() / 60.0), this.seed,
				this.fence ? "" : " -Pfence=off");
	}

	static String lower(Enum<?> constant) {
		return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	/** Where leases are kept. */
	enum Backend {

		JDBC, ZOOKEEPER, ETCD

	}

	/** What is fenced, and has the leases of {@link Backend#JDBC}. */
	enum Database {

		POSTGRESQL, MARIADB

	}

}
