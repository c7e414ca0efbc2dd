/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_function.js - one function: its callers, itself, what it called, as boxes as large as their share; and
 * the same as tables.
 */

/* Rows of `edges` by what they call and by who calls. Made once. */
async function edgesOf(model) {
	const edges = await model.load('edges');

	if (!edges.byCaller) {
		edges.byCaller = new Map();
		edges.byCallee = new Map();
		const caller = edges.get('caller'), callee = edges.get('function');

		for (let i = 0; i < edges.n; i++)
			for (const [map, key] of [[edges.byCaller, caller[i]], [edges.byCallee, callee[i]]])
				map.has(key) ? map.get(key).push(i) : map.set(key, [i]);
	}
	return edges;
}

/* The function that the address names, or the one with most time. */
function functionInView(state) {
	const number = model.functionOf(state.get('function') ?? '');

	return number >= 0 ? number : 0;
}

function functionChoice(view) {
	const id = 'functions-known', names = h('datalist', { id });

	return [h('input', { type: 'search', list: id, placeholder: 'Another function', 'aria-label': 'Function', onfocus: () => {
		if (!names.childElementCount && model.functions.n <= 2000)
			names.append(...Array.from({ length: model.functions.n }, (_, i) => h('option', { value: model.functionName(i) })));
	}, onchange: event => {
		const wanted = event.target.value.toLowerCase();
		let number = model.functionOf(event.target.value);

		for (let i = 0; number < 0 && i < model.functions.n; i++)
			if (model.functionName(i).toLowerCase().includes(wanted))
				number = i;
		if (number >= 0)
			go(view, { function: model.functionName(number) });
	} }), names];
}

{
	const FACTS = ['calls', 'elapsed_inclusive_ns', 'elapsed_exclusive_ns', 'application_inclusive_ns', 'application_exclusive_ns', 'off_cpu_ns',
		       'off_cpu_exclusive_ns', 'avg_elapsed_inclusive_ns', 'min_elapsed_inclusive_ns', 'p50_elapsed_inclusive_ns', 'p99_elapsed_inclusive_ns',
		       'max_elapsed_inclusive_ns', 'inclusive_samples', 'exclusive_samples', 'inclusive_percent', 'exclusive_percent'];

	function measureOf(state) {
		const measures = model.measures().filter(one => one.inclusive);

		return measures.find(one => one.id === state.get('measure')) ?? measures.find(one => one.id === 'elapsed') ?? measures[0];
	}

	/* What csv has of it, in words. */
	function facts(number) {
		const section = model.functions, { columns } = model.index.tables.functions;
		const unit = { ns: 1e6, decimals: 3 };

		return h('dl', { class: 'facts' }, FACTS.filter(name => section.has(name) && !Number.isNaN(section.get(name)[number])).map(name => {
			const column = csvColumn(section, columns.find(one => one.name === name), 'cpu');

			column.form = column.form === 'time' ? 'duration' : column.form;
			return cellText(column, number, unit) === '' ? null : h('div', { title: cellTitle(column, number) }, h('dt', {}, `${column.group ? column.group + ', ' : ''}${column.heading}`), h('dd', {}, cellText(column, number, unit)));
		}));
	}

	function edgeTable(container, title, rows, edges, other) {
		const set = 'full', names = model.index.tables.edges[set];
		const columns = names.map(name => model.index.tables.edges.columns.find(column => column.name === name))
			.filter(info => info && edges.has(info.name) && !edges.isText(info.name)).map(info => csvColumn(edges, info, set));
		const nameOf = i => edges.get(other)[i] < 0 ? '[outside]' : model.functionName(edges.get(other)[i]);

		container.append(h('h3', {}, `${title}: ${count(rows.length)}`));
		if (!rows.length)
			return;
		const part = h('div', { class: 'part', style: { height: `${Math.min(rows.length, 10) * ROW_HEIGHT + 74}px` } });

		container.append(part);
		table(part, { label: title, rows: Int32Array.from(rows), columns: [{ heading: 'Function', isLeft: true, width: 260,
			cell: i => h('span', { class: 'mono', title: nameOf(i) }, nameOf(i)) }, ...columns],
			open: i => edges.get(other)[i] >= 0 && go('function', { function: nameOf(i) }) });
	}

	async function render(container, state) {
		const number = functionInView(state), measure = measureOf(state), edges = await edgesOf(model);
		const callers = edges.byCallee.get(number) ?? [], callees = edges.byCaller.get(number) ?? [];
		const whole = model.functions.get(measure.inclusive)[number], file = model.functions.text('file', number), line = model.functions.get('line')[number];

		container.classList.add('scrolls');
		container.append(h('div', { class: 'tools' }, functionChoice('function'),
			h('span', { class: 'choice', role: 'group', 'aria-label': 'Measure' }, model.measures().filter(one => one.inclusive).map(one =>
				h('button', { 'aria-pressed': String(one === measure), onclick: () => go('function', { measure: one.id }) }, one.title)))),
			h('h2', {}, model.functions.text('full_name', number) || model.functionName(number)),
			h('p', { class: 'note' }, [file && `${file}${line > 0 ? ':' + line : ''}`, model.functions.text('module', number)].filter(one => one).join(' \u00b7 ')),
			facts(number),
			h('div', { class: 'boxes' }, functionSide('Called by', callers, edges, whole, measure, 'caller'), functionItself(number, measure),
				functionSide('Calls', callees, edges, whole, measure, 'function')));
		for (const part of functionParts)
			await part(container, number, model);
		edgeTable(container, 'Callers', callers, edges, 'caller');
		edgeTable(container, 'Callees', callees, edges, 'function');
	}

	/* Its values, callers and callees, lines, call sites, durations. */
	function prepare() {
		const { functions } = model, off = Object.values(UNCERTAINTY), more = { source: ['function'], histograms: ['function', 'from_ns', 'to_ns', 'calls', 'ns'] };
		const load = name => () => model.load(name);

		return [...decodeColumns([...[...FACTS, ...off].flatMap(name => [name, name + '.marks']), 'full_name', 'file', 'line', 'module'], async () => functions),
			...decodeColumns(['caller', 'function', 'recursion'], load('edges')), async () => { await edgesOf(model); },
			...decodeSteps('edges', 'full', load('edges')), ...['lines', 'sites'].flatMap(name => decodeSteps(name, 'cpu', load(name))),
			...Object.keys(more).filter(name => model.has(name)).flatMap(name => decodeColumns(more[name], load(name)))];
	}

	register({ id: 'function', title: 'Function', order: 40, needs: ['edges'], prepare, render });
}

/* What else is shown of a function, below the boxes: async (container, number, model). */
const functionParts = [];
