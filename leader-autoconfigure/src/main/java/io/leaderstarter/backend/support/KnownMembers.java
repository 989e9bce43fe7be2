package io.leaderstarter.backend.support;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.leaderstarter.election.spi.Presence;

/**
 * The announcements of members as they were read last. A store lists its entries with
 * their versions, so that only changes are read again.
 * <p>
 * Internal: not for applications.
 *
 * @since 0.1.0
 */
public final class KnownMembers {

	/** More members are a mistake or an attack. */
	public static final int MOST = 1000;

	private final Map<Entry, Presence> known = new HashMap<>();

	private List<Entry> listed = List.of();

	/**
	 * Update the list of entries. Entries that are not listed any more are removed, and
	 * those after the {@value #MOST}th are left out.
	 * @param entries the entries in the store
	 * @return the entries that have to be read
	 */
	public List<Entry> changed(Collection<Entry> entries) {
		this.listed = entries.stream().limit(MOST).toList();
		this.known.keySet().retainAll(this.listed);
		return this.listed.stream().filter((entry) -> !this.known.containsKey(entry)).toList();
	}

	/**
	 * Add an entry that was read. A text that is longer than those of members is left
	 * out.
	 * @param entry the entry
	 * @param text its text
	 */
	public void read(Entry entry, String text) {
		if (text.length() <= Presence.LONGEST_TEXT) {
			this.known.put(entry, new Presence(entry.member(), text));
		}
	}

	/**
	 * Return the announcements of the entries that were listed last. Of a member with two
	 * entries the later one is returned.
	 * @return the announcements
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
	 * An announcement in the store, without its text.
	 *
	 * @param name its name in the store
	 * @param member who wrote it
	 * @param version changes with the text, and grows
	 */
	public record Entry(String name, String member, long version) {
	}

}
