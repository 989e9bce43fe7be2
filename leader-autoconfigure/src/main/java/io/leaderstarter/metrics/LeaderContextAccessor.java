package io.leaderstarter.metrics;

import io.leaderstarter.LeaderContext;
import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;

/**
 * {@link ThreadLocalAccessor} for the terms of a call, which propagates them to tasks
 * that a {@code ContextPropagatingTaskDecorator} decorates, and to the operators of a
 * stream.
 *
 * @since 0.1.0
 */
public final class LeaderContextAccessor implements ThreadLocalAccessor<LeaderContext> {

	@Override
	public Object key() {
		return LeaderContext.class.getName();
	}

	@Override
	public @Nullable LeaderContext getValue() {
		return LeaderContext.snapshot();
	}

	@Override
	public void setValue(LeaderContext value) {
		LeaderContext.restore(value);
	}

	@Override
	public void setValue() {
		LeaderContext.restore(null);
	}

}
