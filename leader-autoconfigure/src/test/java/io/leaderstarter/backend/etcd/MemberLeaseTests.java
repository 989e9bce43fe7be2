package io.leaderstarter.backend.etcd;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.Lease;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.LeaseGrantResponse;
import io.etcd.jetcd.api.LeaseKeepAliveResponse;
import io.etcd.jetcd.api.LeaseRevokeResponse;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.ResponseHeader;
import io.etcd.jetcd.kv.GetResponse;
import io.leaderstarter.election.spi.Attempt;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.StoreException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/**
 * Tests for {@link MemberLease} with answers as servers give them in moments that cannot
 * be brought about.
 */
class MemberLeaseTests {

	private static final long ID = 77;

	private static final long SECONDS = 4;

	private final MemberLease memberLease = new MemberLease("/p/n/members/m/", Duration.ofMillis(3500));

	private final Client client = mock(Client.class);

	private final Lease leases = mock(Lease.class);

	private final KV keys = mock(KV.class);

	private final Deque<Header> keepAlives = new ArrayDeque<>();

	private Header read;

	@BeforeEach
	void answer() {
		given(this.client.getLeaseClient()).willReturn(this.leases);
		given(this.client.getKVClient()).willReturn(this.keys);
		given(this.leases.grant(SECONDS)).willReturn(granted(ID));
		given(this.leases.keepAliveOnce(ID)).willAnswer((call) -> CompletableFuture
			.completedFuture(new io.etcd.jetcd.lease.LeaseKeepAliveResponse(LeaseKeepAliveResponse.newBuilder()
				.setID(ID)
				.setTTL(SECONDS)
				.setHeader(this.keepAlives.remove().toResponse())
				.build())));
		given(this.keys.get(any(), any()))
			.willAnswer((call) -> CompletableFuture.completedFuture(new GetResponse(RangeResponse.newBuilder()
				.setHeader(this.read.toResponse())
				.addKvs(KeyValue.newBuilder()
					.setKey(ByteString.copyFromUtf8("/p/n/members/m/duty"))
					.setLease(ID)
					.setModRevision(9))
				.addKvs(KeyValue.newBuilder()
					.setKey(ByteString.copyFromUtf8("/p/n/members/m/former"))
					.setLease(ID - 1)
					.setModRevision(8))
				.build(), ByteSequence.EMPTY)));
		this.memberLease.require(call(), attempt(0));
	}

	@Test
	void newLeaseIsCountedFromBeforeItWasAskedFor() {
		assertThat(this.memberLease.countedFrom()).isEqualTo(attempt(0).sentAt());
		assertThat(this.memberLease.isPresent(ID)).isTrue();
	}

	@Test
	void equalTermsProveWhatLivesByTheLease() {
		this.keepAlives.add(new Header(1, 5));
		this.read = new Header(1, 5);
		assertThat(this.memberLease.prove(call(), attempt(1000)))
			.containsExactly(new MemberLease.Proof("/p/n/members/m/duty", 9));
		assertThat(this.memberLease.countedFrom()).isEqualTo(attempt(1000).sentAt());
	}

	/** The keep-alive may have been answered by who leads no more. */
	@Test
	void laterTermOfTheReadProvesNothing() {
		this.keepAlives.add(new Header(1, 5));
		this.read = new Header(1, 6);
		assertProvesNothing();
	}

	@Test
	void laterTermOfAnotherServerProvesNothing() {
		this.keepAlives.add(new Header(1, 5));
		this.read = new Header(2, 6);
		assertProvesNothing();
	}

	/** It may have begun after the keep-alive was passed on to the leader before. */
	@Test
	void termThatIsNewToTheServerIsNotEnoughButIsAskedForAgain() {
		this.keepAlives.add(new Header(1, 6));
		this.keepAlives.add(new Header(1, 6));
		this.read = new Header(1, 6);
		assertThat(this.memberLease.prove(call(), attempt(1000))).hasSize(1);
		verify(this.leases, times(2)).keepAliveOnce(ID);
	}

