package io.leaderstarter.backend.etcd;

import io.etcd.jetcd.Client;
import org.jspecify.annotations.Nullable;

/**
 * What requests go to: one server, or those that the user's client is for.
 *
 * @param client sends requests
 * @param where what people know it by
 * @param target what gRPC knows it by, {@code null} if the client is not ours
 */
record EtcdServer(Client client, String where, @Nullable String target) {
}
