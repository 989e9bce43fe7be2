package io.leaderstarter.backend.etcd;

import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import javax.net.ssl.SSLException;

import io.etcd.jetcd.common.exception.ErrorCode;
import io.etcd.jetcd.common.exception.EtcdException;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.leaderstarter.election.spi.StoreException;
import io.netty.handler.ssl.NotSslRecordException;
import org.jspecify.annotations.Nullable;

/**
 * Translates failures of etcd and its client to exceptions with advice.
 */
final class EtcdFailures {

	/** With these the server works, and another one would answer the same. */
	private static final Set<Status.Code> ANSWERS = Set.of(Status.Code.PERMISSION_DENIED, Status.Code.UNAUTHENTICATED,
			Status.Code.INVALID_ARGUMENT, Status.Code.NOT_FOUND, Status.Code.FAILED_PRECONDITION,
			Status.Code.RESOURCE_EXHAUSTED);

	/** Part of the message if a server without TLS closes the connection. */
	private static final String CLOSED_IN_TLS = "closed while performing TLS negotiation";

	/** More are a circle. */
	private static final int MOST_CAUSES = 50;

	private EtcdFailures() {
	}

	static StoreException of(Throwable failure, String what, String where) {
		Status status = status(failure);
		if (isLeaseGone(failure, status)) {
			return new LeaseGoneException(failure);
		}
		StoreException ssl = ssl(failure, where);
		if (ssl != null) {
			return ssl;
		}
		String message = message(failure);
		if (message.contains("user name is empty")) {
			return new StoreException("etcd %s requires authentication, but no user is set".formatted(where),
					"Set leader.etcd.username and leader.etcd.password, or let the EtcdLeaderConnectionDetails bean supply them if there is one. If the application defines the Client bean, set its user.",
					failure);
		}
		if (message.contains("invalid user ID or password")) {
			return new StoreException("etcd %s does not accept the user or the password".formatted(where),
					"Check leader.etcd.username and leader.etcd.password, or those of the EtcdLeaderConnectionDetails bean if there is one.",
					failure);
		}
		if (message.contains("authentication is not enabled")) {
			return new StoreException("etcd %s has no users, as authentication is not enabled there".formatted(where),
					"Remove leader.etcd.username and leader.etcd.password, or those of the EtcdLeaderConnectionDetails bean, or enable authentication in etcd.",
					failure);
		}
		if (message.contains("database space exceeded")) {
			return new StoreException("etcd %s has no space left".formatted(where),
					"Compact and defragment etcd or raise its quota, and disarm its alarm NOSPACE.", failure);
		}
		if (status.getCode() == Status.Code.PERMISSION_DENIED) {
			return new StoreException("etcd %s denies this application access to %s".formatted(where, what),
					"Grant the role of the user the permission readwrite for all keys with this prefix, or set leader.etcd.key-prefix to another prefix, or check leader.etcd.username.",
					failure);
		}
		return isAnswer(failure) ? new StoreException("etcd %s failed: %s".formatted(where, message), failure)
				: unreachable(where, failure);
	}

	static StoreException unreachable(String where, Throwable cause) {
		String message = (cause instanceof TimeoutException) ? "time-out" : message(cause);
		return new UnreachableException(
				"There is no answer from etcd %s, or from no majority of its servers: %s".formatted(where, message),
				"Make etcd reachable for this application and check leader.etcd.endpoints. If it closes connections, check whether it speaks TLS (https://) and requires certificates of its clients (leader.etcd.ssl.bundle).",
				cause);
	}

	/** Return whether the server works. */
	static boolean isAnswer(Throwable failure) {
		return isLeaseGone(failure, status(failure)) || ANSWERS.contains(status(failure).getCode());
	}

	private static boolean isLeaseGone(Throwable failure, Status status) {
		return chain(failure).stream()
			.anyMatch((cause) -> cause instanceof EtcdException etcd && etcd.getErrorCode() == ErrorCode.NOT_FOUND)
				|| (status.getCode() == Status.Code.NOT_FOUND && message(failure).contains("lease not found"));
	}

	private static @Nullable StoreException ssl(Throwable failure, String where) {
		List<Throwable> chain = chain(failure);
		if (isAny(chain, NotSslRecordException.class) || message(failure).contains(CLOSED_IN_TLS)) {
			return new StoreException("etcd %s does not speak TLS".formatted(where),
					"Remove leader.etcd.ssl.bundle and write the endpoints with http://, or let etcd speak TLS.",
					failure);
		}
		if (isAny(chain, CertificateException.class) || isAny(chain, CertPathBuilderException.class)) {
			return new StoreException(
					"The certificate of etcd %s is not trusted: %s".formatted(where, message(failure)),
					"Add the authority that signed it to the trust store of leader.etcd.ssl.bundle, and use the host names of the certificate in leader.etcd.endpoints.",
					failure);
		}
		if (isAny(chain, SSLException.class)) {
			return new StoreException(
					"etcd %s refuses TLS with this application: %s".formatted(where, message(failure)),
					"If etcd requires certificates of its clients, add a key store with one that etcd trusts to leader.etcd.ssl.bundle.",
					failure);
		}
		return null;
	}

	private static boolean isAny(List<Throwable> chain, Class<? extends Throwable> type) {
		return chain.stream().anyMatch(type::isInstance);
	}

	/** The innermost one, as a failed login is wrapped by the failure of the request. */
	private static Status status(Throwable failure) {
		return chain(failure).stream()
			.filter((cause) -> cause instanceof StatusRuntimeException || cause instanceof StatusException)
			.map(Status::fromThrowable)
			.reduce((outer, inner) -> inner)
			.orElse(Status.UNKNOWN);
	}

	private static String message(Throwable failure) {
		return chain(failure).stream()
			.map(Throwable::getMessage)
			.filter((message) -> message != null && !message.isBlank())
			.reduce((outer, inner) -> inner)
			.orElse(failure.getClass().getSimpleName());
	}

	private static List<Throwable> chain(Throwable failure) {
		return Stream.iterate(failure, Objects::nonNull, Throwable::getCause).limit(MOST_CAUSES).toList();
	}

	/** Another server may work. */
	static final class UnreachableException extends StoreException {

		private static final long serialVersionUID = 1L;

		private UnreachableException(String message, String advice, Throwable cause) {
			super(message, advice, cause);
		}

	}

}
