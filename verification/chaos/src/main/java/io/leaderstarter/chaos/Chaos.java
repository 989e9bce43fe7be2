package io.leaderstarter.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;

import io.leaderstarter.chaos.Nemesis.Injected;
import io.leaderstarter.chaos.Plan.Fault;
import io.leaderstarter.chaos.Run.Check;
import io.leaderstarter.chaos.Run.Happened;
import io.leaderstarter.chaos.Run.Recovery;
import io.leaderstarter.chaos.Run.Span;
import io.leaderstarter.chaos.Run.Violation;
import io.leaderstarter.chaos.app.Jobs;
import io.leaderstarter.testsupport.FakeClock;
import io.leaderstarter.testsupport.FaultProxy;
import io.leaderstarter.testsupport.OwnMariaDb;
import io.leaderstarter.testsupport.OwnPostgres;
import io.leaderstarter.testsupport.OwnServer;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.util.FileSystemUtils;

/**
 * Runs members of an application on real servers, does to them what can go wrong, and
 * looks in what they wrote for what must not happen.
 */
public final class Chaos {

	private static final Duration START_PATIENCE = Duration.ofMinutes(3);

	/** So late is not late but never. */
	private static final Duration RECOVERY_PATIENCE = Duration.ofSeconds(60);

	/** More than the longest run of a job and the time-out of the drain. */
	private static final Duration END_PATIENCE = Duration.ofSeconds(60);

	private static final Duration SETTLE = Duration.ofSeconds(10);

	private static final int POLL_MILLIS = 20;

	private static final int FAULT_MILLIS = 5;

	private static final int SUSPENSIONS = 20;

	/**
	 * Threads that libraries start when they first need them, and keep or end by
	 * themselves.
	 */
	private static final Pattern SHARED = Pattern
		.compile("CompletableFutureDelayScheduler|FailsafeDelayScheduler|ForkJoinPool.*|grpc-(default|shared)-.*");

	private final Options options;

	private final Path folder;

	/** What has to be closed, the last one first. */
	private final Deque<AutoCloseable> opened = new ConcurrentLinkedDeque<>();

	private final OwnServer database;

	private final Coordinator coordinator;

	private final Ledger ledger;

	private final List<Member> members = new ArrayList<>();

	private final Nemesis nemesis;

	private final List<Event> events = new ArrayList<>();

	/** By role: who said last that it leads, and when. */
	private final Map<String, Event> leaders = new HashMap<>();

	/** By role: when a run was committed last. */
	private final Map<String, Long> committed = new HashMap<>();

	/** The processes that have been ready, and what threads they had last. */
	private final Map<String, List<String>> threads = new HashMap<>();

	private final List<Happened> faults = new ArrayList<>();

	private final List<Recovery> recoveries = new ArrayList<>();

	private final List<Span> calm = new ArrayList<>();

	private final List<Violation> found = new ArrayList<>();

	private boolean refusedByFence;

	private boolean over;

	private Chaos(Options options, Path folder) {
		this.options = options;
		this.folder = folder;
		// Also if this process is asked to end, or something here fails.
		Runtime.getRuntime().addShutdownHook(new Thread(this::close));
		FakeClock clock = (options.backend() == Options.Backend.JDBC) ? opened(new FakeClock()) : null;
		this.database = opened(switch (options.database()) {
			case POSTGRESQL -> new OwnPostgres(clock);
			case MARIADB -> new OwnMariaDb(clock);
		});
		this.coordinator = opened(Coordinator.start(options.backend()));
		this.ledger = new Ledger(new JdbcTemplate(this.database.dataSource()), options.database());
		for (int i = 0; i < Options.MEMBERS; i++) {
			this.members.add(opened(member(i)));
		}
		this.nemesis = new Nemesis(this.members, this.database, clock, this.coordinator, this::leader);
	}

	private <T extends AutoCloseable> T opened(T resource) {
		this.opened.push(resource);
		return resource;
	}

	/**
	 * Runs it.
	 * @param args none
	 */
	public static void main(String[] args) throws Exception {
		Options options = Options.read((name) -> System.getProperty("chaos." + name));
		Path folder = Path.of(System.getProperty("chaos.reports"));
		FileSystemUtils.deleteRecursively(folder);
		Path histories = Files.createDirectories(folder.resolve("histories"));
		System.out.println("Again: " + options.command());
		Chaos chaos = new Chaos(options, histories);
		Run run = chaos.run();
		chaos.close();
		System.exit(Report.write(run, Checks.of(run), folder) ? 0 : 1);
	}

