package io.leaderstarter.sample.demo;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.PlaywrightException;

/**
 * A real browser without a window: the one that {@code LEADER_TEST_CHROMIUM} names, else
 * one on the path, else one that Playwright downloads.
 */
final class Chromium implements AutoCloseable {

	private static final String NAMED = "LEADER_TEST_CHROMIUM";

	private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome");

	private final Playwright playwright;

	private final Browser browser;

	Chromium() {
		Optional<Path> program = find();
		try {
			this.playwright = Playwright.create(new Playwright.CreateOptions()
				.setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", program.isPresent() ? "1" : "")));
		}
		catch (PlaywrightException ex) {
			throw new IllegalStateException(
					"The tests of the page need Chromium. Let %s name its program, or put it on the path"
						.formatted(NAMED),
					ex);
		}
		// Root has no sandbox, and what is shown is our own.
		BrowserType.LaunchOptions options = new BrowserType.LaunchOptions().setChromiumSandbox(false);
		program.ifPresent(options::setExecutablePath);
		this.browser = this.playwright.chromium().launch(options);
	}

	Browser browser() {
		return this.browser;
	}

	private static Optional<Path> find() {
		String named = System.getenv(NAMED);
		if (named != null) {
			return Optional.of(Path.of(named));
		}
		return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
			.flatMap((folder) -> NAMES.stream().map((name) -> Path.of(folder, name)))
			.filter(Files::isExecutable)
			.findFirst();
	}

	@Override
	public void close() {
		this.playwright.close();
	}

}
