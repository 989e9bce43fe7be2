package io.leaderstarter.sample.demo;

import java.nio.file.Path;
import java.util.List;

import io.leaderstarter.sample.demo.Event.Kind;
import io.leaderstarter.sample.demo.node.Report;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Terms}.
 */
class TermsTests {

	private final EventLog events = new EventLog();

	private final Terms terms = new Terms(this.events);

	private DemoNode zombie;

	@BeforeEach
	void twoTerms(@TempDir Path folder) {
		this.zombie = node("node-2", folder);
		this.terms.onReport(this.zombie, new Report("granted", "invoices", 2, null, 1));
		this.terms.onReport(node("node-1", folder), new Report("granted", "invoices", 3, null, 2));
	}

	@Test
	void refusalOfTheDatabaseTellsThatTheClockDidNotHelp() {
		this.terms.onReport(this.zombie, new Report("refused", "invoices", 2, "FENCE", 3));
		assertThat(last().kind()).isEqualTo(Kind.REFUSED);
		assertThat(last().text()).isEqualTo("The database refused what node-2 wrote for invoices under epoch 2: "
				+ "epoch 3 leads. By its own clock node-2 still led");
		assertThat(this.terms.refused()).isOne();
		assertThat(this.terms.untried()).isZero();
	}

	@Test
	void whoKnowsThatItsTermIsOverTriesNothing() {
		this.terms.onReport(this.zombie, new Report("refused", "invoices", 2, "MEMBER", 3));
		assertThat(last().kind()).isEqualTo(Kind.UNTRIED);
		assertThat(last().text()).isEqualTo(
				"node-2 did not even try to write for invoices under epoch 2: " + "it knew that its term was over");
		assertThat(this.terms.refused()).isZero();
		assertThat(this.terms.untried()).isOne();
	}

	private Event last() {
		List<Event> latest = this.events.latest();
		return latest.get(latest.size() - 1);
	}

	private DemoNode node(String name, Path folder) {
		return new DemoNode(name, List.of("true"), folder.resolve(name), this.events, this.terms::onReport);
	}

}
