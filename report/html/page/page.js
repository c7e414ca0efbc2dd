/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * page.js - what views have in common: elements, numbers as text, the state in the address, keys.
 *
 * register({
 *   id, title, order,          in the address, on the tab, where it stands (10, 20, ...)
 *   needs: ['nodes'],          sections that are loaded before it is drawn
 *   ofInstructions             it can be drawn of a model of executed instructions, too
 *   available(model)           whether the session has what it shows
 *   render(container, state, model)  draws into an empty container; state: Map of what is behind ? in the
 *                              address, this view's own; may be async
 *   keys: { x: ['what it does', () => ...] }   besides those of all views
 *   search(text)               what / looks for; without it, there is nothing to search
 *   prepare()                  steps, async functions of milliseconds each, for when nobody does anything;
 *                              one that returns 'more' is called again
 *   leave()                    before another view is drawn
 *   keep()                     of a served page, which gets other data while it is looked at: what is open
 *                              in the view and not in the address (by names: numbers change); it comes back
 *                              as the fourth argument of render()
 * })
 *
 * The address is #VIEW?KEY=VALUE&...; go(view, {key: value}) goes there (null: without the key), set({key:
 * value}) changes this view's keys without drawing anew. `function` is the key of the function that is looked
 * at; it stays when views change, as do `measure`, `exact`, `thread`, `span`, `path` (in `nodes`).
 *
 * Elements are made by h() alone: names come from the program that was recorded, and no text is ever taken
 * for HTML. Styles are set by element.style, not by attributes, which the page's policy forbids.
 */

const views = [];
const SHARED = ['function', 'measure', 'exact', 'thread', 'path', 'span'];

function register(view) {
	views.push(view);
	views.sort((a, b) => a.order - b.order);
}

/* An element; attributes with on... are listeners, `style` is an object. */
function h(tag, attributes = {}, ...children) {
	const element = document.createElement(tag);

	for (const [name, value] of Object.entries(attributes))
		if (value === null || value === undefined || value === false)
			continue;
		else if (name.startsWith('on'))
			element.addEventListener(name.slice(2), value);
		else if (name === 'style')
			Object.entries(value).forEach(([key, text]) => element.style.setProperty(key, text));
		else
			element.setAttribute(name, value === true ? '' : value);
	element.append(...children.flat().filter(child => child !== null && child !== undefined));
	return element;
}

/* ---- numbers as text ------------------------------------------------------------------------- */

const exactly = () => state.get('exact') === '1';

