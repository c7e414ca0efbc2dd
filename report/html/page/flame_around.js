/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * flame_around.js - what stands around the flame graph of view_flame.js: what can be chosen, where the zoom is, what
 * the selected box is; below it what it does not show, and its colours.
 */

const changeFlame = keys => go('flame', keys);
const flipFlame = (key, value) => changeFlame({ [key]: state.get(key) === value ? null : value });
const invertFlame = graph => changeFlame({ invert: graph.isInverted ? null : '1', path: null, chain: null });
const collapseFlame = graph => changeFlame({ collapse: graph.isCollapsed ? null : '1', chain: null });
const FLAME_SESSIONS = [['before', 'A, before', 'boxes are as wide as in A'], ['after', 'B, after', 'boxes are as wide as in B']];

function flameChoice(label, list, at, key) {
	return h('span', { class: 'choice', role: 'group', 'aria-label': label }, list.map(([id, title, what]) =>
		h('button', { 'aria-pressed': String(id === at), title: what, onclick: () => changeFlame({ [key]: id }) }, title)));
}

/* Two sessions have that of the change, one that of waiting. */
function hasFlameColour({ trees }, id) {
	return id === 'change' ? trees.after : id !== 'waiting' || !trees.after && !model.functions.isEmpty('off_cpu_ns');
}

function flameColours(graph, list) {
	return h('label', {}, 'Colour ',
		h('select', { 'aria-label': 'Colour', onchange: event => changeFlame({ colour: event.target.value }) },
		  list.map(([id, title]) => h('option', { value: id, selected: id === graph.colour }, title))));
}

function flameSwitch(title, isOn, what, turn) {
	return h('button', { 'aria-pressed': String(isOn), title: what, onclick: turn }, title);
}

function flameTools(graph, state) {
	const found = h('span', { class: 'found', 'aria-live': 'polite', id: 'flame-found' }), { trees } = graph;
	const look = text => found.textContent = graph.search(text);
	const input = h('input', { type: 'search', placeholder: 'Find a function', 'aria-label': 'Find', value: state.get('find'),
		oninput: event => { set({ find: event.target.value }); look(event.target.value); },
		onkeydown: event => event.key === 'Enter' && graph.next(event.shiftKey ? -1 : 1) });
	const colours = Object.entries(FLAME_COLOURS).filter(([id]) => hasFlameColour(graph, id));

	graph.look = () => look(input.value);
	return h('div', { class: 'tools' }, input, found,
		flameChoice('Width', flameMeasures().map(one => [one.id, one.title, 'boxes are as wide as this']),
			    graph.measure.id, 'measure'),
		colours.length > 1 ? flameColours(graph, colours) : null,
		trees.after ? flameChoice('Session', FLAME_SESSIONS, graph.width, 'width') : null,
		flameSwitch('Flame', graph.isFlame, 'callers at the bottom', () => flipFlame('shape', 'flame')),
		flameSwitch('Callers', graph.isInverted, 'what is in a function alone, with its callers below (i)', () => invertFlame(graph)),
		flameSwitch('Recursion as one', graph.isCollapsed, 'each function once on a path (r)', () => collapseFlame(graph)));
}

/* Where the zoom is: its callers, each to go back to. */
function flameCrumbs(graph, element) {
	const chain = graph.tree.chain(graph.zoom), shown = chain.length > 12 ? [...chain.slice(0, 4), null, ...chain.slice(-7)] : chain;

	element.replaceChildren(
		h('button', { disabled: graph.zoom < 0, onclick: () => graph.zoomTo(-1), title: 'all of it (0)' }, 'All'),
		...shown.flatMap(node => [h('span', { 'aria-hidden': 'true' }, ' \u203a '), node === null ? `${chain.length - 11} more` :
			h('button', { onclick: () => graph.zoomTo(node), 'aria-current': node === graph.zoom ? 'location' : null }, graph.name(node))]));
}

/* What is said of the selected path, and where else to look at it. */
function flameAbout(graph, element) {
	const node = graph.selected;

	if (node < 0) {
		element.replaceChildren(h('span', { class: 'note' }, model.isMixed ? 'Parts that samples tell are \u2248 estimates. ' : '',
			'Click a box to zoom in; arrow keys and Enter do so, too.'));
		return;
	}
	const label = graph.tree.label[node], f = label < model.functions.n ? label : -1, path = graph.addressOf(node).path;
	const [name, ...rest] = graph.tell(node).split('\n');

	element.replaceChildren(h('b', {}, name), h('span', {}, rest.filter(line => !/^[RMS]\d/.test(line)).join(' \u00b7 ')),
		path !== null && !state.get('thread') ? h('button', { onclick: () => go('tree', { path, find: null }), title: 'the path in the tree (t)' }, 'In the tree') : '',
		f >= 0 ? h('button', { onclick: () => go('function', { function: model.functionName(f) }), title: 'f' }, 'Function') : '');
}

function flameNote(graph, element) {
	const { narrow, narrowValue } = graph.boxes, { paths_hidden: hidden, least_percent: least } = model.index;
	const parts = [];

	if (narrow)
		parts.push(`${count(narrow)} frame${narrow === 1 ? '' : 's'} narrower than a pixel (grey): ${graph.share(narrowValue)}`);
	if (hidden)
		parts.push(`${count(hidden)} paths below ${least.toFixed(4)} % are not in this page; they are own time of their callers here`);
	if (graph.measure.id === 'calls')
		parts.push('as wide as the calls of a path and of all that it called');
	if (graph.colour === 'waiting')
		parts.push('blue: on a processor, orange: waiting');
	if (graph.colour === 'change')
		parts.push(`red: ${model.isSampled ? 'a larger share' : 'more'} in B, blue: less, grey: the same, or ` +
			'within what is uncertain');
	element.textContent = parts.join(' \u00b7 ');
}

/* Colours of the modules with most. */
function flameLegend(graph, element) {
	if (graph.colour !== 'module')
		return;
	const list = graph.trees.modulesWithMost(graph.measure, graph.width), most = list.slice(0, 6);

	element.replaceChildren(...most.map(([module, sum]) => h('li', { title: module || 'of no module' }, h('i', { style: { background: moduleColour(module) } }),
		`${module.replace(/.*\//, '') || 'none'} `, h('b', {}, graph.share(sum)))), list.length > most.length ? h('li', {}, `${count(list.length - most.length)} more`) : '');
}
