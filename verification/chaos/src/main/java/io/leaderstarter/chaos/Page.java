package io.leaderstarter.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.LongStream;

import io.leaderstarter.chaos.Checks.Claim;
import io.leaderstarter.chaos.Checks.Findings;
import io.leaderstarter.chaos.Run.Happened;
import io.leaderstarter.chaos.Run.Span;
import io.leaderstarter.chaos.app.Jobs;

/**
 * The time line of a run: for each member what was done to it and which roles it claimed,
 * and when writes were refused.
 */
final class Page {

	private static final int PIXELS_PER_SECOND = 24;

	private static final int LEFT = 110;

	private static final int TOP = 36;

	private static final int ROW = 12;

	private static final int ROWS_OF_A_MEMBER = Jobs.ROLES.size() + 3;

	private static final int TICK_SECONDS = 10;

	private static final List<String> COLORS = List.of("#3b6fb6", "#2e9e6b", "#b9772b", "#8a55a5");

	private final Run run;

	private final Findings findings;

	private final long begin;

	private final long end;

	private final StringBuilder svg = new StringBuilder();

	private Page(Run run, Findings findings) {
		this.run = run;
		this.findings = findings;
		this.begin = times(run).min().orElse(0);
		this.end = times(run).max().orElse(0);
	}

	private static LongStream times(Run run) {
		return run.events().stream().mapToLong(Event::time);
	}

	static String of(Run run, Findings findings, Map<String, Object> summary) {
		return new Page(run, findings).html(summary);
	}

	private String html(Map<String, Object> summary) {
		StringBuilder rows = new StringBuilder();
		rows(rows, "", summary);
		StringBuilder violations = new StringBuilder();
		this.findings.violations()
			.forEach((violation) -> violations.append("<li><b>")
				.append(Options.lower(violation.check()))
				.append("</b> ")
				.append((violation.time() != 0) ? "at %.1f s: ".formatted(seconds(violation.time())) : "")
				.append(escape(violation.text()))
				.append("</li>\n"));
		timeLine();
		return """
				<!doctype html>
				<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
				<title>Chaos</title>
				<style>
				body { font: 14px/1.4 system-ui, sans-serif; margin: 24px; }
				table { border-collapse: collapse; } td { padding: 1px 12px 1px 0; vertical-align: top; }
				.line { overflow-x: auto; border: 1px solid #ccc; margin: 16px 0; } text { font: 10px system-ui, sans-serif; }
				</style></head><body>
				<h1>Chaos</h1>
				<p>%s</p>
				<ul>%s</ul>
				<h2>Time line</h2>
				<p>A row for what was done to a member (grey), one for each role that it claimed, in the color of the role, and one
				for its writes that were refused: by the member (grey), by the fence alone (red). Rest the pointer on a mark to read it.</p>
				<div class="line">%s</div>
				<h2>Summary</h2>
				<table>%s</table>
				</body></html>
				"""
			.formatted(
					this.findings.violations().isEmpty() ? "Nothing happened that must not happen."
							: "%d violations:".formatted(this.findings.violations().size()),
					violations, this.svg, rows);
	}

	private void rows(StringBuilder rows, String prefix, Map<?, ?> map) {
		map.forEach((name, value) -> {
			if (value instanceof Map<?, ?> inner) {
				rows(rows, prefix + name + ": ", inner);
			}
			else {
				rows.append("<tr><td>")
					.append(escape(prefix + name))
					.append("</td><td>")
					.append(escape(String.valueOf(value)))
					.append("</td></tr>\n");
			}
		});
	}

	private void timeLine() {
		int width = LEFT + (int) x(this.end) + LEFT;
		int height = TOP + (Options.MEMBERS + 1) * ROWS_OF_A_MEMBER * ROW;
		add("<svg width=\"%d\" height=\"%d\">", width, height);
		for (int second = 0; second <= seconds(this.end); second += TICK_SECONDS) {
			int x = LEFT + second * PIXELS_PER_SECOND;
			add("<line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke=\"#eee\"/><text x=\"%d\" y=\"12\">%d s</text>", x,
					x, TOP, height, x, second);
		}
		for (int member = 0; member <= Options.MEMBERS; member++) {
			add("<text x=\"4\" y=\"%d\">%s</text>", y(member, 1),
					(member < Options.MEMBERS) ? "member " + member : "servers");
			for (int role = 0; role < Jobs.ROLES.size() && member < Options.MEMBERS; role++) {
				add("<text x=\"64\" y=\"%d\">%s</text>", y(member, role + 2) - 2, Jobs.ROLES.get(role));
			}
		}
		this.run.faults().forEach(this::fault);
		this.findings.claims().forEach(this::claim);
		refusals("MEMBER", "#999");
		refusals("FENCE", "#d0021b");
		add("</svg>");
	}

	private void fault(Happened fault) {
		int member = (fault.member() >= 0) ? fault.member() : Options.MEMBERS;
		rectangle(fault.span(), y(member, 0), "#777", Options.lower(fault.kind()));
		add("<text x=\"%.1f\" y=\"%d\">%s</text>", LEFT + x(fault.span().begin()), y(member, 0) - 2,
				Options.lower(fault.kind()));
	}

	private void claim(Claim claim) {
		int role = Jobs.ROLES.indexOf(claim.role());
		rectangle(claim.span(), y(claim.member(), role + 1), COLORS.get(role),
				"%s, epoch %d, process %s".formatted(claim.role(), claim.epoch(), claim.process()));
	}

	private void refusals(String by, String color) {
		Predicate<Event> refused = (event) -> event.is("refusal") && event.reason().equals(by);
		List<Event> events = new ArrayList<>(this.run.events().stream().filter(refused).toList());
		events.forEach((event) -> add(
				"<circle cx=\"%.1f\" cy=\"%d\" r=\"3\" fill=\"%s\"><title>%s, epoch %d, refused at %.3f s</title></circle>",
				LEFT + x(event.time()), y(event.member(), ROWS_OF_A_MEMBER - 2) + ROW / 2, color, event.role(),
				event.epoch(), seconds(event.time())));
	}

	private void rectangle(Span span, int y, String color, String text) {
		add("<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"><title>%s, %.3f s to %.3f s</title></rect>",
				LEFT + x(span.begin()), y, Math.max(1, x(span.end()) - x(span.begin())), ROW - 2, color, text,
				seconds(span.begin()), seconds(span.end()));
	}

	private static String escape(String text) {
		return text.replace("&", "&amp;").replace("<", "&lt;");
	}

	private void add(String text, Object... arguments) {
		this.svg.append(String.format(Locale.ROOT, text, arguments)).append('\n');
	}

	private static int y(int member, int row) {
		return TOP + (member * ROWS_OF_A_MEMBER + row) * ROW;
	}

	private double x(long nanos) {
		return seconds(nanos) * PIXELS_PER_SECOND;
	}

	private double seconds(long nanos) {
		return (nanos - this.begin) / (double) TimeUnit.SECONDS.toNanos(1);
	}

}
