package io.leaderstarter.backend.etcd;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.options.GetOption;
import io.etcd.jetcd.options.PutOption;
import io.leaderstarter.backend.support.KnownMembers;
import io.leaderstarter.backend.support.StoreNames;
import io.leaderstarter.election.spi.Presence;
import org.jspecify.annotations.Nullable;

/**
 * The announcements of members, one key of each, with a separate lease: the one of the
 * roles exists only while roles are held, and has to be renewed more often.
 */
final class MemberKeys {

	/** A member is removed after so many missed announcements. */
	private static final int TTLS = 3;

	private final EtcdKeys keys;

	private final long seconds;

	private final KnownMembers known = new KnownMembers();

	private @Nullable Own own;

	MemberKeys(EtcdKeys keys, Duration ttl) {
		this.keys = keys;
		this.seconds = ttl.multipliedBy(TTLS).plusMillis(999).toSeconds();
	}

	/**
	 * Keep the key of this member alive, and read those of the others.
	 */
	Collection<Presence> announce(EtcdCall call, Presence self) {
		write(call, self);
		List<KnownMembers.Entry> found = list(call);
		String mine = this.keys.candidate(self.member());
		if (found.stream().noneMatch((key) -> key.name().equals(mine))) {
			// The key was deleted. It is written again by the next call.
			this.own = null;
		}
		read(call, this.known.changed(found));
		return this.known.all();
	}

	void withdraw(EtcdCall call) {
		Own present = this.own;
		this.own = null;
		if (present != null) {
			try {
				call.await(call.client().getLeaseClient().revoke(present.lease()), "the lease of this member");
			}
			catch (LeaseGoneException ex) {
				// It has expired already.
			}
		}
	}

	private void write(EtcdCall call, Presence self) {
		Own present = this.own;
		if (present != null && isAlive(call, present.lease()) && self.text().equals(present.text())) {
			return;
		}
		long lease = (this.own != null) ? this.own.lease()
				: call.await(call.client().getLeaseClient().grant(this.seconds), "a lease").getID();
		// Stored before it is used, or every failure would leave a lease behind.
		this.own = new Own(lease, null);
		call.await(call.client()
			.getKVClient()
			.put(EtcdKeys.bytes(this.keys.candidate(self.member())), EtcdKeys.bytes(self.text()),
					PutOption.builder().withLeaseId(lease).build()),
				this.keys.candidates());
		this.own = new Own(lease, self.text());
	}

	private boolean isAlive(EtcdCall call, long lease) {
		try {
			call.await(call.client().getLeaseClient().keepAliveOnce(lease), "the lease of this member");
			return true;
		}
		catch (LeaseGoneException ex) {
			this.own = null;
			return false;
		}
	}

	private List<KnownMembers.Entry> list(EtcdCall call) {
		GetOption option = GetOption.builder()
			.withRange(EtcdKeys.end(this.keys.candidates()))
			.withLimit(KnownMembers.MOST)
			.withKeysOnly(true)
			.build();
		return call
			.await(call.client().getKVClient().get(EtcdKeys.bytes(this.keys.candidates()), option),
					this.keys.candidates())
			.getKvs()
			.stream()
			.map(this::entry)
			.filter(Objects::nonNull)
			.toList();
	}

	private void read(EtcdCall call, List<KnownMembers.Entry> changed) {
		Map<KnownMembers.Entry, CompletableFuture<GetResponse>> sent = new LinkedHashMap<>();
		changed.forEach((key) -> sent.put(key, call.client().getKVClient().get(EtcdKeys.bytes(key.name()))));
		sent.forEach((key, future) -> call.await(future, this.keys.candidates())
			.getKvs()
			.forEach((value) -> this.known.read(key, value.getValue().toString(StandardCharsets.UTF_8))));
	}

	private KnownMembers.@Nullable Entry entry(KeyValue key) {
		String name = key.getKey().toString(StandardCharsets.UTF_8);
		try {
			return new KnownMembers.Entry(name, StoreNames.decode(name.substring(this.keys.candidates().length())),
					key.getModRevision());
		}
		catch (IllegalArgumentException ex) {
			// Not written by a member.
			return null;
		}
	}

	/**
	 * The announcement of this member.
	 *
	 * @param lease the lease of its key
	 * @param text its text, {@code null} if it may not be written
	 */
	private record Own(long lease, @Nullable String text) {
	}

}
