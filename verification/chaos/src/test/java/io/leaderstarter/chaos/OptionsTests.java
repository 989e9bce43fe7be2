package io.leaderstarter.chaos;

import java.time.Duration;
import java.util.Map;

import io.leaderstarter.chaos.Options.Backend;
import io.leaderstarter.chaos.Options.Database;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class OptionsTests {

	@Test
	void littleIsDoneIfNothingIsAskedFor() {
		Options options = Options.read(Map.<String, String>of()::get);
		assertThat(options.backend()).isEqualTo(Backend.JDBC);
		assertThat(options.database()).isEqualTo(Database.POSTGRESQL);
		assertThat(options.duration()).isEqualTo(Duration.ofMinutes(2));
		assertThat(options.fence()).isTrue();
	}

	@Test
	void commandAsksForTheSame() {
		Options options = Options
			.read(Map.of("backend", "Etcd", "database", "mariadb", "minutes", "0.5", "seed", "7", "fence", "off")::get);
		assertThat(options).isEqualTo(new Options(Backend.ETCD, Database.MARIADB, Duration.ofSeconds(30), 7, false));
		assertThat(options.command())
			.isEqualTo("./gradlew chaos -Pbackend=etcd -Pdatabase=mariadb -Pminutes=0.5 -Pseed=7 -Pfence=off");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			backend  | redis  | There is no backend 'redis'. -Pbackend is one of jdbc, zookeeper, etcd
			database | oracle | There is no database 'oracle'. -Pdatabase is one of postgresql, mariadb
			fence    | no     | There is no fence 'no'. -Pfence is one of on, off
			minutes  | long   | -Pminutes=long is no number above 0
			minutes  | 0      | -Pminutes=0 is no number above 0
			seed     | new    | -Pseed=new is no whole number
			""")
	void whatThereIsNotIsRefused(String name, String value, String message) {
		assertThatIllegalArgumentException().isThrownBy(() -> Options.read(Map.of(name, value)::get))
			.withMessage(message);
	}

}
