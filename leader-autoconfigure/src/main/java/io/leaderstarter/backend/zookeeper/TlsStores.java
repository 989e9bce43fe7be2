package io.leaderstarter.backend.zookeeper;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;

import io.leaderstarter.election.spi.Platform;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;

import org.springframework.util.FileSystemUtils;

/**
 * Hands keys and certificates to the client of ZooKeeper, which reads them from files
 * only: {@code zookeeper.ssl.context.supplier.class} is ignored by its Netty client since
 * 3.9, which is the only one that speaks TLS. The files are readable by this user only,
 * encrypted with a random password that only this process knows, and deleted when it
 * ends. After a crash nobody can read what is left of them.
 */
final class TlsStores implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(TlsStores.class);

	private static final String TYPE = "PKCS12";

	private static final String PREFIX = "zookeeper.ssl.";

	/**
	 * The default of the client is only the newest version, which older servers do not
	 * support.
	 */
	private static final List<String> PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");

	private final Supplier<ZooKeeperTls> source;

	private final String password = Platform.SYSTEM.randomId();

	private final ZKClientConfig configuration = new ZKClientConfig();

	private final Path folder;

	private @Nullable ZooKeeperTls written;

	TlsStores(Supplier<ZooKeeperTls> source) {
		this.source = source;
		try {
			this.folder = Files.createTempDirectory("leader-tls-%d-".formatted(ProcessHandle.current().pid()));
			this.folder.toFile().deleteOnExit();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.configuration.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
		// Only this one supports TLS.
		this.configuration.setProperty(ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET,
				"org.apache.zookeeper.ClientCnxnSocketNetty");
		try {
			write(source.get());
		}
		catch (RuntimeException ex) {
			close();
			throw ex;
		}
	}

	/** Return the configuration of the client, which names the files. */
	ZKClientConfig configuration() {
		return this.configuration;
	}

	/**
	 * Write the files if the keys have changed. The client reads them for each
	 * connection. If this failed it would reconnect without a pause, so it keeps the
	 * former files.
	 */
	synchronized void refresh() {
		try {
			ZooKeeperTls tls = this.source.get();
			if (tls != this.written) {
				write(tls);
			}
		}
		catch (RuntimeException ex) {
			logger.warn("Connections to ZooKeeper still use the former keys: %s".formatted(ex.getMessage()));
		}
	}

	private void write(ZooKeeperTls tls) {
		try {
			write("keyStore", keys(tls));
			write("trustStore", certificates(tls));
		}
		catch (GeneralSecurityException | IOException ex) {
			throw ZooKeeperFailures.unusableKeys(ex);
		}
		this.configuration.setProperty(PREFIX + "enabledProtocols",
				String.join(",", tls.protocols().isEmpty() ? PROTOCOLS : tls.protocols()));
		if (!tls.ciphers().isEmpty()) {
			this.configuration.setProperty(PREFIX + "ciphersuites", String.join(",", tls.ciphers()));
		}
		this.written = tls;
	}

	@Override
	public void close() {
		FileSystemUtils.deleteRecursively(this.folder.toFile());
	}

	private KeyStore keys(ZooKeeperTls tls) throws GeneralSecurityException, IOException {
		KeyStore copy = empty();
		KeyStore source = tls.keyStore();
		if (source != null) {
			char[] given = (tls.keyPassword() != null) ? tls.keyPassword().toCharArray() : null;
			for (String alias : Collections.list(source.aliases())) {
				if (source.isKeyEntry(alias) && (tls.keyAlias() == null || tls.keyAlias().equalsIgnoreCase(alias))) {
					Key key = source.getKey(alias, given);
					copy.setKeyEntry(alias, key, this.password.toCharArray(), source.getCertificateChain(alias));
				}
			}
		}
		return copy;
	}

	private static @Nullable KeyStore certificates(ZooKeeperTls tls) throws GeneralSecurityException, IOException {
		KeyStore source = tls.trustStore();
		if (source == null) {
			return null;
		}
		KeyStore copy = empty();
		for (String alias : Collections.list(source.aliases())) {
			copy.setCertificateEntry(alias, source.getCertificate(alias));
		}
		return copy;
	}

	private static KeyStore empty() throws GeneralSecurityException, IOException {
		KeyStore store = KeyStore.getInstance(TYPE);
		store.load(null, null);
		return store;
	}

	private void write(String name, @Nullable KeyStore store) throws GeneralSecurityException, IOException {
		String property = PREFIX + name;
		if (store == null || store.size() == 0) {
			this.configuration.setProperty(property + ".location", "");
			return;
		}
		// Created for this user only, and then moved, as a connection may be reading the
		// former file.
		Path fresh = Files.createTempFile(this.folder, name, null);
		try (OutputStream file = Files.newOutputStream(fresh)) {
			store.store(file, this.password.toCharArray());
		}
		Files.move(fresh, file(name), StandardCopyOption.ATOMIC_MOVE);
		file(name).toFile().deleteOnExit();
		this.configuration.setProperty(property + ".location", file(name).toString());
		this.configuration.setProperty(property + ".password", this.password);
		this.configuration.setProperty(property + ".type", TYPE);
	}

	private Path file(String name) {
		return this.folder.resolve(name + ".p12");
	}

}
