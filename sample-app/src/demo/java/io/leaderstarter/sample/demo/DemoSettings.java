package io.leaderstarter.sample.demo;

import java.nio.file.Path;
import java.time.Duration;

/**
 * What can be chosen when the demo starts.
 *
 * @param backend what leaders are elected over
 * @param port where the page is, if the port is free; else it is near to it
 * @param folder where logs and programs are kept
 * @param freeze how long a node is frozen
 * @param ttl how long a lease lasts
 */
record DemoSettings(Backend backend, int port, Path folder, Duration freeze, Duration ttl) {

	/**
	 * Reads the settings from the system properties of this process.
	 * @throws IllegalArgumentException if one cannot be understood
	 */
	static DemoSettings read() {
		return new DemoSettings(Backend.of(System.getProperty("demo.backend", "h2")),
				Integer.getInteger("demo.port", 8080),
				Path.of(System.getProperty("demo.folder", "build/demo")).toAbsolutePath(),
				Duration.ofSeconds(Integer.getInteger("demo.freeze-seconds", 20)), Duration.ofSeconds(5));
	}

}
