package io.leaderstarter.chaos.app;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import io.leaderstarter.LeaderElections;
import io.leaderstarter.fencing.Fences;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.stereotype.Component;

/**
 * Looks at the member while its jobs run, and takes the connections of its pool when it
 * is told to, as a part of an application does that leaks them.
 */
@Component
class Observer implements DisposableBean {

	private static final int CLAIM_MILLIS = 100;

	private static final int THREADS_MILLIS = 2000;

	private static final int POOL_MILLIS = 20;

	private static final int MORE_THAN_THERE_ARE = 20;

	private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(3);

	private final LeaderElections elections;

	private final History history;

	private final Controls controls;

	private final DataSource dataSource;

	Observer(LeaderElections elections, History history, Controls controls, DataSource dataSource,
			ObjectProvider<Fences> fences) {
		this.elections = elections;
		this.history = history;
		this.controls = controls;
		this.dataSource = dataSource;
		fences.ifAvailable((available) -> available.all().forEach((fence) -> fence.addListener(history)));
	}

	@EventListener
	void onReady(ApplicationReadyEvent event) {
		this.history.up();
		this.threads.scheduleAtFixedRate(this::claim, 0, CLAIM_MILLIS, TimeUnit.MILLISECONDS);
		this.threads.scheduleAtFixedRate(this.history::threads, 0, THREADS_MILLIS, TimeUnit.MILLISECONDS);
		this.threads.scheduleWithFixedDelay(this::exhaust, 0, POOL_MILLIS, TimeUnit.MILLISECONDS);
	}

	/** What this member claims of itself, whether jobs run or not. */
	private void claim() {
		for (String role : Jobs.ROLES) {
			// It is valid at some moment after this, so it is now.
			long now = System.nanoTime();
			this.elections.election(role).leadership().ifPresent((term) -> this.history.leads(now, term));
		}
	}

	private void exhaust() {
		List<Connection> taken = new ArrayList<>();
		while (this.controls.poolExhaustedUntil() - System.nanoTime() > 0 && !Thread.interrupted()) {
			if (taken.size() < MORE_THAN_THERE_ARE) {
				take(taken);
			}
		}
		taken.forEach(JdbcUtils::closeConnection);
	}

	private void take(List<Connection> taken) {
		try {
			taken.add(this.dataSource.getConnection());
		}
		catch (SQLException ex) {
			// All are taken. It has waited for one.
		}
	}

	@Override
	public void destroy() {
		this.threads.shutdownNow();
	}

}
