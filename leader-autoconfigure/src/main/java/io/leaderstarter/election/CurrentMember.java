package io.leaderstarter.election;

import java.util.function.Supplier;

import io.leaderstarter.Member;

/**
 * Who this process is at present: a member with an id of its own for every start of the
 * elections. Several processes can go on from one checkpoint of a process, and each of
 * them would take the leases of the others for its own if they had the same id.
 *
 * @since 0.1.0
 */
public final class CurrentMember implements Supplier<Member> {

	private final Supplier<Member> starts;

	private volatile Member member;

	/**
	 * Makes the member of the first start.
	 * @param starts makes a member with an id of its own each time
	 */
	public CurrentMember(Supplier<Member> starts) {
		this.starts = starts;
		this.member = starts.get();
	}

	@Override
	public Member get() {
		return this.member;
	}

	/** Makes the member of another start. */
	Member startAgain() {
		this.member = this.starts.get();
		return this.member;
	}

}
