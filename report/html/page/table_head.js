/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * table_head.js - of a table (table.js): how wide its columns are, and what stands above them.
 */

const LEAST_NAME = 150; /* pixels */

/* ---- widths ---------------------------------------------------------------------------------- */

let measuring = null, fontFamily = null;

function textWidth(text, isBold) {
	measuring ??= document.createElement('canvas').getContext('2d');
	fontFamily ??= getComputedStyle(document.body).fontFamily;
	measuring.font = `${isBold ? '600 ' : ''}14px ${fontFamily}`;
	return measuring.measureText(text).width;
}

/* Its heading, which may get an arrow, and a bar. */
function headingWidth(column, isSorted) {
	const text = `${column.heading || column.name || ''}${isSorted ? ' \u25bc' : ''}`;

	return Math.max(textWidth(text, true) + 18, column.hasBar ? 104 : 0);
}

/* What is shown may be the end of what it may be. */
function largestEnd({ section, family, value: which, name }, rows) {
	const values = section.get(name), off = /^(total|cpu)$/.test(family) ? UNCERTAINTY[which] : undefined;
	const offs = section.has(off) ? section.get(off) : null;
	let most = 0;

	for (let i = 0; i < rows.length; i++) {
		const end = values[rows[i]] + (offs ? offs[rows[i]] || 0 : 0);

		if (end > most)
			most = end;
	}
	return most;
}

/* What a column needs: for its heading, and its longest number with marks. */
function widthNeeded(column, rows, unit, isSorted) {
	const heading = headingWidth(column, isSorted);
	const hasNumbers = column.section && !column.cell && !column.isLeft;

	if (!hasNumbers || (!exactly() && !/^(count|time|id)$/.test(column.form)))
		return heading;
	const number = numberText(column, largestEnd(column, rows), unit);

	return Math.max(heading, textWidth(`\u2265 ${number}`) + 18);
}

/* Of texts, but for names: what the first rows need, and no more than WIDTHS. */
function textWidthNeeded(column, rows) {
	let most = 0;

	for (let i = 0; i < rows.length && i < 100; i++)
		most = Math.max(most, textWidth(textOfCell(column, rows[i])));
	return Math.min(column.width, Math.ceil(most) + 20);
}

/* What stands above the heading. */
function groupText(column, unit) {
	return column.form === 'time' && !exactly() ? `${column.group || column.heading} (${unit.name})`
		: column.group ?? '';
}

/* What stands above a single column needs room, too. */
function groupWidth(columns, i, unit) {
	const group = groupText(columns[i], unit), beside = [columns[i - 1], columns[i + 1]];
	const isSame = one => one && group && groupText(one, unit) === group;

	return beside.some(isSame) ? 0 : textWidth(group) + 18;
}

function fitWidths({ columns, rows, sort }, unit) {
	columns.forEach((column, i) => {
		const isSorted = Boolean(sort) && sort.name === column.name;

		if (i && column.isLeft && column.section && !column.cell)
			column.width = textWidthNeeded(column, rows);
		column.width = Math.ceil(Math.max(column.width, widthNeeded(column, rows, unit, isSorted),
			groupWidth(columns, i, unit)));
	});
}

/* In pixels, of fitted columns. */
function widthsIn(container, columns) {
	const whole = container.clientWidth - 42; /* beside a scroll bar */
	const widths = columns.map(column => column.width);

	if (innerWidth <= 600) /* room for a number beside it */
		widths[0] = Math.min(widths[0], Math.floor(innerWidth * 0.5));
	const room = whole - widths.reduce((sum, one) => sum + one, 0);

	/* Rather short names than the last column cut off; what is left is the names'. */
	if (room >= 0 || widths[0] + room >= LEAST_NAME)
		widths[0] += Math.min(room, 360);
	return widths;
}

/* On a narrow screen what the rows are sorted by is beside their names. */
function inOrder({ columns, sort }) {
	const at = innerWidth <= 600 && sort ? columns.findIndex(column => column.name === sort.name) : -1;

	return at < 2 ? columns : [columns[0], columns[at], ...columns.filter((_, i) => i && i !== at)];
}

/* ---- headings -------------------------------------------------------------------------------- */

/* Columns side by side with one text above them: { group, of, n }. */
function groupsOf(columns, unit) {
	const groups = [];

	for (const column of columns) {
		const last = groups[groups.length - 1], group = groupText(column, unit);

		if (last?.group && (last.group === group || (column.group && last.of === column.group)))
			last.n++;
		else
			groups.push({ group, of: column.group, n: 1 });
	}
	return groups;
}

function headingOf(column, { sort, onsort }) {
	const isSorted = Boolean(sort) && sort.name === column.name, arrow = sort?.up ? ' \u25b2' : ' \u25bc';
	const onclick = () => onsort(column.name, isSorted ? !sort.up : column.isLeft);
	const order = sort?.up ? 'ascending' : 'descending';
	const title = column.meaning ? `${column.name}: ${column.meaning}\n${rulesOf(column)}` : null;

	return h('th', { class: column.isLeft ? 'left' : null, scope: 'col', title,
			 'aria-sort': isSorted ? order : null },
		onsort && column.section
			? h('button', { onclick }, column.heading || column.name, isSorted ? arrow : '')
			: column.heading);
}

function headOf(options, unit) {
	const { columns } = options, groups = groupsOf(columns, unit);
	const group = one => h('th', { colspan: one.n }, one.group);
	const above = h('tr', { class: 'groups' }, groups.map(group));

	return h('thead', {}, groups.some(one => one.group) ? above : null,
		h('tr', {}, columns.map(column => headingOf(column, options))));
}
