package io.leaderstarter.backend.etcd;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

import io.etcd.jetcd.ByteSequence;
import io.leaderstarter.election.spi.LeaseRequest;
import io.leaderstarter.election.spi.StoreIdentity;

/**
 * What the keys of a role hold, as lines that people can read.
 *
 * @param epoch the last epoch that was granted, -1 if the key holds something else
 * @param tenure random id of its term, empty if there was none
 * @param member who led then
 */
record LeaseRecord(long epoch, String tenure, String member) {

	static final LeaseRecord NONE = new LeaseRecord(0, "", "");

	/** No election can write that, so nobody stands for such a role. */
	private static final LeaseRecord GARBAGE = new LeaseRecord(-1, "", "");

	static LeaseRecord of(LeaseRequest request, StoreIdentity identity) {
		return new LeaseRecord(request.key().epoch(), request.tenure(), identity.member());
	}

	static LeaseRecord read(ByteSequence value) {
		Map<String, String> lines = new HashMap<>();
		value.toString(StandardCharsets.UTF_8).lines().forEach((line) -> {
			int equals = line.indexOf('=');
			lines.put(line.substring(0, Math.max(0, equals)), line.substring(equals + 1));
		});
		try {
			return new LeaseRecord(Long.parseLong(lines.getOrDefault("epoch", "")), lines.getOrDefault("tenure", ""),
					URLDecoder.decode(lines.getOrDefault("member", ""), StandardCharsets.UTF_8));
		}
		catch (IllegalArgumentException ex) {
			return GARBAGE;
		}
	}

	boolean isGarbage() {
		return this.epoch < 0;
	}

	/**
	 * Returns what is written. The last two lines are for people only.
	 */
	ByteSequence write(Duration ttl) {
		return EtcdKeys.bytes("epoch=%d\ntenure=%s\nmember=%s\nttl=%s\nwritten=%s\n".formatted(this.epoch, this.tenure,
				EtcdKeys.encode(this.member), ttl, Instant.now()));
	}

}
