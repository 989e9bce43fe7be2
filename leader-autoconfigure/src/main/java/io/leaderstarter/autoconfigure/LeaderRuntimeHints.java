package io.leaderstarter.autoconfigure;

import java.sql.CallableStatement;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/**
 * {@link RuntimeHintsRegistrar} for scripts, proxied interfaces, and classes that
 * ZooKeeper's client loads by name. Spring Boot registers properties and the endpoint.
 */
final class LeaderRuntimeHints implements RuntimeHintsRegistrar {

	private static final String CONNECTION_PROXY = "org.springframework.jdbc.datasource.ConnectionProxy";

	private static final String CHECKING_CONNECTION = "io.leaderstarter.fencing.CheckingConnection";

	private static final List<String> ZOOKEEPER_SOCKETS = List.of("org.apache.zookeeper.ClientCnxnSocketNIO",
			"org.apache.zookeeper.ClientCnxnSocketNetty");

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.resources().registerPattern("io/leaderstarter/jdbc/*.sql");
		hints.resources().registerPattern("io/leaderstarter/fencing/trigger/*.sql");
		hints.proxies()
			.registerJdkProxy((proxy) -> proxy.onReachableType(TypeReference.of(CONNECTION_PROXY))
				.proxiedInterfaces(TypeReference.of(CHECKING_CONNECTION)));
		hints.proxies().registerJdkProxy(Statement.class);
		hints.proxies().registerJdkProxy(PreparedStatement.class);
		hints.proxies().registerJdkProxy(CallableStatement.class);
		ZOOKEEPER_SOCKETS.forEach((socket) -> hints.reflection()
			.registerTypeIfPresent(classLoader, socket, MemberCategory.INVOKE_DECLARED_CONSTRUCTORS));
	}

}
