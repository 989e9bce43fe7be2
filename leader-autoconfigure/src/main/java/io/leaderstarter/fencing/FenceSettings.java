package io.leaderstarter.fencing;

import java.time.Duration;

import io.leaderstarter.jdbc.JdbcDialect;
import io.leaderstarter.jdbc.SchemaSettings;
import org.jspecify.annotations.Nullable;

/**
 * How fences are kept.
 *
 * @param namespace keeps applications apart in one database
 * @param sharedNamespace namespace of the fences of a store that members share, if this
 * one elects alone: it leaves their rows as they are, and does not lead a role that has
 * one. {@code null} for members that share a store
 * @param schema how the tables come to be
 * @param raiseTimeout how long one try to raise a fence waits for transactions that hold
 * it up
 * @param transactions what is set in fenced transactions
 * @param checkBy what a check keeps a raise out with, {@code null} to decide by the
 * database
 * @since 0.1.0
 */
public record FenceSettings(String namespace, @Nullable String sharedNamespace, SchemaSettings schema,
		Duration raiseTimeout, Transactions transactions, @Nullable CheckBy checkBy) {

	private static final String ALONE = "local:";

	/** As much as the column takes. */
	private static final int LONGEST_NAMESPACE = 128;

	/**
	 * Create the settings of a member that elects alone. Its epochs mean nothing to
	 * others, so it has fences of its own.
	 * @return settings with another namespace
	 */
	public FenceSettings alone() {
		String own = ALONE + this.namespace;
		return new FenceSettings(own.substring(0, Math.min(own.length(), LONGEST_NAMESPACE)), this.namespace,
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
	 * @param idleTimeout how long one may do nothing once it was checked, where the
	 * database can limit that; so a process that is frozen between the check and the
	 * commit does not hold its successor up for longer
	 * @param idleFromBegin whether that limit counts from the beginning of the
	 * transaction, which takes one more statement
	 * @param termsCarried whether transactions carry their terms for triggers, which
	 * takes one more statement
	 * @since 0.1.0
	 */
	public record Transactions(Duration idleTimeout, boolean idleFromBegin, boolean termsCarried) {

		/** Return whether the database has to know something when one begins. */
		boolean areOpened() {
			return this.idleFromBegin || this.termsCarried;
		}

	}

	/**
	 * What a check keeps a raise out with until the transaction ends.
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
