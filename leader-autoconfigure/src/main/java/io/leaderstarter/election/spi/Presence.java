package io.leaderstarter.election.spi;

/**
 * What a member says of itself to the others of its namespace. To a store it is text like
 * any other: kept as it is, and given to whoever lives.
 *
 * @param member id of the member
 * @param text what it says, ASCII only. Whoever can write to the store can write anything
 * here.
 * @since 0.1.0
 */
public record Presence(String member, String text) {

	/** The longest text that a store keeps and gives back. */
	public static final int LONGEST_TEXT = 512 * 1024;

}
