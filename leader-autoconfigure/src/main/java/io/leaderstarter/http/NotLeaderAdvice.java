package io.leaderstarter.http;

import io.leaderstarter.NotLeaderException;

import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

/**
 * {@link ControllerAdvice} that responds with {@link HttpStatus#SERVICE_UNAVAILABLE} to
 * requests that only the leader can serve, so that clients and load balancers retry, or
 * try another member. Advice of the application comes first.
 *
 * @since 0.1.0
 */
@ControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
public class NotLeaderAdvice {

	/**
	 * Return the response of a member that does not lead. It does not contain the name of
	 * the method.
	 * @param exception names the method and the role
	 * @return the response
	 */
	@ExceptionHandler
	public ResponseEntity<ProblemDetail> notLeader(NotLeaderException exception) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE,
				"This instance does not lead. Try another one, or again later.");
		return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE).body(problem);
	}

}
