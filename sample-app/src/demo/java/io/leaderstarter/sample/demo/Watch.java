package io.leaderstarter.sample.demo;

import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.leaderstarter.sample.demo.Event.Kind;
import io.leaderstarter.sample.demo.LandedWrites.Batch;
import io.leaderstarter.sample.demo.NodeView.Phase;
import org.jspecify.annotations.Nullable;

/**
 * Asks the nodes and the database again and again, and lets customers order.
 */
final class Watch implements AutoCloseable {

	private static final int ASK_MILLIS = 400;

	private static final int LOOK_MILLIS = 300;

	private static final int ORDER_MILLIS = 1000;

	/** A database that has not answered for so long is shown to be away. */
	private static final int SILENCE_MILLIS = 3000;

	private static final List<String> CUSTOMERS = List.of("Ada", "Barbara", "Edsger", "Grace", "Leslie", "Niklaus");

	private final Cluster cluster;

	private final NodeClient client;

	private final EventLog events;

	private final Terms terms;

	private final LandedWrites writes = new LandedWrites();

	private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(6, (task) -> {
		Thread thread = new Thread(task, "watch");
		thread.setDaemon(true);
		return thread;
	});

	private volatile long answered;

	private volatile @Nullable Boolean up;

	private int orders;

	Watch(Cluster cluster, NodeClient client, EventLog events, Terms terms) {
		this.cluster = cluster;
		this.client = client;
		this.events = events;
		this.terms = terms;
	}

	/** Begin to poll the database and the nodes. */
	void start(Ledger ledger) {
		this.answered = System.currentTimeMillis();
		this.timer.scheduleWithFixedDelay(() -> observe(ledger), 0, LOOK_MILLIS, TimeUnit.MILLISECONDS);
		this.timer.scheduleWithFixedDelay(this::judgeServers, ASK_MILLIS, ASK_MILLIS, TimeUnit.MILLISECONDS);
		this.timer.scheduleWithFixedDelay(this::order, ORDER_MILLIS, ORDER_MILLIS, TimeUnit.MILLISECONDS);
	}

	/** Begins to ask a node. */
	void ask(DemoNode node) {
		this.timer.scheduleWithFixedDelay(() -> {
			NodeView view = node.view();
			if (view.phase() == Phase.UP || view.phase() == Phase.FREEZING) {
				node.onAnswer(this.client.status(view.port()));
			}
		}, 0, ASK_MILLIS, TimeUnit.MILLISECONDS);
	}

	/** Whether the servers answer, {@code null} before the first poll. */
	@Nullable Boolean up() {
		return this.up;
	}

	LandedWrites writes() {
		return this.writes;
	}

	private void observe(Ledger ledger) {
		try {
			this.writes.judge(ledger.observe()).forEach(this::publish);
			this.answered = System.currentTimeMillis();
		}
		catch (SQLException ex) {
			// It is away, or the tables are not there yet. Time will show.
		}
	}

	private void publish(Batch batch) {
		String role = batch.write().role();
		long epoch = batch.write().epoch();
		String what = role.equals("outbox") ? "sent %d mail%s" : "closed %d invoice%s";
		this.events.add(System.currentTimeMillis(), batch.stale() ? Kind.STALE : Kind.WROTE,
				this.terms.nodeOf(role, epoch), role, epoch, batch.count(),
				what.formatted(batch.count(), (batch.count() == 1) ? "" : "s"));
	}

	/** The store of the leases is away if all nodes that answer say so. */
	private void judgeServers() {
		List<NodeStatus> statuses = this.cluster.nodes()
			.stream()
			.map(DemoNode::view)
			.filter(NodeView::answers)
			.map(NodeView::status)
			.filter((status) -> status != null)
			.toList();
		if (statuses.isEmpty() && this.up == null) {
			return;
		}
		boolean now = System.currentTimeMillis() - this.answered < SILENCE_MILLIS
				&& (statuses.isEmpty() || statuses.stream().anyMatch(NodeStatus::reachable));
		if (!Boolean.valueOf(now).equals(this.up)) {
			if (this.up != null) {
				this.events.add(now ? Kind.UP : Kind.DOWN, null,
						now ? "The servers answer again" : "The servers do not answer");
			}
			this.up = now;
		}
	}

	private void order() {
		List<NodeView> ready = this.cluster.nodes()
			.stream()
			.map(DemoNode::view)
			.filter((view) -> view.phase() == Phase.UP)
			.toList();
		if (!ready.isEmpty()) {
			int order = this.orders++;
			this.client.order(ready.get(order % ready.size()).port(), CUSTOMERS.get(order % CUSTOMERS.size()),
					10 + order % 90);
		}
	}

	@Override
	public void close() {
		this.timer.shutdownNow();
	}

}
