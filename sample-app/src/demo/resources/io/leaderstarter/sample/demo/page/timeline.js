// Draws who led which role under which epoch, what was written, and what was refused.

const SVG = 'http://www.w3.org/2000/svg';
const LANE = 26;
const BAR = 18;
const HEAD = 24;
const FOOT = 22;

function element(name, attributes, parent, text) {
	const made = document.createElementNS(SVG, name);
	for (const [key, value] of Object.entries(attributes)) {
		made.setAttribute(key, value);
	}
	if (text !== undefined) {
		made.textContent = text;
	}
	parent?.append(made);
	return made;
}

/** Terms, from the events about them. One ends when the next begins, whatever its leader believes. */
export function terms(events) {
	const open = new Map();
	const all = [];
	const end = (term, at) => {
		if (term && term.end === undefined) {
			term.end = at;
		}
	};
	for (const event of events) {
		if (event.kind === 'GRANTED') {
			end(open.get(event.role), event.at);
			const term = { role: event.role, epoch: event.epoch, node: event.node, begin: event.at };
			open.set(event.role, term);
			all.push(term);
		}
		else if (event.kind === 'REVOKED') {
			const term = open.get(event.role);
			if (term?.epoch === event.epoch) {
				end(term, event.at);
			}
		}
		else if (event.kind === 'KILLED' || event.kind === 'ENDED') {
			[...open.values()].filter((term) => term.node === event.node).forEach((term) => end(term, event.at));
		}
	}
	return all;
}

/** Times at which nodes were frozen, or did not run. */
export function spans(events, begins, ends) {
	const open = new Map();
	const all = [];
	for (const event of events) {
		const span = open.get(event.node);
		if (span && ends.includes(event.kind)) {
			span.end = event.at;
			open.delete(event.node);
		}
		else if (!span && begins.includes(event.kind)) {
			const begun = { node: event.node, begin: event.at };
			open.set(event.node, begun);
			all.push(begun);
		}
	}
	return all;
}

/** What the picture shows, in words. */
export function summary(events, roles) {
	const all = terms(events);
	const parts = roles.map((role) => {
		const own = all.filter((term) => term.role === role).slice(-3).reverse();
		return own.length ? `${role}: ${own.map((term) => `epoch ${term.epoch} of ${term.node}`).join(', before it ')}`
			: `${role}: no term yet`;
	});
	const refused = events.filter((event) => event.kind === 'REFUSED').length;
	return `Terms. ${parts.join('. ')}. ${refused} writes that the database refused are shown.`;
}

export class Timeline {

	constructor(place) {
		this.place = place;
	}

