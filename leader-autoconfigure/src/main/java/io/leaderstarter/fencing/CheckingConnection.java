package io.leaderstarter.fencing;

import io.leaderstarter.ActiveTerm;

import org.springframework.jdbc.datasource.ConnectionProxy;

/**
 * A connection that checks terms itself before it commits.
 * <p>
 * Internal: not for applications.
 *
 * @since 0.1.0
 */
public interface CheckingConnection extends ConnectionProxy {

	/**
	 * Take note that terms were checked on this connection, which commits next. The lock
	 * of that check lasts until then, so there need not be another one.
	 * @param terms the terms
	 */
	void checked(ActiveTerm... terms);

}
