package io.leaderstarter.fencing;

import java.time.Instant;
import java.util.List;

import io.leaderstarter.Leadership;
import io.leaderstarter.testsupport.TestTerm;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link FenceSql}: the terms that triggers read.
 */
class RenderedTermsTests {

	@Test
	void eachTermIsALineInTheGivenOrder() {
		TestTerm first = new TestTerm("invoices", 7);
		TestTerm second = new TestTerm("a:b", 8);
		assertThat(FenceSql.render("my app", List.of(first, second)))
			.isEqualTo("7\t%s\tmy app\tinvoices\n8\t%s\tmy app\ta:b".formatted(first.leadership().termId(),
					second.leadership().termId()));
	}

	@Test
	void noTermIsNoText() {
		assertThat(FenceSql.render("app", List.of())).isEmpty();
	}

	@Test
	void nothingPassesForMoreTermsThanThereAre() {
		Leadership smuggler = new Leadership("x\n9\tt\tapp\tinvoices", 1, "t", "m", Instant.now());
		assertThatIllegalArgumentException().isThrownBy(() -> FenceSql.render("app", List.of(new TestTerm(smuggler))));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> FenceSql.render("a\tb", List.of(new TestTerm("invoices", 7))));
	}

}
