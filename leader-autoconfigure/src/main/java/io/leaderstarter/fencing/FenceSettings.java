package io.leaderstarter.fencing;

import java.time.Duration;

import io.leaderstarter.jdbc.JdbcDialect;
import io.leaderstarter.jdbc.SchemaSettings;
import org.jspecify.annotations.Nullable;

/**
 * How fences are kept.
 *
 * @param namespace separates applications in one database
 * @param sharedNamespace namespace of members that share a store, if this member has a
 * local one: it does not change their rows, and does not lead a role that has one.
 * {@code null} for members that share a store
 * @param schema how the tables are created
 * @param raiseTimeout how long one attempt to raise a fence waits for transactions that
 * hold its lock
 * @param transactions what is set in fenced transactions
 * @param checkBy how a check keeps a raise from passing it, {@code null} to decide by the
 * database
 * @since 0.1.0
 */
public record FenceSettings(String namespace, @Nullable String sharedNamespace, SchemaSettings schema,
		Duration raiseTimeout, Transactions transactions, @Nullable CheckBy checkBy) {

	private static final String ALONE = "local:";

	/** The length of the column. */
	private static final int LONGEST_NAMESPACE = 128;

	/**
	 * Create the settings of a member with a local store. Its epochs cannot be compared
	 * with those of others, so it has separate fences.
	 * @return settings with another namespace
	 */
	public FenceSettings alone() {
		String alone = ALONE + this.namespace;
		return new FenceSettings(alone.substring(0, Math.min(alone.length(), LONGEST_NAMESPACE)), this.namespace,
				this.schema, this.raiseTimeout, this.transactions, this.checkBy);
	}

	/**
	 * Return whether a check writes the row of the fence. A lock is enough only where
	 * {@code select … for update} is known to lock.
	 */
	boolean checksByWrite(JdbcDialect dialect) {
		return (this.checkBy != null) ? this.checkBy == CheckBy.WRITE : dialect.isAssumed();
	}

	/**
	 * What is set in fenced transactions.
	 *
	 * @param idleTimeout how long a transaction may be idle after its check, where the
	 * database can limit that. So a process that is paused between the check and the
	 * commit does not hold its successor up for longer
	 * @param idleFromBegin whether that limit counts from the beginning of the
	 * transaction, which takes one more statement
	 * @param termsCarried whether transactions carry their terms for triggers, which
	 * takes one more statement
	 * @since 0.1.0
	 */
	public record Transactions(Duration idleTimeout, boolean idleFromBegin, boolean termsCarried) {

		/** Return whether variables are set when a transaction begins. */
		boolean areOpened() {
			return this.idleFromBegin || this.termsCarried;
		}

	}

	/**
	 * How a check keeps a raise waiting until the transaction ends.
	 *
	 * @since 0.1.0
	 */
	public enum CheckBy {

		/** A lock on the row of the fence, shared where the database has such locks. */
		LOCK,

		/**
		 * A write to the row of the fence, for databases whose locks do not keep others
		 * from writing, such as clusters that write on several nodes. Transactions of one
		 * role then commit one after another.
		 */
		WRITE

	}

}
