package io.leaderstarter.backend.support;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

import io.leaderstarter.election.spi.LeaseRequest;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.StoreIdentity;
import org.jspecify.annotations.Nullable;

/**
 * A lease as it is stored without columns: lines of text.
 * <p>
 * Internal: not for applications.
 *
 * @param epoch the last epoch that was granted, negative if something else was found
 * @param termId random id of its term, empty if there was none
 * @param member who led then
 * @since 0.1.0
 */
public record LeaseRecord(long epoch, String termId, String member) {

	/** The record of a role that had no term yet. */
	public static final LeaseRecord NONE = new LeaseRecord(0, "", "");

	/** No election writes that epoch, so no member competes for such a role. */
	private static final LeaseRecord GARBAGE = new LeaseRecord(-1, "", "");

	/**
	 * Return the record of a request that is granted.
	 * @param request the request
	 * @param identity the member
	 * @return the record of the new term
	 */
	public static LeaseRecord of(LeaseRequest request, StoreIdentity identity) {
		return new LeaseRecord(request.key().epoch(), request.termId(), identity.member());
	}

	/**
	 * Read a record. Unknown lines are skipped, so {@code epoch=n} is enough to correct
	 * an epoch by hand.
	 * @param data the stored value, {@code null} if there is none
	 * @return the record, which {@linkplain #isGarbage() may be garbage}
	 */
	public static LeaseRecord read(byte @Nullable [] data) {
		Map<String, String> lines = new HashMap<>();
		new String((data != null) ? data : new byte[0], StandardCharsets.UTF_8).lines().forEach((line) -> {
			int equals = line.indexOf('=');
			lines.put(line.substring(0, Math.max(0, equals)), line.substring(equals + 1));
		});
		try {
			return new LeaseRecord(Long.parseLong(lines.getOrDefault("epoch", "")), lines.getOrDefault("termId", ""),
					StoreNames.decode(lines.getOrDefault("member", "")));
		}
		catch (IllegalArgumentException ex) {
			return GARBAGE;
		}
	}

	/**
	 * Return whether this record was not written by an election.
	 * @return whether it is garbage
	 */
	public boolean isGarbage() {
		return this.epoch < 0;
	}

	/**
	 * Return the stored value. The last two lines are informational.
	 * @param ttl the ttl of the lease
	 * @param now the current time
	 * @return the lines
	 */
	public byte[] write(Duration ttl, Moment now) {
		return "epoch=%d\ntermId=%s\nmember=%s\nttl=%s\nwritten=%s\n"
			.formatted(this.epoch, this.termId, StoreNames.encode(this.member), ttl,
					Instant.ofEpochMilli(now.wallMillis()))
			.getBytes(StandardCharsets.UTF_8);
	}

}
