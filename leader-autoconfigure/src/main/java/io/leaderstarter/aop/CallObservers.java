package io.leaderstarter.aop;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.election.spi.CallObserver;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * All observers as one. The last to see a call begin is the first to see it end. One that
 * fails is logged: to watch a call must not change it.
 */
final class CallObservers implements CallObserver {

	private static final Log logger = LogFactory.getLog(CallObservers.class);

	private static final Observed NOTHING = (failure) -> {
	};

	private final Supplier<List<CallObserver>> observers;

	CallObservers(Supplier<List<CallObserver>> observers) {
		this.observers = observers;
	}

	@Override
	public Observed onBegin(ActiveTerm term, Method method) {
		List<CallObserver> told = this.observers.get();
		if (told.isEmpty()) {
			return NOTHING;
		}
		List<Observed> begun = new ArrayList<>(told.size());
		for (CallObserver observer : told) {
			run(() -> begun.add(observer.onBegin(term, method)));
		}
		Collections.reverse(begun);
		return (failure) -> begun.forEach((observed) -> run(() -> observed.onEnd(failure)));
	}

	private static void run(Runnable step) {
		try {
			step.run();
		}
		catch (RuntimeException ex) {
			logger.warn("A call under a term could not be observed", ex);
		}
	}

}
