package io.leaderstarter.testsupport;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.awaitility.Awaitility;

/**
 * Threads of elections in this process, and of the clients that they have.
 */
public final class ElectionThreads {

	private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

	private static final Predicate<String> OURS = Pattern.compile("^leader-").asPredicate();

	/** Those of the client of ZooKeeper are named after who made it. */
	private static final Predicate<String> OURS_AND_CLIENTS = Pattern
		.compile("^leader-|-SendThread|-EventThread|^Curator-|^vert\\.?x|^grpc-|^netty")
		.asPredicate();

	private final Map<Long, Long> before = new HashMap<>();

	private final Map<Long, Long> last = new HashMap<>();

	private ElectionThreads() {
	}

	/**
	 * Returns our threads, those of clients apart.
	 * @return names by id
	 */
	public static Map<Long, String> ours() {
		return infos().filter((info) -> OURS.test(info.getThreadName()))
			.collect(Collectors.toMap(ThreadInfo::getThreadId, ThreadInfo::getThreadName));
	}

	/**
	 * Returns how much of a core the threads take. Those of servers and tests in this
	 * process do not count.
	 * @param time for how long they are observed
	 */
	public static double shareOfACore(Duration time) {
		ElectionThreads threads = new ElectionThreads();
		long begin = System.nanoTime();
		threads.observe(threads.before);
		// Often, as some may come and go.
		Awaitility.await().atMost(time.multipliedBy(10)).pollInterval(Duration.ofMillis(20)).until(() -> {
			threads.observe(threads.last);
			return System.nanoTime() - begin >= time.toNanos();
		});
		long took = System.nanoTime() - begin;
		long cpu = threads.last.entrySet()
			.stream()
			.mapToLong((thread) -> thread.getValue() - threads.before.getOrDefault(thread.getKey(), 0L))
			.sum();
		return (double) cpu / took;
	}

	private void observe(Map<Long, Long> nanos) {
		infos().filter((info) -> OURS_AND_CLIENTS.test(info.getThreadName())).forEach((info) -> {
			long cpu = THREADS.getThreadCpuTime(info.getThreadId());
			if (cpu >= 0) {
				nanos.put(info.getThreadId(), cpu);
			}
		});
	}

	private static Stream<ThreadInfo> infos() {
		return Arrays.stream(THREADS.getThreadInfo(THREADS.getAllThreadIds())).filter(Objects::nonNull);
	}

}
