package io.leaderstarter.election.spi;

/**
 * What a member announces of itself to the others of its namespace. A store keeps it as
 * plain text and returns it to all members that live.
 *
 * @param member id of the member
 * @param text what it announces, ASCII only. Everybody with access to the store can write
 * anything here.
 * @since 0.1.0
 */
public record Presence(String member, String text) {

	/** The longest text that a store keeps and gives back. */
	public static final int LONGEST_TEXT = 512 * 1024;

}
