// Shows the server-sent events of the demo, and has buttons for actions on nodes.

import { Timeline, summary } from './timeline.js';

const ROLES = ['invoices', 'outbox'];
const KEPT = 300;
const SHOWN = 80;
const ANNOUNCED = ['GRANTED', 'FROZEN', 'WOKE', 'REFUSED', 'UNTRIED', 'KILLED', 'READY', 'DOWN', 'UP', 'STALE'];
const STRUCK_MILLIS = 6000;

const byId = (id) => document.getElementById(id);
const timeline = new Timeline(byId('timeline'));
const cards = new Map();

let state;
/** Kept apart, as writes are many and would push out the beginnings of long terms. */
let writes = [];
let others = [];
/** How much later it is here than where the demo runs. */
let ahead = 0;
let connected = false;

function make(tag, options = {}, ...children) {
	const { text, ...properties } = options;
	const made = Object.assign(document.createElement(tag), properties);
	if (text !== undefined) {
		made.textContent = text;
	}
	made.append(...children);
	return made;
}

function setText(element, text) {
	if (element.textContent !== text) {
		element.textContent = text;
	}
}

const now = () => Date.now() - ahead;
const seconds = (millis) => `${Math.round(millis / 1000)} s`;

// ---- the nodes

const runs = (node) => node.phase !== 'ENDED';

const BUTTONS = [
	{ action: 'freeze', title: 'Stop its process and its clocks, and let them go on later',
		label: () => `Freeze ${seconds(state.freezeMillis)}`, when: (node) => node.phase === 'UP', main: true },
	{ action: 'resign', title: 'Give its roles up, so that others get their turn',
		label: () => 'Resign', when: (node) => node.phase === 'UP' && leads(node).length > 0 },
	{ action: 'pause', title: 'Compete for no role until it is resumed',
		label: () => 'Pause', when: (node) => node.phase === 'UP', shown: (node) => runs(node) && !node.status?.paused },
	{ action: 'resume', title: 'Compete for its roles again',
		label: () => 'Resume', when: (node) => node.phase === 'UP', shown: (node) => runs(node) && node.status?.paused },
	{ action: 'kill', title: 'End its process at once, as a crash does', label: () => 'Kill', when: (node) => node.phase !== 'WAITING' },
	{ action: 'start', title: 'Start its process again, as a new member',
		label: () => 'Start again', when: () => true, shown: (node) => !runs(node), main: true }
];

function leads(node) {
	return Object.entries(node.status?.roles ?? {}).filter(([, role]) => role.state === 'LEADER').map(([name]) => name);
}

function phase(node) {
	switch (node.phase) {
		case 'WAITING': return ['starting', 'waits'];
		case 'STARTING': return ['starting', 'starts'];
		case 'FREEZING': return ['freezing', 'is being frozen'];
		case 'FROZEN': return ['frozen', `frozen, wakes in ${seconds(Math.max(0, node.wakesAt - now()))}`];
		case 'ENDED': return ['ended', 'not running'];
	}
	if (!node.answers) {
		return ['silent', 'does not answer'];
	}
	if (node.status?.paused) {
		return ['paused', 'is paused'];
	}
	return leads(node).length ? ['leads', 'leads'] : ['up', 'follows'];
}

function roleText(node, role) {
	if (node.phase === 'ENDED' || node.phase === 'WAITING' || node.phase === 'STARTING' || !role) {
		return '–';
	}
	if (node.phase === 'FROZEN') {
		return (role.state === 'LEADER') ? `led epoch ${role.epoch}` : 'another node led';
	}
	switch (role.state) {
		case 'LEADER': return `leads, epoch ${role.epoch}`;
		case 'FOLLOWER': return 'follows';
		case 'ACQUIRED': return 'raises the fence';
		case 'LOST': return `lost epoch ${role.epoch}`;
		default: return 'gives it up';
	}
}

async function press(node, action, button) {
	if (button.getAttribute('aria-disabled') === 'true') {
		return;
	}
	button.setAttribute('aria-disabled', 'true');
	try {
		const answer = await fetch(`/nodes/${node}/${action}`, { method: 'POST' });
		if (!answer.ok) {
			announce(`${node} cannot do that now`);
		}
	}
	catch {
		announce('The demo does not answer');
	}
}

