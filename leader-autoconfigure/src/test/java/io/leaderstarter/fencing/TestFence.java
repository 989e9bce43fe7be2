package io.leaderstarter.fencing;

import java.time.Duration;
import java.util.List;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.Leadership;
import io.leaderstarter.jdbc.SchemaInitialization;
import io.leaderstarter.jdbc.SchemaSettings;

/**
 * What the election does with a fence, for tests in other packages.
 */
public final class TestFence {

	private TestFence() {
	}

	/** Settings by which the database has to know nothing when a transaction begins. */
	public static FenceSettings settings(String namespace, String tablePrefix, SchemaInitialization initialize,
			Duration raiseTimeout, Duration idleTimeout) {
		return new FenceSettings(namespace, null, new SchemaSettings(tablePrefix, initialize, null), raiseTimeout,
				new FenceSettings.Transactions(idleTimeout, false, false), null);
	}

	public static void prepare(Fence fence) {
		fence.prepare();
	}

	public static void raise(Fence fence, Leadership leadership, String store) {
		fence.raise(leadership, store);
	}

	/** What a transaction carries for the triggers of guarded tables. */
	public static String carried(String namespace, List<ActiveTerm> terms) {
		return FenceSql.render(namespace, terms);
	}

}
