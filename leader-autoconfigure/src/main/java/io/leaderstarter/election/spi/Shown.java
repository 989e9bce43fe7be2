package io.leaderstarter.election.spi;

/**
 * Makes text that others have written fit to be shown. Whoever can write to a store must
 * not be able to write lines of a log.
 *
 * @since 0.1.0
 */
public final class Shown {

	private static final int LONGEST = 256;

	private Shown() {
	}

	/**
	 * Returns text without what is no character that people can see, and not too much of
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
