package io.leaderstarter.autoconfigure;

import java.io.IOException;
import java.sql.CallableStatement;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.List;

import io.leaderstarter.fencing.CheckingConnection;
import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeaderRuntimeHints}, as they are found by those who build images.
 */
class LeaderRuntimeHintsTests {

	private final RuntimeHints hints = new RuntimeHints();

	LeaderRuntimeHintsTests() {
		ClassLoader classLoader = getClass().getClassLoader();
		List<RuntimeHintsRegistrar> registrars = SpringFactoriesLoader
			.forResourceLocation("META-INF/spring/aot.factories", classLoader)
			.load(RuntimeHintsRegistrar.class);
		registrars.stream()
			.filter(LeaderRuntimeHints.class::isInstance)
			.forEach((registrar) -> registrar.registerHints(this.hints, classLoader));
	}

	@Test
	void everyScriptIsKept() throws IOException {
		Resource[] scripts = new PathMatchingResourcePatternResolver()
			.getResources("classpath*:io/leaderstarter/**/*.sql");
		assertThat(scripts).hasSizeGreaterThan(10).allSatisfy((script) -> {
			String url = script.getURL().toString();
			assertThat(
					RuntimeHintsPredicates.resource().forResource(url.substring(url.lastIndexOf("io/leaderstarter/"))))
				.as(url)
				.accepts(this.hints);
		});
	}

	@Test
	void everyProxyIsKept() {
		List<Class<?>> proxied = List.of(CheckingConnection.class, Statement.class, PreparedStatement.class,
				CallableStatement.class);
		assertThat(proxied)
			.allSatisfy((type) -> assertThat(RuntimeHintsPredicates.proxies().forInterfaces(type)).accepts(this.hints));
	}

	@Test
	void classesThatZooKeeperLoadsByNameAreKept() throws Exception {
		for (String socket : List.of("org.apache.zookeeper.ClientCnxnSocketNIO",
				"org.apache.zookeeper.ClientCnxnSocketNetty")) {
			assertThat(RuntimeHintsPredicates.reflection()
				.onConstructorInvocation(Class.forName(socket).getDeclaredConstructors()[0])).accepts(this.hints);
		}
	}

}
