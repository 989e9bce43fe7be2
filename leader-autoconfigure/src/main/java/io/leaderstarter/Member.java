package io.leaderstarter;

import java.util.Map;
import java.util.UUID;

/**
 * One running process that takes part in elections.
 * <p>
 * The id is new with every start of a process, and with every start of the elections in
 * it. Two processes on one host, or one host before and after a restart, are different
 * members; otherwise one could take the lease of another for its own.
 *
 * @param id unique per process start
 * @param metadata what to display of this member, such as its URL or version
 * @since 0.1.0
 */
public record Member(String id, Map<String, String> metadata) {

	/** The longest id that every store can keep. */
	public static final int MAX_ID_LENGTH = 190;

	private static final int RANDOM_LENGTH = 36;

	/**
	 * Validates the id and keeps the metadata as they are now.
	 */
	public Member {
		if (id.isBlank() || id.length() > MAX_ID_LENGTH) {
			throw new IllegalArgumentException("'id' must have 1 to %d characters".formatted(MAX_ID_LENGTH));
		}
		metadata = Map.copyOf(metadata);
	}

	/**
	 * Create a member whose id is made of the prefix, which shows where it runs, and a
	 * random part, which makes it unique.
	 * @param idPrefix where the member runs; cut if it is too long
	 * @param metadata what to display of this member
	 * @return a member that no other process start shares its id with
	 */
	public static Member start(String idPrefix, Map<String, String> metadata) {
		int room = MAX_ID_LENGTH - RANDOM_LENGTH - 1;
		String prefix = (idPrefix.length() <= room) ? idPrefix : idPrefix.substring(0, room);
		return new Member(prefix + "-" + UUID.randomUUID(), metadata);
	}

	@Override
	public String toString() {
		return this.id;
	}

}
