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
 * Answers requests that only the leader can serve with
 * {@link HttpStatus#SERVICE_UNAVAILABLE} on other members, so that clients and load
 * balancers try elsewhere or again. Advice of the application comes first.
 *
 * @since 0.1.0
 */
@ControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
public class NotLeaderAdvice {

	/**
	 * Answers for a member that does not lead. The client is not told what was called.
	 * @param exception says what needs which role
	 * @return the answer
	 */
	@ExceptionHandler
	public ResponseEntity<ProblemDetail> notLeader(NotLeaderException exception) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE,
				"This instance does not lead. Try another one, or again later.");
		return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE).body(problem);
	}

}
