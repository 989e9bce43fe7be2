package io.leaderstarter.fencing;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.leaderstarter.FenceBlockedEvent;
import io.leaderstarter.Leadership;
import io.leaderstarter.election.spi.TermGate;
import io.leaderstarter.jdbc.LeaderSchemaException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Raises the fences of a role before its term begins, and reports before a member
 * competes for a role to which epoch they were raised.
 * <p>
 * Where fences are not required, a term begins although a fence could not be raised. Its
 * writes are refused there until the fence was raised, which is retried. A fence that has
 * seen a later epoch still keeps the term from beginning.
 *
 * @since 0.1.0
 */
public final class FenceGate implements TermGate, AutoCloseable {

	private static final Log logger = LogFactory.getLog(FenceGate.class);

	private final Fences fences;

	private final GuardedTables guarded;

	private final Supplier<String> storeId;

	private final Consumer<FenceBlockedEvent> onBlocked;

	private final LateRaises late = new LateRaises();

	/**
	 * Create a new gate.
	 * @param fences all fences
	 * @param guarded names of tables that are guarded by triggers
	 * @param storeId id of the store that grants epochs
	 * @param onBlocked notified if transactions keep a fence from being raised
	 */
	public FenceGate(Fences fences, Collection<String> guarded, Supplier<String> storeId,
			Consumer<FenceBlockedEvent> onBlocked) {
		this.fences = fences;
		this.guarded = new GuardedTables(fences, List.copyOf(guarded));
		this.storeId = storeId;
		this.onBlocked = onBlocked;
	}

	@Override
	public void prepare() {
		for (Fence fence : this.fences.all()) {
			prepare(fence::prepare);
		}
		prepare(this.guarded::guard);
	}

	private void prepare(Runnable step) {
		try {
			step.run();
		}
		catch (FenceException | LeaderSchemaException ex) {
			if (this.fences.required()) {
				throw ex;
			}
			logger.warn(("%s. Terms begin nevertheless, as leader.fence.required is false, but writes of theirs "
					+ "may be refused there")
				.formatted(ex.getMessage()));
		}
	}

	@Override
	public boolean isAsked() {
		return !this.fences.all().isEmpty();
	}

	@Override
	public Map<String, Passed> passed(Collection<String> roles) {
		Map<String, Passed> passed = new HashMap<>();
		String store = this.storeId.get();
		for (Fence fence : this.fences.all()) {
			List<String> fenced = roles.stream().filter(fence::isFor).toList();
			try {
				fence.read(fenced)
					.forEach((role, row) -> passed.merge(role,
							new Passed(row.epoch(), row.isOf(store) ? null : row.foreign(fence.name(), store)),
							FenceGate::stricter));
			}
			catch (FenceException ex) {
				if (this.fences.required()) {
					throw ex;
				}
				logger.debug("A fence that is not required cannot be read", ex);
			}
		}
		return passed;
	}

	private static Passed stricter(Passed one, Passed other) {
		return new Passed(Math.max(one.epoch(), other.epoch()),
				(one.objection() != null) ? one.objection() : other.objection());
	}

	@Override
	public void open(Leadership leadership) {
		String store = this.storeId.get();
		for (Fence fence : this.fences.forRole(leadership.role())) {
			try {
				fence.raise(leadership, store);
			}
			catch (FenceException ex) {
				if (ex instanceof FenceBlockedException blocked) {
					this.onBlocked.accept(new FenceBlockedEvent(leadership, fence.name(), blocked.sessions()));
				}
				if (ex instanceof EpochRegressionException || this.fences.required()) {
					throw ex;
				}
				logger.warn(("%s. The term begins nevertheless, as leader.fence.required is false, but its writes are "
						+ "refused there until the fence is raised")
					.formatted(ex.getMessage()));
				this.late.raise(fence, leadership, store);
			}
		}
	}

	@Override
	public Collection<String> opened(Leadership leadership) {
		return this.fences.forRole(leadership.role())
			.stream()
			.filter((fence) -> !this.late.isWanted(fence, leadership))
			.map(Fence::name)
			.toList();
	}

	@Override
	public void stop() {
		this.late.forget();
		this.fences.all().forEach(Fence::disconnect);
	}

	@Override
	public void close() {
		this.late.forget();
	}

}
