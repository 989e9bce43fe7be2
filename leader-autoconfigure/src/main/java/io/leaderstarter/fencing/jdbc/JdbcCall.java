package io.leaderstarter.fencing.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * A call of a JDBC method, to be made on the object of the driver.
 */
final class JdbcCall {

	private final Method method;

	private final @Nullable Object[] args;

	JdbcCall(Method method, @Nullable Object @Nullable [] args) {
		this.method = method;
		this.args = (args != null) ? args : new Object[0];
	}

	String name() {
		return this.method.getName();
	}

	int count() {
		return this.args.length;
	}

	@Nullable Object first() {
		return (this.args.length > 0) ? this.args[0] : null;
	}

	/**
	 * Return whether the arguments are an SQL text and maybe the type of the
	 * {@code ResultSet}: neither keys nor parameters.
	 */
	boolean isPlainText() {
		return first() instanceof String && (this.args.length == 1 || this.method.getParameterCount() > 2);
	}

	/**
	 * Return the same call with another SQL text.
	 */
	JdbcCall withText(String text) {
		@Nullable Object[] changed = this.args.clone();
		changed[0] = text;
		return new JdbcCall(this.method, changed);
	}

	@Nullable Object on(Object target) throws Throwable {
		try {
			return this.method.invoke(target, this.args);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

}
