/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * function_edges.js - who calls a function and what it calls, for view_function.js: found, and as tables.
 */

/* Rows of `edges` by what they call and by who calls. Made once. */
async function edgesOf(model) {
	const edges = await model.load('edges');

	if (!edges.byCaller) {
		const caller = edges.get('caller'), callee = edges.get('function');

		edges.byCaller = new Map();
		edges.byCallee = new Map();
		for (let i = 0; i < edges.n; i++)
			for (const [map, key] of [[edges.byCaller, caller[i]], [edges.byCallee, callee[i]]])
				map.has(key) ? map.get(key).push(i) : map.set(key, [i]);
	}
	return edges;
}

/* other: the column of the function at the other end. */
function edgeTable(container, title, rows, edges, other) {
	const hasNumbers = ({ name }) => edges.has(name) && !edges.isText(name);
	const columns = columnsOf('edges', edges, 'full').filter(hasNumbers), ends = edges.get(other);
	const nameOf = i => ends[i] < 0 ? '[outside]' : edges.model.functionName(ends[i]);
	const cell = i => h('span', { class: 'mono', title: nameOf(i) }, nameOf(i));

	container.append(h('h3', {}, `${title}: ${count(rows.length)}`));
	if (!rows.length)
		return;
	const height = `${Math.min(rows.length, 10) * ROW_HEIGHT + 74}px`;
	const part = h('div', { class: 'part', style: { height } });

	container.append(part);
	table(part, {
		label: title, rows: Int32Array.from(rows),
		columns: [{ heading: 'Function', isLeft: true, width: 260, cell }, ...columns],
		open: i => ends[i] >= 0 && go('function', { function: nameOf(i) }) });
}
