package io.leaderstarter.testsupport;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/**
 * A key with a certificate that it signed itself, for localhost.
 */
public final class TestKey {

	/** Protects all stores. */
	public static final String PASSWORD = "changeit";

	private static final String TYPE = "PKCS12";

	private final Path folder;

	private final String name;

	private final KeyStore keys;

	/**
	 * Makes a key by the program of the JDK.
	 * @param folder where its files are
	 * @param name its name there
	 */
	public TestKey(Path folder, String name) throws Exception {
		this.folder = folder;
		this.name = name;
		Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
				"-genkeypair", "-alias", name, "-keyalg", "EC", "-dname", "CN=localhost", "-ext",
				"san=dns:localhost,ip:127.0.0.1", "-keystore", store().toString(), "-storetype", TYPE, "-storepass",
				PASSWORD)
			.redirectErrorStream(true)
			.start();
		String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		if (keytool.waitFor() != 0) {
			throw new IllegalStateException("keytool failed: " + said);
		}
		this.keys = empty();
		try (InputStream file = Files.newInputStream(store())) {
			this.keys.load(file, PASSWORD.toCharArray());
		}
	}

	/** The file with the key and its certificate. */
	public Path store() {
		return this.folder.resolve(this.name + ".p12");
	}

	/** A file with the certificate alone, for those who trust it. */
	public Path trustStore() throws Exception {
		Path file = this.folder.resolve(this.name + "-trust.p12");
		KeyStore trusted = empty();
		trusted.setCertificateEntry(this.name, this.keys.getCertificate(this.name));
		try (OutputStream output = Files.newOutputStream(file)) {
			trusted.store(output, PASSWORD.toCharArray());
		}
		return file;
	}

	/** The store with the key and its certificate. */
	public KeyStore keys() {
		return this.keys;
	}

	/** The certificate as text. */
	public String certificate() throws Exception {
		return pem("CERTIFICATE", this.keys.getCertificate(this.name).getEncoded());
	}

	/** The key as text. */
	public String privateKey() throws Exception {
		return pem("PRIVATE KEY", this.keys.getKey(this.name, PASSWORD.toCharArray()).getEncoded());
	}

	private static String pem(String label, byte[] encoded) {
		return "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(label,
				Base64.getMimeEncoder().encodeToString(encoded), label);
	}

	private static KeyStore empty() throws GeneralSecurityException, IOException {
		KeyStore store = KeyStore.getInstance(TYPE);
		store.load(null, null);
		return store;
	}

}