	draw(events, nodes, roles, now) {
		const width = this.place.clientWidth - 28;
		if (width <= 0) {
			return;
		}
		const span = (width > 700) ? 60_000 : 30_000;
		const left = 62;
		const x = (at) => left + (width - left) * (1 - (now - at) / span);
		const clip = (at) => Math.max(left, Math.min(width, x(at ?? now)));
		const group = HEAD + nodes.length * LANE;
		const height = roles.length * group + FOOT;
		const svg = element('svg', { viewBox: `0 0 ${width} ${height}`, height, 'aria-hidden': 'true' });
		const definitions = element('defs', {}, svg);
		const hatch = element('pattern', { id: 'hatch', width: 6, height: 6, patternUnits: 'userSpaceOnUse' }, definitions);
		element('path', { d: 'M-1 7 7 -1 M-1 1 1 -1 M5 7 7 5' }, hatch);

		const step = 10_000;
		for (let ago = 0; ago < span; ago += step) {
			const at = x(now - ago);
			element('line', { class: 'tick', x1: at, x2: at, y1: HEAD, y2: height - FOOT }, svg);
			element('text', { x: at, y: height - 5, 'text-anchor': ago ? 'middle' : 'end' }, svg,
				ago ? `${ago / 1000} s ago` : 'now');
		}
		const lane = (role, node) => roles.indexOf(role) * group + HEAD + nodes.indexOf(node) * LANE + LANE / 2;
		const visible = (event) => event.at > now - span && nodes.includes(event.node);

		for (const role of roles) {
			const part = element('g', { 'data-role': role }, svg);
			element('text', { class: 'role-name', x: 0, y: roles.indexOf(role) * group + 16 }, part, role);
			for (const node of nodes) {
				element('text', { x: 0, y: lane(role, node) + 4 }, part, node);
				element('line', { class: 'lane', x1: left, x2: width, y1: lane(role, node), y2: lane(role, node) }, part);
			}
			this.drawEnded(part, role, events, nodes, lane, clip);
			const own = terms(events).filter((term) => term.role === role && nodes.includes(term.node));
			own.forEach((term) => this.drawTerm(part, term, lane(role, term.node), clip));
			for (const write of events.filter((event) => event.kind === 'WROTE' && event.role === role && visible(event))) {
				element('circle', { class: 'wrote', cx: x(write.at), cy: lane(role, write.node) + BAR / 2 + 2.5, r: 2 }, part);
			}
			for (const frozen of spans(events, ['FROZEN'], ['WOKE', 'KILLED', 'ENDED'])) {
				this.drawFrozen(part, frozen, lane(role, frozen.node), clip);
			}
			// Above what may lie on the terms.
			own.forEach((term) => this.nameTerm(part, term, lane(role, term.node), clip));
			for (const node of nodes) {
				const refused = events.filter((event) => event.kind === 'REFUSED' && event.role === role && event.node === node && visible(event));
				this.drawRefusals(part, refused.map((event) => x(event.at)), lane(role, node), width);
			}
		}
		this.place.replaceChildren(svg);
	}

	drawTerm(part, term, y, clip) {
		const from = clip(term.begin);
		const to = clip(term.end);
		if (to - from >= 1) {
			element('rect', { class: 'term', x: from, y: y - BAR / 2, width: to - from, height: BAR, rx: 4 }, part);
		}
	}

	nameTerm(part, term, y, clip) {
		const from = clip(term.begin);
		const to = clip(term.end);
		const text = (to - from > 66) ? `epoch ${term.epoch}` : (to - from > 20) ? `${term.epoch}` : '';
		if (text) {
			element('text', { class: 'epoch', x: from + 7, y: y + 4 }, part, text);
		}
	}

	drawFrozen(part, frozen, y, clip) {
		const from = clip(frozen.begin);
		const to = clip(frozen.end);
		if (to - from < 2) {
			return;
		}
		element('rect', { class: 'frozen', x: from, y: y - LANE / 2 + 2, width: to - from, height: LANE - 4, rx: 4 }, part);
		if (to - from > 60) {
			element('text', { class: 'frozen-name', x: (from + to) / 2, y: y + 4, 'text-anchor': 'middle' }, part, 'frozen');
		}
	}

	drawEnded(part, role, events, nodes, lane, clip) {
		for (const ended of spans(events, ['KILLED', 'ENDED'], ['READY'])) {
			if (nodes.includes(ended.node)) {
				const y = lane(role, ended.node);
				element('line', { class: 'ended', x1: clip(ended.begin), x2: clip(ended.end), y1: y, y2: y }, part);
			}
		}
	}

	drawRefusals(part, places, y, width) {
		for (const x of places) {
			const made = element('g', { class: 'refusal' }, part);
			element('circle', { cx: x, cy: y, r: 9 }, made);
			element('path', { d: `M${x - 3.5} ${y - 3.5}l7 7m0 -7l-7 7` }, made);
			const beside = x < width - 80;
			const room = !places.some((other) => beside ? other > x && other < x + 80 : other < x && other > x - 80);
			// There is little room on a phone; the legend says it too.
			if (room && (beside || width > 500)) {
				element('text', { x: beside ? x + 14 : x - 14, y: y + 4, 'text-anchor': beside ? 'start' : 'end' }, made, 'refused');
			}
		}
	}

}
