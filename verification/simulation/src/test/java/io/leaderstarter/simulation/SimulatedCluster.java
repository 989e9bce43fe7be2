package io.leaderstarter.simulation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

import io.leaderstarter.election.state.LeaseTiming;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * Members of one store in virtual time, and the test itself too: it goes on in the very
 * moment that it waits for, as nothing else runs meanwhile. So a bound is what the
 * product promises, on whatever machine. Nothing goes wrong by itself.
 */
final class SimulatedCluster implements InvocationInterceptor {

	static final String NAMESPACE = "test";

	/** How often members poll that are not notified of free roles. */
	static final Duration POLL = Duration.ofMillis(50);

	/** Takes longer than a few requests one after the other, of 8 ms at the most. */
	static final Duration REQUESTS = Duration.ofMillis(50);

	/** What is free for all is led by then. */
	static final Duration SOON = POLL.plus(REQUESTS);

	/** Is renewed often enough to outlast whatever a test does to the store. */
	static final LeaseTiming LASTING = LeaseTiming.of(Duration.ofSeconds(30), Duration.ofMillis(300),
			Duration.ofSeconds(10));

	/** For a member whose term is to run out. */
	static final LeaseTiming BRIEF = LeaseTiming.of(Duration.ofSeconds(1), null, null);

	private final Scheduler scheduler = new Scheduler();

	private final SplittableRandom random = new SplittableRandom(1);

	private final Host test = new Host("test", this.scheduler, this.random.split(), 0);

	private final LeaseServer server = new LeaseServer(this.scheduler::now, true, () -> {
	});

	private final List<SimulatedMember> members = new ArrayList<>();

	/** What the test waits for, {@code null} if it does not. */
	private BooleanSupplier awaited;

	private Scheduler.Blocking waiting;

	// The test

	@Override
	public void interceptTestMethod(Invocation<Void> invocation, ReflectiveInvocationContext<Method> context,
			ExtensionContext extension) throws Throwable {
		run(invocation);
	}

	@Override
	public void interceptTestTemplateMethod(Invocation<Void> invocation, ReflectiveInvocationContext<Method> context,
			ExtensionContext extension) throws Throwable {
		run(invocation);
	}

	private void run(Invocation<Void> invocation) throws Throwable {
		Throwable[] thrown = new Throwable[1];
		Throwable failure = this.scheduler.run(Long.MAX_VALUE, () -> {
			try {
				invocation.proceed();
			}
			catch (Scheduler.Killed ex) {
				throw ex;
			}
			catch (Throwable ex) {
				thrown[0] = ex;
			}
			end();
		}, this::look, this::end);
		this.scheduler.close();
		if (thrown[0] != null || failure != null) {
			throw (thrown[0] != null) ? thrown[0] : failure;
		}
	}

	/** All processes are gone, so nothing happens any more. */
	private void end() {
		this.members.forEach((member) -> member.host().kill());
		this.test.kill();
	}

	private void look() {
		if (this.awaited != null && this.awaited.getAsBoolean()) {
			this.awaited = null;
			this.scheduler.unblock(this.waiting);
		}
	}

	/** Let time pass until a condition holds, which is looked at after every event. */
	void await(Duration bound, BooleanSupplier condition) {
		if (!isWithin(bound, condition)) {
			throw new AssertionError("Not within " + bound + "; " + this.members);
		}
	}

	/** Let time pass while a condition holds, which is looked at after every event. */
	void holds(Duration duration, BooleanSupplier condition) {
		Duration begin = now();
		if (isWithin(duration, () -> !condition.getAsBoolean())) {
			throw new AssertionError("Only for " + now().minus(begin) + "; " + this.members);
		}
	}

	private boolean isWithin(Duration bound, BooleanSupplier condition) {
		if (condition.getAsBoolean()) {
			return true;
		}
		this.waiting = new Scheduler.Blocking();
		this.awaited = condition;
		this.test.block(bound.toNanos(), this.waiting);
		boolean seen = this.awaited == null;
		this.awaited = null;
		return seen || condition.getAsBoolean();
	}

	void pass(Duration duration) {
		this.test.sleep(duration.toNanos());
	}

	/** The virtual time since the test began. */
	Duration now() {
		return Duration.ofNanos(this.scheduler.now());
	}

	/** Block the running thread, be it of a gate or a listener, for as long as wanted. */
	void hangWhile(BooleanSupplier condition) {
		this.test.await(() -> !condition.getAsBoolean(), Duration.ofDays(1));
	}

	// The members

	/** Start a member whose term lasts. */
	SimulatedMember start(String... roles) {
		return member().start(roles);
	}

	/** Settings of another member, whose term lasts if they say nothing else. */
	SimulatedMember.Settings member() {
		return new SimulatedMember.Settings(this);
	}

	int add(SimulatedMember member) {
		this.members.add(member);
		return this.members.size();
	}

	Scheduler scheduler() {
		return this.scheduler;
	}

	SplittableRandom random() {
		return this.random;
	}

	// The store

	LeaseServer server() {
		return this.server;
	}

	/** Whether a member holds the lease of a role, even if it does not know that. */
	boolean isHeld(String role, SimulatedMember holder) {
		LeaseServer.Lease lease = this.server.held(NAMESPACE, role);
		return lease != null && lease.member().equals(holder.id());
	}

	/** The last epoch of a role, zero if there was none. */
	long epoch(String role) {
		LeaseServer.Lease lease = this.server.copy().get(NAMESPACE + '/' + role);
		return (lease != null) ? lease.epoch() : 0;
	}

	/** Write a lease into the store, as somebody may who does not ask. */
	void write(String role, LeaseServer.Lease lease) {
		Map<String, LeaseServer.Lease> leases = this.server.copy();
		leases.put(NAMESPACE + '/' + role, lease);
		this.server.restore(leases);
	}

	/** Write that somebody holds a role from now on for a minute. */
	void write(String role, long epoch, String holder) {
		long ttl = Duration.ofMinutes(1).toNanos();
		long runsOut = this.server.now() + ttl;
		write(role, new LeaseServer.Lease(epoch, holder, "unknown", runsOut, ttl, runsOut));
	}

}