	private Member member(int number) {
		FaultProxy database = new FaultProxy(this.database.port());
		List<FaultProxy> store = this.coordinator.ports().stream().map(FaultProxy::new).toList();
		List<String> properties = new ArrayList<>(List.of("spring.datasource.url=" + url(database.port()),
				"leader.lease.ttl=" + Options.TTL.toMillis() + "ms", "leader.fence.enabled=" + this.options.fence()));
		properties.addAll(this.coordinator.properties(store.stream().map(FaultProxy::port).toList()));
		return new Member(number, this.folder, properties, database, store);
	}

	/** As an application that does not want to wait for ever. */
	private String url(int port) {
		String url = this.database.through(port).getUrl();
		return switch (this.options.database()) {
			case POSTGRESQL -> url + "&socketTimeout=10&connectTimeout=5";
			case MARIADB -> url + "&socketTimeout=10000&connectTimeout=5000";
		};
	}

	private Run run() throws InterruptedException, IOException {
		if (!await(() -> Jobs.ROLES.stream().allMatch(this.committed::containsKey) && allAreUp(), START_PATIENCE)) {
			throw new IllegalStateException("The members do not begin to work: see their logs in " + this.folder);
		}
		Thread.sleep(SETTLE.toMillis());
		poll();
		Resources before = resources();
		Plan plan = new Plan(this.options.seed(), FaultKind.of(this.options.backend()));
		long begin = System.nanoTime();
		while (System.nanoTime() - begin < this.options.duration().toNanos()) {
			List<Fault> next = plan.next();
			if (next.isEmpty()) {
				calm();
			}
			else {
				inject(next);
			}
			Thread.sleep(plan.pause().toMillis());
		}
		// Else nothing was seen of the fence, by chance.
		for (int i = 0; i < SUSPENSIONS && this.options.fence() && !this.refusedByFence; i++) {
			inject(List.of(plan.suspension(0)));
		}
		await(this::allAreUp, START_PATIENCE);
		Thread.sleep(SETTLE.toMillis());
		poll();
		await(() -> resources().beyond(before).isEmpty(), RECOVERY_PATIENCE);
		resources().beyond(before)
			.forEach((text) -> this.found.add(new Violation(Check.NO_LEAK, System.nanoTime(), text)));
		this.over = true;
		this.members.forEach(Member::terminate);
		await(() -> this.members.stream().noneMatch(Member::isAlive), END_PATIENCE);
		for (Member member : this.members) {
			if (member.isAlive()) {
				this.found.add(new Violation(Check.ENDS_WHEN_ASKED, System.nanoTime(), "Process " + member.process()));
			}
		}
		poll();
		return new Run(this.options, this.events, this.ledger.entries(), this.faults, this.recoveries, this.calm,
				this.found, Logs.read(this.folder));
	}

	/** Lets faults come, and waits until all roles are led and their jobs work again. */
	private void inject(List<Fault> next) throws InterruptedException {
		long begin = System.nanoTime();
		List<Fault> waiting = new ArrayList<>(next);
		waiting.sort(Comparator.comparing(Fault::delay));
		List<Injected> running = new ArrayList<>();
		long healed = begin;
		while (!waiting.isEmpty() || !running.isEmpty()) {
			poll();
			if (!waiting.isEmpty() && System.nanoTime() - begin >= waiting.get(0).delay().toNanos()) {
				this.nemesis.begin(waiting.remove(0)).ifPresent(running::add);
			}
			for (Injected injected : List.copyOf(running)) {
				if (isOver(injected)) {
					running.remove(injected);
					this.nemesis.end(injected);
					healed = System.nanoTime();
					note(injected, healed);
				}
			}
			Thread.sleep(FAULT_MILLIS);
		}
		recover(healed);
		this.nemesis.setClocksRight();
	}

	private boolean isOver(Injected injected) {
		return switch (injected.fault().kind()) {
			// The others can take over at once.
			case KILL -> true;
			// It keeps its roles until its runs have ended.
			case TERMINATE -> !injected.process().equals(this.members.get(injected.member()).process());
			default -> System.nanoTime() - injected.begin() >= injected.fault().hold().toNanos();
		};
	}

	private void note(Injected injected, long end) {
		this.faults.add(new Happened(injected.fault().kind(), injected.member(), injected.process(),
				new Span(injected.begin(), end)));
	}

