package io.leaderstarter.election;

import java.time.Duration;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * How the store answers.
 *
 * @param backend name of the store
 * @param failure why it does not answer at present, {@code null} if it does
 * @param sinceAnswer the time since its last answer, {@code null} if there was none
 * @param clockSteps how often its clock was seen to be set
 * @param refused roles that this member does not stand for, as no term of this store
 * could begin, and why: the store lost data, or is not the one that the fences belong to
 * @since 0.1.0
 */
public record StoreStatus(String backend, @Nullable String failure, @Nullable Duration sinceAnswer, long clockSteps,
		Map<String, String> refused) {

	/**
	 * Returns whether the store answers.
	 * @return whether the last request was answered
	 */
	public boolean isReachable() {
		return this.failure == null;
	}

}
