package io.leaderstarter.chaos;

import java.util.Arrays;
import java.util.List;

/**
 * A line of a history.
 *
 * @param process the process that wrote it, as {@code member.start}
 * @param kind what happened
 * @param time when, by the clock that all processes share
 * @param words what else is known of it
 */
record Event(String process, String kind, long time, List<String> words) {

	static Event of(String process, String line) {
		String[] words = line.split(" ");
		return new Event(process, words[0], Long.parseLong(words[1]),
				List.of(Arrays.copyOfRange(words, 2, words.length)));
	}

	boolean is(String kind) {
		return this.kind.equals(kind);
	}

	/** The member, however often it was started. */
	int member() {
		return Integer.parseInt(this.process.substring(0, this.process.indexOf('.')));
	}

	String role() {
		return this.words.get(0);
	}

	long epoch() {
		return Long.parseLong(this.words.get(1));
	}

	/** Of a revocation: why. Of a refusal: by what. */
	String reason() {
		return this.words.get(2);
	}

	/** Of an operation. */
	String operation() {
		return this.words.get(2);
	}

	/** Of an operation: when it was allowed for the first time, 0 if it never was. */
	long firstClaim() {
		return Long.parseLong(this.words.get(3));
	}

	/** Of an operation: when it was allowed for the last time, 0 if it never was. */
	long lastClaim() {
		return Long.parseLong(this.words.get(4));
	}

	/** Whether a write was refused that the member itself would have allowed. */
	boolean isRefusedByFence() {
		return is("refusal") && reason().equals("FENCE");
	}

	/** Of an operation. */
	boolean ended(String outcome) {
		return is("operation") && this.words.get(5).equals(outcome);
	}

}
