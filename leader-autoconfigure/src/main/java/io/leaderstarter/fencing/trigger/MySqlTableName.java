package io.leaderstarter.fencing.trigger;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The name of a table as MySQL and MariaDB read it.
 *
 * @param schema the schema, {@code null} for that of the connection
 * @param name the name in it
 */
record MySqlTableName(@Nullable String schema, String name) {

	private static final String PART = "`((?:[^`\\p{Cntrl}]|``)+)`|([^`.\\s\\p{Cntrl}]+)";

	private static final Pattern NAME = Pattern.compile("(?:(?:%1$s)\\.)?(?:%1$s)".formatted(PART));

	static MySqlTableName parse(String text) {
		Matcher matcher = NAME.matcher(text);
		if (!matcher.matches()) {
			throw new IllegalArgumentException("'%s' is not the name of a table; quote it by ` if need be"
				.formatted(text.replaceAll("\\p{Cntrl}", "?")));
		}
		String name = part(matcher, 3);
		if (name == null) {
			throw new IllegalStateException("No name in " + text);
		}
		return new MySqlTableName(part(matcher, 1), name);
	}

	/** With quotes, whether it needs them or not. */
	String sql() {
		return sql(this.name);
	}

	/** Another name in the same schema. */
	String sql(String other) {
		return (this.schema != null) ? quote(this.schema) + "." + quote(other) : quote(other);
	}

	private static String quote(String part) {
		return "`" + part.replace("`", "``") + "`";
	}

	private static @Nullable String part(Matcher matcher, int group) {
		String quoted = matcher.group(group);
		return (quoted != null) ? quoted.replace("``", "`") : matcher.group(group + 1);
	}

}