function makeCard(node) {
	const card = byId('card').content.cloneNode(true).firstElementChild;
	card.querySelector('h3').textContent = node.name;
	card.setAttribute('aria-label', node.name);
	card.querySelector('.buttons').setAttribute('aria-label', `What to do to ${node.name}`);
	for (const role of ROLES) {
		const item = make('li', {}, make('span', { className: 'name', text: role }), make('span', { className: 'state' }),
			make('span', { className: 'lease' }, make('i')));
		item.dataset.role = role;
		item.querySelector('.lease').setAttribute('aria-hidden', 'true');
		card.querySelector('.roles').append(item);
	}
	for (const kind of BUTTONS) {
		const button = make('button', { type: 'button', title: kind.title }, make('span'), make('span', { className: 'hidden', text: ` ${node.name}` }));
		button.dataset.action = kind.action;
		button.classList.toggle('main', kind.main ?? false);
		button.addEventListener('click', () => press(node.name, kind.action, button));
		card.querySelector('.buttons').append(button);
	}
	byId('cards').append(card);
	return card;
}

function showCard(node) {
	if (!cards.has(node.name)) {
		cards.set(node.name, makeCard(node));
	}
	const card = cards.get(node.name);
	const [kind, words] = phase(node);
	card.dataset.phase = kind;
	const pill = card.querySelector('.phase');
	pill.dataset.state = kind;
	setText(pill, words);
	setText(card.querySelector('.facts'), (node.phase === 'ENDED' || !node.process) ? 'no process'
		: `process ${node.process}${node.port ? `, port ${node.port}` : ''}`);
	for (const item of card.querySelectorAll('.roles li')) {
		const role = node.status?.roles[item.dataset.role];
		const leading = role?.state === 'LEADER' && node.phase !== 'FROZEN';
		item.classList.toggle('leads', leading);
		setText(item.querySelector('.state'), roleText(node, role));
		item.querySelector('.lease').hidden = !leading;
		item.querySelector('.lease i').style.width = `${Math.min(100, 100 * (role?.millisLeft ?? 0) / state.ttlMillis)}%`;
	}
	const focused = card.contains(document.activeElement) ? document.activeElement : null;
	for (const kind of BUTTONS) {
		const button = card.querySelector(`[data-action=${kind.action}]`);
		button.hidden = !(kind.shown ?? runs)(node);
		setText(button.firstElementChild, kind.label());
		button.setAttribute('aria-disabled', String(!connected || !kind.when(node)));
	}
	if (focused?.hidden) {
		// Whoever uses the keyboard stays where they are.
		card.querySelector('button:not([hidden])').focus();
	}
}

// ---- what happened

function clock(at) {
	return new Date(at).toLocaleTimeString('en-GB');
}

function entry(event) {
	const item = make('li', { className: event.kind.toLowerCase() },
		make('time', { text: clock(event.at), dateTime: new Date(event.at).toISOString() }));
	if (event.kind === 'WROTE') {
		const tag = make('span', { className: 'tag', text: `epoch ${event.epoch}` });
		item.dataset.role = event.role;
		item.append(make('span', {}, make('span', { className: 'who', text: event.node ?? 'A leader' }), ` ${event.text} under `, tag));
	}
	else {
		item.append(make('span', { text: event.text }));
	}
	if (event.kind === 'STALE') {
		item.classList.add('refused');
	}
	return item;
}

function addEntry(event) {
	const lists = (event.kind === 'WROTE') ? ['write-log']
		: ['REFUSED', 'UNTRIED', 'STALE'].includes(event.kind) ? ['log', 'write-log'] : ['log'];
	for (const id of lists) {
		const list = byId(id);
		const still = list.scrollTop > 0;
		const before = list.scrollHeight;
		list.prepend(entry(event));
		while (list.children.length > SHOWN) {
			list.lastElementChild.remove();
		}
		if (still) {
			// Who reads older entries goes on reading them.
			list.scrollTop += list.scrollHeight - before;
		}
	}
}

