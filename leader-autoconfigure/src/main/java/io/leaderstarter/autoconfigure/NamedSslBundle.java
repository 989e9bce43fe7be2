package io.leaderstarter.autoconfigure;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.util.StringUtils;

/**
 * The SSL bundle that a property names. Its files are read when it is used, so most
 * mistakes are found only then.
 *
 * @param bundles all bundles
 * @param property the property
 * @param name the name of the bundle
 */
record NamedSslBundle(SslBundles bundles, String property, String name) {

	/**
	 * Return the bundle that a property names, {@code null} if it is not set or blank.
	 */
	static @Nullable NamedSslBundle of(ObjectProvider<SslBundles> bundles, String property, @Nullable String name) {
		return StringUtils.hasText(name)
				? new NamedSslBundle(bundles.getIfAvailable(DefaultSslBundleRegistry::new), property, name) : null;
	}

	/**
	 * Return the current version of the bundle.
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
	 * Convert a bundle, and again whenever it was reloaded. The first conversion is done
	 * at once, so that a bundle that cannot be used stops the start.
	 * @param source the property or method that supplies the bundle
	 * @param bundles supplies the bundle for each new connection
	 * @param conversion converts the bundle, or {@code null} if there is none
	 * @return a supplier of the result
	 * @throws LeaderConfigurationException if its files cannot be read, or not with these
	 * passwords
	 */
	static <T> Supplier<T> reloading(String source, Supplier<@Nullable SslBundle> bundles,
			Function<@Nullable SslBundle, T> conversion) {
		AtomicReference<Converted<T>> last = new AtomicReference<>(convert(source, bundles.get(), conversion));
		return () -> last.updateAndGet((known) -> {
			SslBundle present = bundles.get();
			return (present == known.bundle()) ? known : convert(source, present, conversion);
		}).result();
	}

	private static <T> Converted<T> convert(String source, @Nullable SslBundle bundle,
			Function<@Nullable SslBundle, T> conversion) {
		try {
			return new Converted<>(bundle, conversion.apply(bundle));
		}
		catch (IllegalStateException | IllegalArgumentException ex) {
			throw new LeaderConfigurationException(
					"The bundle of %s cannot be used: %s".formatted(source, messages(ex)),
					List.of("Correct the bundle, which has its properties below spring.ssl.bundle if it has a name: its files must be there and readable, and its passwords the right ones."));
		}
	}

	/** The outer messages name the file, and the inner ones what is wrong with it. */
	private static String messages(Throwable failure) {
		Set<String> messages = new LinkedHashSet<>();
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			String message = cause.getMessage();
			if (message != null && messages.stream().noneMatch((before) -> before.contains(message))) {
				messages.add(message);
			}
		}
		return String.join(": ", messages);
	}

	private record Converted<T>(@Nullable SslBundle bundle, T result) {
	}

}
