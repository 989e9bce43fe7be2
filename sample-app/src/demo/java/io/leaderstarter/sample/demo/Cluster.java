package io.leaderstarter.sample.demo;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.leaderstarter.sample.SampleApplication;
import io.leaderstarter.sample.demo.NodeView.Phase;
import io.leaderstarter.sample.demo.process.JavaCommand;
import io.leaderstarter.sample.demo.server.ServerFolders;
import io.leaderstarter.sample.demo.server.ServerKind;
import io.leaderstarter.sample.demo.server.SharedServer;

/**
 * All processes of the demo: the servers and three nodes.
 */
final class Cluster implements AutoCloseable {

	private static final int SIZE = 3;

	private static final int MEGABYTES = 128;

	private final DemoSettings settings;

	private final ServerFolders folders;

	private final EventLog events;

	private final Terms terms;

	private final List<SharedServer> servers = new CopyOnWriteArrayList<>();

	private final Map<String, String> properties = new LinkedHashMap<>();

	private final List<DemoNode> nodes = new CopyOnWriteArrayList<>();

	Cluster(DemoSettings settings, ServerFolders folders, EventLog events, Terms terms) {
		this.settings = settings;
		this.folders = folders;
		this.events = events;
		this.terms = terms;
	}

	/**
	 * Starts the servers.
	 * @return where the database is
	 * @throws IllegalStateException if one does not start
	 */
	Ledger startServers() {
		for (ServerKind kind : this.settings.backend().servers()) {
			SharedServer server = SharedServer.start(kind, this.folders);
			this.servers.add(server);
			this.properties.putAll(server.properties());
		}
		return new Ledger(this.properties.getOrDefault("spring.datasource.url", ""),
				this.properties.getOrDefault("spring.datasource.username", ""));
	}

	/**
	 * Starts the first node, which makes the tables, and the others when it is ready.
	 * @param observer is given each node before it starts
	 */
	void startNodes(Consumer<DemoNode> observer) throws InterruptedException {
		IntStream.rangeClosed(1, SIZE).forEach((number) -> this.nodes.add(make("node-" + number)));
		this.nodes.forEach(observer);
		DemoNode first = this.nodes.get(0);
		first.start();
		while (first.view().phase() == Phase.STARTING) {
			Thread.sleep(50);
		}
		this.nodes.forEach((node) -> {
			if (node != first) {
				node.start();
			}
		});
	}

	List<SharedServer> servers() {
		return this.servers;
	}

	List<DemoNode> nodes() {
		return this.nodes;
	}

	Optional<DemoNode> find(String name) {
		return this.nodes.stream().filter((node) -> node.name().equals(name)).findFirst();
	}

	private DemoNode make(String name) {
		Map<String, String> all = new LinkedHashMap<>(this.properties);
		all.put("spring.profiles.active", "demo");
		all.put("server.port", "0");
		all.put("server.address", "127.0.0.1");
		all.put("leader.member.id-prefix", name);
		all.put("leader.lease.ttl", this.settings.ttl().toMillis() + "ms");
		// So that a node is mostly in the middle of something when it is frozen.
		all.put("sample.pause", "500ms");
		all.put("sample.paperwork-takes", "1500ms");
		all.put("sample.mail-takes", "500ms");
		// What is not shown would be taken for work of the roles that are.
		all.put("sample.statements", "-");
		List<String> arguments = new ArrayList<>();
		all.forEach((key, value) -> arguments.add("--" + key + "=" + value));
		Path log = this.folders.logs().resolve(name + ".log");
		return new DemoNode(name,
				JavaCommand.of(MEGABYTES, this.folders.temporary(), SampleApplication.class.getName(), arguments), log,
				this.events, this.terms::onReport);
	}

	@Override
	public void close() {
		// All at the same time, and each when the one before has had its time.
		this.nodes.forEach(DemoNode::end);
		this.nodes.forEach(DemoNode::close);
		this.servers.forEach(SharedServer::close);
	}

}
