package io.leaderstarter.autoconfigure;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

import javax.sql.DataSource;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * Finds the databases of an application: each {@code DataSource} bean that is not only a
 * wrapper of others, and the targets of those that route.
 */
final class FencedDataSources {

	private FencedDataSources() {
	}

	static Map<String, DataSource> find(ListableBeanFactory beanFactory) {
		Map<String, DataSource> found = new LinkedHashMap<>();
		for (String name : beanFactory.getBeanNamesForType(DataSource.class)) {
			if (beanFactory.findAnnotationOnBean(name, LeaderDataSource.class) == null) {
				add(name, beanFactory.getBean(name, DataSource.class), found);
			}
		}
		return found;
	}

	private static void add(String name, DataSource dataSource, Map<String, DataSource> found) {
		if (dataSource instanceof AbstractRoutingDataSource routing) {
			routing.getResolvedDataSources().forEach((key, target) -> add(name + "." + key, target, found));
		}
		else if (dataSource instanceof DelegatingDataSource delegating && delegating.getTargetDataSource() != null) {
			add(name, delegating.getTargetDataSource(), found);
		}
		else if (!found.containsValue(dataSource)) {
			found.put(name, dataSource);
		}
	}

	/**
	 * Refuses names of databases that there are not.
	 */
	static void check(String property, Set<String> names, Set<String> known) {
		PropertyCheck.usable(property, () -> {
			if (!known.containsAll(names)) {
				throw new IllegalArgumentException("%s; the DataSource beans are %s".formatted(names, known));
			}
			return names;
		});
	}

}
