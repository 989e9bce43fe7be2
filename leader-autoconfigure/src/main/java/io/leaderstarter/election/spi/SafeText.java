package io.leaderstarter.election.spi;

import java.util.regex.Pattern;

/**
 * Makes text of unknown origin safe for display. Everybody with access to a store must
 * not be able to write lines of a log.
 *
 * @since 0.1.0
 */
public final class SafeText {

	private static final int LONGEST = 256;

	/** What turns the direction of text is among them. */
	private static final Pattern INVISIBLE = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");

	private static final Pattern SECRET = Pattern.compile("(?i)((?:password|passwd|pwd|secret|token)=)[^&;,\\s\"']+");

	private static final Pattern USER_INFO = Pattern.compile("://[^/@\\s]+@");

	private SafeText() {
	}

	/**
	 * Return text without what is no character that people can see, and not too much of
	 * it.
	 * @param text the text as it was read
	 * @return text for a log, a page or a message
	 */
	public static String safely(String text) {
		boolean tooLong = text.codePointCount(0, text.length()) > LONGEST;
		String shown = tooLong ? text.substring(0, text.offsetByCodePoints(0, LONGEST)) : text;
		return INVISIBLE.matcher(shown).replaceAll("?") + (tooLong ? "\u2026" : "");
	}

	/**
	 * Return text without what may be credentials, as drivers quote addresses in their
	 * messages.
	 * @param text text of unknown origin
	 * @return text for a log, a page or a message
	 */
	public static String withoutSecrets(String text) {
		return USER_INFO.matcher(SECRET.matcher(text).replaceAll("$1***")).replaceAll("://***@");
	}

}
