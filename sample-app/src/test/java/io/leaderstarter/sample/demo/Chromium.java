package io.leaderstarter.sample.demo;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.impl.driver.Driver;

/**
 * A real browser without a window: the one that {@code LEADER_TEST_CHROMIUM} names, else
 * one on the path, else Debian's package, else one that Playwright downloads.
 */
final class Chromium implements AutoCloseable {

	static final String NAMED = "LEADER_TEST_CHROMIUM";

	private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome");

	/** It would download three kinds of browsers. */
	private static final Map<String, String> NO_OTHERS = Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");

	private final Playwright playwright;

	private final Browser browser;

	Chromium() throws IOException, InterruptedException {
		// Root has no sandbox, and what is shown is our own.
		BrowserType.LaunchOptions options = new BrowserType.LaunchOptions().setChromiumSandbox(false);
		Optional<Path> program = find();
		if (program.isPresent()) {
			options.setExecutablePath(program.get());
		}
		else if (onPath("apt-get").isPresent()) {
			Map<String, String> environment = new HashMap<>(System.getenv());
			options.setExecutablePath(DebianChromium.program());
			environment.put("LD_LIBRARY_PATH", DebianChromium.libraries());
			options.setEnv(environment);
		}
		else {
			download();
		}
		this.playwright = Playwright.create(new Playwright.CreateOptions().setEnv(NO_OTHERS));
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
		return NAMES.stream().flatMap((name) -> onPath(name).stream()).findFirst();
	}

	private static Optional<Path> onPath(String name) {
		return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
			.map((folder) -> Path.of(folder, name))
			.filter(Files::isExecutable)
			.findFirst();
	}

	private static void download() throws IOException, InterruptedException {
		ProcessBuilder builder = Driver.ensureDriverInstalled(NO_OTHERS, false).createProcessBuilder();
		builder.command().addAll(List.of("install", "--only-shell", "chromium"));
		if (builder.inheritIO().start().waitFor() != 0) {
			throw new IllegalStateException(
					"The tests of the page need Chromium, and Playwright could not download it. Put 'chromium' on the path, or let %s name it"
						.formatted(NAMED));
		}
	}

	@Override
	public void close() {
		this.playwright.close();
	}

}
