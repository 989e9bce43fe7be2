package io.leaderstarter.sample.demo.server;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.leaderstarter.sample.demo.process.JavaCommand;
import org.jspecify.annotations.Nullable;

/**
 * The database of nodes that know nothing of each other. Whoever comes first starts it,
 * and it lasts until the last one has left. A node is there from the moment that it has
 * found the database, though its own connections come later.
 */
public final class LastingDatabase implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final int MEGABYTES = 128;

	/**
	 * Starts a process that is not ended by Ctrl-C in the terminal that it was started
	 * from, as the system spares what a shell has put into the background.
	 */
	private static final String DETACHED = "log=$1; shift; \"$@\" < /dev/null > \"$log\" 2>&1 &";

	private final Path folder;

	private @Nullable Connection presence;

	/**
	 * Knows the database of a folder.
	 * @param folder where its file is
	 */
	public LastingDatabase(Path folder) {
		this.folder = folder;
	}

	/**
	 * Makes sure that the database runs, and goes on until this is closed.
	 * @return its address
	 * @throws IOException if the folder cannot be used
	 * @throws InterruptedException if this thread is interrupted
	 * @throws IllegalStateException if the database does not start
	 */
	public String findOrStart() throws IOException, InterruptedException {
		Files.createDirectories(this.folder);
		// Nodes that are started together must not start a database each.
		try (FileChannel channel = FileChannel.open(this.folder.resolve("lock"), StandardOpenOption.CREATE,
				StandardOpenOption.WRITE); FileLock lock = channel.lock()) {
			Optional<String> running = lock.isValid() ? find() : Optional.empty();
			return running.isPresent() ? running.get() : start();
		}
	}

	private Optional<String> find() throws IOException {
		Path log = this.folder.resolve("database.log");
		if (!Files.exists(log)) {
			return Optional.empty();
		}
		String prefix = ServerLines.PROPERTY + H2FileServer.URL + "=";
		return Files.readAllLines(log)
			.stream()
			.filter((line) -> line.startsWith(prefix))
			.map((line) -> line.substring(prefix.length()))
			.filter(this::enter)
			.findFirst();
	}

	private boolean enter(String url) {
		try {
			this.presence = DriverManager.getConnection(url);
			return true;
		}
		catch (SQLException ex) {
			return false;
		}
	}

	private String start() throws IOException, InterruptedException {
		File log = this.folder.resolve("database.log").toFile();
		List<String> command = new ArrayList<>(List.of("sh", "-c", DETACHED, "sh", log.getPath()));
		command.addAll(JavaCommand.of(MEGABYTES, this.folder, H2FileServer.class.getName(),
				List.of(this.folder.resolve("sample").toString())));
		Files.deleteIfExists(log.toPath());
		new ProcessBuilder(command).start().waitFor();
		long end = System.nanoTime() + PATIENCE.toNanos();
		Optional<String> running = find();
		while (running.isEmpty() && System.nanoTime() - end < 0) {
			Thread.sleep(50);
			running = find();
		}
		return running.orElseThrow(() -> new IllegalStateException("The database does not start. Its log is " + log));
	}

	@Override
	public void close() throws SQLException {
		if (this.presence != null) {
			this.presence.close();
		}
	}

}