function announce(text) {
	const line = make('p', { text });
	byId('announcements').append(line);
	setTimeout(() => line.remove(), 10_000);
}

function strike(event) {
	const card = cards.get(event.node);
	card?.classList.add('struck');
	setTimeout(() => card?.classList.remove('struck'), STRUCK_MILLIS);
}

// ---- all of it

function showProblem() {
	const problem = byId('problem');
	let text = '';
	if (!connected && state) {
		text = 'The demo does not answer. If it has ended, start it again by ./gradlew demo; this page connects by itself.';
	}
	else if (state?.up === false) {
		const servers = [...new Set([state.backend, state.database])].join(' or ');
		text = `${servers} does not answer. Terms end at their deadlines, and nothing is written. Work goes on by itself when it is back.`;
	}
	problem.hidden = !text;
	setText(problem, text);
	document.body.classList.toggle('lost', !connected && Boolean(state));
	const pill = byId('connection');
	pill.dataset.state = connected ? 'live' : state ? 'lost' : 'connecting';
	setText(pill, connected ? 'Live' : state ? 'Not connected' : 'Connecting');
}

function show() {
	showProblem();
	if (!state) {
		return;
	}
	const over = [...new Set([state.backend, state.database])].join(' and ');
	setText(byId('setup'), `Three nodes of one application over ${over}, with leases of ${seconds(state.ttlMillis)}`);
	setText(byId('ttl'), `At most ${seconds(state.ttlMillis + 1000)}`);
	setText(byId('landed'), state.totals.landed.toLocaleString('en'));
	setText(byId('refused'), state.totals.refused.toLocaleString('en'));
	setText(byId('untried'), state.totals.untried.toLocaleString('en'));
	setText(byId('stale'), state.totals.stale.toLocaleString('en'));
	document.querySelector('.stale').classList.toggle('broken', state.totals.stale > 0);
	byId('loading').hidden = state.nodes.length > 0;
	setText(byId('loading').lastElementChild, `${state.database} starts. The nodes come after it`);
	state.nodes.forEach(showCard);
	byId('log').hidden = byId('log').children.length === 0;
	byId('log-empty').hidden = !byId('log').hidden;
	byId('write-log').hidden = byId('write-log').children.length === 0;
	byId('writes-empty').hidden = !byId('write-log').hidden;
}

function drawTimeline() {
	if (state && connected && !document.hidden) {
		const names = state.nodes.map((node) => node.name);
		timeline.draw([...others, ...writes], names.length ? names : ['node-1', 'node-2', 'node-3'], ROLES, now());
	}
}

function keep(event) {
	if (event.kind === 'WROTE') {
		writes = [...writes, event].slice(-KEPT);
	}
	else {
		others = [...others, event].slice(-KEPT);
	}
	addEntry(event);
}

function add(event) {
	keep(event);
	if (ANNOUNCED.includes(event.kind)) {
		announce(event.text);
		byId('timeline').setAttribute('aria-label', summary(others, ROLES));
	}
	if (event.kind === 'REFUSED') {
		strike(event);
	}
}

function connect() {
	const source = new EventSource('/events');
	source.addEventListener('hello', (message) => {
		const hello = JSON.parse(message.data);
		connected = true;
		state = hello.state;
		ahead = Date.now() - state.now;
		writes = [];
		others = [];
		byId('log').replaceChildren();
		byId('write-log').replaceChildren();
		hello.events.forEach(keep);
		byId('timeline').setAttribute('aria-label', summary(others, ROLES));
		show();
		drawTimeline();
	});
	source.addEventListener('state', (message) => {
		state = JSON.parse(message.data);
		show();
	});
	source.addEventListener('event', (message) => {
		add(JSON.parse(message.data));
		show();
	});
	source.addEventListener('error', () => {
		connected = false;
		state?.nodes.forEach(showCard);
		showProblem();
		if (source.readyState === EventSource.CLOSED) {
			setTimeout(connect, 2000);
		}
	});
}

const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
setInterval(drawTimeline, calm ? 1000 : 100);
addEventListener('resize', drawTimeline);
connect();
