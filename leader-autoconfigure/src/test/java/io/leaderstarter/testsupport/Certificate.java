package io.leaderstarter.testsupport;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/**
 * A certificate for this machine that is signed by nobody but itself, with its key, in
 * files as servers read them.
 *
 * @param certificate file of the certificate
 * @param key file of the key
 */
public record Certificate(Path certificate, Path key) {

	private static final String PASSWORD = "changeit";

	/**
	 * Makes a certificate.
	 * @param folder where its files are
	 * @param name what it is for
	 */
	public static Certificate make(Path folder, String name) {
		Path store = folder.resolve(name + ".p12");
		try {
			Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
					"-genkeypair", "-alias", name, "-keyalg", "EC", "-groupname", "secp256r1", "-dname", "CN=" + name,
					"-ext", "san=dns:localhost,ip:127.0.0.1", "-validity", "2", "-storetype", "PKCS12", "-storepass",
					PASSWORD, "-keystore", store.toString())
				.redirectErrorStream(true)
				.start();
			String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			if (keytool.onExit().join().exitValue() != 0) {
				throw new IllegalStateException("No certificate was made: " + said);
			}
			KeyStore made = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
			return new Certificate(
					write(folder.resolve(name + ".crt"), "CERTIFICATE", made.getCertificate(name).getEncoded()),
					write(folder.resolve(name + ".key"), "PRIVATE KEY",
							made.getKey(name, PASSWORD.toCharArray()).getEncoded()));
		}
		catch (IOException | GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Path write(Path file, String type, byte[] content) throws IOException {
		String encoded = Base64.getMimeEncoder(64, new byte[] { '\n' }).encodeToString(content);
		return Files.writeString(file, "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(type, encoded, type));
	}

}
