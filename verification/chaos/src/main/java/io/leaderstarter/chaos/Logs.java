package io.leaderstarter.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Warnings and errors in the logs of members.
 */
final class Logs {

	private static final Pattern LINE = Pattern.compile("^\\S+ +(WARN|ERROR) \\d+ --- (?:\\[[^]]*] ?)+(\\S+) +: (.*)$");

	private Logs() {
	}

	/** Each that there is in the logs of a folder, and how often it came. */
	static Map<String, Integer> read(Path folder) throws IOException {
		Map<String, Integer> lines = new TreeMap<>();
		List<Path> logs;
		try (Stream<Path> files = Files.list(folder)) {
			logs = files.filter((file) -> file.toString().endsWith(".log")).toList();
		}
		for (Path log : logs) {
			try (Stream<String> text = Files.lines(log)) {
				text.map(Logs::shape)
					.filter((line) -> !line.isEmpty())
					.forEach((line) -> lines.merge(line, 1, Integer::sum));
			}
		}
		return lines;
	}

	/**
	 * Returns level, logger and message of a warning or an error, without what differs
	 * each time. Other lines are empty.
	 */
	static String shape(String line) {
		String text = line.startsWith("Exception in thread") ? "ERROR " + line : "";
		Matcher matcher = LINE.matcher(line);
		if (matcher.matches()) {
			text = "%s %s: %s".formatted(matcher.group(1), matcher.group(2), matcher.group(3));
		}
		return text.replaceAll("@[0-9a-f]+|[0-9a-f]{8,}|\\d+", "#");
	}

}
