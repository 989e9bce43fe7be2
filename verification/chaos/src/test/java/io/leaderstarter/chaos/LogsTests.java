package io.leaderstarter.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

class LogsTests {

	private static final String BEGINNING = "2026-11-20T15:44:06.870Z ";

	@Test
	void warningsAndErrorsAreCountedWhateverTheirNumbersAre(@TempDir Path folder) throws IOException {
		Files.writeString(folder.resolve("0.1.log"),
				BEGINNING + " INFO 11770 --- [chaos] [leader-events-3] i.l.election.TransitionLog : It leads\n"
						+ BEGINNING
						+ " WARN 11770 --- [chaos] [  leader-listen] i.l.e.DeadlineWatchdog   : Paused for 4420 ms\n"
						+ "java.lang.IllegalStateException: ERROR of 3\n");
		Files.writeString(folder.resolve("1.1.log"),
				BEGINNING + " WARN 4 --- [chaos] [main] i.l.e.DeadlineWatchdog : Paused for 3 ms\n" + BEGINNING
						+ "ERROR 4 --- [chaos] [main] com.zaxxer.Pool : PgConnection@26a4f9ed\n"
						+ "Exception in thread \"leader-1\" java.lang.NullPointerException\n");
		assertThat(Logs.read(folder)).containsOnly(entry("WARN i.l.e.DeadlineWatchdog: Paused for # ms", 2),
				entry("ERROR com.zaxxer.Pool: PgConnection#", 1),
				entry("ERROR Exception in thread \"leader-#\" java.lang.NullPointerException", 1));
	}

}
