package io.leaderstarter.autoconfigure;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

import javax.sql.DataSource;

import io.leaderstarter.jdbc.JdbcDialects;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

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

	private static final Log logger = LogFactory.getLog(FencedDataSources.class);

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
	 * Return a bean factory and those of its parent contexts, the nearest first.
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
	 * Return the databases by name.
	 */
	Map<String, DataSource> byName() {
		return this.found;
	}

	/**
	 * Select the databases that are fenced, and remove the others.
	 * @return the others
	 */
	List<DataSource> choose(Set<String> names) {
		check("leader.fence.data-sources", names, FencedDataSources::isReadOnly);
		Map<String, DataSource> others = new LinkedHashMap<>(this.found);
		others.keySet().removeAll(names);
		this.found.keySet().retainAll(names);
		return List.copyOf(others.values());
	}

	/**
	 * Refuse names of databases that are not fenced, and some targets of a
	 * {@code DataSource} that routes without the others.
	 */
	void check(String property, Set<String> names) {
		check(property, names, (target) -> false);
	}

	/**
	 * A transaction may be routed to any target, so only targets that cannot be written
	 * to may be left out.
	 */
	private void check(String property, Set<String> names, Predicate<DataSource> omissible) {
		PropertyCheck.usable(property, () -> {
			if (!this.found.keySet().containsAll(names)) {
				throw new IllegalArgumentException(
						"%s; the DataSource beans are %s".formatted(names, this.found.keySet()));
			}
			for (Set<String> targets : this.routed) {
				Map<String, DataSource> leftOut = new LinkedHashMap<>(this.found);
				leftOut.keySet().retainAll(targets);
				if (leftOut.keySet().removeAll(names) && !leftOut.values().stream().allMatch(omissible)) {
					throw new IllegalArgumentException(
							"%s; all targets of a DataSource that routes must be named, except those that are read-only: %s"
								.formatted(names, targets));
				}
			}
			return names;
		});
	}

	/**
	 * A target that is unreachable may be left out: writes of calls are refused there as
	 * long as it has no fence.
	 */
	private static boolean isReadOnly(DataSource target) {
		try (Connection connection = target.getConnection()) {
			return JdbcDialects.detect(connection, null).isReadOnly(connection);
		}
		catch (SQLException ex) {
			logger.warn(("It is not known whether a DataSource that leader.fence.data-sources leaves out is "
					+ "read-only, as it cannot be reached (%s). If it is not, writes of @LeaderOnly calls are refused there. "
					+ "Add it to leader.fence.data-sources if it can be written to")
				.formatted(ex.getMessage()));
			return true;
		}
	}

	private void add(String name, DataSource dataSource) {
		if (dataSource instanceof AbstractRoutingDataSource routing) {
			Set<String> before = new LinkedHashSet<>(this.found.keySet());
			routing.getResolvedDataSources().forEach((key, target) -> add(name + "." + key, target));
			DataSource fallback = routing.getResolvedDefaultDataSource();
			if (fallback != null) {
				add(name + ".default", fallback);
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
