package io.leaderstarter.sample.demo.server;

import java.nio.file.Path;

/**
 * Where servers keep things.
 *
 * @param logs what they print
 * @param temporary what goes with them
 * @param cache programs that were unpacked, which stay
 */
public record ServerFolders(Path logs, Path temporary, Path cache) {
}
