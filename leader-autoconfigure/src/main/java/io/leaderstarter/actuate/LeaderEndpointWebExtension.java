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
 * {@link EndpointWebExtension} for the {@link LeaderEndpoint}: what cannot be done has
 * the status that HTTP has for it.
 *
 * @since 0.1.0
 */
@EndpointWebExtension(endpoint = LeaderEndpoint.class)
public class LeaderEndpointWebExtension {

	private static final int CONFLICT = 409;

	private final LeaderEndpoint endpoint;

	/**
	 * Makes the extension.
	 * @param endpoint what is extended
	 */
	public LeaderEndpointWebExtension(LeaderEndpoint endpoint) {
		this.endpoint = endpoint;
	}

	/**
	 * Steers one role of this member.
	 * @param role the role
	 * @param action what to do
	 * @return nothing; not found if this member has not joined the role, a conflict if it
	 * is to resign from one that it does not lead
	 */
	@WriteOperation
	public WebEndpointResponse<Map<String, Object>> steerRole(@Selector String role, Action action) {
		if (this.endpoint.role(role) == null) {
			return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
		}
		try {
			this.endpoint.steerRole(role, action);
			return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT);
		}
		catch (InvalidEndpointRequestException ex) {
			Map<String, Object> body = Map.of("reason", LeaderEndpoint.NOT_LEADING);
			return new WebEndpointResponse<>(OperationResponseBody.of(body), CONFLICT);
		}
	}

}