	private void recover(long healed) throws InterruptedException {
		Map<String, Long> led = new HashMap<>();
		Map<String, Long> worked = new HashMap<>();
		await(() -> {
			for (String role : Jobs.ROLES) {
				Event leader = this.leaders.get(role);
				if (leader != null && leader.time() > healed) {
					led.putIfAbsent(role, leader.time());
				}
				if (this.committed.getOrDefault(role, healed) > healed) {
					worked.putIfAbsent(role, this.committed.get(role));
				}
			}
			return worked.size() == Jobs.ROLES.size() && led.size() == Jobs.ROLES.size();
		}, RECOVERY_PATIENCE);
		for (String role : Jobs.ROLES) {
			if (!worked.containsKey(role)) {
				this.found.add(new Violation(Check.WORKS_AGAIN, healed,
						"Nothing of '%s' was committed for %s".formatted(role, RECOVERY_PATIENCE)));
			}
			this.recoveries
				.add(new Recovery(role, healed, since(healed, led.get(role)), since(healed, worked.get(role))));
		}
	}

	private static Duration since(long healed, @Nullable Long then) {
		return (then != null) ? Duration.ofNanos(then - healed) : RECOVERY_PATIENCE;
	}

	/**
	 * Leaves all alone for a while, and notes the time in which nobody may lose a role.
	 */
	private void calm() throws InterruptedException {
		if (!await(this::allAreUp, START_PATIENCE)) {
			return;
		}
		// What a fault has left may take until the end of a lease.
		Thread.sleep(Options.TTL.plus(Options.GRACE).toMillis());
		long begin = System.nanoTime();
		Thread.sleep(Options.TTL.multipliedBy(2).toMillis());
		this.calm.add(new Span(begin, System.nanoTime()));
	}

	private boolean allAreUp() {
		return this.members.stream()
			.allMatch((member) -> member.isAlive() && this.threads.containsKey(member.process()));
	}

	private boolean await(BooleanSupplier condition, Duration patience) throws InterruptedException {
		long end = System.nanoTime() + patience.toNanos();
		poll();
		while (!condition.getAsBoolean()) {
			if (System.nanoTime() - end > 0) {
				return false;
			}
			Thread.sleep(POLL_MILLIS);
			poll();
		}
		return true;
	}

	/**
	 * Reads what the members have written since the last time, and starts those again
	 * that have ended, as an orchestrator does.
	 */
	private void poll() {
		List<Event> more = new ArrayList<>();
		for (Member member : this.members) {
			more.addAll(member.events());
			if (!this.over && !member.isAlive()) {
				member.restart();
			}
			else if (member.wasAskedToEndBefore(System.nanoTime() - END_PATIENCE.toNanos())) {
				this.found.add(new Violation(Check.ENDS_WHEN_ASKED, System.nanoTime(), "Process " + member.process()));
				member.kill();
			}
		}
		for (Event event : more) {
			if (event.is("leads")) {
				this.leaders.merge(event.role(), event, (one, other) -> (one.time() > other.time()) ? one : other);
			}
			else if (event.ended("COMMITTED")) {
				this.committed.merge(event.role(), event.time(), Math::max);
			}
			else if (event.isRefusedByFence()) {
				this.refusedByFence = true;
			}
			else if (event.is("threads")) {
				this.threads.put(event.process(), event.words());
			}
		}
		this.events.addAll(more);
	}

	private int leader(String role, int otherwise) {
		Event leader = this.leaders.get(role);
		return (leader != null) ? leader.member() : otherwise;
	}

	private Resources resources() {
		Map<String, Integer> threads = new TreeMap<>();
		int connections = 0;
		for (Member member : this.members) {
			connections += member.connections();
			this.threads.getOrDefault(member.process(), List.of()).forEach((group) -> {
				int split = group.lastIndexOf('=');
				threads.merge(group.substring(0, split), Integer.parseInt(group.substring(split + 1)), Math::max);
			});
		}
		return new Resources(threads, connections);
	}

	private void close() {
		for (AutoCloseable resource = this.opened.poll(); resource != null; resource = this.opened.poll()) {
			try {
				resource.close();
			}
			catch (Exception ex) {
				System.err.println("This did not end well: " + ex);
			}
		}
	}

	/**
	 * What all members take.
	 *
	 * @param threads by name, the most that one member has
	 * @param connections of all members
	 */
	private record Resources(Map<String, Integer> threads, int connections) {

		/** What there is more of than before. */
		List<String> beyond(Resources before) {
			List<String> more = new ArrayList<>();
			this.threads.forEach((name, count) -> {
				int earlier = before.threads.getOrDefault(name, 0);
				// One may be started when it is first needed.
				if (count > Math.max(earlier, 1) && !SHARED.matcher(name).matches()) {
					more.add("A member has %d threads '%s', and had %d".formatted(count, name, earlier));
				}
			});
			if (this.connections > before.connections) {
				more.add("All members have %d connections, and had %d".formatted(this.connections, before.connections));
			}
			return more;
		}

	}

}
