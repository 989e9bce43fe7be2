package io.leaderstarter.backend.support;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.leaderstarter.election.spi.Presence;

/**
 * What members said of themselves, as it was read last. A store lists its entries with
 * their versions, so that only what changed is read again.
 * <p>
 * Internal: not for applications.
 *
 * @since 0.1.0
 */
public final class KnownMembers {

	/** More than that is no cluster but a mistake, or an attack. */
	public static final int MOST = 1000;

	private final Map<Entry, Presence> known = new HashMap<>();

	private List<Entry> listed = List.of();

	/**
	 * Take note of what is in the store now. What is not listed any more is forgotten,
	 * and what is listed behind the {@value #MOST}th is left out.
	 * @param entries what is there
	 * @return what has to be read
	 */
	public List<Entry> changed(Collection<Entry> entries) {
		this.listed = entries.stream().limit(MOST).toList();
		this.known.keySet().retainAll(this.listed);
		return this.listed.stream().filter((entry) -> !this.known.containsKey(entry)).toList();
	}

	/**
	 * Take note of what was read. A text that no member may write is left out.
	 * @param entry what was read
	 * @param text what it says
	 */
	public void read(Entry entry, String text) {
		if (text.length() <= Presence.LONGEST_TEXT) {
			this.known.put(entry, new Presence(entry.member(), text));
		}
	}

	/**
	 * Return what is known of those that were listed last. Of a member with two entries
	 * the later one counts.
	 * @return what members say
	 */
	public Collection<Presence> all() {
		Map<String, Entry> latest = new LinkedHashMap<>();
		for (Entry entry : this.listed) {
			if (this.known.containsKey(entry)) {
				latest.merge(entry.member(), entry, (one, other) -> (one.version() > other.version()) ? one : other);
			}
		}
		return latest.values().stream().map(this.known::get).toList();
	}

	/**
	 * What a member wrote, without its text.
	 *
	 * @param name where it is
	 * @param member who wrote it
	 * @param version changes with the text, and grows
	 */
	public record Entry(String name, String member, long version) {
	}

}
