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
		StringBuilder shown = new StringBuilder();
		text.codePoints().limit(LONGEST).forEach((point) -> shown.appendCodePoint(isVisible(point) ? point : '?'));
		if (text.codePointCount(0, text.length()) > LONGEST) {
			shown.append('\u2026');
		}
		return shown.toString();
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

	private static boolean isVisible(int point) {
		return switch (Character.getType(point)) {
			// What turns the direction of text is among FORMAT.
			case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR,
					Character.SURROGATE, Character.PRIVATE_USE, Character.UNASSIGNED ->
				false;
			default -> true;
		};
	}

}
