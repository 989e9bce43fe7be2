package io.leaderstarter.sample.demo.server;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.leaderstarter.sample.demo.process.GuardedProcess;
import io.leaderstarter.sample.demo.process.JavaCommand;

/**
 * A server that nodes share, as a process of its own: to freeze a node freezes nothing
 * else.
 */
public final class SharedServer implements AutoCloseable {

	/** The first start of some servers unpacks or downloads them. */
	private static final Duration PATIENCE = Duration.ofMinutes(3);

	private static final int MEGABYTES = 128;

	private final ServerKind kind;

	private final GuardedProcess process;

	private final Map<String, String> properties;

	private SharedServer(ServerKind kind, GuardedProcess process, Map<String, String> properties) {
		this.kind = kind;
		this.process = process;
		this.properties = properties;
	}

	/**
	 * Starts a server and waits until it answers.
	 * @param kind which one
	 * @param folders where things are
	 * @return the server
	 * @throws IllegalStateException if it does not start
	 */
	public static SharedServer start(ServerKind kind, ServerFolders folders) {
		Map<String, String> properties = new LinkedHashMap<>();
		CompletableFuture<Void> ready = new CompletableFuture<>();
		Path log = folders.logs().resolve(kind.title() + ".log");
		GuardedProcess process = GuardedProcess.start(
				JavaCommand.of(MEGABYTES, kind.temporary(folders), kind.main(), List.of(folders.cache().toString())),
				log, (line) -> {
					if (line.startsWith(ServerLines.PROPERTY)) {
						String[] parts = line.substring(ServerLines.PROPERTY.length()).split("=", 2);
						properties.put(parts[0], parts[1]);
					}
					else if (line.equals(ServerLines.READY)) {
						ready.complete(null);
					}
				});
		process.onExit().thenRun(() -> ready.completeExceptionally(new IllegalStateException("It has ended")));
		try {
			ready.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
			return new SharedServer(kind, process, Map.copyOf(properties));
		}
		catch (ExecutionException | TimeoutException ex) {
			process.end();
			throw new IllegalStateException("%s does not start. Its log is %s".formatted(kind.title(), log), ex);
		}
		catch (InterruptedException ex) {
			process.end();
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Returns what people call it.
	 * @return its name
	 */
	public String name() {
		return this.kind.title();
	}

	/**
	 * Returns how nodes reach it.
	 * @return properties of the application
	 */
	public Map<String, String> properties() {
		return this.properties;
	}

	/**
	 * Returns the id by which the system knows its process.
	 * @return the id
	 */
	public long id() {
		return this.process.id();
	}

	@Override
	public void close() {
		this.process.close();
	}

}
