package io.leaderstarter.actuate;

import java.util.Map;

import io.leaderstarter.actuate.LeaderEndpoint.Action;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * {@link EndpointWebExtension} for the {@link LeaderEndpoint} with the HTTP status of
 * actions that cannot be applied.
 *
 * @since 0.1.0
 */
@EndpointWebExtension(endpoint = LeaderEndpoint.class)
public class LeaderEndpointWebExtension {

	private static final int CONFLICT = 409;

	private final LeaderEndpoint endpoint;

	/**
	 * Create a new extension.
	 * @param endpoint the endpoint
	 */
	public LeaderEndpointWebExtension(LeaderEndpoint endpoint) {
		this.endpoint = endpoint;
	}

	/**
	 * Apply an action to one role of this member.
	 * @param role the role
	 * @param action the action
	 * @return nothing; not found if this member has not joined the role, a conflict if it
	 * is to resign from one that it does not lead
	 */
	@WriteOperation
	public WebEndpointResponse<Map<String, Object>> applyToRole(@Selector String role, Action action) {
		if (this.endpoint.role(role) == null) {
			return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
		}
		try {
			this.endpoint.applyToRole(role, action);
			return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT);
		}
		catch (InvalidEndpointRequestException ex) {
			Map<String, Object> body = Map.of("reason", LeaderEndpoint.NOT_LEADING);
			return new WebEndpointResponse<>(OperationResponseBody.of(body), CONFLICT);
		}
	}

}
