package io.leaderstarter.chaos.app;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.jspecify.annotations.Nullable;

/**
 * What a role counts in. It has no version, so only the fence refuses a stale writer.
 */
@Entity
class Account {

	@Id
	private String role = "";

	private long amount;

	private long epoch;

	private @Nullable String operation;

	void addOne(Operation operation) {
		this.amount++;
		this.epoch = operation.epoch();
		this.operation = operation.id();
	}

}
