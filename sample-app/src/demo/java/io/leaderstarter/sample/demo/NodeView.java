package io.leaderstarter.sample.demo;

import org.jspecify.annotations.Nullable;

/**
 * A node as the page shows it.
 *
 * @param name what people call it
 * @param process the id of its process
 * @param port where it answers
 * @param phase what it is doing
 * @param wakesAt until when it is frozen, 0 if it is not
 * @param answers whether it has answered lately
 * @param status what it said last
 */
record NodeView(String name, long process, long port, Phase phase, long wakesAt, boolean answers,
		@Nullable NodeStatus status) {

	/** What a node can be doing. */
	enum Phase {

		/** Nobody has started it yet. */
		WAITING,

		/** Its process is there, and not ready. */
		STARTING,

		/** It works. */
		UP,

		/** It is to be frozen as soon as it is in the middle of its work. */
		FREEZING,

		/** Its process is stopped. */
		FROZEN,

		/** There is no process. */
		ENDED

	}

}
