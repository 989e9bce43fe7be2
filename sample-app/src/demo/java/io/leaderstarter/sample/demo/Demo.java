package io.leaderstarter.sample.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

import io.leaderstarter.sample.demo.Snapshot.ServerView;
import io.leaderstarter.sample.demo.Snapshot.Totals;
import io.leaderstarter.sample.demo.process.FreePort;
import io.leaderstarter.sample.demo.server.ServerFolders;

import org.springframework.util.FileSystemUtils;

/**
 * Starts a database and three nodes of the sample, and serves a page that shows what they
 * do and lets one freeze and kill them. All of it ends with this process.
 */
public final class Demo {

	private Demo() {
	}

	/**
	 * Runs the demo until somebody ends it.
	 * @param args nothing
	 * @throws Exception if something does not start
	 */
	public static void main(String[] args) throws Exception {
		try {
			run(DemoSettings.read());
		}
		catch (IllegalArgumentException | IllegalStateException ex) {
			System.err.println(ex.getMessage());
			System.exit(1);
		}
	}

	private static void run(DemoSettings settings) throws IOException, InterruptedException {
		int port = FreePort.near(settings.port());
		ServerFolders folders = folders(settings.folder(), port);
		EventLog events = new EventLog();
		Terms terms = new Terms(events);
		NodeClient client = new NodeClient();
		Cluster cluster = new Cluster(settings, folders, events, terms);
		Watch watch = new Watch(cluster, client, events, terms);
		Actions actions = new Actions(settings, client, events);
		endWithParent();
		Runtime.getRuntime().addShutdownHook(new Thread(() -> {
			watch.close();
			actions.close();
			cluster.close();
			FileSystemUtils.deleteRecursively(folders.temporary().toFile());
		}));
		PageServer page = new PageServer(port, cluster, actions, events,
				() -> snapshot(settings, cluster, watch, terms));
		Runtime.getRuntime().addShutdownHook(new Thread(page::close));
		System.out.printf(Locale.ROOT, "%nOpen http://localhost:%d%n%n", port);
		System.out.printf("Three nodes of the sample start, over %s. Ctrl-C ends all of it.%nTheir logs are in %s%n",
				settings.backend().title(), folders.logs());
		watch.start(cluster.startServers());
		cluster.startNodes(watch::ask);
		Thread.currentThread().join();
	}

	private static Snapshot snapshot(DemoSettings settings, Cluster cluster, Watch watch, Terms terms) {
		return new Snapshot(System.currentTimeMillis(), settings.backend().title(), settings.backend().database(),
				watch.up(), settings.ttl().toMillis(), settings.freeze().toMillis(),
				cluster.servers().stream().map((server) -> new ServerView(server.name(), server.id())).toList(),
				cluster.nodes().stream().map(DemoNode::view).toList(),
				new Totals(watch.writes().landed(), terms.refused(), terms.untried(), watch.writes().stale()));
	}

	/**
	 * What the last run on this port has left behind is deleted. The port keeps demos
	 * apart that run at the same time.
	 */
	private static ServerFolders folders(Path folder, int port) throws IOException {
		Path own = folder.resolve(Integer.toString(port));
		FileSystemUtils.deleteRecursively(own);
		return new ServerFolders(Files.createDirectories(own.resolve("logs")),
				Files.createDirectories(own.resolve("temporary")), Files.createDirectories(folder.resolve("programs")));
	}

	/** The process that started this may be killed without a signal to this one. */
	private static void endWithParent() {
		ProcessHandle.current().parent().ifPresent((parent) -> parent.onExit().thenRun(() -> System.exit(0)));
	}

}
