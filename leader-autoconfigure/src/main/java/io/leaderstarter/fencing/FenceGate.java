package io.leaderstarter.fencing;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.leaderstarter.Leadership;
import io.leaderstarter.election.spi.TermGate;

/**
 * Raises the fences of a role before its term begins, and tells before a member stands
 * how far they were raised.
 *
 * @since 0.1.0
 */
public final class FenceGate implements TermGate {

	private final Fences fences;

	private final Supplier<String> authority;

	/**
	 * Makes the gate.
	 * @param fences what is raised
	 * @param authority identity of the store that gives epochs out
	 */
	public FenceGate(Fences fences, Supplier<String> authority) {
		this.fences = fences;
		this.authority = authority;
	}

	@Override
	public void prepare() {
		this.fences.all().forEach(Fence::prepare);
	}

	@Override
	public boolean isAsked() {
		return !this.fences.all().isEmpty();
	}

	@Override
	public Map<String, Long> epochs(Collection<String> roles) {
		Map<String, Long> epochs = new HashMap<>();
		for (Fence fence : this.fences.all()) {
			List<String> fenced = roles.stream().filter((role) -> this.fences.forRole(role).contains(fence)).toList();
			fence.read(fenced).forEach((role, row) -> epochs.merge(role, row.epoch(), Math::max));
		}
		return epochs;
	}

	@Override
	public void open(Leadership leadership) {
		String store = this.authority.get();
		this.fences.forRole(leadership.role()).forEach((fence) -> fence.raise(leadership, store));
	}

}
