package io.leaderstarter.backend.zookeeper;

import java.security.GeneralSecurityException;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ClientX509Util;
import org.apache.zookeeper.common.X509Exception;

/**
 * Speaks TLS as a client of ZooKeeper is configured to.
 */
final class ClientTls {

	private final ZKClientConfig configuration;

	/** Nothing to close, as it watches no files. */
	private final ClientX509Util util = new ClientX509Util();

	ClientTls(ZKClientConfig configuration) {
		this.configuration = configuration;
	}

	/** Return the keys and the trusted certificates of the client. */
	SSLContext context() throws GeneralSecurityException {
		try {
			return this.util.createSSLContext(this.configuration);
		}
		catch (X509Exception ex) {
			throw new GeneralSecurityException(ex.getMessage(), ex);
		}
	}

	/** Set the versions of TLS, and whether the names of the servers are verified. */
	void prepare(SSLParameters parameters) {
		if (this.configuration.getBoolean(this.util.getSslHostnameVerificationEnabledProperty(), true)) {
			parameters.setEndpointIdentificationAlgorithm("HTTPS");
		}
		String protocols = this.configuration.getProperty(this.util.getSslEnabledProtocolsProperty());
		if (protocols != null) {
			parameters.setProtocols(protocols.split(","));
		}
	}

	/** Return whether there is a key that the servers can authenticate the client by. */
	boolean hasKey() {
		String store = this.configuration.getProperty(this.util.getSslKeystoreLocationProperty());
		return store != null && !store.isBlank();
	}

}
