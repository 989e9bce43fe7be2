package io.leaderstarter.election;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * How the store answers.
 *
 * @param backend name of the store
 * @param failure why it does not answer at present, {@code null} if it does
 * @param failsFor for how long it has not answered, {@code null} if it does
 * @param sinceAnswer the time since its last answer, {@code null} if there was none
 * @param lastRenewal the last renewal that was answered, {@code null} if there was none
 * @param leastLeft how long a term of this member would have lasted without the renewal
 * that came, when that was the shortest; {@code null} if there was no renewal
 * @param clockSteps how often its clock was seen to be set
 * @param refused roles that this member does not compete for, as no term of this store
 * could begin, and why: the store lost data, or is not the one that the fences belong to
 * @param blocked roles whose last term could not begin on this member, and why, as long
 * as no member leads them
 * @since 0.1.0
 */
public record StoreStatus(String backend, @Nullable String failure, @Nullable Duration failsFor,
		@Nullable Duration sinceAnswer, @Nullable LastRenewal lastRenewal, @Nullable Duration leastLeft,
		long clockSteps, Map<String, String> refused, Map<String, Blocked> blocked) {

	/**
	 * Return whether the store answers.
	 * @return whether the last request was answered
	 */
	public boolean isReachable() {
		return this.failure == null;
	}

	/**
	 * Why this member cannot begin a term that it could have.
	 *
	 * @param reason what keeps it from that, such as a fence that cannot be raised
	 * @param lasts for how long that has been so
	 */
	public record Blocked(String reason, Duration lasts) {
	}

	/**
	 * The last renewal that was answered. One request renews all terms of this member.
	 *
	 * @param at when it was answered, by the wall clock of this member
	 * @param took how long that took
	 */
	public record LastRenewal(Instant at, Duration took) {
	}

}
