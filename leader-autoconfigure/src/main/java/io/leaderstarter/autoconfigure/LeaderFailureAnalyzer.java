package io.leaderstarter.autoconfigure;

import java.util.List;
import java.util.stream.Collectors;

import io.leaderstarter.aop.LeaderOnlyException;
import io.leaderstarter.election.spi.StoreException;
import io.leaderstarter.election.state.InvalidLeaseTimingException;
import io.leaderstarter.fencing.FenceException;
import io.leaderstarter.jdbc.LeaderSchemaException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;

/**
 * {@link FailureAnalyzer} for all exceptions of this library that stop the start.
 */
final class LeaderFailureAnalyzer implements FailureAnalyzer {

	@Override
	public @Nullable FailureAnalysis analyze(Throwable failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			List<String> advice = advice(cause);
			if (advice != null) {
				String description = (cause.getMessage() != null) ? cause.getMessage() : cause.getClass().getName();
				return new FailureAnalysis(description, text(advice), cause);
			}
		}
		return null;
	}

	private static @Nullable List<String> advice(Throwable cause) {
		if (cause instanceof LeaderConfigurationException configuration) {
			return configuration.getAdvice();
		}
		if (cause instanceof InvalidLeaseTimingException timing) {
			return List.of(timing.getAdvice());
		}
		if (cause instanceof LeaderOnlyException leaderOnly) {
			return List.of(leaderOnly.getAdvice());
		}
		if (cause instanceof LeaderSchemaException schema) {
			return List.of(schema.getAdvice());
		}
		if (cause instanceof FenceException fence) {
			// One without advice comes from a transaction, not from the start.
			return fence.getAdvice().isEmpty() ? null : fence.getAdvice();
		}
		if (cause instanceof StoreException store) {
			// Only the store knows what to do. General advice might not fit.
			return (store.getAdvice() != null) ? List.of(store.getAdvice()) : List.of();
		}
		return null;
	}

	private static @Nullable String text(List<String> advice) {
		if (advice.isEmpty()) {
			return null;
		}
		return (advice.size() == 1) ? advice.get(0)
				: advice.stream()
					.map((line) -> "- " + line)
					.collect(Collectors.joining("\n", "Do one of these:\n", ""));
	}

}
