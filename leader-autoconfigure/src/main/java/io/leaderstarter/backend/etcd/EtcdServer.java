package io.leaderstarter.backend.etcd;

import io.etcd.jetcd.Client;
import org.jspecify.annotations.Nullable;

/**
 * What requests are sent to: one server, or the client of the application.
 *
 * @param client sends requests
 * @param where its name in messages
 * @param target its target in gRPC, {@code null} for the client of the application
 */
record EtcdServer(Client client, String where, @Nullable String target) {
}
