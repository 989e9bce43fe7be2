package io.leaderstarter.sample.demo.process;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What starts another Java process on the classes of this one.
 */
public final class JavaCommand {

	private JavaCommand() {
	}

	/**
	 * Returns the command. The process is small and starts soon, at the cost of code that
	 * is not optimized for long runs.
	 * @param megabytes how much it may keep
	 * @param temporary its folder for temporary files
	 * @param main the class to start
	 * @param arguments its arguments
	 * @return the command
	 */
	public static List<String> of(int megabytes, Path temporary, String main, List<String> arguments) {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
						"-XX:+UseSerialGC", "-Xshare:auto", "-Xmx%dm".formatted(megabytes),
						"-Djava.io.tmpdir=" + temporary, "-cp", System.getProperty("java.class.path"), main));
		command.addAll(arguments);
		return command;
	}

}
