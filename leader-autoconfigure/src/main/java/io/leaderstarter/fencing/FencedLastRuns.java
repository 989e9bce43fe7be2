package io.leaderstarter.fencing;

import java.time.Duration;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.election.spi.LastRuns;

/**
 * Keeps the last runs of a role in the first of its fenced databases.
 *
 * @param fences the fences, of which the first of a role keeps its last runs
 * @since 0.1.0
 */
public record FencedLastRuns(Fences fences) implements LastRuns {

	@Override
	public void require(String role) {
		fence(role).keepLastRuns();
	}

	@Override
	public boolean begin(ActiveTerm term, String task, Duration period) {
		return fence(term.leadership().role()).lastRuns().begin(term, task, period);
	}

	private Fence fence(String role) {
		return this.fences.forRole(role)
			.stream()
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("the role '%s' has no fenced database".formatted(role)));
	}

}
