package io.leaderstarter.autoconfigure;

import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;

import io.leaderstarter.autoconfigure.LeaderProperties.Role;
import io.leaderstarter.election.state.RoleName;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.env.Environment;

/**
 * The properties {@code leader.roles.<role>}. A role finds its properties by every name
 * that relaxed binding allows: {@code LEADER_ROLES_NIGHTLYJOB_CANDIDATE} is that of
 * {@code nightlyJob}, and {@code leader.roles.a.b.candidate} that of {@code a.b}. So
 * names that differ only in case and punctuation share their properties.
 */
final class RoleProperties {

	private static final String PREFIX = "leader.roles";

	private static final Set<String> SETTINGS = Set.of("candidate", "priority", "yieldafterfailures", "fences");

	private static final Role DEFAULTS = new Entry("").role();

	/** By name without case and punctuation. */
	private final Map<String, Entry> entries = new TreeMap<>();

	static RoleProperties bind(Environment environment) {
		RoleProperties properties = new RoleProperties();
		Binder.get(environment)
			.bind(PREFIX, Bindable.mapOf(String.class, Object.class))
			.ifBound((roles) -> properties.read("", roles));
		properties.entries.values().forEach(Entry::check);
		return properties;
	}

	/**
	 * Return the properties of a role.
	 * @param role the role
	 * @return its properties, the defaults if it has none
	 */
	Role find(String role) {
		Entry entry = this.entries.isEmpty() ? null : this.entries.get(uniform(role));
		return (entry != null) ? entry.role() : DEFAULTS;
	}

	/**
	 * Call an action with each configured name and its properties.
	 */
	void forEach(BiConsumer<String, Role> action) {
		this.entries.values().forEach((entry) -> action.accept(entry.name, entry.role()));
	}

	/**
	 * Return a warning about each configured name that no role has.
	 * @param roles all roles
	 * @return the warnings
	 */
	List<String> warnings(Collection<String> roles) {
		Set<String> used = Set.copyOf(roles.stream().map(RoleProperties::uniform).toList());
		return this.entries.entrySet()
			.stream()
			.filter((entry) -> !used.contains(entry.getKey()))
			.map((entry) -> entry.getValue().warning(roles))
			.toList();
	}

	private void read(String name, Map<String, Object> properties) {
		properties.forEach((key, value) -> {
			String setting = uniform(key);
			if (!name.isEmpty() && SETTINGS.contains(setting)
					&& (!(value instanceof Map) || setting.equals("fences"))) {
				entry(name).set(setting, value);
			}
			else if (value instanceof Map<?, ?> nested) {
				Map<String, Object> next = new LinkedHashMap<>();
				nested.forEach((nestedKey, nestedValue) -> next.put(String.valueOf(nestedKey), nestedValue));
				read(name.isEmpty() ? key : name + "." + key, next);
			}
			else if (name.isEmpty() && String.valueOf(value).isBlank()) {
				// All properties of the role are commented out.
				entry(key);
			}
			else {
				throw unknown(name, key);
			}
		});
	}

	private static LeaderConfigurationException unknown(String name, String key) {
		String property = PREFIX + "." + (name.isEmpty() ? key : name + "." + key);
		return new LeaderConfigurationException("%s is not a property of a role".formatted(property),
				List.of("Correct it to %s.%s.candidate, priority, yield-after-failures or fences, or remove it."
					.formatted(PREFIX, name.isEmpty() ? key : name)));
	}

	private Entry entry(String name) {
		return this.entries.computeIfAbsent(uniform(name), (key) -> new Entry(name));
	}

	private static String uniform(String name) {
		return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
	}

	/** How many characters have to be added, removed or replaced. */
	private static int distance(String one, String other) {
		int[] row = new int[other.length() + 1];
		for (int j = 0; j < row.length; j++) {
			row[j] = j;
		}
		for (int i = 1; i <= one.length(); i++) {
			int diagonal = row[0];
			row[0] = i;
			for (int j = 1; j < row.length; j++) {
				int replaced = diagonal + ((one.charAt(i - 1) == other.charAt(j - 1)) ? 0 : 1);
				diagonal = row[j];
				row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
			}
		}
		return row[other.length()];
	}

	/**
	 * The properties of one name.
	 */
	private static final class Entry {

		private final String name;

		private final Map<String, Object> settings = new LinkedHashMap<>();

		private @Nullable Role role;

		private Entry(String name) {
			this.name = name;
		}

		/** The first one counts: property sources come in the order of precedence. */
		private void set(String setting, Object value) {
			this.settings.putIfAbsent(setting, value);
		}

		private Role role() {
			Role bound = this.role;
			if (bound == null) {
				Map<String, Object> source = new LinkedHashMap<>();
				this.settings.forEach((setting, value) -> source.put(PREFIX + "." + setting, value));
				bound = new Binder(new MapConfigurationPropertySource(source)).bindOrCreate(PREFIX, Role.class);
				this.role = bound;
			}
			return bound;
		}

		private void check() {
			PropertyCheck.usable(PREFIX, () -> RoleName.check(this.name));
			PropertyCheck.atLeast(0, "%s.%s.yield-after-failures".formatted(PREFIX, this.name),
					role().yieldAfterFailures());
		}

		private String warning(Collection<String> roles) {
			String wanted = uniform(this.name);
			String advice = roles.stream()
				.filter((role) -> distance(wanted, uniform(role)) <= Math.max(2, wanted.length() / 3))
				.min(Comparator.comparingInt((role) -> distance(wanted, uniform(role))))
				.map("Did you mean '%s'?"::formatted)
				.orElse("Remove it if there is no such role");
			return "%s.%s is set, but this application has not joined a role '%s'. %s".formatted(PREFIX, this.name,
					this.name, advice);
		}

	}

}
