package io.leaderstarter.election.membership;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;

import io.leaderstarter.Member;
import io.leaderstarter.election.spi.Presence;
import org.jspecify.annotations.Nullable;

/**
 * What a member announces of itself: its metadata, and which roles it competes for with
 * which priority. Roles are written as hashes, so thousands of long names take little
 * space, and a member that knows a role can ask whether it is among them.
 * <p>
 * Everybody with access to the store can write cards. So there is a limit to all that is
 * read, and what cannot be read is left out.
 * <p>
 * Internal: not for applications.
 *
 * @param member the member
 * @param hash the hash of the member's id
 * @param roles by priority, the highest first, the hashes of roles in order
 * @since 0.1.0
 */
public record MemberCard(Member member, long hash, SortedMap<Integer, long[]> roles) {

	private static final String METADATA = "metadata.";

	private static final String ROLES = "roles.";

	private static final int MOST_METADATA = 32;

	private static final int LONGEST_KEY = 64;

	private static final int LONGEST_VALUE = 256;

	/** They take some 320 kB. Roles beyond that are not announced. */
	private static final int MOST_ROLES = 30_000;

	/**
	 * Create the card of a member.
	 * @param member the member
	 * @param priorities by role that it competes for
	 */
	public static MemberCard of(Member member, Map<String, Integer> priorities) {
		Map<Integer, LongStream.Builder> hashes = new TreeMap<>();
		priorities.entrySet()
			.stream()
			.limit(MOST_ROLES)
			.forEach((role) -> hashes.computeIfAbsent(role.getValue(), (priority) -> LongStream.builder())
				.add(Rendezvous.hash(role.getKey())));
		SortedMap<Integer, long[]> roles = new TreeMap<>(Comparator.reverseOrder());
		hashes.forEach((priority, of) -> roles.put(priority, of.build().sorted().toArray()));
		return new MemberCard(member, Rendezvous.hash(member.id()), roles);
	}

	/**
	 * Read a card.
	 * @return the card, {@code null} if no member has such an id
	 */
	public static @Nullable MemberCard read(Presence presence) {
		String id = presence.member();
		if (id.isBlank() || id.length() > Member.MAX_ID_LENGTH || presence.text().length() > Presence.LONGEST_TEXT) {
			return null;
		}
		Map<String, String> metadata = new TreeMap<>();
		SortedMap<Integer, long[]> roles = new TreeMap<>(Comparator.reverseOrder());
		presence.text().lines().forEach((line) -> {
			try {
				int equals = line.indexOf('=');
				if (line.startsWith(METADATA) && equals > 0 && metadata.size() < MOST_METADATA) {
					metadata.put(cut(decode(line.substring(METADATA.length(), equals)), LONGEST_KEY),
							cut(decode(line.substring(equals + 1)), LONGEST_VALUE));
				}
				else if (line.startsWith(ROLES) && equals > 0) {
					roles.put(Integer.valueOf(line.substring(ROLES.length(), equals)),
							hashes(line.substring(equals + 1)));
				}
			}
			catch (IllegalArgumentException ex) {
				// No member has written that line.
			}
		});
		return new MemberCard(new Member(id, metadata), Rendezvous.hash(id), roles);
	}

	/** Return the card as text. Equal cards are equal texts. */
	public String write() {
		StringBuilder text = new StringBuilder();
		new TreeMap<>(this.member.metadata()).entrySet()
			.stream()
			.limit(MOST_METADATA)
			.forEach((entry) -> text.append(METADATA)
				.append(encode(cut(entry.getKey(), LONGEST_KEY)))
				.append('=')
				.append(encode(cut(entry.getValue(), LONGEST_VALUE)))
				.append('\n'));
		this.roles.forEach((priority, hashes) -> {
			String line = ROLES + priority + "=" + text(hashes) + "\n";
			if (text.length() + line.length() <= Presence.LONGEST_TEXT) {
				text.append(line);
			}
		});
		return text.toString();
	}

	/**
	 * Return the priority with which the member competes for a role.
	 * @param role the hash of the role
	 * @return the highest one that it announces, {@code null} if it does not compete
	 */
	public @Nullable Integer priority(long role) {
		for (Map.Entry<Integer, long[]> entry : this.roles.entrySet()) {
			if (Arrays.binarySearch(entry.getValue(), role) >= 0) {
				return entry.getKey();
			}
		}
		return null;
	}

	private static String text(long[] hashes) {
		ByteBuffer bytes = ByteBuffer.allocate(hashes.length * Long.BYTES);
		bytes.asLongBuffer().put(hashes);
		return Base64.getEncoder().withoutPadding().encodeToString(bytes.array());
	}

	private static long[] hashes(String text) {
		ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(text));
		long[] hashes = new long[bytes.remaining() / Long.BYTES];
		bytes.asLongBuffer().get(hashes);
		Arrays.sort(hashes);
		return hashes;
	}

	private static String encode(String text) {
		return URLEncoder.encode(text, StandardCharsets.UTF_8);
	}

	private static String decode(String text) {
		return URLDecoder.decode(text, StandardCharsets.UTF_8);
	}

	private static String cut(String text, int longest) {
		return (text.length() <= longest) ? text : text.substring(0, longest);
	}

}
