package io.leaderstarter.chaos;

import java.util.Arrays;
import java.util.List;

/**
 * What can go wrong.
 */
enum FaultKind {

	/** The process of a member stops, and its clocks go on. */
	PAUSE(Where.MEMBER),

	/** A member stops with both of its clocks, and believes that no time has passed. */
	SUSPEND(Where.MEMBER),

	/** A member stops with its monotonic clock, as a laptop that sleeps. */
	SLEEP(Where.MEMBER),

	/** A member ends at once. */
	KILL(Where.MEMBER),

	/** A member is asked to end. */
	TERMINATE(Where.MEMBER),

	/** The wall clock of a member is set. */
	CLOCK(Where.MEMBER),

	/** Something else takes all connections of a member's pool. */
	POOL(Where.MEMBER),

	/** Nothing goes between a member and the database. */
	DATABASE_CUT(Where.DATABASE_LINK),

	/** Connections of a member to the database are reset. */
	DATABASE_REFUSED(Where.DATABASE_LINK),

	/** The database loses its connections with a member, which does not notice. */
	DATABASE_HALF_OPEN(Where.DATABASE_LINK),

	/** What a member sends to the database arrives, but no answer comes back. */
	DATABASE_ONE_WAY(Where.DATABASE_LINK),

	/** Requests to the database arrive late. */
	DATABASE_LATE(Where.DATABASE_LINK),

	/** Nothing goes between a member and the servers of the leases. */
	STORE_CUT(Where.STORE_LINK),

	/** Connections of a member to the servers of the leases are reset. */
	STORE_REFUSED(Where.STORE_LINK),

	/** The servers of the leases lose a member's connections, which does not notice. */
	STORE_HALF_OPEN(Where.STORE_LINK),

	/** What a member sends to the servers of the leases arrives, but no answer does. */
	STORE_ONE_WAY(Where.STORE_LINK),

	/** Requests to the servers of the leases arrive late. */
	STORE_LATE(Where.STORE_LINK),

	/** The database crashes and starts again. */
	DATABASE_KILL(Where.DATABASE),

	/** The database stops, and goes on. */
	DATABASE_FREEZE(Where.DATABASE),

	/** The clock of the database is set, and set right again. */
	DATABASE_CLOCK(Where.DATABASE),

	/** One server of the leases crashes and starts again. */
	STORE_KILL(Where.STORE),

	/** One server of the leases stops, and goes on. */
	STORE_FREEZE(Where.STORE);

	private final Where where;

	FaultKind(Where where) {
		this.where = where;
	}

	/** Whether it is something of one member. */
	boolean hasMember() {
		return this.where != Where.DATABASE && this.where != Where.STORE;
	}

	/** Whether it is over when the process of the member is. */
	boolean isOfTheProcess() {
		return this.where == Where.MEMBER;
	}

	/** Those that a run can have. */
	static List<FaultKind> of(Options.Backend backend) {
		boolean ownStore = backend != Options.Backend.JDBC;
		return Arrays.stream(values())
			// The clock of the database only matters where it decides about leases.
			.filter((kind) -> (kind == DATABASE_CLOCK) ? !ownStore
					: ownStore || (kind.where != Where.STORE && kind.where != Where.STORE_LINK))
			.toList();
	}

	private enum Where {

		MEMBER, DATABASE_LINK, STORE_LINK, DATABASE, STORE

	}

}
