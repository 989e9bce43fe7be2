package io.leaderstarter.sample.demo;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the page of the {@link Demo}, in a real browser.
 */
class DemoPageTests {

	private static final Path PICTURES = Path.of("build", "reports", "page");

	/** By the formula of the Web Content Accessibility Guidelines. */
	private static final String CONTRAST = """
			pair => {
				const luminance = name => {
					const probe = document.body.appendChild(document.createElement('i'));
					probe.style.color = `var(--${name})`;
					const [r, g, b] = getComputedStyle(probe).color.match(/\\d+/g).map(part => part / 255)
						.map(part => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
					probe.remove();
					return 0.2126 * r + 0.7152 * g + 0.0722 * b;
				};
				const [a, b] = pair.split(' ').map(luminance).sort((x, y) => y - x);
				return (a + 0.05) / (b + 0.05);
			}
			""";

	private static final String HELLO = """
			event: hello
			data: {"state": {"now": %d, "backend": "H2", "database": "H2", "up": null, "ttlMillis": 5000,
			data: "freezeMillis": 20000, "servers": [], "nodes": [], "totals": {"landed": 0, "refused": 0,
			data: "untried": 0, "stale": 0}},
			data: "events": %s}

			""";

	@TempDir
	private static Path folder;

	private static RunningDemo demo;

	private static Chromium chromium;

	private final List<BrowserContext> contexts = new ArrayList<>();

	private final List<String> errors = new ArrayList<>();

	@BeforeAll
	static void start() throws Exception {
		PlaywrightAssertions.setDefaultAssertionTimeout(60_000);
		chromium = new Chromium();
		demo = RunningDemo.start(folder, 25);
		demo.awaitWork();
	}

	@AfterAll
	static void end() {
		try {
			demo.close();
		}
		finally {
			chromium.close();
		}
	}

	@AfterEach
	void noErrorWasLogged() {
		this.contexts.forEach(BrowserContext::close);
		assertThat(this.errors).isEmpty();
	}

	@Test
	void frozenLeaderWakesUpAndIsRefused() {
		Page page = open(1280, 900, ColorScheme.LIGHT);
		List<Page> others = List.of(open(1280, 900, ColorScheme.DARK), open(390, 844, ColorScheme.LIGHT),
				open(390, 844, ColorScheme.DARK));
		String zombie = demo.freezeLeaderUntilTheDatabaseRefuses((node) -> freeze(page, node)).name();
		String refusal = "The database refused what " + zombie + " wrote for ";
		Locator refused = page.locator("#log li.refused").first();
		assertThat(refused).containsText(refusal);
		assertThat(refused).containsText("By its own clock " + zombie + " still led");
		assertThat(page.locator("#write-log li.refused").first()).containsText(refusal);
		assertThat(page.locator("#announcements")).containsText(refusal);
		assertThat(page.locator("#refused")).not().hasText("0");
		assertThat(page.locator("#stale")).hasText("0");
		picture(page, "page-light");
		picture(others.get(0), "page-dark");
		picture(others.get(1), "phone-light");
		picture(others.get(2), "phone-dark");
	}

	private static void freeze(Page page, String node) {
		Locator card = card(page, node);
		assertThat(card.locator(".phase")).hasText("leads");
		button(card, "Freeze").click();
		assertThat(card.locator(".phase")).hasText(Pattern.compile("frozen, wakes in \\d+ s"));
		assertThat(page.locator(".card:not([data-phase=frozen]) [data-role=invoices].leads")).hasCount(1);
		picture(page, "frozen");
	}

	@Test
	void tellsInWordsWhatThePictureShows() {
		Page page = open(1280, 900, ColorScheme.LIGHT);
		demo.awaitWork();
		assertThat(page.locator("#timeline")).hasAttribute("aria-label",
				Pattern.compile("Terms\\. invoices: epoch \\d+ of node-\\d.*outbox: epoch \\d+ of node-\\d.*"));
		assertThat(page.locator("#timeline .term").first()).isAttached();
		assertThat(page.locator("#timeline .wrote").first()).isAttached();
		assertThat(page.locator("#write-log li").first()).containsText(Pattern.compile("under epoch \\d+"));
	}

	@Test
	void nodeIsKilledAndStartedByKeyboard() {
		Page page = open(1280, 900, ColorScheme.LIGHT);
		Locator card = card(page, "node-3");
		button(card, "Kill").focus();
		page.keyboard().press("Enter");
		assertThat(card.locator(".phase")).hasText("not running");
		// The button that is there instead has the focus, so nobody is lost.
		assertThat(button(card, "Start again")).isFocused();
		assertThat(button(card, "Freeze")).isHidden();
		page.keyboard().press("Enter");
		assertThat(card.locator(".phase")).hasText(Pattern.compile("follows|leads"));
		assertThat(page.locator("#log")).containsText("node-3 is killed");
		assertThat(page.locator("#log")).containsText("node-3 is ready");
	}

