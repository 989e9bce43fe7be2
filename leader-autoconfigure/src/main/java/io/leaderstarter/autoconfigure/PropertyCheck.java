package io.leaderstarter.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Refuses what a property must not be, by the name that the user knows it by.
 */
final class PropertyCheck {

	private PropertyCheck() {
	}

	/**
	 * Returns the duration if it is at least as long as it must be.
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
	 * Returns the duration if it is no longer than anybody means: a unit was mistaken.
	 */
	static Duration atMostADay(String property, Duration value) {
		if (value.compareTo(Duration.ofDays(1)) > 0) {
			throw new LeaderConfigurationException("%s is %s, but must be at most 24h".formatted(property, text(value)),
					List.of("Set %s to 24h or less, or remove it.".formatted(property)));
		}
		return value;
	}

	/**
	 * Returns the number if it is at least as high as it must be.
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
	 * Returns the text if it is there, not too long, and can be shown to people.
	 */
	static String readable(int longest, String property, String value) {
		if (value.isBlank() || value.length() > longest || value.chars().anyMatch(Character::isISOControl)) {
			throw new LeaderConfigurationException(
					"%s is '%s', but must have 1 to %d characters, not only blanks and none that controls"
						.formatted(property, shown(value, longest), longest),
					List.of("Set %s to another text, or remove it.".formatted(property)));
		}
		return value;
	}

	/**
	 * Returns the text, {@code null} if it is blank, which is what a placeholder leaves
	 * behind whose variable is not set.
	 */
	static @Nullable String text(@Nullable String value) {
		return (value != null && !value.isBlank()) ? value : null;
	}

	/**
	 * Returns what is made of a property, and names the property if that is not possible.
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
	 * Refuses a user without a password, and a password without a user.
	 * @param owner who supplies them
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
	 * Refuses a property of connections that are not made here but by a bean.
	 */
	static void unused(String property, @Nullable String value, String bean, String... advice) {
		if (value != null) {
			throw new LeaderConfigurationException(
					"%s is set, but the connections of %s are used".formatted(property, bean), List.of(advice));
		}
	}

	private static String shown(String value, int longest) {
		String printable = value.replaceAll("\\p{Cntrl}", "?");
		return (printable.length() <= longest) ? printable : printable.substring(0, longest) + "...";
	}

	private static String text(Duration duration) {
		return (duration.getNano() != 0 || duration.isZero()) ? duration.toMillis() + "ms" : duration.toSeconds() + "s";
	}

}
