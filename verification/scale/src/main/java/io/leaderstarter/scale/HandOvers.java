package io.leaderstarter.scale;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;

import com.sun.management.OperatingSystemMXBean;
import io.leaderstarter.scale.Replica.Word;

/**
 * Applications of two replicas, each a process of its own. The one that leads is asked to
 * end by SIGTERM, and replaced later. What is measured begins when the new ones have come
 * to rest. Each process hands over once and takes over once, so it has done before what
 * it does then only in rehearsals.
 */
final class HandOvers implements AutoCloseable {

	private static final int APPLICATIONS = 4;

	private static final Duration PATIENCE = Duration.ofMinutes(3);

	/** Until all listen for notifications and the rest of the start is done. */
	private static final Duration REST = Duration.ofSeconds(5);

	private static final Duration LONGEST_REST = Duration.ofSeconds(60);

	/** How busy the processors may be by other work. */
	private static final double CALM_PERCENT = 20;

	private static final OperatingSystemMXBean MACHINE = ManagementFactory
		.getPlatformMXBean(OperatingSystemMXBean.class);

	private final List<String> properties;

	private final List<Replica> leaders = new CopyOnWriteArrayList<>();

	private final List<Replica> followers = new CopyOnWriteArrayList<>();

	/** How busy the processors were while all replicas rested, in percent. */
	private final List<Double> busyAtRest = new ArrayList<>();

	/** From the signal until the application began to close, in milliseconds. */
	private final List<Double> untilClosed = new ArrayList<>();

	/**
	 * From the signal until the successor was notified that it leads, in milliseconds.
	 */
	private final List<Double> untilLed = new ArrayList<>();

	/**
	 * Prepares the hand-overs.
	 * @param properties where the replicas elect their leaders, as arguments
	 */
	HandOvers(List<String> properties) {
		this.properties = properties;
		// An interrupt of this program also ends its processes.
		Runtime.getRuntime().addShutdownHook(new Thread(this::close));
	}

	void run(int times) throws IOException, InterruptedException {
		start(this.leaders);
		await("leaders", () -> this.leaders.stream().allMatch((leader) -> leader.hasSaid(Word.LEADS)));
		while (this.untilLed.size() < times) {
			start(this.followers);
			await("followers", () -> this.followers.stream().allMatch((follower) -> follower.hasSaid(Word.UP)));
			rest();
			for (int i = 0; i < APPLICATIONS; i++) {
				handOver(this.leaders.get(i), this.followers.get(i));
			}
			this.leaders.clear();
			this.leaders.addAll(this.followers);
			this.followers.clear();
		}
	}

	double[] busyAtRest() {
		return sorted(this.busyAtRest);
	}

	double[] untilClosed() {
		return sorted(this.untilClosed);
	}

	double[] untilLed() {
		return sorted(this.untilLed);
	}

	private void start(List<Replica> replicas) throws IOException {
		for (int i = 0; i < APPLICATIONS; i++) {
			replicas.add(new Replica("application-" + i, this.properties));
		}
	}

	/**
	 * Waits for the new replicas, and for other work on the machine, but not for ever:
	 * how busy it was is printed with the measurements.
	 */
	private void rest() throws InterruptedException {
		Thread.sleep(REST.toMillis());
		long end = System.nanoTime() + LONGEST_REST.toNanos();
		double busy;
		do {
			// It counts from one call to the next.
			MACHINE.getCpuLoad();
			Thread.sleep(REST.toMillis());
			busy = MACHINE.getCpuLoad() * 100;
		}
		while (busy > CALM_PERCENT && System.nanoTime() - end < 0);
		this.busyAtRest.add(busy);
	}

	private void handOver(Replica leader, Replica follower) throws InterruptedException {
		long sent = leader.terminate();
		await("a successor", () -> follower.hasSaid(Word.LEADS));
		await("the end of the process", () -> leader.hasSaid(Word.CLOSES) && leader.hasEnded());
		this.untilClosed.add((leader.time(Word.CLOSES) - sent) / 1e6);
		this.untilLed.add((follower.time(Word.LEADS) - sent) / 1e6);
	}

	private static double[] sorted(List<Double> values) {
		double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
		Arrays.sort(sorted);
		return sorted;
	}

	private static void await(String what, BooleanSupplier condition) throws InterruptedException {
		if (!Scale.await(PATIENCE, condition)) {
			throw new IllegalStateException("Waited in vain for " + what);
		}
	}

	@Override
	public void close() {
		this.leaders.forEach(Replica::close);
		this.followers.forEach(Replica::close);
	}

}
