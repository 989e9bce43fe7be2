package io.leaderstarter.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

import io.leaderstarter.chaos.Checks.Claim;
import io.leaderstarter.chaos.Checks.Findings;
import io.leaderstarter.chaos.Run.Check;
import io.leaderstarter.chaos.Run.Recovery;

import org.springframework.boot.json.JsonWriter;

/**
 * Says what came of a run: a few lines on the console, {@code summary.json}, and a page.
 */
final class Report {

	/** What a run without the fence has to find. */
	private static final Set<Check> OF_THE_FENCE = Set.of(Check.NO_STALE_COMMIT, Check.NO_LOST_UPDATE);

	private static final int SHOWN = 20;

	private Report() {
	}

	/**
	 * Writes all of it.
	 * @return whether the run found what it had to find: nothing, or, without the fence,
	 * stale writes
	 */
	static boolean write(Run run, Findings findings, Path folder) throws IOException {
		boolean good = run.options().fence() ? findings.violations().isEmpty()
				: findings.violations().stream().anyMatch((violation) -> OF_THE_FENCE.contains(violation.check()));
		Map<String, Object> summary = summary(run, findings, good);
		Files.writeString(folder.resolve("summary.json"), JsonWriter.standard().writeToString(summary));
		Files.writeString(folder.resolve("index.html"), Page.of(run, findings, summary));
		print(run, findings, summary, good);
		return good;
	}

	private static Map<String, Object> summary(Run run, Findings findings, boolean good) {
		Map<String, Object> summary = new LinkedHashMap<>();
		summary.put("command", run.options().command());
		summary.put("good", good);
		summary.put("date", LocalDate.now().toString());
		summary.put("machine", "%d processors, %s, Java %s".formatted(Runtime.getRuntime().availableProcessors(),
				System.getProperty("os.name"), System.getProperty("java.version")));
		summary.put("seconds", run.options().duration().toSeconds());
		summary.put("faults", run.faults().size());
		summary.put("commits", run.entries().size());
		summary.put("acknowledged", count(run, (event) -> event.ended("COMMITTED")));
		summary.put("refused by the fence alone", count(run, Event::isRefusedByFence));
		summary.put("refused by the member",
				count(run, (event) -> event.is("refusal") && event.reason().equals("MEMBER")));
		summary.put("outcome unknown", count(run, (event) -> event.ended("UNKNOWN")));
		summary.put("terms", findings.claims().size());
		summary.put("overlaps where they are documented", findings.excusedOverlaps());
		summary.put("calm seconds",
				run.calm().stream().mapToLong((calm) -> calm.end() - calm.begin()).sum() / 1_000_000_000);
		summary.put("without a leader at a change, ms", percentiles(gaps(findings)));
		summary.put("led after the end of faults, ms",
				percentiles(run.recoveries().stream().map(Recovery::led).toList()));
		summary.put("worked after the end of faults, ms",
				percentiles(run.recoveries().stream().map(Recovery::worked).toList()));
		Map<String, Object> checks = new LinkedHashMap<>();
		for (Check check : Check.values()) {
			checks.put(Options.lower(check), findings.counts().getOrDefault(check, 0L));
		}
		summary.put("violations", checks);
		Map<String, Object> kinds = new LinkedHashMap<>();
		findings.bites()
			.forEach((kind, bites) -> kinds.put(Options.lower(kind),
					Map.of("times", bites.times(), "effective", bites.effective())));
		summary.put("kinds", kinds);
		summary.put("logged", run.logged());
		return summary;
	}

	private static void print(Run run, Findings findings, Map<String, Object> summary, boolean good) {
		summary.forEach((name, value) -> {
			if (value instanceof Map<?, ?> map && !name.endsWith("ms")) {
				if (!name.equals("logged")) {
					System.out.println(name);
					map.forEach((key, each) -> System.out.printf("    %-40s %s%n", key, each));
				}
			}
			else {
				System.out.printf("%-44s %s%n", name, value);
			}
		});
		findings.violations()
			.stream()
			.limit(SHOWN)
			.forEach((violation) -> System.out.printf("%s: %s%n", Options.lower(violation.check()), violation.text()));
		if (!good) {
			System.out.println(run.options().fence() ? "Something happened that must not happen."
					: "Without the fence no stale write was found, so this run would not have found one with it either.");
		}
		else {
			System.out.println(run.options().fence() ? "Nothing happened that must not happen."
					: "Stale writes were found, as there was no fence.");
		}
	}

	/** How long nobody claimed a role before each claim but the first one. */
	private static List<Duration> gaps(Findings findings) {
		List<Duration> gaps = new ArrayList<>();
		Map<String, Long> ends = new HashMap<>();
		for (Claim claim : findings.claims()) {
			Long before = ends.get(claim.role());
			if (before != null) {
				gaps.add(Duration.ofNanos(Math.max(0, claim.span().begin() - before)));
			}
			ends.merge(claim.role(), claim.span().end(), Math::max);
		}
		return gaps;
	}

	private static long count(Run run, Predicate<Event> filter) {
		return run.events().stream().filter(filter).count();
	}

	private static Map<String, Object> percentiles(List<Duration> durations) {
		if (durations.isEmpty()) {
			return Map.of();
		}
		List<Duration> sorted = new ArrayList<>(durations);
		sorted.sort(null);
		Map<String, Object> percentiles = new LinkedHashMap<>();
		percentiles.put("p50", sorted.get(sorted.size() / 2).toMillis());
		percentiles.put("p99", sorted.get((sorted.size() - 1) * 99 / 100).toMillis());
		percentiles.put("most", sorted.get(sorted.size() - 1).toMillis());
		return percentiles;
	}

}
