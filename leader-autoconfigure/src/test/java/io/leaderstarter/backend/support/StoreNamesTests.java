package io.leaderstarter.backend.support;

import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link StoreNames}.
 */
class StoreNamesTests {

	@Test
	void namesHaveNoSlashAndAreApart() {
		assertThat(
				Stream.of("a", "A", "a/b", "a%2Fb", "a_b", "a b", "a%20b", "a+b", "\u00e4", "@store-id", "", " ", "A b")
					.map(StoreNames::encode))
			.doesNotHaveDuplicates()
			.noneMatch((name) -> name.contains("/") || name.contains("@"));
		assertThat(StoreNames.encode("invoices-2.eu:north_1")).isEqualTo("invoices-2.eu:north_1");
	}

	/** Stores contain this format already. */
	@Test
	void encodingIsTheOneThatIsInStores() {
		assertThat(StoreNames.encode("a/b c@\u00fc+")).isEqualTo("a%2Fb%20c%40%C3%BC%2B");
		assertThat(StoreNames.decode("%2Enode")).isEqualTo(".node");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "node-1", ".", "..", "two\nlines=3", "a+b%2B", "\u00fcber \ud83d\ude80", "\0" })
	void nameIsDecodedAsItWasEncoded(String name) {
		assertThat(StoreNames.decode(StoreNames.encode(name))).isEqualTo(name);
	}

	@ParameterizedTest
	@ValueSource(strings = { "%", "%z", "%zz", "a%2" })
	void whatNoNameIsEncodedToIsRefused(String encoded) {
		assertThatIllegalArgumentException().isThrownBy(() -> StoreNames.decode(encoded));
	}

}
