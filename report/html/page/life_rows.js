/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * life_rows.js - of the tables of view_lives.js: their columns, how a call site and a line are written, and
 * what is shown when a row is chosen.
 */

/* Who calls what, where: f:12 -> g, or =>: a tail call. */
function siteName(section, row) {
	const line = section.get('line')[row], callee = section.text('callee', row);
	const caller = section.text('name', row) + (line > 0 ? `:${line}` : '');
	const arrow = section.get('tail_calls')[row] > 0 ? '\u21d2' : '\u2192';
	const called = callee ? ` ${arrow} ${callee}` : '';

	return h('span', { class: 'mono site', title: caller + called },
		h('span', {}, caller), h('span', {}, called));
}

/* Where the time is of some of several lines, all of them. */
function lineName(section, row) {
	const [from, to, line] = ['line_from', 'line_to', 'line'].map(name => section.get(name)[row]);
	const file = section.text('file', row), name = file.replace(/.*\//, '') || section.text('name', row);
	const at = line > 0 && file ? `:${line}` : '';
	const range = from > 0 && to > from ? ` (${from}-${to})` : '';
	const title = `${file}\n${section.text('function', row)}`;

	return h('span', { class: 'mono', title }, name + at + range);
}

/* Two names need room: intervals of samples are at the bars, and among all columns. */
const isLeftOut = (kind, set, name) => kind === 'sites' && set === 'cpu' && /_(low|high)$/.test(name);

/* Names first; no column of which nothing is known. */
function columnsOfLives(kind, section, set) {
	const isShown = ({ name, form }) =>
		form === 'name' || !section.isEmpty(name) && !isLeftOut(kind, set, name);
	const columns = columnsOf(kind, section, set).filter(isShown);
	const name = columns.find(column => column.form === 'name');
	const cell = { sites: siteName, lines: lineName }[kind];

	if (name && cell)
		name.cell = row => cell(section, row);
	return namesFirst(columns);
}

/* A line may be of several functions; where lines are not known, it is one. */
function openLine(section, row) {
	const names = [...section.text('function', row).split('; '), section.text('name', row)];
	const name = names.find(one => model.functionOf(one) >= 0);

	if (name)
		go('function', { function: name });
}

function openLife(kind, section, row) {
	const name = section.text('name', row);

	if (kind === 'sites')
		go('function', { function: section.text('callee', row) || name });
	else if (kind === 'lines')
		openLine(section, row);
	else if (kind === 'modules')
		go('functions', { filter: name.replace(/.*\//, '') });
	else if (kind === 'threads' && model.has('thread_nodes'))
		go('tree', { thread: `[thread ${name} ${section.get('tid')[row]}]` });
}
