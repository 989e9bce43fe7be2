package io.leaderstarter.scale;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A process that runs {@link ReplicaApplication}.
 */
final class Replica implements AutoCloseable {

	private final Process process;

	private final Map<Word, Long> said = new ConcurrentHashMap<>();

	/**
	 * Starts the process.
	 * @param name of the application; those of one name elect a leader
	 * @param properties where they do that, as arguments
	 */
	Replica(String name, List<String> properties) throws IOException {
		List<String> command = new ArrayList<>(List.of(
				Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m", "-cp",
				System.getProperty("java.class.path"), ReplicaApplication.class.getName(),
				"--spring.application.name=" + name, "--spring.main.banner-mode=off", "--spring.main.keep-alive=true"));
		command.addAll(properties);
		this.process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
		Thread reader = new Thread(this::read, "replica-output");
		reader.setDaemon(true);
		reader.start();
	}

	boolean hasSaid(Word word) {
		return this.said.containsKey(word);
	}

	/** When it said so. */
	long time(Word word) {
		return this.said.get(word);
	}

	/**
	 * Asks the process to end, as those do who run containers.
	 * @return when it was asked, just before the signal was sent
	 */
	long terminate() {
		long sent = System.nanoTime();
		// SIGTERM. The process itself would also close what it writes to.
		this.process.toHandle().destroy();
		return sent;
	}

	/**
	 * Ends the process as a crash does.
	 * @return when, just before
	 */
	long kill() {
		long sent = System.nanoTime();
		this.process.destroyForcibly();
		return sent;
	}

	/** What it has used of the processors so far. */
	Duration cpu() {
		return this.process.info().totalCpuDuration().orElseThrow();
	}

	boolean hasEnded() {
		return !this.process.isAlive();
	}

	@Override
	public void close() {
		this.process.destroyForcibly();
	}

	private void read() {
		try (BufferedReader output = this.process.inputReader()) {
			for (String line = output.readLine(); line != null; line = output.readLine()) {
				Word word = Word.beginning(line);
				if (word != null) {
					this.said.put(word, Long.parseLong(line.substring(line.indexOf(' ') + 1)));
				}
				else {
					System.out.println(line);
				}
			}
		}
		catch (IOException ex) {
			// The process has ended.
		}
	}

	/** What replicas say, and when. */
	enum Word {

		UP, LEADS, CLOSES;

		static Word beginning(String line) {
			for (Word word : values()) {
				if (line.startsWith(word + " ")) {
					return word;
				}
			}
			return null;
		}

	}

}
