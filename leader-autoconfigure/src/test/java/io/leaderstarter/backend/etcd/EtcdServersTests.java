package io.leaderstarter.backend.etcd;

import java.time.Duration;
import java.util.List;

import io.leaderstarter.election.spi.StoreException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link EtcdServers}.
 */
@ResourceLock(Resources.SYSTEM_OUT)
@ExtendWith(OutputCaptureExtension.class)
class EtcdServersTests {

	private static final int TIMES = 300;

	@Test
	void clientThatIsLeftDuringAFailureLogsNoError(CapturedOutput output) {
		EtcdConnection nobody = new EtcdConnection(List.of("127.0.0.1:1"), null, null, null);
		try (EtcdServers servers = EtcdServers.connecting(nobody)) {
			for (int time = 0; time < TIMES; time++) {
				FreedRoles freed = new FreedRoles(() -> {
				});
				freed.watch(servers.present(), "/roles");
				EtcdCall call = new EtcdCall(servers, Duration.ofSeconds(10));
				assertThatExceptionOfType(StoreException.class)
					.isThrownBy(() -> call.await(call.client().getKVClient().get(EtcdKeys.bytes("x")), "a key"));
			}
		}
		assertThat(output).doesNotContain("RejectedExecutionException");
	}

}
