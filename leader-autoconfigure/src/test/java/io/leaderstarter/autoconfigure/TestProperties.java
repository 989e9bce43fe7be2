package io.leaderstarter.autoconfigure;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.mock.env.MockEnvironment;

/**
 * Configuration properties without any that is set.
 */
final class TestProperties {

	private TestProperties() {
	}

	static <T> T of(Class<T> type) {
		return Binder.get(new MockEnvironment()).bindOrCreate("none", type);
	}

}
