package io.leaderstarter.election;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.election.spi.CallObserver;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * All that watches calls, as one: told of a beginning in order, and of the rest in the
 * opposite order. What fails is logged: to watch a call must not change it.
 */
final class CallObservers implements CallObserver {

	private static final Log logger = LogFactory.getLog(CallObservers.class);

	private static final Observed NOTHING = new Observed() {
	};

	private final Supplier<List<CallObserver>> observers;

	CallObservers(Supplier<List<CallObserver>> observers) {
		this.observers = observers;
	}

	@Override
	public Observed onBegin(ActiveTerm term, Class<?> type, String function) {
		List<CallObserver> told = this.observers.get();
		if (told.isEmpty()) {
			return NOTHING;
		}
		List<Observed> begun = new ArrayList<>(told.size());
		for (CallObserver observer : told) {
			run(() -> begun.add(observer.onBegin(term, type, function)));
		}
		Collections.reverse(begun);
		return new All(begun);
	}

	private static void run(Runnable step) {
		try {
			step.run();
		}
		catch (Throwable ex) {
			logger.warn("A call under a term could not be observed", ex);
		}
	}

	private record All(List<Observed> begun) implements Observed {

		@Override
		public void onReturn() {
			tell(Observed::onReturn);
		}

		@Override
		public void onEnd(@Nullable Throwable failure) {
			tell((observed) -> observed.onEnd(failure));
		}

		private void tell(Consumer<Observed> what) {
			this.begun.forEach((observed) -> run(() -> what.accept(observed)));
		}

	}

}
