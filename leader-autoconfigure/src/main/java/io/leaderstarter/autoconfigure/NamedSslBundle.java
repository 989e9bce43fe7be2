package io.leaderstarter.autoconfigure;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/**
 * The SSL bundle that a property names. Files are read only when a bundle is used, so
 * that is when most mistakes are found.
 */
final class NamedSslBundle {

	private final SslBundles bundles;

	private final String property;

	private final String name;

	private NamedSslBundle(SslBundles bundles, String property, String name) {
		this.bundles = bundles;
		this.property = property;
		this.name = name;
	}

	/**
	 * Returns the bundle that a property names, {@code null} if it names none.
	 */
	static @Nullable NamedSslBundle of(ObjectProvider<SslBundles> bundles, String property, @Nullable String name) {
		return (name != null)
				? new NamedSslBundle(bundles.getIfAvailable(DefaultSslBundleRegistry::new), property, name) : null;
	}

	/**
	 * Returns the bundle as it is now.
	 * @throws LeaderConfigurationException if there is none
	 */
	SslBundle get() {
		try {
			return this.bundles.getBundle(this.name);
		}
		catch (NoSuchSslBundleException ex) {
			throw new LeaderConfigurationException(
					"%s is '%s', but there is no such SSL bundle".formatted(this.property, this.name),
					List.of("Set spring.ssl.bundle.pem.%s or spring.ssl.bundle.jks.%s.".formatted(this.name, this.name),
							"Name another bundle. There are: %s.".formatted(this.bundles.getBundleNames())));
		}
	}

	/**
	 * Returns what is made of a bundle.
	 * @param source what the bundle comes from, as people know it
	 * @throws LeaderConfigurationException if its files cannot be read, or not with these
	 * passwords
	 */
	static <T> T use(String source, SslBundle bundle, Function<SslBundle, T> use) {
		try {
			return use.apply(bundle);
		}
		catch (IllegalStateException | IllegalArgumentException ex) {
			throw new LeaderConfigurationException("The bundle of %s cannot be used: %s".formatted(source, said(ex)),
					List.of("Correct the bundle, which has its properties below spring.ssl.bundle if it has a name: its files must be there and readable, and its passwords the right ones."));
		}
	}

	/** Which file it is stands further out, and what is wrong with it further in. */
	private static String said(Throwable failure) {
		Set<String> said = new LinkedHashSet<>();
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			String message = cause.getMessage();
			if (message != null && said.stream().noneMatch((before) -> before.contains(message))) {
				said.add(message);
			}
		}
		return String.join(": ", said);
	}

}
