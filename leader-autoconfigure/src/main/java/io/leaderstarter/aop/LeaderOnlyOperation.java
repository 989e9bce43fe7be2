package io.leaderstarter.aop;

import java.lang.reflect.Method;

import io.leaderstarter.NotLeaderException;
import io.leaderstarter.election.RoleElection;
import org.jspecify.annotations.Nullable;

/**
 * What was worked out for one {@code @LeaderOnly} method, so that a call has nothing left
 * to work out.
 *
 * @param method the method
 * @param election the election for its role
 * @param fallback what a call gives on other members
 */
record LeaderOnlyOperation(Method method, RoleElection election, Fallback fallback) {

	@Nullable Object otherwise() {
		if (this.fallback.throwing()) {
			throw new NotLeaderException("%s.%s needs the role '%s', which this member does not lead".formatted(
					this.method.getDeclaringClass().getSimpleName(), this.method.getName(), this.election.role()));
		}
		return this.fallback.value();
	}

	/**
	 * What a call gives on a member that does not lead.
	 *
	 * @param throwing whether it throws
	 * @param value what it returns otherwise
	 */
	record Fallback(boolean throwing, @Nullable Object value) {

		static final Fallback THROW = new Fallback(true, null);

		static final Fallback NULL = new Fallback(false, null);

	}

}
