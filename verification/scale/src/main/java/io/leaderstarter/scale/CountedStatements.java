package io.leaderstarter.scale;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Counts the statements that its connections prepare, by their first words.
 */
final class CountedStatements extends DelegatingDataSource {

	private final Map<String, Integer> counts = new TreeMap<>();

	CountedStatements(DataSource target) {
		super(target);
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection connection = super.getConnection();
		return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
				(proxy, method, arguments) -> {
					if (method.getName().equals("prepareStatement")) {
						count(kind((String) arguments[0]));
					}
					try {
						return method.invoke(connection, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	synchronized int count(Kind kind) {
		return this.counts.getOrDefault(kind.name(), 0);
	}

	synchronized Map<String, Integer> counts() {
		return new TreeMap<>(this.counts);
	}

	private synchronized void count(String kind) {
		this.counts.merge(kind, 1, Integer::sum);
	}

	private static String kind(String sql) {
		for (Kind kind : Kind.values()) {
			if (kind.beginnings.stream().anyMatch(sql::startsWith)) {
				return kind.name();
			}
		}
		return sql;
	}

	/** What the statements on leases and members begin with. */
	enum Kind {

		OBSERVE("select role, epoch, holder"), SEED("insert into leader_lease"),
		ACQUIRE("update leader_lease set epoch"), RENEW("update leader_lease set expires_at_us"),
		RELEASE("update leader_lease set holder = null"), NOTIFY("select pg_notify"),
		MEMBERS("update leader_member", "insert into leader_member", "delete from leader_member", "select member_id");

		private final List<String> beginnings;

		Kind(String... beginnings) {
			this.beginnings = List.of(beginnings);
		}

	}

}
