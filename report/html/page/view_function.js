/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_function.js - one function: its callers, itself, what it called, as boxes as large as their share
 * (function_boxes.js); and the same as tables (function_edges.js).
 */

/* What else is shown of the first session's, below the boxes: async (container, number, model). */
const functionParts = [];

/* The session whose function the address names: of what is new in the second one that. */
function ownerInView(state) {
	const name = state.get('function') ?? '';

	return model.functionOf(name) < 0 && model.other?.functionOf(name) >= 0 ? model.other : model;
}

/* The function that the address names, or the one with most time. */
function functionInView(state, owner = model) {
	const number = owner.functionOf(state.get('function') ?? '');

	return number >= 0 ? number : 0;
}

{
	/* Columns that else are decoded when a part of the view is drawn. */
	const MORE = { source: ['function'], histograms: ['function', 'from_ns', 'to_ns', 'calls', 'ns'] };

	function measureOf(state, owner) {
		const list = functionMeasures(owner), find = id => list.find(one => one.id === id);

		return find(state.get('measure')) ?? find('elapsed') ?? list[0];
	}

	/* Of two sessions: whether only one has the function. */
	async function sideNote(number, owner) {
		if (owner !== model)
			return 'New: only B has this function. Values are of B. Its source and the ' +
				'durations of its calls are in a page of B alone.';
		return model.other && (await matchedFunctions()).ofA[number] < 0
			? 'Gone: B does not have this function. Values are of A.' : null;
	}

	async function render(container, state) {
		if (showUncounted(container, state.get('function')))
			return;
		const owner = ownerInView(state), number = functionInView(state, owner);
		const measure = measureOf(state, owner), note = await sideNote(number, owner);
		const edges = await edgesOf(owner), { functions } = owner;
		const callers = edges.byCallee.get(number) ?? [], callees = edges.byCaller.get(number) ?? [];
		const whole = functions.get(measure.inclusive)[number];

		container.classList.add('scrolls');
		container.append(
			h('div', { class: 'tools' }, functionField(),
				measureChoice(owner, measure.id), noInstructions()),
			h('h2', {}, functions.text('full_name', number) || owner.functionName(number)),
			h('p', { class: 'note' }, functionPlace(number, functions)),
			...(note ? [h('p', { class: 'side-note' }, note)] : []),
			functionFacts(number, functions),
			h('div', { class: 'boxes' },
				functionSide('Called by', callers, edges, whole, measure, 'caller'),
				functionItself(number, measure, functions),
				functionSide('Calls', callees, edges, whole, measure, 'function')));
		for (const part of owner === model ? functionParts : [])
			await part(container, number, model);
		edgeTable(container, 'Callers', callers, edges, 'caller');
		edgeTable(container, 'Callees', callees, edges, 'function');
	}

	/* Its values, callers and callees, lines, call sites, durations. */
	function prepare() {
		const load = name => () => model.load(name), functions = async () => model.functions;
		const values = [...FUNCTION_FACTS, ...Object.values(UNCERTAINTY)];
		const marked = values.flatMap(name => [name, name + '.marks']);
		const more = Object.keys(MORE).filter(name => model.has(name));

		return [...decodeColumns([...marked, 'full_name', 'file', 'line', 'module'], functions),
			...decodeColumns(['caller', 'function', 'recursion'], load('edges')),
			async () => { await edgesOf(model); },
			...decodeSteps('edges', 'full', load('edges')),
			...['lines', 'sites'].filter(name => model.has(name))
				.flatMap(name => decodeSteps(name, 'cpu', load(name))),
			...more.flatMap(name => decodeColumns(MORE[name], load(name)))];
	}

	register({ id: 'function', title: 'Function', order: 40, needs: ['edges'], prepare, render,
		ofInstructions: true });
}
