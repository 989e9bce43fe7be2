package io.leaderstarter.fencing;

import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.Leadership;

/**
 * Renders terms for the triggers of guarded tables: a line for each, in the given order,
 * with tabs between its epoch, term id, namespace and role.
 */
final class FenceTerms {

	private FenceTerms() {
	}

	/**
	 * Return the text that a transaction carries, empty if there is no term.
	 */
	static String render(String namespace, Collection<ActiveTerm> terms) {
		return terms.stream()
			.map(ActiveTerm::leadership)
			.map((leadership) -> line(namespace, leadership))
			.collect(Collectors.joining("\n"));
	}

	private static String line(String namespace, Leadership leadership) {
		List<String> parts = List.of(Long.toString(leadership.epoch()), leadership.termId(), namespace,
				leadership.role());
		if (parts.stream().anyMatch((part) -> part.chars().anyMatch(Character::isISOControl))) {
			// The text could be read as more terms than there are.
			throw new IllegalArgumentException("Neither a namespace nor a role may contain control characters");
		}
		return String.join("\t", parts);
	}

}
