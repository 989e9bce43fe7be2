package io.leaderstarter.testsupport;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.apache.zookeeper.server.quorum.QuorumPeerMain;
import org.awaitility.Awaitility;

import org.springframework.util.FileSystemUtils;

/**
 * A ZooKeeper server that is a process of its own, so that it can be stopped in the
 * middle of what it does. It ends with this process, however that ends: its parent is a
 * shell that waits for the pipe from here to be closed, and then kills it by its id and
 * deletes its folder.
 */
final class ZooKeeperProcess implements AutoCloseable {

	private static final String LOG4J = """
			log4j.rootLogger=WARN, CONSOLE
			log4j.appender.CONSOLE=org.apache.log4j.ConsoleAppender
			log4j.appender.CONSOLE.layout=org.apache.log4j.PatternLayout
			log4j.appender.CONSOLE.layout.ConversionPattern=%p %c %m%n
			""";

	private static final int ANSWER_MILLIS = 1000;

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	/** What is read is empty if nobody has written it. */
	private static final String SHELL = "\"$@\" > \"$0/log\" 2>&1 & echo $!; read -r word; "
			+ "kill -KILL $!; wait; [ \"$word\" = keep ] || rm -rf \"$0\"";

	private final Path folder;

	private final int port;

	private final String classPath;

	private Process shell;

	private long id;

	private boolean frozen;

	/**
	 * Prepares a server, and starts nothing yet.
	 * @param id its number among the servers
	 * @param port where clients of it go
	 * @param configuration lines of its configuration, without those of its folder
	 */
	ZooKeeperProcess(int id, int port, List<String> configuration) {
		this(id, port, configuration, System.getProperty("java.class.path"));
	}

	/**
	 * Prepares a server of another version. Old ones need a configuration for their log.
	 * @param classPath where its classes are
	 */
	ZooKeeperProcess(int id, int port, List<String> configuration, String classPath) {
		this.port = port;
		try {
			this.folder = Files.createTempDirectory("leader-zookeeper-");
			this.classPath = this.folder + File.pathSeparator + classPath;
			Files.writeString(this.folder.resolve("log4j.properties"), LOG4J);
			Files.writeString(this.folder.resolve("myid"), Integer.toString(id));
			List<String> lines = new ArrayList<>(configuration);
			lines.add("dataDir=" + this.folder);
			Files.write(this.folder.resolve("zoo.cfg"), lines);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	int port() {
		return this.port;
	}

	/** Starts it on the data that are there, and does not wait for it. */
	void start() {
		List<String> command = List.of("sh", "-c", SHELL, this.folder.toString(),
				Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
				"-XX:+UseSerialGC", "-Xmx64m", "-cp", this.classPath, QuorumPeerMain.class.getName(),
				this.folder.resolve("zoo.cfg").toString());
		try {
			this.shell = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
			this.id = Long.parseLong(this.shell.inputReader().readLine());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Waits until it says something of itself, and ends it if it does not. */
	void awaitStatus(String text) {
		try {
			Awaitility.await()
				.atMost(PATIENCE)
				.pollInterval(Duration.ofMillis(50))
				.until(() -> status().contains(text));
		}
		catch (RuntimeException ex) {
			String log = log();
			close();
			throw new IllegalStateException("ZooKeeper does not start: " + log, ex);
		}
	}

	long id() {
		return this.id;
	}

	boolean isStarted() {
		return this.shell != null;
	}

	/** What it says of itself, empty if it does not answer. */
	String status() {
		try (Socket socket = new Socket()) {
			socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), this.port), ANSWER_MILLIS);
			socket.setSoTimeout(ANSWER_MILLIS);
			socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
		}
		catch (IOException ex) {
			return "";
		}
	}

	void freeze() {
		signal("STOP");
		this.frozen = true;
	}

	void goOn() {
		if (this.frozen) {
			this.frozen = false;
			signal("CONT");
		}
	}

	/** Ends it at once, as a crash does. What it has written stays. */
	void kill() {
		end("keep\n");
	}

	String log() {
		try {
			return Files.readString(this.folder.resolve("log"));
		}
		catch (IOException ex) {
			return "no log: " + ex;
		}
	}

	@Override
	public void close() {
		end("");
		FileSystemUtils.deleteRecursively(this.folder.toFile());
	}

	private void end(String word) {
		if (this.shell == null) {
			return;
		}
		try {
			try (var input = this.shell.outputWriter()) {
				input.write(word);
			}
			this.shell.waitFor();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.shell = null;
		this.frozen = false;
	}

	private void signal(String signal) {
		try {
			// The shell's own kill, as not every machine has the program.
			new ProcessBuilder("sh", "-c", "kill -%s %d".formatted(signal, this.id)).start().onExit().join();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
