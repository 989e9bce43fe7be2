package io.leaderstarter.sample.demo;

import java.nio.file.Path;
import java.util.Arrays;

import io.leaderstarter.sample.SampleApplication;
import io.leaderstarter.sample.demo.process.FreePort;
import io.leaderstarter.sample.demo.server.LastingDatabase;

/**
 * Runs one node of the sample in this process, on a free port. All nodes that are run so
 * share a database, which the first of them starts as a process of its own.
 */
public final class RunNode {

	private static final String PORT = "server.port";

	private RunNode() {
	}

	/**
	 * Runs a node until somebody ends it.
	 * @param args properties for the application; what they say about port and database
	 * counts
	 * @throws Exception if the database does not start
	 */
	public static void main(String[] args) throws Exception {
		if (System.getProperty(PORT) == null) {
			System.setProperty(PORT, Integer.toString(FreePort.near(Integer.getInteger("demo.port", 8080))));
		}
		if (Arrays.stream(args).noneMatch(RunNode::choosesDatabase)) {
			Path folder = Path.of(System.getProperty("demo.folder", "build/run")).toAbsolutePath();
			System.setProperty("spring.datasource.url", new LastingDatabase(folder).findOrStart());
			System.setProperty("spring.datasource.username", "sa");
		}
		SampleApplication.main(args);
	}

	private static boolean choosesDatabase(String argument) {
		return argument.startsWith("--spring.datasource.") || argument.startsWith("--spring.profiles.active");
	}

}
