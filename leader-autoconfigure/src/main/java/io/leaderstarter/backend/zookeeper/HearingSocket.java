package io.leaderstarter.backend.zookeeper;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;

/**
 * A socket that knows whether the other side has ever said something. A server that turns
 * us away in the middle of a handshake may be gone before we have heard why.
 */
final class HearingSocket extends Socket {

	private volatile boolean heard;

	boolean hasHeard() {
		return this.heard;
	}

	@Override
	public InputStream getInputStream() throws IOException {
		return new FilterInputStream(super.getInputStream()) {

			@Override
			public int read(byte[] bytes, int offset, int length) throws IOException {
				int read = super.read(bytes, offset, length);
				HearingSocket.this.heard |= read > 0;
				return read;
			}

		};
	}

}