	@Test
	void serverThatIsAskedForTheFirstTimeIsAskedTwice() {
		this.keepAlives.add(new Header(2, 5));
		this.keepAlives.add(new Header(2, 5));
		this.read = new Header(2, 5);
		assertThat(this.memberLease.prove(call(), attempt(1000))).hasSize(1);
		verify(this.leases, times(2)).keepAliveOnce(ID);
	}

	@Test
	void termsThatGoOnChangingProveNothing() {
		for (int term = 6; term < 30; term++) {
			this.keepAlives.add(new Header(1, term));
		}
		this.read = new Header(1, 30);
		assertProvesNothing();
	}

	@Test
	void lesserTimeThanWasAskedForProvesNothing() {
		given(this.leases.keepAliveOnce(anyLong())).willReturn(CompletableFuture
			.completedFuture(new io.etcd.jetcd.lease.LeaseKeepAliveResponse(LeaseKeepAliveResponse.newBuilder()
				.setID(ID)
				.setTTL(SECONDS - 1)
				.setHeader(new Header(1, 5).toResponse())
				.build())));
		this.read = new Header(1, 5);
		assertProvesNothing();
	}

	@Test
	void youngLeaseIsUsedAndAnOlderOneIsProvedFirst() {
		this.memberLease.require(call(), attempt(800));
		verify(this.leases, times(0)).keepAliveOnce(ID);
		this.keepAlives.add(new Header(1, 5));
		this.read = new Header(1, 5);
		this.memberLease.require(call(), attempt(900));
		assertThat(this.memberLease.countedFrom()).isEqualTo(attempt(900).sentAt());
		verify(this.leases, times(1)).grant(SECONDS);
	}

	/** The request may arrive after a role was granted by what it ends. */
	@Test
	void leaseWhoseEndWasNotAnsweredIsNotUsedAgainButEndedAgain() {
		given(this.leases.revoke(ID)).willReturn(new CompletableFuture<>());
		EtcdCall hasty = new EtcdCall(EtcdServers.using(this.client), Duration.ofMillis(1));
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.memberLease.revoke(hasty));
		assertThat(this.memberLease.countedFrom()).isNull();
		assertThat(this.memberLease.isPresent(ID)).isFalse();
		given(this.leases.grant(SECONDS)).willReturn(granted(ID + 1));
		this.memberLease.require(call(), attempt(100));
		assertThat(this.memberLease.id()).isEqualTo(ID + 1);
		assertThat(this.memberLease.countedFrom()).isEqualTo(attempt(100).sentAt());
		given(this.leases.revoke(ID)).willReturn(CompletableFuture
			.completedFuture(new io.etcd.jetcd.lease.LeaseRevokeResponse(LeaseRevokeResponse.getDefaultInstance())));
		this.memberLease.retryRevocations(call());
		this.memberLease.retryRevocations(call());
		verify(this.leases, times(2)).revoke(ID);
		assertThat(this.memberLease.isPresent(ID + 1)).isTrue();
	}

	private void assertProvesNothing() {
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.memberLease.prove(call(), attempt(1000)));
		assertThat(this.memberLease.countedFrom()).isEqualTo(attempt(0).sentAt());
	}

	private static CompletableFuture<io.etcd.jetcd.lease.LeaseGrantResponse> granted(long id) {
		return CompletableFuture
			.completedFuture(new io.etcd.jetcd.lease.LeaseGrantResponse(LeaseGrantResponse.newBuilder()
				.setID(id)
				.setTTL(SECONDS)
				.setHeader(new Header(1, 5).toResponse())
				.build()));
	}

	private EtcdCall call() {
		return new EtcdCall(EtcdServers.using(this.client), Duration.ofSeconds(10));
	}

	private static Attempt attempt(long millis) {
		return new Attempt(new Moment(millis * 1_000_000, millis), Duration.ofSeconds(10));
	}

	/**
	 * Which server answered, and when.
	 *
	 * @param server its id
	 * @param term of raft
	 */
	private record Header(long server, long term) {

		ResponseHeader toResponse() {
			return ResponseHeader.newBuilder().setMemberId(this.server).setRaftTerm(this.term).build();
		}

	}

}
