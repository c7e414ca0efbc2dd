/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * columns.js - columns of csv as tables show them (table.js), the sets of them that can be chosen, the order,
 * and what the address says of both; which rows a filter leaves.
 */

/* In the table of times on the processor, as heading_brief(). */
const BRIEF = {
	cpu_inclusive_ns: 'CPU', cpu_exclusive_ns: 'CPU excl',
	cpu_inclusive_percent: 'CPU %', cpu_exclusive_percent: 'CPU excl %',
	off_cpu_ns: 'Waiting', off_cpu_exclusive_ns: 'Waiting excl',
	elapsed_inclusive_ns: 'Total', elapsed_exclusive_ns: 'Total excl',
	elapsed_exclusive_uncertainty_ns: '+-',
	avg_elapsed_inclusive_ns: 'Avg', max_elapsed_inclusive_ns: 'Max',
};
/* At least. */
const WIDTHS = {
	count: 64, id: 60, time: 84, percent: 60, duration: 100,
	decimal: 70, relation: 90, module: 150, source: 170, text: 150,
};

/* A column of csv, as table() takes it. set: cpu, full, os: how it is headed and written. */
function csvColumn(section, info, set) {
	const brief = set === 'cpu' && BRIEF[info.name];
	const form = brief && info.form === 'time' ? 'duration' : info.form;

	return {
		...info, form, section,
		group: brief ? '' : info.group,
		heading: brief || info.heading,
		isLeft: /^(relation|name|module|source|text)$/.test(form),
		width: brief ? 104 : WIDTHS[form] ?? 260,
	};
}

/* A value's column of a table, that has it or not. */
/* Of the second session there may be others than of the first. */
function infoOf(table, name) {
	const infoIn = one => one?.index.tables[table]?.columns.find(column => column.name === name);

	return infoIn(model) ?? infoIn(model.other);
}

function columnsOf(table, section, set) {
	const { columns, ...sets } = (section.model ?? model).index.tables[table];
	const all = () => columns.map(column => column.name).filter(name => !section.isEmpty(name));
	const names = set === 'all' ? all() : sets[set];

	return names.map(name => infoOf(table, name)).filter(info => info)
		.map(info => csvColumn(section, info, set));
}

const namesFirst = columns => columns.sort((a, b) => (b.form === 'name') - (a.form === 'name'));

/* Bars are of what the rows are sorted by. */
function showBarsOf(columns, name) {
	const families = /^(total|cpu|off_cpu|samples|instructions)$/;

	for (const column of columns)
		column.hasBar = column.name === name && families.test(column.family);
}

/* ---- the sets, and the order, in the address ------------------------------------------------- */

const SETS = { cpu: 'Time', full: 'Four values', os: 'System', all: 'All columns' };

/* Executed instructions have one. */
const setOfAddress = state => !model.isExecuted && SETS[state.get('columns')] ? state.get('columns') : 'cpu';

/* The sets of columns of a table of times that differ. */
function setsOf(table, section, ids) {
	const { columns, ...sets } = timesOf().index.tables[table], seen = new Set();
	const namesOf = id => section.model.isExecuted ? sets[id] ?? columns.map(column => column.name)
		: columnsOf(table, section, id).map(column => column.name);

	return ids.filter(id => !seen.has(namesOf(id).join()) && seen.add(namesOf(id).join()));
}

/* Buttons for these, and for instructions; at: the one that the view shows. */
function setChoice(view, table, section, at, ids = Object.keys(SETS)) {
	const list = setsOf(table, section, ids).map(id => [id, SETS[id]]);
	const all = [...list, ...measureOfInstructions()], now = model.isExecuted ? 'instructions' : at;
	const ofTimes = id => ({ columns: id === ids[0] ? null : id });
	const chosen = id => id === 'instructions' ? goToMeasure(view, id)
		: goToMeasure(view, null, ofTimes(id));

	return all.length < 2 ? noInstructions()
		: [choiceOf('Columns', all, now, chosen), noInstructions()];
}

/* { name, up }, or null: the address says nothing of it, or what this measure does not have. */
function sortOfAddress(state, section) {
	const text = state.get('sort'), name = text?.replace(/:asc$/, '');

	return text && (section.has(name) || name === 'name') ? { name, up: /:asc$/.test(text) } : null;
}

const sortInAddress = view => (name, up) => go(view, { sort: name + (up ? ':asc' : '') });

/* ---- a filter -------------------------------------------------------------------------------- */

/* Of the model's strings: whether one has the text; each is looked at once. */
function stringsWith(text, owner) {
	const lower = owner.lower ??= owner.strings.map(one => one.toLowerCase());
	const wanted = text.toLowerCase(), hits = new Int8Array(lower.length);

	return string => {
		if (string < 0)
			return false;
		if (!hits[string])
			hits[string] = lower[string].includes(wanted) ? 1 : -1;
		return hits[string] > 0;
	};
}

/* Rows that have the text in one of these columns. */
function rowsWith(text, section, names) {
	if (!text)
		return upTo(section.n);
	const isString = name => section.columns.get(name)?.kind === 's';
	const columns = names.filter(isString).map(name => section.get(name));
	const has = stringsWith(text, section.model), rows = new Int32Array(section.n);
	let n = 0;

	for (let row = 0; row < section.n; row++)
		if (columns.some(column => has(column[row])))
			rows[n++] = row;
	return rows.subarray(0, n);
}

/* ---- steps of a view's prepare() ------------------------------------------------------------- */

/* Decodes these columns, those there are. */
function decodeColumns(names, load) {
	return names.map(name => async () => {
		const section = await load();

		return section.has(name) && !section.decode(name, DECODED_AT_ONCE) ? 'more' : '';
	});
}

/* The same of the columns of a set, their marks and what they may be off by. */
function decodeSteps(table, set, load) {
	const { [set]: names } = model.index.tables[table];
	const offs = names.map(name => UNCERTAINTY[infoOf(table, name)?.value]);
	const all = new Set([...names.flatMap(name => [name, name + '.marks']), ...offs]);

	return decodeColumns([...all].filter(name => name), load);
}
