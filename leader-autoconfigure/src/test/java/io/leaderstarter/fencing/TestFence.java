package io.leaderstarter.fencing;

import java.util.List;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.Leadership;

/**
 * What the election does with a fence, for tests in other packages.
 */
public final class TestFence {

	private TestFence() {
	}

	public static void prepare(Fence fence) {
		fence.prepare();
	}

	public static void raise(Fence fence, Leadership leadership, String store) {
		fence.raise(leadership, store);
	}

	/** What a transaction carries for the triggers of guarded tables. */
	public static String carried(String namespace, List<ActiveTerm> terms) {
		return FenceTerms.render(namespace, terms);
	}

}