	@Test
	void leaderIsPausedAndResumes() {
		Page page = open(1280, 900, ColorScheme.LIGHT);
		String leader = RunningDemo.leader(demo.awaitWork(), "outbox").orElseThrow();
		Locator card = card(page, leader);
		button(card, "Pause").click();
		assertThat(card.locator(".phase")).hasText("is paused");
		assertThat(page.locator(".roles [data-role=outbox].leads")).hasCount(1);
		assertThat(card.locator(".leads")).hasCount(0);
		button(card, "Resume").click();
		assertThat(card.locator(".phase")).hasText(Pattern.compile("follows|leads"));
	}

	@Test
	void leaderResigns() {
		Page page = open(1280, 900, ColorScheme.LIGHT);
		String leader = RunningDemo.leader(demo.awaitWork(), "invoices").orElseThrow();
		button(card(page, leader), "Resign").click();
		assertThat(card(page, leader).locator("[data-role=invoices] .state")).hasText("follows");
		assertThat(page.locator("#log")).containsText("it gave the role up");
		assertThat(page.locator(".roles [data-role=invoices].leads")).hasCount(1);
	}

	@Test
	void databaseThatDoesNotAnswerIsShown() throws Exception {
		Page page = open(1280, 900, ColorScheme.LIGHT);
		demo.awaitWork();
		demo.signalDatabase("STOP");
		try {
			assertThat(page.getByRole(AriaRole.ALERT)).containsText("H2 does not answer");
			picture(page, "database-down");
		}
		finally {
			demo.signalDatabase("CONT");
		}
		assertThat(page.getByRole(AriaRole.ALERT)).isHidden();
		demo.awaitWork();
	}

	@Test
	void pageOfSomebodyElseCannotPressButtons() {
		Page page = newPage(1280, 900, ColorScheme.LIGHT);
		page.route("http://other.example/", (route) -> route
			.fulfill(new Route.FulfillOptions().setContentType("text/html").setBody("<title>Other</title>")));
		page.navigate("http://other.example/");
		page.evaluate("address => fetch(address, { method: 'POST', mode: 'no-cors' }).catch(() => {})",
				demo.address() + "/nodes/node-2/kill");
		assertThat(demo.status("http://other.example")).isEqualTo(403);
		assertThat(RunningDemo.node(demo.awaitWork(), "node-2").path("phase").asString()).isEqualTo("UP");
		// The browser itself may say that it did not let the page through.
		this.errors.clear();
	}

	@Test
	void fitsAPhone() {
		Page page = open(390, 844, ColorScheme.LIGHT);
		demo.awaitWork();
		assertThat(page.locator(".card")).hasCount(3);
		assertThat((int) page.evaluate("document.documentElement.scrollWidth")).isLessThanOrEqualTo(390);
		for (Locator button : page.locator(".card button:visible").all()) {
			assertThat(button.boundingBox().height).isGreaterThanOrEqualTo(44);
		}
	}

	@Test
	void keyboardReachesEverything() {
		Page page = open(1280, 900, ColorScheme.LIGHT);
		demo.awaitWork();
		page.keyboard().press("Tab");
		assertThat(page.locator(".skip")).isFocused();
		assertThat(page.locator(".skip")).isInViewport();
		page.keyboard().press("Enter");
		page.keyboard().press("Tab");
		assertThat(button(card(page, "node-1"), "Freeze")).isFocused();
		assertThat((String) page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).isEqualTo("solid");
		assertThat(page.getByRole(AriaRole.MAIN)).hasCount(1);
		assertThat(page.getByRole(AriaRole.REGION)).hasCount(5);
	}

	@Test
	void saysThatItWaitsBeforeThereIsAnything() {
		Page page = open(1280, 900, ColorScheme.LIGHT, "");
		assertThat(page.locator("#connection")).hasText("Connecting");
		assertThat(page.locator("#loading")).hasText("Connecting to the demo");
	}

	@Test
	void saysWhatIsEmpty() {
		Page page = open(1280, 900, ColorScheme.LIGHT, HELLO.formatted(0, "[]"));
		assertThat(page.locator("#loading")).hasText("H2 starts. The nodes come after it");
		assertThat(page.locator("#log-empty")).isVisible();
		assertThat(page.locator("#writes-empty")).isVisible();
		assertThat(page.locator("#log")).isHidden();
	}