function thousands(digits) {
	return digits.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

function count(n) {
	return Number.isNaN(n) ? '' : thousands(String(Math.round(n)));
}

function plural(n, word, words = word + 's') {
	return `${count(n)} ${n === 1 ? word : words}`;
}

/* With a unit of its own, as strbuf_duration() has it. */
function duration(ns) {
	if (Number.isNaN(ns))
		return '';
	const units = [[1e9, 's'], [1e6, 'ms'], [1e3, 'us'], [1, 'ns']];
	const [scale, unit] = units.find(([one]) => ns >= 0.9995 * one) ?? [1, 'ns'];
	const value = ns / scale;

	return `${value.toFixed(value <= 0 || value >= 99.95 ? 0 : value < 9.995 ? 2 : 1)} ${unit}`;
}

/* One unit for all times of a table, of which the largest is given. */
function unitOf(most) {
	const units = [[1, 'ns', 0], [1e3, 'us', 3], [1e6, 'ms', 3], [1e9, 's', 3]];
	let i = 0;

	while (i + 1 < units.length && most >= 10000 * units[i][0])
		i++;
	return { ns: units[i][0], name: units[i][1], decimals: units[i][2] };
}

function inUnit(ns, unit) {
	if (Number.isNaN(ns))
		return 'n/a';
	const [digits, rest] = (ns / unit.ns).toFixed(unit.decimals).split('.');

	return thousands(digits) + (rest ? '.' + rest : '');
}

function percent(value) {
	return Number.isNaN(value) ? '' : value.toFixed(1);
}

/* A number as csv has it. */
function asInCsv(value, form) {
	if (Number.isNaN(value))
		return 'nothing';
	return /percent|decimal/.test(form) ? value.toFixed(6) : String(value);
}

/* What else the summary shows: before all, and between the times and the findings: async (container,
 * model). */
const summaryFirst = [], summaryParts = [];

/* ---- state ----------------------------------------------------------------------------------- */

let state = new Map(), current = null;

function readAddress() {
	const [id, query = ''] = location.hash.slice(1).split('?');

	return { id, keys: new Map(new URLSearchParams(query)) };
}

function address(id, keys) {
	const given = [...keys].filter(([, value]) => value !== null && value !== '');
	const query = new URLSearchParams(given).toString();

	return '#' + id + (query ? '?' + query : '');
}

/* Of the view of a function; the rest of the state stays. */
const functionAddress = name => address('function', new Map([...state, ['function', name]]));

function go(id, keys = {}) {
	const all = new Map([...state].filter(([key]) => SHARED.includes(key) || id === current?.id));

	Object.entries(keys).forEach(([key, value]) => all.set(key, value));
	if (address(id, all) === location.hash)
		draw();
	else
		location.hash = address(id, all);
}

function set(keys) {
	for (const [key, value] of Object.entries(keys))
		if (value === null || value === '')
			state.delete(key);
		else
			state.set(key, value);
	history.replaceState(null, '', address(current.id, state));
}

/* ---- drawing --------------------------------------------------------------------------------- */

function shown() {
	const times = timesOf();

	return views.filter(view => !view.available || view.available(times));
}

let drawing = 0, drawn = Promise.resolve();

/* Draws the view that the address names, when the drawing before has ended: parts of two would be
 * mixed. A newer call takes the place of those that have not begun. kept: what the view's keep()
 * returned, if it is drawn anew with other data. */
function draw(kept) {
	const mine = ++drawing;

	delete document.body.dataset.ready;
	drawn = drawn.catch(() => {}).then(() => mine === drawing && drawNow(mine, kept));
	return drawn;
}

/* Sets dataset.ready of the body when all parts are there. */
async function drawNow(mine, kept) {
	const { id, keys } = readAddress(), list = shown();
	const main = document.getElementById('view');
	const view = list.find(one => one.id === id) ?? list[0];

	current?.leave?.();
	current = view;
	state = keys;
	drawTabs(list);
	try {
		const of = await modelOf(view, keys);

		if (mine !== drawing)
			return;
		model = of;
		for (const name of view.needs ?? [])
			await model.load(name);
		if (mine !== drawing)
			return;
		main.replaceChildren();
		main.className = '';
		await view.render(main, state, model, kept);
		main.append(...executedFoot());
		document.body.dataset.view = view.id;
		if (mine === drawing)
			document.body.dataset.ready = '1';
	} catch (error) {
		main.replaceChildren(h('p', { class: 'bad' }, String(error.message ?? error)));
		throw error;
	}
}

function drawTabs(list) {
	const shared = new Map([...state].filter(([key]) => SHARED.includes(key)));
	const tabOf = (view, i) => h('a', {
		role: 'tab', href: address(view.id, shared), 'aria-selected': String(view === current),
		title: i < 9 ? `Key ${i + 1}` : null }, view.title);
	const help = h('button', {
		class: 'help', title: 'Keys (?)', 'aria-label': 'Keys', onclick: () => showKeys() }, '?');

	document.getElementById('head').replaceChildren(
		h('div', { class: 'session' }, h('b', {}, 'cinstr'), ' ', headline(), servedSign(), help),
		h('nav', { role: 'tablist', 'aria-label': 'Views' }, list.map(tabOf)));
	const tab = document.querySelector('nav [aria-selected=true]'), bar = tab.parentElement;

	/* in the middle, where there are more than fit */
	bar.scrollLeft = Math.max(0, tab.offsetLeft + tab.offsetWidth / 2 - bar.clientWidth / 2);
}

/* What was recorded. A long command does not hide the rest on a narrow screen. */
function headline() {
	const { session, isMixed, isSampled, other, index } = timesOf();
	const command = session.command_line || index.data.source;
	const facts = [
		duration(session.duration_ns),
		session.processes > 1 && `${count(session.processes)} processes`,
		plural(session.threads, 'thread'),
		isMixed && 'mixed: counted, timed, sampled',
		isSampled ? `${count(session.samples)} samples` : `${count(session.events)} events`,
		session.filter && `only ${session.filter}`,
		other && `compared with ${other.index.data.source}`,
	].filter(part => part).join(' \u00b7 ');

	return h('span', { class: 'headline', title: `${command} \u00b7 ${facts}` },
		h('span', { class: 'command' }, command), h('span', { class: 'dot' }, ' \u00b7 '), facts);
}

/* ---- keys ------------------------------------------------------------------------------------ */

const keys = {
	'/': ['search or filter', () => document.querySelector('input[type=search]')?.focus()],
	'1': ['views, by their place: 1 to 9', null],
	e: ['every number as csv has it, or rounded', () => {
		set({ exact: exactly() ? null : '1' });
		draw();
	}],
	'?': ['these keys', () => showKeys()],
	Escape: ['close; leave the search', () => closeKeys()],
};

function closeKeys() {
	document.getElementById('keys')?.remove();
	document.activeElement?.blur();
}

function showKeys() {
	const rows = { ...keys, ...(current.keys ?? {}) };

	closeKeys();
	const row = ([key, [what]]) => h('tr', {}, h('td', {}, h('kbd', {}, key)), h('td', {}, what));
	document.body.append(h('div', {
		id: 'keys', role: 'dialog', 'aria-label': 'Keys', tabindex: '-1', onclick: closeKeys },
	h('table', {}, Object.entries(rows).map(row))));
}

addEventListener('keydown', event => {
	const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);

	if (event.ctrlKey || event.altKey || event.metaKey || (typing && event.key !== 'Escape'))
		return;
	const act = current?.keys?.[event.key]?.[1] ?? keys[event.key]?.[1];
	const view = /^[1-9]$/.test(event.key) ? shown()[event.key - 1] : null;

	if (!act && !view)
		return;
	event.preventDefault();
	if (act)
		act(event);
	else
		go(view.id);
});
