package io.leaderstarter.backend.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

import javax.sql.ConnectionPoolDataSource;
import javax.sql.DataSource;

import io.leaderstarter.backend.support.PollInterval;
import io.leaderstarter.backend.support.Prepared;
import io.leaderstarter.election.spi.Attempt;
import io.leaderstarter.election.spi.LeaseKey;
import io.leaderstarter.election.spi.LeaseRequest;
import io.leaderstarter.election.spi.LeaseStore;
import io.leaderstarter.election.spi.LeaseView;
import io.leaderstarter.election.spi.Presence;
import io.leaderstarter.election.spi.Renewal;
import io.leaderstarter.election.spi.StoreException;
import io.leaderstarter.election.spi.StoreIdentity;
import io.leaderstarter.election.spi.StoreListener;
import io.leaderstarter.jdbc.DedicatedConnection;
import io.leaderstarter.jdbc.JdbcDialect;
import io.leaderstarter.jdbc.PostgresDriver;
import io.leaderstarter.jdbc.SqlError;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Keeps leases as rows. Only the clock of the database is used, and every statement is a
 * transaction on a dedicated connection.
 */
final class JdbcLeaseStore implements LeaseStore {

	/** Polls take at most one part in so many of the time. */
	private static final int POLLING_SHARE = 50;

	private static final Duration REHEARSAL_TIMEOUT = Duration.ofSeconds(5);

	private static final Log logger = LogFactory.getLog(JdbcLeaseStore.class);

	private final DataSource dataSource;

	private final DedicatedConnection connection;

	private final JdbcLeaseSchema schema;

	private final StoreIdentity identity;

	private final JdbcLeaseProperties properties;

	private final ServerClock clock = new ServerClock();

	private volatile String location = "";

	private @Nullable StoreListener listener;

	private final Prepared<LeaseTable> table = new Prepared<>();

	private final Prepared<MemberTable> members = new Prepared<>();

	private @Nullable LeaseNotifications notifications;

	private volatile long pollNanos;

	JdbcLeaseStore(DataSource dataSource, StoreIdentity identity, JdbcLeaseProperties properties) {
		this.dataSource = dataSource;
		this.connection = new DedicatedConnection(dataSource);
		this.schema = new JdbcLeaseSchema(properties.schema());
		this.identity = identity;
		this.properties = properties;
	}

	@Override
	public String name() {
		return JdbcLeaseStoreFactory.NAME;
	}

	@Override
	public String location() {
		return this.location;
	}

	@Override
	public String storeId() {
		return this.schema.storeId();
	}

	@Override
	public void prepare() {
		JdbcDialect dialect = this.schema.prepare(this.connection);
		this.table.set(new LeaseTable(this.schema.table(), dialect, this.identity));
		this.members.set(new MemberTable(this.schema.memberTable(), dialect, this.identity));
		rehearse(this.table.get());
		StoreListener present = this.listener;
		if (dialect.platform().equals("postgresql") && PostgresDriver.isPresent() && !isPool(this.dataSource)
				&& present != null && this.notifications == null) {
			this.notifications = new LeaseNotifications(this.dataSource, this.schema.table(), this.identity.namespace(),
					present::onMaybeFree);
			this.notifications.start();
		}
	}

	private void rehearse(LeaseTable prepared) {
		try {
			this.connection.execute(REHEARSAL_TIMEOUT, (session) -> {
				String url = session.connection().getMetaData().getURL();
				if (url != null) {
					this.location = DatabaseUrl.withoutCredentials(url);
					DatabaseUrl.warnIfPrivate(url);
				}
				prepared.rehearse(session);
				return true;
			});
		}
		catch (SQLException ex) {
			// A failure that persists is reported by the first poll.
			logger.debug("The rehearsal of a hand-over failed", ex);
		}
	}

	/**
	 * Short without notifications of freed roles, but never so short that the database is
	 * busy with polls.
	 */
	@Override
	public Duration pollInterval() {
		Duration least = this.properties.pollInterval();
		LeaseNotifications present = this.notifications;
		Duration wanted = (present != null && present.isListening()) ? PollInterval.LONGEST
				: PollInterval.atMost(Duration.ofNanos(this.pollNanos * POLLING_SHARE));
		return (wanted.compareTo(least) > 0) ? wanted : least;
	}

	@Override
	public void setListener(StoreListener listener) {
		this.listener = listener;
	}

	@Override
	public List<LeaseView> observe(Collection<String> roles, Attempt attempt) {
		AtomicLong serverMicros = new AtomicLong();
		long sent = System.nanoTime();
		List<LeaseView> views = execute("read leases", attempt,
				(session) -> this.table.get().observe(session, roles, serverMicros::set));
		long received = System.nanoTime();
		this.pollNanos = received - sent;
		if (serverMicros.get() != 0) {
			readClock(sent, received, serverMicros.get());
		}
		return views;
	}

	@Override
	public Set<LeaseKey> acquire(List<LeaseRequest> requests, Attempt attempt) {
		return execute("acquire leases", attempt, (session) -> {
			try {
				return this.table.get().acquire(session, requests);
			}
			catch (SQLException ex) {
				if (SqlError.CONFLICT.is(ex)) {
					// Another member was quicker. Leases of the batch that were granted
					// are found by the next poll.
					return Set.of();
				}
				throw ex;
			}
		});
	}

	@Override
	public Renewal renew(Collection<LeaseKey> leases, Attempt attempt) {
		return execute("renew leases", attempt,
				(session) -> new Renewal(this.table.get().renew(session, leases), attempt.sentAt()));
	}

	@Override
	public void release(Collection<LeaseKey> leases, Attempt attempt) {
		execute("release leases", attempt, (session) -> {
			this.table.get().release(session, leases);
			if (this.notifications != null) {
				this.notifications.send(session);
			}
			return true;
		});
	}

	@Override
	public Collection<Presence> announce(Presence self, Attempt attempt) {
		return execute("list members", attempt, (session) -> this.members.get().announce(session, self)).get();
	}

	@Override
	public void withdraw(Attempt attempt) {
		execute("take this member off the list", attempt, (session) -> this.members.get().withdraw(session)).get();
	}

	@Override
	public void close() {
		if (this.notifications != null) {
			this.notifications.close();
		}
		this.connection.close();
	}

	/**
	 * A connection that listens is never closed, which a pool is not meant for. A pool
	 * can be closed; a {@code DataSource} without a pool has nothing to close.
	 */
	private static boolean isPool(@Nullable DataSource dataSource) {
		return (dataSource instanceof DelegatingDataSource delegating) ? isPool(delegating.getTargetDataSource())
				: dataSource instanceof AutoCloseable || dataSource instanceof ConnectionPoolDataSource;
	}

	private <T> T execute(String what, Attempt attempt, DedicatedConnection.Work<T> work) {
		try {
			return this.connection.execute(attempt.timeout(), work);
		}
		catch (SQLException ex) {
			throw new StoreException("The database could not %s: %s".formatted(what, ex.getMessage()), ex);
		}
	}

	private void readClock(long sent, long received, long serverMicros) {
		Duration step = this.clock.read(sent, received, serverMicros);
		StoreListener present = this.listener;
		if (step != null && present != null) {
			present.onClockStep(step);
		}
	}

}
