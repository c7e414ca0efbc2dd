/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_function.js - one function: its callers, itself, what it called, as boxes as large as their share
 * (function_boxes.js); and the same as tables (function_edges.js).
 */

/* What else is shown of a function, below the boxes: async (container, number, model). */
const functionParts = [];

/* The function that the address names, or the one with most time. */
function functionInView(state) {
	const number = model.functionOf(state.get('function') ?? '');

	return number >= 0 ? number : 0;
}

{
	/* Columns that else are decoded when a part of the view is drawn. */
	const MORE = { source: ['function'], histograms: ['function', 'from_ns', 'to_ns', 'calls', 'ns'] };

	/* Boxes are of measures that have a part below, too. */
	const measures = () => model.measures().filter(one => one.inclusive);

	function measureOf(state) {
		const list = measures(), find = id => list.find(one => one.id === id);

		return find(state.get('measure')) ?? find('elapsed') ?? list[0];
	}

	async function render(container, state) {
		const number = functionInView(state), measure = measureOf(state);
		const edges = await edgesOf(model);
		const callers = edges.byCallee.get(number) ?? [], callees = edges.byCaller.get(number) ?? [];
		const whole = model.functions.get(measure.inclusive)[number];
		const list = measures().map(one => [one.id, one.title]);
		const choice = choiceOf('Measure', list, measure.id, id => go('function', { measure: id }));

		container.classList.add('scrolls');
		container.append(
			h('div', { class: 'tools' }, functionField(), choice),
			h('h2', {}, model.functions.text('full_name', number) || model.functionName(number)),
			h('p', { class: 'note' }, functionPlace(number)),
			functionFacts(number),
			h('div', { class: 'boxes' },
				functionSide('Called by', callers, edges, whole, measure, 'caller'),
				functionItself(number, measure),
				functionSide('Calls', callees, edges, whole, measure, 'function')));
		for (const part of functionParts)
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
			...['lines', 'sites'].flatMap(name => decodeSteps(name, 'cpu', load(name))),
			...more.flatMap(name => decodeColumns(MORE[name], load(name)))];
	}

	register({ id: 'function', title: 'Function', order: 40, needs: ['edges'], prepare, render });
}
