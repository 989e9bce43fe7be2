package io.leaderstarter.backend.zookeeper;

import java.security.GeneralSecurityException;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ClientX509Util;
import org.apache.zookeeper.common.X509Exception;

/**
 * Speaks TLS as the client of somebody else is configured to.
 */
final class ClientTls implements ServerCheck.Tls {

	private final ZKClientConfig configuration;

	ClientTls(ZKClientConfig configuration) {
		this.configuration = configuration;
	}

	/** It looks at the names of the servers, too, if it is to. */
	@Override
	public SSLContext context() throws GeneralSecurityException {
		try (ClientX509Util util = new ClientX509Util()) {
			return util.createSSLContext(this.configuration);
		}
		catch (X509Exception ex) {
			throw new GeneralSecurityException(ex.getMessage(), ex);
		}
	}

	@Override
	public void prepare(SSLParameters parameters) {
		try (ClientX509Util util = new ClientX509Util()) {
			String protocols = this.configuration.getProperty(util.getSslEnabledProtocolsProperty());
			if (protocols != null) {
				parameters.setProtocols(protocols.split(","));
			}
		}
	}

	@Override
	public boolean hasKey() {
		try (ClientX509Util util = new ClientX509Util()) {
			String store = this.configuration.getProperty(util.getSslKeystoreLocationProperty());
			return store != null && !store.isBlank();
		}
	}

}
