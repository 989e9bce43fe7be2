package io.leaderstarter.sample.demo;

import java.util.Map;

import org.junit.jupiter.api.Test;

import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.PropertySourcesPropertyResolver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link NodeDefaults}.
 */
class NodeDefaultsTests {

	private static final Map<String, Object> YML = Map.of("spring.datasource.url", "${sample.database:jdbc:h2:file}");

	private int found;

	private final NodeDefaults defaults = new NodeDefaults(() -> 8080 + this.found++,
			() -> "jdbc:h2:tcp" + this.found++);

	@Test
	void databaseIsFoundOnceIfNobodyChoosesAnother() {
		PropertySourcesPropertyResolver properties = properties(new MapPropertySource("yml", YML));
		assertThat(properties.getProperty("spring.datasource.url")).isEqualTo("jdbc:h2:tcp0");
		assertThat(properties.getProperty("spring.datasource.url")).isEqualTo("jdbc:h2:tcp0");
		assertThat(properties.getProperty("server.port")).isEqualTo("8081");
	}

	@Test
	void nothingIsLookedForIfSomebodyChoosesAnother() {
		PropertySourcesPropertyResolver properties = properties(
				new MapPropertySource("profile", Map.of("spring.datasource.url", "jdbc:own", "server.port", "80")),
				new MapPropertySource("yml", YML));
		assertThat(properties.getProperty("spring.datasource.url")).isEqualTo("jdbc:own");
		assertThat(properties.getProperty("server.port")).isEqualTo("80");
		assertThat(this.found).isZero();
	}

	@Test
	void saysWhyThereIsNone() {
		NodeDefaults without = new NodeDefaults(() -> 0, () -> {
			throw new IllegalStateException("The database does not start");
		});
		assertThatIllegalStateException().isThrownBy(() -> without.getProperty("sample.database"))
			.withMessage("The database does not start");
	}

	private PropertySourcesPropertyResolver properties(PropertySource<?>... sources) {
		MutablePropertySources all = new MutablePropertySources();
		for (PropertySource<?> source : sources) {
			all.addLast(source);
		}
		all.addLast(this.defaults);
		return new PropertySourcesPropertyResolver(all);
	}

}
