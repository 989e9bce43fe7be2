package io.leaderstarter.sample.demo.node;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * One event that a node reports.
 *
 * @param kind {@code ready}, {@code granted}, {@code revoked}, {@code begun},
 * {@code done} or {@code refused}
 * @param role the role that it is about
 * @param number the epoch; the port if the node is ready
 * @param detail why, if there is a reason
 * @param at when, by the node's clock
 */
public record Report(String kind, @Nullable String role, long number, @Nullable String detail, long at) {

	/** How lines begin that are reports. */
	static final String PREFIX = "@demo ";

	private static final JsonMapper JSON = JsonMapper.builder().build();

	/**
	 * Reads a line that a node has printed.
	 * @param line the line
	 * @return the report, {@code null} if it is something else, such as half of a report
	 * that was cut off or mixed with what another thread printed
	 */
	public static @Nullable Report read(String line) {
		if (!line.startsWith(PREFIX)) {
			return null;
		}
		try {
			Report report = JSON.readValue(line.substring(PREFIX.length()), Report.class);
			return (report != null && report.kind() != null) ? report : null;
		}
		catch (JacksonException ex) {
			return null;
		}
	}

}
