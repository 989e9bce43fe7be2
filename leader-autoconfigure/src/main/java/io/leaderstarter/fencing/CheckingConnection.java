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
	 * Remember that terms were checked on this connection, which commits next. The lock
	 * of that check is held until then, so the terms are not checked again.
	 * @param terms the terms
	 */
	void checked(ActiveTerm... terms);

}
