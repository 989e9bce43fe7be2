package io.leaderstarter.simulation;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.leaderstarter.simulation.Mutant.Edit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the simulation finds mistakes: each is made on purpose, and has to be found.
 */
@Tag("verify")
class MutantTests {

	private static final long FIRST_SEED = 1;

	private static final long SCHEDULES = 20_000;

	@ParameterizedTest
	@MethodSource
	void mistakeIsFound(Mutant mutant) throws Exception {
		assertThat(mutant.find(FIRST_SEED, SCHEDULES, 2)).as("history that shows '%s'", mutant).contains("Violation");
	}

	static Stream<Mutant> mistakeIsFound() {
		return Stream.of(
				// Safety
				mutant("deadline from the answer to a renewal", "election/LeaseKeeper",
						"this.timing.deadline(renewal.countedFrom())",
						"this.timing.deadline(this.context.time().now())"),
				mutant("deadline from the answer to a request for a role", "election/RoleTaker",
						"RoleInput.Granted(leadership, deadline(sent))",
						"RoleInput.Granted(leadership, deadline(this.platform.time().now()))"),
				mutant("renewal that comes after the deadline prolongs the term", "election/state/RoleStateMachine",
						"holder.phase() != Phase.RELEASING && holder.deadline().hasPassed(now)",
						"holder.phase() != Phase.RELEASING && !(input instanceof RoleInput.Renewed) && holder.deadline().hasPassed(now)"),
				mutant("wall clock is ignored", "election/state/Deadline",
						"nanoTime - this.moment.nanos() >= 0 || currentTimeMillis >= this.moment.wallMillis()",
						"nanoTime - this.moment.nanos() >= 0"),
				mutant("release before the running calls have ended", "election/state/RoleStateMachine",
						"case LEADER -> Transition.to(holder.with(Phase.LEAVING, reason));",
						"case LEADER -> Transition.to(holder.with(Phase.LEAVING, reason), release(holder.leadership()));"),
				mutant("next term has the epoch of the last one", "election/spi/LeaseRequest", "this.observedEpoch + 1",
						"Math.max(this.observedEpoch, 1)"),
				mutant("term begins before its fence is raised", "election/TermEffects",
						"this.context.gate().open(leadership);",
						"election.apply(new RoleInput.GateOpened(leadership.termId()));\n\t\t\tthis.context.gate().open(leadership);"),
				mutant("fence is raised when the term has begun", "simulation/Node",
						"boolean raised = Node.this.fence.exchange(\"raise\", RAISE_TIMEOUT,\n\t\t\t\t\t(reply) -> Node.this.world.fenceServer().raise(leadership, reply));",
						"boolean raised = true;\n\t\t\tNode.this.world.scheduler()\n\t\t\t\t.at(Node.this.world.scheduler().now() + 10_000_000, null,\n\t\t\t\t\t\t() -> Node.this.world.fenceServer().raise(leadership, (done) -> {\n\t\t\t\t\t\t}));"),
				mutant("raise does not wait for transactions that were checked", "simulation/FenceServer",
						"if (row.holders > 0 || !row.waiting.isEmpty()) {", "if (row.holders < 0) {"),
				mutant("number of rows is trusted", "simulation/LeaseServer", "\t\treturn renewed;\n",
						"\t\treturn (renewed.isEmpty()) ? renewed : new LinkedHashSet<>(keys);\n"),
				mutant("listeners are not notified in order", "election/Dispatcher",
						"queue.add(() -> listener.onGranted(leadership));",
						"Dispatcher.this.execute(() -> listener.onGranted(leadership));"),
				mutant("end of a term that never began is announced", "election/state/RoleStateMachine",
						"(holder.phase() != Phase.ACQUIRED) ? Transition.to(lost, revoked(lost)) : Transition.to(lost)",
						"Transition.to(lost, revoked(lost))"),
				mutant("lease that was seen to be renewed counts from when it was seen first",
						"election/state/Candidacy", "|| !isSameLease(before, view)", ""),
				// Somebody leads soon
				mutant("every lease of the member is renewed", List.of(new Edit("simulation/LeaseServer",
						"\t\tfor (LeaseKey key : keys) {\n\t\t\tLease lease = find(identity, key.role());\n\t\t\tif (isOf(lease, identity, key) && lease.runsOut > now()) {",
						"\t\tthis.leases.replaceAll((role, lease) -> identity.member().equals(lease.member) && lease.runsOut > now() ? new Lease(lease.epoch, lease.member, lease.termId, now() + lease.ttl, lease.ttl, nextMark(lease, now() + lease.ttl)) : lease);\n\t\tfor (LeaseKey key : keys) {\n\t\t\tLease lease = find(identity, key.role());\n\t\t\tif (isOf(lease, identity, key) && lease.runsOut > now()) {"),
						new Edit("election/RoleSeeker", "if (own != null && releaseOrphaned(own, now)) {",
								"if (own != null && own.epoch() < 0 && releaseOrphaned(own, now)) {"))),
				mutant("hint that a role is free is ignored", "election/MemberWork",
						"\t\t\tpublic void onMaybeFree() {\n\t\t\t\tpollNow();", "\t\t\tpublic void onMaybeFree() {"),
				mutant("loser of a race polls as if nothing was", "election/PollPlan",
						"pollWithin(role, (poll.compareTo(soon) < 0) ? poll : soon);", "pollIn(role, poll);"),
				mutant("member that backs off polls as if nothing was", "election/RoleSeeker",
						"\t\t\t\tthis.plan.pollSoon(view.role(), this.context.timing().ttl());\n", ""),
				mutant("listener that no thread was there for waits for the next change", "election/DeadlineWatchdog",
						"\t\tthis.context.dispatcher().retry();\n", ""),
				mutant("gate is not asked again after no thread could be created", "election/Clearance",
						"\t\tcatch (Throwable ex) {\n\t\t\t// No thread could be created to ask.\n\t\t\tfailed(asked, ex);\n\t\t}",
						"\t\tcatch (OutOfMemoryError ex) {\n\t\t\tlogger.debug(\"no thread\");\n\t\t}"),
				mutant("failed question to the gate waits for the next poll", "election/Clearance",
						"\t\tthis.retryAt = retry;\n", ""),
				mutant("raise that failed costs a whole ttl", "election/TermEffects",
						"this.failing.computeIfAbsent(election, (key) -> new Backoff(this.context.timing().ttl())).failed()",
						"this.context.timing().ttl().multipliedBy(2)"),
				mutant("role is never released after a stop", "election/TermEffects",
						"if (work == null || !work.release(released.lease())) {",
						"if (work == null) {\n\t\t\t\telection.apply(new RoleInput.Released(released.lease().termId()));\n\t\t\t}\n\t\t\telse if (work.release(released.lease()) && false) {"),
				mutant("release that comes after the stop is left to a thread that has ended", "election/MemberWork",
						"\t\tif (this.stopped) {\n\t\t\t// Unless the stop has already seen it.\n\t\t\treturn !this.keeper.abandonRelease(lease);\n\t\t}\n",
						""),
				mutant("role that was joined again is forgotten", "election/Participation", "\t\tthis.left = false;\n",
						""));
	}

	private static Mutant mutant(String name, String type, String right, String wrong) {
		return mutant(name, List.of(new Edit(type, right, wrong)));
	}

	private static Mutant mutant(String name, List<Edit> edits) {
		return new Mutant(name, edits);
	}

}
