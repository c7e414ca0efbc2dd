/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * cells.js - what tables show of a value of csv: as text with its marks, its title, its bar, and the cell
 * that these are in.
 */

function numberText(column, value, unit) {
	if (exactly() && column.form !== 'id')
		return exactText(column, value);
	if (/^instructions/.test(column.family) && !value)
		return ''; /* its code is not counted, or not known */
	switch (column.form) {
	case 'time':
		return inUnit(value, unit);
	case 'percent':
		return Number.isNaN(value) ? 'n/a' : percent(value);
	case 'decimal':
		return Number.isNaN(value) ? '' : value.toFixed(2);
	case 'duration':
		return column.family === 'off_cpu' && value <= 0 ? '' : duration(value);
	case 'id':
		return Number.isNaN(value) ? '' : String(value);
	default:
		return count(value);
	}
}

function exactText(column, value) {
	if (Number.isNaN(value))
		return '';
	return /percent|decimal/.test(column.form) ? value.toFixed(6) : thousands(String(value));
}

const marksOf = (section, name, row) => section.has(name + '.marks') ? section.get(name + '.marks')[row] : 0;

/* The first of these that a number has stands behind it. */
const SIGNS = [[MARK.rough, '~'], [MARK.estimated, '\u2248'], [MARK.partial, '*'], [MARK.open, '+']];

/* What is shown of a number, with its marks. */
function cellText(column, row, unit) {
	const { section, name } = column, value = section.get(name)[row], marks = marksOf(section, name, row);

	if (!marks)
		return numberText(column, value, unit);
	if (marks & MARK.upperEnd && !exactly())
		return '\u2264 ' + numberText(column, upperEnd(column, row, value), unit);
	const [, sign] = SIGNS.find(([mark]) => marks & mark) ?? [0, ''];

	return (marks & MARK.least ? '\u2265 ' : '') + numberText(column, value, unit) + sign;
}

/* Where nothing is known but that: the value and what it may be off by. */
function upperEnd(column, row, value) {
	const end = value + (offOf(column.section, column, row)?.[1] ?? 0);

	return /percent$/.test(column.family) ? Math.min(end, 100) : end;
}

function cellTitle(column, row) {
	const { section, name, form } = column, value = section.get(name)[row];
	const unit = /_ns$/.test(name) ? ' ns' : '';
	const asText = one => /percent|decimal/.test(form) ? one.toFixed(6) : String(+one.toFixed(1));
	const off = offText(value, offOf(section, column, row), unit, asText);

	const isUncounted = /^instructions/.test(column.family) && !value;

	return [`${name}: ${asInCsv(value, form)}${Number.isNaN(value) ? '' : unit}${off}`,
		...(isUncounted ? ['its code is not counted, or not known'] : []),
		...tellMarks(marksOf(section, name, row)), column.meaning, rulesOf(column)].join('\n');
}

/* ---- a value alone, outside of its table ----------------------------------------------------- */

/* With its marks and a unit of its own. */
function shownValue(table, section, name, row) {
	const info = infoOf(table, name);

	if (!info)
		return '';
	const column = csvColumn(section, info, 'cpu');

	column.form = info.form === 'time' ? 'duration' : info.form;
	if (info.family === 'off_cpu')
		column.family = 'total';
	return cellText(column, row);
}

/* As cellTitle(). */
function shownTitle(table, section, name, row) {
	const info = infoOf(table, name);

	return info ? cellTitle(csvColumn(section, info, 'cpu'), row) : '';
}

/* What it may be off by (offOf). */
function shownOff(table, section, name, row) {
	const info = infoOf(table, name);

	return info ? offOf(section, csvColumn(section, info, 'cpu'), row) : null;
}

/* ---- cells of a row -------------------------------------------------------------------------- */

/* The share of the largest one as a bar, and what it may be off by as a whisker. */
function bar(column, row, most) {
	const value = column.section.get(column.name)[row];

	if (!(most > 0) || !(value >= 0))
		return null;
	return h('span', { class: 'bar', 'aria-hidden': 'true' },
		h('i', { style: { width: `${Math.min(value / most, 1) * 100}%` } }),
		whisker(value, offOf(column.section, column, row), most));
}

/* most: what the whole of its bar is. */
function cellOf(column, row, unit, most) {
	if (column.cell)
		return h('td', { class: column.isLeft ? 'left' : null }, column.cell(row));
	if (column.isLeft)
		return textCell(column, row);
	return h('td', { title: cellTitle(column, row) }, most ? bar(column, row, most) : null,
		cellText(column, row, unit));
}

const CUT_FROM = 20, CUT_MOST = 28; /* characters: of a name; of its end */

/* A name whose middle is left out where it has no room, not its end: its last part, or some letters. */
function cutName(name) {
	const last = name.lastIndexOf('::'), least = name.length - CUT_MOST;
	const at = name.length <= CUT_FROM ? name.length
		: last > 0 && last >= least ? last : name.length - 12;

	const end = name.slice(at), style = { 'max-width': `max(3ch, 100% - ${end.length}ch)` };

	return h('span', { class: 'cut' }, h('span', { style }, name.slice(0, at)), end);
}

function textOfCell({ section, name, form }, row) {
	const text = section.text(name, row);

	if (form !== 'source')
		return text;
	const line = text ? section.get('line')[row] : NaN;

	return text.replace(/.*\//, '') + (line > 0 ? `:${line}` : '');
}

function textCell(column, row) {
	const text = textOfCell(column, row);

	return h('td', { class: 'left ' + column.form, title: column.section.text(column.name, row) },
		column.form === 'name' ? cutName(text) : text);
}
