/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * source_lines.js - lines of view_source.js: their values, what is called from there.
 */

/* Columns of a line, of those that the session has. */
const LINE_COLUMNS = ['elapsed_inclusive_ns', 'elapsed_exclusive_ns', 'off_cpu_exclusive_ns', 'calls',
	'inclusive_samples', 'exclusive_samples', 'instructions', 'executions'];
const LEAST_HEAT = 0.005; /* of the function's time, from which a line has a ground */

const lineColumns = lines => LINE_COLUMNS.filter(name => lines.has(name) && !lines.isEmpty(name));

const lineHeading = name => BRIEF[name] ?? infoOf('lines', name).heading;

function linesHead(lines) {
	const heading = name => h('th', {}, lineHeading(name));

	return h('thead', {}, h('tr', {},
		lineColumns(lines).map(heading), h('th', {}, 'Line'), h('th', {}, '')));
}

/* What of the function's time a line has, for its ground. */
function lineHeat(lines, row, number) {
	const name = model.isExecuted ? 'instructions' : model.exclusive;
	const whole = model.functions.get(model.exclusive)[number];

	return row < 0 || !(whole > 0) ? 0 : Math.min(lines.get(name)[row] / whole, 1) || 0;
}

/* The lines that a value is of, where they are several. */
function rangeOfLines(lines, row) {
	const from = lines.get('line_from')[row], to = lines.get('line_to')[row];

	return from > 0 && to > from ? `${from}\u2013${to}` : '';
}

/* range: of what is in the line alone. A narrow screen has no room for the head: each says what it is. */
function lineCell(lines, name, row, range) {
	const column = csvColumn(lines, infoOf('lines', name), 'cpu'), value = lines.get(name)[row];
	const title = cellTitle(column, row) + (range ? `\nof some of the lines ${range}` : '');
	const hasRange = range && /exclusive/.test(name) && value > 0;

	if (!(value > 0))
		return model.isExecuted && name === 'executions'
			? h('td', { title, 'data-name': lineHeading(name) }, 'never') : h('td', { title });
	return h('td', { title, 'data-name': lineHeading(name) }, shownValue('lines', lines, name, row),
		hasRange ? h('small', {}, ` [${range}]`) : null);
}

/* Line i of the source; names: of its columns; number: the function's. */
function lineRow(source, i, lines, names, number) {
	const row = source.get('row')[i], part = lineHeat(lines, row, number), isWarm = part > LEAST_HEAT;
	const range = row < 0 ? '' : rangeOfLines(lines, row);
	const cell = name => row < 0 ? h('td') : lineCell(lines, name, row, range);
	const style = isWarm ? { '--heat': `${Math.round(part * 45)}%` } : {};
	const isNever = model.isExecuted && row >= 0 && !lines.get('executions')[row];

	return h('tr', { style, class: isWarm ? 'warm' : isNever ? 'never' : null }, names.map(cell),
		h('td', { class: 'number' }, String(source.get('line')[i])),
		h('td', { class: 'text' }, source.text('text', i)));
}

/* A call from the line above; n: columns of values before it. */
function callRow(sites, site, n) {
	const callee = sites.text('callee', site), calls = sites.get('calls')[site];
	const name = model.inclusive;
	const isFunction = model.functionOf(callee) >= 0;
	const link = isFunction ? h('a', { href: functionAddress(callee) }, callee) : callee;
	const title = shownTitle('sites', sites, name, site), value = shownValue('sites', sites, name, site);

	return h('tr', { class: 'call' }, h('td', { colspan: n }), h('td'), h('td', {}, '\u2192 ', link,
		h('span', { title }, ` ${value}`), calls > 0 ? `  ${count(calls)} calls` : ''));
}
