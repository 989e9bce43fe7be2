package io.leaderstarter.election.state;

import java.util.regex.Pattern;

/**
 * The rule for names of roles. It is narrow enough that a role can be a key in every
 * store, a tag and a part of a path without being escaped.
 * <p>
 * Internal: not for applications.
 *
 * @since 0.1.0
 */
public final class RoleName {

	private static final Pattern PATTERN = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:-]{0,127}");

	private RoleName() {
	}

	/**
	 * Check a name.
	 * @param role the name
	 * @return the name
	 * @throws IllegalArgumentException if no role can have it
	 */
	public static String check(String role) {
		if (!PATTERN.matcher(role).matches()) {
			throw new IllegalArgumentException("'%s' cannot be the name of a role: it must have 1 to 128 characters, "
				.formatted(role.replaceAll("\\p{Cntrl}", "?"))
					+ "begin with a letter or digit, and hold only letters, digits and . _ : -");
		}
		return role;
	}

}