	@Test
	void refusalIsRedAndWhatWasNotTriedIsNot() {
		Page page = open(1280, 900, ColorScheme.LIGHT,
				HELLO.formatted(2000, "[" + event(1, 1000, "REFUSED") + "," + event(2, 1100, "UNTRIED") + "]"));
		assertThat(page.locator("#log li.refused")).hasCount(1);
		assertThat(page.locator("#log li.untried")).hasCount(1);
		assertThat(page.locator("#write-log li.refused")).hasCount(1);
		assertThat(page.locator("#write-log li.untried")).hasCount(1);
	}

	@Test
	void longTermIsShownHoweverMuchIsWritten() {
		String writes = IntStream.range(2, 900)
			.mapToObj((id) -> event(id, 900_000 + 100 * id, "WROTE"))
			.collect(Collectors.joining(","));
		Page page = open(1280, 900, ColorScheme.LIGHT,
				HELLO.formatted(990_000, "[" + event(1, 1000, "GRANTED") + "," + writes + "]"));
		assertThat(page.locator("#timeline .term")).hasCount(1);
		assertThat(page.locator("#timeline .epoch")).hasText("epoch 3");
	}

	private static String event(int id, int at, String kind) {
		return "{\"id\": %d, \"at\": %d, \"kind\": \"%s\", \"node\": \"node-1\", \"role\": \"invoices\", \"epoch\": 3, \"text\": \"\"}"
			.formatted(id, at, kind);
	}

	@Test
	void saysThatTheDemoHasEnded() throws Exception {
		RunningDemo other = RunningDemo.start(Files.createDirectories(folder.resolve("other")), 12);
		Page page = open(1280, 900, ColorScheme.LIGHT, other);
		assertThat(page.locator("#connection")).hasText("Live");
		other.close();
		assertThat(page.getByRole(AriaRole.ALERT)).containsText("start it again by ./gradlew demo");
		assertThat(page.locator("#connection")).hasText("Not connected");
		// The browser itself reports each try to connect.
		this.errors.removeIf((error) -> error.contains("ERR_CONNECTION_REFUSED")
				|| error.contains("ERR_INCOMPLETE_CHUNKED_ENCODING"));
	}

	@ParameterizedTest
	@EnumSource(names = { "LIGHT", "DARK" })
	void textIsReadable(ColorScheme scheme) {
		Page page = open(1280, 900, scheme);
		for (String pair : List.of("ink paper", "ink panel", "soft paper", "soft panel", "red panel", "red red-paper",
				"ink red-paper", "green paper", "green panel", "ice panel", "ice ice-paper", "soft ice-paper",
				"on-role invoices", "on-role outbox", "invoices panel", "outbox panel", "paper ink")) {
			assertThat(((Number) page.evaluate(CONTRAST, pair)).doubleValue()).as(pair).isGreaterThan(4.5);
		}
		for (String pair : List.of("control paper", "control panel", "focus paper", "focus panel")) {
			assertThat(((Number) page.evaluate(CONTRAST, pair)).doubleValue()).as(pair).isGreaterThan(3);
		}
	}

	private Page open(int width, int height, ColorScheme scheme) {
		Page page = open(width, height, scheme, demo);
		assertThat(page.locator("#connection")).hasText("Live");
		return page;
	}

	/** With events that the demo might send. */
	private Page open(int width, int height, ColorScheme scheme, String events) {
		Page page = newPage(width, height, scheme);
		page.route("**/events", (route) -> {
			if (!events.isEmpty()) {
				route.fulfill(new Route.FulfillOptions().setContentType("text/event-stream").setBody(events));
			}
		});
		page.navigate(demo.address());
		return page;
	}

	private Page open(int width, int height, ColorScheme scheme, RunningDemo of) {
		Page page = newPage(width, height, scheme);
		page.navigate(of.address());
		return page;
	}

	private Page newPage(int width, int height, ColorScheme scheme) {
		BrowserContext context = chromium.browser()
			.newContext(new Browser.NewContextOptions().setViewportSize(width, height).setColorScheme(scheme));
		this.contexts.add(context);
		Page page = context.newPage();
		page.onConsoleMessage((message) -> {
			if (message.type().equals("error") || message.type().equals("warning")) {
				this.errors.add(message.text());
			}
		});
		page.onPageError(this.errors::add);
		return page;
	}

	private static Locator card(Page page, String node) {
		return page.getByRole(AriaRole.ARTICLE, new Page.GetByRoleOptions().setName(node));
	}

	private static Locator button(Locator card, String label) {
		return card.getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName(label));
	}

	private static void picture(Page page, String name) {
		page.screenshot(new Page.ScreenshotOptions().setPath(PICTURES.resolve(name + ".png")).setFullPage(true));
	}

}
