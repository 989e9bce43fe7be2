package io.leaderstarter.sample.demo;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.leaderstarter.sample.demo.Event.Kind;
import io.leaderstarter.sample.demo.NodeStatus.Role;
import io.leaderstarter.sample.demo.NodeView.Phase;

/**
 * What people may do to nodes.
 */
final class Actions implements AutoCloseable {

	/** Longer than a node does nothing between two pieces of work. */
	private static final int WORK_COMES_WITHIN_MILLIS = 6000;

	private static final int LOOK_MILLIS = 20;

	private static final Map<String, String> STEERED = Map.of("resign", "%s gives its roles up", "pause",
			"%s is paused until it is resumed", "resume", "%s competes for its roles again");

	private static final Set<String> OTHERS = Set.of("freeze", "kill", "start");

	private final long freezeMillis;

	private final NodeClient client;

	private final EventLog events;

	private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(2, (task) -> {
		Thread thread = new Thread(task, "actions");
		thread.setDaemon(true);
		return thread;
	});

	Actions(DemoSettings settings, NodeClient client, EventLog events) {
		this.freezeMillis = settings.freeze().toMillis();
		this.client = client;
		this.events = events;
	}

	static boolean isKnown(String action) {
		return STEERED.containsKey(action) || OTHERS.contains(action);
	}

	/**
	 * Does something to a node.
	 * @return whether that was possible
	 */
	boolean act(DemoNode node, String action) {
		return switch (action) {
			case "start" -> start(node);
			case "kill" -> kill(node);
			case "freeze" -> freeze(node);
			default -> steer(node, action);
		};
	}

	private static boolean start(DemoNode node) {
		boolean possible = node.view().phase() == Phase.ENDED;
		node.start();
		return possible;
	}

	private static boolean kill(DemoNode node) {
		Phase phase = node.view().phase();
		node.kill();
		return phase != Phase.ENDED && phase != Phase.WAITING;
	}

	private boolean freeze(DemoNode node) {
		boolean possible = node.beginFreezing();
		if (possible) {
			observe(node, leads(node.view()) ? System.currentTimeMillis() + WORK_COMES_WITHIN_MILLIS : 0);
		}
		return possible;
	}

	/** Freezes a leader where it hurts: when it has read and not written yet. */
	private void observe(DemoNode node, long patientUntil) {
		if (node.isInTheMiddleOfItsWork() || System.currentTimeMillis() >= patientUntil) {
			long until = System.currentTimeMillis() + this.freezeMillis;
			node.freeze(until);
			this.timer.schedule(() -> node.wake(until), this.freezeMillis, TimeUnit.MILLISECONDS);
		}
		else {
			this.timer.schedule(() -> observe(node, patientUntil), LOOK_MILLIS, TimeUnit.MILLISECONDS);
		}
	}

	private static boolean leads(NodeView view) {
		NodeStatus status = view.status();
		return status != null && status.roles().values().stream().map(Role::state).anyMatch("LEADER"::equals);
	}

	private boolean steer(DemoNode node, String action) {
		NodeView view = node.view();
		boolean done = view.phase() == Phase.UP && this.client.steer(view.port(), action);
		if (done) {
			this.events.add(Kind.STEERED, node.name(), STEERED.getOrDefault(action, "%s").formatted(node.name()));
		}
		return done;
	}

	@Override
	public void close() {
		this.timer.shutdownNow();
	}

}
