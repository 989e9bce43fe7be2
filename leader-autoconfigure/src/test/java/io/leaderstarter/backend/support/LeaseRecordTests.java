package io.leaderstarter.backend.support;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.leaderstarter.election.spi.LeaseRequest;
import io.leaderstarter.election.spi.Moment;
import io.leaderstarter.election.spi.StoreIdentity;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaseRecord}.
 */
class LeaseRecordTests {

	private static final Duration TTL = Duration.ofSeconds(15);

	private static final Moment NOW = new Moment(7, 1_700_000_000_000L);

	@ParameterizedTest
	@ValueSource(strings = { "node-1", ".node", "two\nlines=3", "a+b%2B", "\u00fcber", "node 1=\n%\u00e4" })
	void recordIsReadAsItWasWritten(String member) {
		LeaseRecord written = LeaseRecord.of(new LeaseRequest("role", 41, "term", null, false),
				new StoreIdentity("test", member, TTL));
		assertThat(written.epoch()).isEqualTo(42);
		assertThat(LeaseRecord.read(written.write(TTL, NOW))).isEqualTo(written);
	}

	@Test
	void highestEpochIsReadAsItWasWritten() {
		LeaseRecord record = new LeaseRecord(Long.MAX_VALUE, "term", "node");
		assertThat(LeaseRecord.read(record.write(TTL, NOW))).isEqualTo(record);
	}

	/** Stores contain this format already. */
	@Test
	void formatIsTheOneThatIsInStores() {
		String text = "epoch=42\ntermId=t\nmember=node%201\nttl=PT15S\nwritten=2023-11-14T22:13:20Z\n";
		LeaseRecord record = new LeaseRecord(42, "t", "node 1");
		assertThat(new String(record.write(TTL, NOW), StandardCharsets.UTF_8)).isEqualTo(text);
		assertThat(read(text)).isEqualTo(record);
		assertThat(read("epoch=3\ntermId=\nmember=%2Enode\n")).isEqualTo(new LeaseRecord(3, "", ".node"));
	}

	/** What a person writes to set an epoch right. */
	@Test
	void epochAloneIsEnough() {
		assertThat(read("epoch=12")).isEqualTo(new LeaseRecord(12, "", ""));
		assertThat(read("epoch=12\r\nnonsense\n=\nmore=1=2")).isEqualTo(new LeaseRecord(12, "", ""));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "x", "nonsense", "epoch=", "epoch=x", "epoch=-3", "epoch=1e3", "epoch= 1",
			"epoch=9223372036854775808", "epoch=1\nmember=%", "epoch=1\nmember=%zz", "=", "\0", "\ufffe" })
	void whatNoElectionHasWrittenIsGarbage(String text) {
		assertThat(read(text).isGarbage()).isTrue();
		assertThat(read(text).epoch()).isNegative();
	}

	@Test
	void nothingAndBytesThatAreNoTextAreGarbage() {
		assertThat(LeaseRecord.read(null).isGarbage()).isTrue();
		assertThat(LeaseRecord.read(new byte[] { (byte) 0xff, (byte) 0xfe }).isGarbage()).isTrue();
		assertThat(LeaseRecord.NONE.isGarbage()).isFalse();
	}

	private static LeaseRecord read(String text) {
		return LeaseRecord.read(text.getBytes(StandardCharsets.UTF_8));
	}

}
