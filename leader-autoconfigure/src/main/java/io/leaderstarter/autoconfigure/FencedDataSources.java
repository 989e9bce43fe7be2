package io.leaderstarter.autoconfigure;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import javax.sql.DataSource;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.HierarchicalBeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * Finds the databases of an application: each {@code DataSource} bean that is not only a
 * wrapper of others, and the targets of those that route. Beans of parent contexts count
 * too, as the application's transactions use them.
 */
final class FencedDataSources {

	private final Map<String, DataSource> found = new LinkedHashMap<>();

	/** Names of the targets of each that routes. */
	private final List<Set<String>> routed = new ArrayList<>();

	FencedDataSources(ListableBeanFactory beanFactory) {
		Set<String> names = new LinkedHashSet<>();
		String prefix = "";
		for (ListableBeanFactory factory : withAncestors(beanFactory)) {
			for (String name : factory.getBeanNamesForType(DataSource.class)) {
				if (factory.findAnnotationOnBean(name, LeaderDataSource.class) == null) {
					add(names.add(name) ? name : prefix + name, factory.getBean(name, DataSource.class));
				}
			}
			prefix += "parent.";
		}
	}

	/**
	 * Returns a bean factory and those of its parent contexts, the nearest first.
	 */
	static List<ListableBeanFactory> withAncestors(ListableBeanFactory beanFactory) {
		List<ListableBeanFactory> all = new ArrayList<>();
		BeanFactory next = beanFactory;
		while (next instanceof ListableBeanFactory listable) {
			all.add(listable);
			next = (next instanceof HierarchicalBeanFactory hierarchical) ? hierarchical.getParentBeanFactory() : null;
		}
		return all;
	}

	/**
	 * Returns the databases by name.
	 */
	Map<String, DataSource> byName() {
		return this.found;
	}

	/**
	 * Refuses names of databases that there are not, and some targets of a
	 * {@code DataSource} that routes without the others: nobody knows beforehand where a
	 * transaction is routed to.
	 */
	void check(String property, Set<String> names) {
		PropertyCheck.usable(property, () -> {
			if (!this.found.keySet().containsAll(names)) {
				throw new IllegalArgumentException(
						"%s; the DataSource beans are %s".formatted(names, this.found.keySet()));
			}
			for (Set<String> targets : this.routed) {
				if (targets.stream().anyMatch(names::contains) && !names.containsAll(targets)) {
					throw new IllegalArgumentException(
							"%s; of a DataSource that routes all targets must be named: %s".formatted(names, targets));
				}
			}
			return names;
		});
	}

	private void add(String name, DataSource dataSource) {
		if (dataSource instanceof AbstractRoutingDataSource routing) {
			Set<String> before = new LinkedHashSet<>(this.found.keySet());
			routing.getResolvedDataSources().forEach((key, target) -> add(name + "." + key, target));
			DataSource otherwise = routing.getResolvedDefaultDataSource();
			if (otherwise != null) {
				add(name + ".default", otherwise);
			}
			Set<String> targets = new LinkedHashSet<>(this.found.keySet());
			targets.removeAll(before);
			this.routed.add(targets);
		}
		else if (dataSource instanceof DelegatingDataSource delegating && delegating.getTargetDataSource() != null) {
			add(name, delegating.getTargetDataSource());
		}
		else if (!this.found.containsValue(dataSource)) {
			this.found.put(name, dataSource);
		}
	}

}
