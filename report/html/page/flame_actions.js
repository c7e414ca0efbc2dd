/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * flame_actions.js - what is done with the flame graph of view_flame.js: clicks, where the zoom is in the
 * address, what can be chosen above it, going to other views.
 */

const FLAME_SESSIONS = [['before', 'A, before', 'boxes are as wide as in A'],
			['after', 'B, after', 'boxes are as wide as in B']];

const changeFlame = keys => go('flame', keys);
const flipFlame = graph => changeFlame({ shape: graph.isFlame ? null : 'flame' });
const invertFlame = graph => changeFlame({ invert: graph.isInverted ? null : '1', path: null, chain: null });
const collapseFlame = graph => changeFlame({ collapse: graph.isCollapsed ? '0' : null, chain: null });

/* ---- the selected box ------------------------------------------------------------------------ */

/* -1: it is none. */
function selectedFunction({ selected, tree }) {
	const label = selected < 0 ? -1 : tree.label[selected];

	return label < model.functions.n ? label : -1;
}

/* null: the tree does not have it. */
const selectedPath = graph => state.get('thread') ? null : graph.addressOf(graph.selected).path;

/* What is no path of the tree (callers below, recursion as one) is looked for by its function. */
function flameToTree(graph) {
	const path = graph.selected < 0 || state.get('thread') ? null : graph.addressOf(graph.selected).path;
	const f = selectedFunction(graph);

	if (path)
		go('tree', { path, find: null });
	else if (f >= 0)
		go('tree', { path: null, find: model.functionName(f) });
}

function flameToFunction(graph) {
	const f = selectedFunction(graph);

	if (f >= 0)
		go('function', { function: model.functionName(f) });
}

function clickFlame(graph, x, y) {
	const box = graph.boxAt(x, y), node = box < 0 ? -2 : graph.boxes.node[box];

	if (node < 0)
		return;
	graph.selected = node;
	if (node === graph.zoom)
		graph.onMove();
	else
		graph.zoomTo(node);
}

/* What a drawn graph does, beside what it draws. where, what, foot: what stands above it and below. */
function connectFlame(graph, container, { where, what, foot }) {
	graph.onMove = () => {
		const f = selectedFunction(graph);

		set(graph.addressOf(graph.selected));
		if (f >= 0)
			set({ function: model.functionName(f) });
		flameCrumbs(graph, where);
		flameAbout(graph, what);
	};
	graph.onDrawn = () => flameNote(graph, foot);
	graph.box = new CanvasBox(container, {
		label: 'Flame graph',
		draw: (...all) => graph.draw(...all),
		fromEnd: () => graph.isFlame,
		hover: (x, y) => graph.hover(x, y),
		key: event => graph.key(event),
		click: (x, y) => clickFlame(graph, x, y) });
}

/* ---- what can be chosen ---------------------------------------------------------------------- */

/* Two sessions have that of the change, one that of waiting. */
function hasFlameColour({ trees }, id) {
	if (id === 'change')
		return Boolean(trees.after);
	return id !== 'waiting' || (!trees.after && !model.functions.isEmpty('off_cpu_ns'));
}

function flameColours(graph) {
	const list = Object.entries(FLAME_COLOURS).filter(([id]) => hasFlameColour(graph, id));
	const option = ([id, title]) => h('option', { value: id, selected: id === graph.colour }, title);
	const onchange = event => changeFlame({ colour: event.target.value });

	return list.length < 2 ? null : h('label', {}, 'Colour ',
		h('select', { 'aria-label': 'Colour', onchange }, list.map(option)));
}

function flameSwitch(title, isOn, what, turn) {
	return h('button', { 'aria-pressed': String(isOn), title: what, onclick: turn }, title);
}

/* graph.look(text): finds it, and says what is found. */
function flameTools(graph) {
	const found = h('span', { class: 'found', 'aria-live': 'polite', id: 'flame-found' });
	const ofTimes = flameMeasures(timesOf()).map(({ id, title }) => [id, title]);
	const measures = [...ofTimes, ...measureOfInstructions()]
		.map(([id, title]) => [id, title, 'boxes are as wide as this']);
	const choose = key => id => changeFlame({ [key]: id });
	const next = isBack => graph.next(isBack ? -1 : 1);

	graph.look = text => { found.textContent = graph.search(text); };
	return h('div', { class: 'tools' }, findField(graph.look, next), found,
		choiceOf('Width', measures, graph.measure.id, id => goToMeasure('flame', id)),
		noInstructions(),
		flameColours(graph),
		graph.trees.after ? choiceOf('Session', FLAME_SESSIONS, graph.width, choose('width')) : null,
		flameSwitch('Flame', graph.isFlame, 'callers at the bottom', () => flipFlame(graph)),
		flameSwitch('Callers', graph.isInverted,
			'what is in a function alone, with its callers below (i)', () => invertFlame(graph)),
		graph.trees.isRecursive ? flameSwitch('Recursion as one', graph.isCollapsed,
			'each function once on a path (r)', () => collapseFlame(graph)) : null);
}
