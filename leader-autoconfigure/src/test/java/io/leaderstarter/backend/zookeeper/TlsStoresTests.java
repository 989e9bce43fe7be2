package io.leaderstarter.backend.zookeeper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import io.leaderstarter.election.spi.StoreException;
import io.leaderstarter.testsupport.TestKey;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link TlsStores}: what becomes of the keys on their way to the client.
 */
class TlsStoresTests {

	@TempDir
	private static Path folder;

	private static TestKey first;

	private static TestKey second;

	private final AtomicReference<ZooKeeperTls> source = new AtomicReference<>(with(first));

	@BeforeAll
	static void makeKeys() throws Exception {
		first = new TestKey(folder, "first");
		second = new TestKey(folder, "second");
	}

	@Test
	void filesAreForThisProcessOnlyAndDoNotOutliveIt() throws Exception {
		TlsStores stores = new TlsStores(this.source::get);
		Path file = file(stores, "keyStore");
		assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
		assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
			.isEqualTo("rwx------");
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> KeyStore.getInstance(file.toFile(), TestKey.PASSWORD.toCharArray()));
		assertThat(aliases(stores, "keyStore")).containsExactly("first");
		stores.close();
		assertThat(file.getParent()).doesNotExist();
	}

	@Test
	void otherKeysAreHandedOnWithTheNextConnection() throws Exception {
		try (TlsStores stores = new TlsStores(this.source::get)) {
			this.source.set(with(second));
			stores.refresh();
			assertThat(aliases(stores, "keyStore")).containsExactly("second");
			assertThat(aliases(stores, "trustStore")).containsExactly("second");
		}
	}

	@Test
	void keysThatCannotBeUsedLeaveThoseThatCould() throws Exception {
		try (TlsStores stores = new TlsStores(this.source::get)) {
			this.source.set(new ZooKeeperTls(second.keys(), "wrong", null, null, List.of(), List.of()));
			stores.refresh();
			assertThat(aliases(stores, "keyStore")).containsExactly("first");
		}
	}

	@Test
	void keysThatCannotBeUsedAtFirstAreRefused() {
		this.source.set(new ZooKeeperTls(first.keys(), "wrong", null, null, List.of(), List.of()));
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> new TlsStores(this.source::get))
			.withMessageContaining("keys for ZooKeeper cannot be used")
			.satisfies((ex) -> assertThat(ex.getAdvice()).contains("leader.zookeeper.ssl.bundle"));
	}

	private static ZooKeeperTls with(TestKey key) {
		return new ZooKeeperTls(key.keys(), TestKey.PASSWORD, null, key.keys(), List.of(), List.of());
	}

	private static Path file(TlsStores stores, String name) {
		return Path.of(stores.configuration().getProperty("zookeeper.ssl." + name + ".location"));
	}

	private static List<String> aliases(TlsStores stores, String name) throws Exception {
		String password = stores.configuration().getProperty("zookeeper.ssl." + name + ".password");
		KeyStore store = KeyStore.getInstance(file(stores, name).toFile(), password.toCharArray());
		return Collections.list(store.aliases());
	}

}
