package io.leaderstarter.http;

import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.leaderstarter.ActiveTerm;
import io.leaderstarter.LeaderContext;
import io.leaderstarter.Leadership;
import io.leaderstarter.StaleLeaderException;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

/**
 * {@link ClientHttpRequestInterceptor} that sends the terms of the running
 * {@code @LeaderOnly} call as {@link LeaderHeaders}, so that the receiver can refuse
 * requests of an earlier term. Requests outside of such calls are not changed.
 * <p>
 * A request whose term is over by this member's clocks is not sent. One that was sent
 * just before that may still arrive late; only the receiver can refuse it.
 *
 * @since 0.1.0
 */
public class LeaderEpochInterceptor implements ClientHttpRequestInterceptor {

	/**
	 * Send a request with the terms of the running call.
	 * @throws StaleLeaderException if one of the terms is over; nothing is sent then
	 */
	@Override
	public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
			throws IOException {
		List<ActiveTerm> terms = LeaderContext.terms();
		if (!terms.isEmpty()) {
			LeaderContext.check();
			HttpHeaders headers = request.getHeaders();
			headers.set(LeaderHeaders.ROLE, join(terms, Leadership::role));
			headers.set(LeaderHeaders.EPOCH, join(terms, Leadership::epoch));
			headers.set(LeaderHeaders.TERM_ID, join(terms, Leadership::termId));
		}
		return execution.execute(request, body);
	}

	private static String join(List<ActiveTerm> terms, Function<Leadership, Object> part) {
		return terms.stream()
			.map(ActiveTerm::leadership)
			.map(part)
			.map(String::valueOf)
			.collect(Collectors.joining(", "));
	}

}
