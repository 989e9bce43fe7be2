package io.leaderstarter.sample.demo;

import java.nio.file.Path;

import io.leaderstarter.sample.SampleApplication;
import io.leaderstarter.sample.demo.process.FreePort;
import io.leaderstarter.sample.demo.server.LastingDatabase;

import org.springframework.boot.SpringApplication;

/**
 * Runs one node of the sample in this process, on a free port. All nodes that are run so
 * share a database, which the first of them starts as a process of its own.
 */
public final class RunNode {

	private RunNode() {
	}

	/**
	 * Runs a node until somebody ends it.
	 * @param args properties for the application; what they, the environment or a profile
	 * say about port and database counts
	 */
	public static void main(String[] args) {
		Path folder = Path.of(System.getProperty("demo.folder", "build/run")).toAbsolutePath();
		LastingDatabase database = new LastingDatabase(folder);
		NodeDefaults defaults = new NodeDefaults(() -> FreePort.near(Integer.getInteger("demo.port", 8080)),
				database::findOrStart);
		SpringApplication application = new SpringApplication(SampleApplication.class);
		application.setMainApplicationClass(SampleApplication.class);
		application.addInitializers((context) -> context.getEnvironment().getPropertySources().addLast(defaults));
		application.run(args);
	}

}
