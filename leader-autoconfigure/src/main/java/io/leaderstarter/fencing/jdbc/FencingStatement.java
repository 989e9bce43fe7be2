package io.leaderstarter.fencing.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * A statement that is checked before it commits. Within a transaction it is a plain one.
 * In autocommit mode it gets a new transaction: in one round trip where that is possible,
 * else step by step.
 */
final class FencingStatement implements InvocationHandler {

	private static final String PARAMETER = "parameter ";

	/** Methods that refer to the statement as it was written. */
	private static final Set<String> AS_WRITTEN = Set.of("addBatch", "getMetaData", "getParameterMetaData");

	private final FencingConnection connection;

	/** Creates the statement as it was written. */
	private final JdbcCall origin;

	/**
	 * What was set on a statement that may have to be replaced, to be set again on its
	 * replacement.
	 */
	private final Map<String, JdbcCall> settings = new LinkedHashMap<>();

	private Statement statement;

	/** The round trip that the statement was prepared for, if there is one. */
	private @Nullable OneTrip prepared;

	/** The unread results of the last round trip. */
	private OneTrip.@Nullable Results results;

	private FencingStatement(FencingConnection connection, JdbcCall origin, @Nullable OneTrip prepared)
			throws Throwable {
		this.connection = connection;
		this.origin = origin;
		this.prepared = prepared;
		this.statement = make((prepared != null) ? origin.withText(prepared.sql()) : origin);
	}

	/**
	 * Create a new statement.
	 * @param connection the connection that it belongs to
	 * @param origin creates it on the driver's connection
	 */
	static Statement make(FencingConnection connection, JdbcCall origin) throws Throwable {
		boolean fits = origin.name().equals("prepareStatement") && origin.isPlainText();
		FencingStatement made = new FencingStatement(connection, origin,
				(fits && connection.commitsByItself()) ? connection.plan(origin) : null);
		Class<?> type = (made.statement instanceof CallableStatement) ? CallableStatement.class
				: (made.statement instanceof PreparedStatement) ? PreparedStatement.class : Statement.class;
		return (Statement) FencingConnection.proxy(made, type);
	}

	@Override
	public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] args) throws Throwable {
		JdbcCall call = new JdbcCall(method, args);
		OneTrip.Results read = this.results;
		return switch (call.name()) {
			case "getConnection" -> this.connection.proxy();
			case "equals" -> proxy == call.first();
			case "hashCode" -> System.identityHashCode(proxy);
			case "getResultSet", "getUpdateCount", "getLargeUpdateCount" ->
				(read != null) ? read.returned(call.name()) : call.on(this.statement);
			case "getMoreResults" -> {
				if (read == null) {
					yield call.on(this.statement);
				}
				read.close();
				this.results = OneTrip.Results.NONE;
				yield false;
			}
			default -> delegate(call);
		};
	}

	private @Nullable Object delegate(JdbcCall call) throws Throwable {
		if (AS_WRITTEN.contains(call.name())) {
			usePlain();
		}
		if (this.prepared != null) {
			remember(call);
		}
		return call.name().startsWith("execute") ? execute(call) : call.on(this.statement);
	}

	private void remember(JdbcCall call) {
		if (call.name().equals("clearParameters")) {
			this.settings.keySet().removeIf((key) -> key.startsWith(PARAMETER));
		}
		else if (call.name().startsWith("set")) {
			String key = (call.count() > 1) ? PARAMETER + call.first() : call.name();
			// In the order of the last calls.
			this.settings.remove(key);
			this.settings.put(key, call);
		}
	}

	private @Nullable Object execute(JdbcCall call) throws Throwable {
		this.results = null;
		if (!this.connection.commitsByItself()) {
			this.connection.inTransaction();
			usePlain();
			return call.on(this.statement);
		}
		OneTrip trip = trip(call);
		if (trip != null) {
			this.results = this.connection.inOneTrip(trip, this.statement);
			return this.results.returned(call.name());
		}
		usePlain();
		return this.connection.inTransaction(call, this.statement);
	}

	private @Nullable OneTrip trip(JdbcCall call) throws SQLException {
		if (this.statement instanceof PreparedStatement) {
			OneTrip trip = this.prepared;
			return (trip != null && trip.isOfPresentCall()) ? trip : null;
		}
		return (call.count() == 1 && call.isPlainText()) ? this.connection.plan(call) : null;
	}

	/**
	 * Go back to the statement as it was written.
	 */
	private void usePlain() throws Throwable {
		if (this.prepared != null) {
			Statement before = this.statement;
			this.prepared = null;
			this.statement = make(this.origin);
			for (JdbcCall setting : this.settings.values()) {
				setting.on(this.statement);
			}
			this.settings.clear();
			before.close();
		}
	}

	private Statement make(JdbcCall call) throws Throwable {
		Object made = call.on(this.connection.target());
		if (made instanceof Statement created) {
			this.connection.limit(created);
			return created;
		}
		throw new SQLException("The driver created no statement");
	}

}
