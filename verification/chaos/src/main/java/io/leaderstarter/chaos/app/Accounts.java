package io.leaderstarter.chaos.app;

import jakarta.persistence.EntityManager;

import io.leaderstarter.fencing.jdbc.FencedJdbcTemplate;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The ways in which applications write. Each reads a number and writes one more, and none
 * of them locks what it reads.
 */
@Component
class Accounts {

	private static final String READ = "select amount from account where role = ?";

	private static final String WRITE = "update account set amount = ?, epoch = ?, operation = ? where role = ?";

	private final EntityManager entities;

	private final JdbcClient client;

	private final JdbcTemplate jdbc;

	private final JdbcTemplate fenced;

	private final TransactionTemplate transactions;

	Accounts(EntityManager entities, JdbcClient client, JdbcTemplate jdbc, ObjectProvider<FencedJdbcTemplate> fenced,
			JdbcTransactionManager transactions) {
		this.entities = entities;
		this.client = client;
		this.jdbc = jdbc;
		// There is none where fences are switched off, which is to show what comes of it.
		FencedJdbcTemplate template = fenced.getIfAvailable();
		this.fenced = (template != null) ? template : jdbc;
		this.transactions = new TransactionTemplate(transactions);
	}

	@Transactional
	public void addByJpa(Operation operation) {
		Account account = this.entities.find(Account.class, operation.role());
		operation.pause();
		account.addOne(operation);
	}

	@Transactional
	public void addByClient(Operation operation) {
		long amount = this.client.sql(READ).param(operation.role()).query(Long.class).single();
		operation.pause();
		this.client.sql(WRITE).params(amount + 1, operation.epoch(), operation.id(), operation.role()).update();
	}

	/** Pauses where it holds locks already. */
	public void addByTemplate(Operation operation) {
		this.transactions.executeWithoutResult((status) -> {
			add(this.jdbc, operation, () -> {
			});
			operation.pause();
		});
	}

	/** Without a transaction around it. */
	public void addByFencedTemplate(Operation operation) {
		add(this.fenced, operation, operation::pause);
	}

	private static void add(JdbcTemplate jdbc, Operation operation, Runnable between) {
		Long amount = jdbc.queryForObject(READ, Long.class, operation.role());
		between.run();
		jdbc.update(WRITE, amount + 1, operation.epoch(), operation.id(), operation.role());
	}

}
