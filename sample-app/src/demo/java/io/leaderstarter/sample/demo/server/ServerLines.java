package io.leaderstarter.sample.demo.server;

import java.util.Map;

/**
 * The lines in which a server's process prints how nodes reach it.
 */
final class ServerLines {

	static final String PROPERTY = "property ";

	static final String READY = "ready";

	private ServerLines() {
	}

	/** Says that the server answers, and with which properties nodes find it. */
	static void ready(Map<String, String> properties) {
		properties.forEach((name, value) -> System.out.println(PROPERTY + name + "=" + value));
		System.out.println(READY);
	}

	/** Waits until somebody ends this process; hooks of the server do the rest. */
	static void serve() throws InterruptedException {
		Thread.currentThread().join();
	}

}
