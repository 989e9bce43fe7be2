package io.leaderstarter.backend.etcd;

import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;

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
 * Says what failures of etcd and its client mean and what to do about them.
 */
final class EtcdFailures {

	/** With these the server that was asked is well, and another would say the same. */
	private static final Set<Status.Code> ANSWERS = Set.of(Status.Code.PERMISSION_DENIED, Status.Code.UNAUTHENTICATED,
			Status.Code.INVALID_ARGUMENT, Status.Code.NOT_FOUND, Status.Code.FAILED_PRECONDITION,
			Status.Code.RESOURCE_EXHAUSTED);

	/** What is said of a server that hangs up as it does not understand TLS. */
	private static final String CLOSED_IN_TLS = "closed while performing TLS negotiation";

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
		String said = said(failure);
		if (said.contains("user name is empty")) {
			return somebody("etcd %s wants to know who this application is, but no user is set".formatted(where),
					"Set leader.etcd.username and leader.etcd.password, or let the EtcdLeaderConnectionDetails bean supply them if there is one. If the Client bean is your own, set its user.",
					failure);
		}
		if (said.contains("invalid user ID or password")) {
			return somebody("etcd %s does not accept the user or the password".formatted(where),
					"Check leader.etcd.username and leader.etcd.password, or those of the EtcdLeaderConnectionDetails bean if there is one.",
					failure);
		}
		if (said.contains("authentication is not enabled")) {
			return somebody("etcd %s does not know users, as authentication is not enabled there".formatted(where),
					"Remove leader.etcd.username and leader.etcd.password, or those of the EtcdLeaderConnectionDetails bean, or enable authentication in etcd.",
					failure);
		}
		if (said.contains("database space exceeded")) {
			return somebody("etcd %s has no space left".formatted(where),
					"Compact and defragment etcd or raise its quota, and disarm its alarm NOSPACE.", failure);
		}
		if (status.getCode() == Status.Code.PERMISSION_DENIED) {
			return somebody("etcd %s denies this application access to %s".formatted(where, what),
					"Let somebody who may grant the user's role the permission readwrite for all keys that begin so, or set leader.etcd.key-prefix to a place of its own, or check leader.etcd.username.",
					failure);
		}
		return isAnswer(failure) ? new StoreException("etcd %s failed: %s".formatted(where, said), failure)
				: unreachable(where, failure);
	}

	static EtcdStoreException unreachable(String where, Throwable cause) {
		String said = (cause instanceof TimeoutException) ? "it was waited for in vain" : said(cause);
		return new EtcdStoreException(
				"There is no answer from etcd %s, or most of its servers are away: %s".formatted(where, said),
				"Make etcd reachable for this application and check leader.etcd.endpoints. If it hangs up, check whether it speaks TLS (https://) and wants certificates of its clients (leader.etcd.ssl.bundle).",
				true, cause);
	}

	/** Whether the server that was asked is well. */
	static boolean isAnswer(Throwable failure) {
		return isLeaseGone(failure, status(failure)) || ANSWERS.contains(status(failure).getCode());
	}

	private static boolean isLeaseGone(Throwable failure, Status status) {
		return chain(failure).stream()
			.anyMatch((cause) -> cause instanceof EtcdException etcd && etcd.getErrorCode() == ErrorCode.NOT_FOUND)
				|| (status.getCode() == Status.Code.NOT_FOUND && said(failure).contains("lease not found"));
	}

	private static @Nullable StoreException ssl(Throwable failure, String where) {
		List<Throwable> chain = chain(failure);
		if (isAny(chain, NotSslRecordException.class) || said(failure).contains(CLOSED_IN_TLS)) {
			return somebody("etcd %s does not speak TLS".formatted(where),
					"Remove leader.etcd.ssl.bundle and write the endpoints with http://, or let etcd speak TLS.",
					failure);
		}
		if (isAny(chain, CertificateException.class) || isAny(chain, CertPathBuilderException.class)) {
			return somebody("The certificate of etcd %s is not trusted: %s".formatted(where, said(failure)),
					"Put the authority that signed it into the trust store of leader.etcd.ssl.bundle, and use the name that it is for in leader.etcd.endpoints.",
					failure);
		}
		if (isAny(chain, SSLException.class)) {
			return somebody("etcd %s refuses TLS with this application: %s".formatted(where, said(failure)),
					"If etcd wants certificates of its clients, give leader.etcd.ssl.bundle a key store with one that etcd trusts.",
					failure);
		}
		return null;
	}

	private static boolean isAny(List<Throwable> chain, Class<? extends Throwable> type) {
		return chain.stream().anyMatch(type::isInstance);
	}

	private static EtcdStoreException somebody(String message, String advice, Throwable cause) {
		return new EtcdStoreException(message, advice, false, cause);
	}

	/** The innermost one: to log in by another request makes an outer one. */
	private static Status status(Throwable failure) {
		Status status = Status.UNKNOWN;
		for (Throwable cause : chain(failure)) {
			if (cause instanceof StatusRuntimeException exception) {
				status = exception.getStatus();
			}
			else if (cause instanceof StatusException exception) {
				status = exception.getStatus();
			}
		}
		return status;
	}

	private static String said(Throwable failure) {
		String said = failure.getClass().getSimpleName();
		for (Throwable cause : chain(failure)) {
			if (cause.getMessage() != null && !cause.getMessage().isBlank()) {
				said = cause.getMessage();
			}
		}
		return said;
	}

	private static List<Throwable> chain(Throwable failure) {
		List<Throwable> chain = new ArrayList<>();
		for (Throwable cause = failure; cause != null && !chain.contains(cause); cause = cause.getCause()) {
			chain.add(cause);
		}
		return chain;
	}

}
