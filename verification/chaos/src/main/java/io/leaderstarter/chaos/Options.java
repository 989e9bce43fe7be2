package io.leaderstarter.chaos;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

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

	/**
	 * Reads what was asked for.
	 * @param properties the properties of the build by their names, {@code null} if they
	 * are not given
	 * @throws IllegalArgumentException if something is asked for that there is not
	 */
	static Options read(UnaryOperator<@Nullable String> properties) {
		return new Options(choice(Backend.class, "backend", properties), choice(Database.class, "database", properties),
				duration(properties.apply("minutes")), seed(properties.apply("seed")),
				choice(Fence.class, "fence", properties) == Fence.ON);
	}

	private static Duration duration(@Nullable String minutes) {
		try {
			Duration duration = Duration.ofSeconds((long) (Double.parseDouble((minutes != null) ? minutes : "2") * 60));
			if (duration.compareTo(Duration.ZERO) > 0) {
				return duration;
			}
		}
		catch (NumberFormatException ex) {
			// Said below.
		}
		throw new IllegalArgumentException("-Pminutes=%s is no number above 0".formatted(minutes));
	}

	private static long seed(@Nullable String seed) {
		try {
			return (seed != null) ? Long.parseLong(seed) : System.nanoTime() % 1_000_000_000;
		}
		catch (NumberFormatException ex) {
			throw new IllegalArgumentException("-Pseed=%s is no whole number".formatted(seed), ex);
		}
	}

	/** The first one is taken if none is asked for. */
	private static <E extends Enum<E>> E choice(Class<E> type, String name,
			UnaryOperator<@Nullable String> properties) {
		String value = properties.apply(name);
		E[] choices = type.getEnumConstants();
		return (value == null) ? choices[0] : Arrays.stream(choices)
			.filter((constant) -> constant.name().equalsIgnoreCase(value))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("There is no %s '%s'. -P%s is one of %s".formatted(name,
					value, name, Arrays.stream(choices).map(Options::lower).collect(Collectors.joining(", ")))));
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

	private enum Fence {

		ON, OFF

	}

	/** What is fenced, and has the leases of {@link Backend#JDBC}. */
	enum Database {

		POSTGRESQL, MARIADB

	}

}
