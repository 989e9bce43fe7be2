package io.leaderstarter.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.StringUtils;

/**
 * Refuses values that properties must not have, with their full names.
 */
final class PropertyCheck {

	private PropertyCheck() {
	}

	/**
	 * Return the duration, and refuse one that is too short.
	 */
	static Duration atLeast(Duration least, String property, Duration value) {
		if (value.compareTo(least) < 0) {
			throw new LeaderConfigurationException(
					"%s is %s, but must be at least %s".formatted(property, text(value), text(least)),
					List.of("Set %s to %s or longer, or remove it.".formatted(property, text(least))));
		}
		return value;
	}

	/**
	 * Return the duration, and refuse one that is so long that its unit must be wrong.
	 */
	static Duration atMostADay(String property, Duration value) {
		if (value.compareTo(Duration.ofDays(1)) > 0) {
			throw new LeaderConfigurationException("%s is %s, but must be at most 24h".formatted(property, text(value)),
					List.of("Set %s to 24h or less, or remove it.".formatted(property)));
		}
		return value;
	}

	/**
	 * Return the number, and refuse one that is too low.
	 */
	static int atLeast(int least, String property, int value) {
		if (value < least) {
			throw new LeaderConfigurationException(
					"%s is %d, but must be at least %d".formatted(property, value, least),
					List.of("Set %s to %d or more, or remove it.".formatted(property, least)));
		}
		return value;
	}

	/**
	 * Return the text, and refuse one that is blank, too long or not printable.
	 */
	static String readable(int longest, String property, String value) {
		if (value.isBlank() || value.length() > longest || value.chars().anyMatch(Character::isISOControl)) {
			throw new LeaderConfigurationException(
					"%s is '%s', but must have 1 to %d characters, not only blanks and no control characters"
						.formatted(property, printable(value, longest), longest),
					List.of("Set %s to another text, or remove it.".formatted(property)));
		}
		return value;
	}

	/**
	 * Return the text, {@code null} if it is blank, as from a placeholder whose variable
	 * is not set.
	 */
	static @Nullable String text(@Nullable String value) {
		return StringUtils.hasText(value) ? value : null;
	}

	/**
	 * Return the result of using a property, and name the property if that fails.
	 */
	static <T> T usable(String property, Supplier<T> use) {
		try {
			return use.get();
		}
		catch (IllegalArgumentException ex) {
			throw new LeaderConfigurationException("%s cannot be used: %s".formatted(property, ex.getMessage()),
					List.of("Correct %s.".formatted(property)));
		}
	}

	/**
	 * Refuse a user without a password, and a password without a user.
	 * @param owner the properties or bean that supply them
	 * @param advice what to do
	 */
	static void bothOrNone(String owner, @Nullable String username, @Nullable String password, String advice) {
		if ((username == null) != (password == null)) {
			throw new LeaderConfigurationException("%s has a %s without a %s".formatted(owner,
					(username != null) ? "username" : "password", (username != null) ? "password" : "username"),
					List.of(advice));
		}
	}

	/**
	 * Refuse a property of dedicated connections where those of a bean are used.
	 */
	static void unused(String property, @Nullable String value, String bean, String... advice) {
		if (StringUtils.hasText(value)) {
			throw new LeaderConfigurationException(
					"%s is set, but the connections of %s are used".formatted(property, bean), List.of(advice));
		}
	}

	/**
	 * Return the only or primary bean that is a client of a store.
	 * @param store name of the store
	 * @param bean the type of the bean
	 * @param property the property that names servers
	 * @param details the type of the bean that names servers
	 */
	static <T> T client(ObjectProvider<T> clients, String store, String bean, String property, Class<?> details) {
		T client = clients.getIfUnique();
		if (client != null) {
			return client;
		}
		String servers = "Set %s.".formatted(property);
		throw clients.stream().findAny().isEmpty()
				? new LeaderConfigurationException(
						"Leader election has the backend %s, but no servers are configured".formatted(store),
						List.of(servers, "Add a %s bean.".formatted(bean),
								"Let the %s bean return a server, if there is one.".formatted(details.getSimpleName())))
				: new LeaderConfigurationException("There are several %s beans, and none is primary".formatted(bean),
						List.of("Mark one of them @Primary.", servers));
	}

	private static String printable(String value, int longest) {
		String text = value.replaceAll("\\p{Cntrl}", "?");
		return (text.length() <= longest) ? text : text.substring(0, longest) + "...";
	}

	private static String text(Duration duration) {
		return (duration.getNano() != 0 || duration.isZero()) ? duration.toMillis() + "ms" : duration.toSeconds() + "s";
	}

}
