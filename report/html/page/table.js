/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * table.js - tables of any length: only the rows on the screen are elements. Rows are numbers; their
 * order is an array of them.
 */

const ROW_HEIGHT = 24, ROWS_AROUND = 8, ROWS_PRINTED = 1000;
const LEAST_NAME = 150; /* pixels */
const tablesShown = new Set(); /* for paper (canvas.js) */

/* ---- columns --------------------------------------------------------------------------------- */

/* In the table of times on the processor, as heading_brief(). */
const BRIEF = { cpu_inclusive_ns: 'CPU', cpu_exclusive_ns: 'CPU excl', off_cpu_ns: 'Waiting', off_cpu_exclusive_ns: 'Waiting excl',
		cpu_inclusive_percent: 'CPU %', cpu_exclusive_percent: 'CPU excl %', elapsed_inclusive_ns: 'Total', elapsed_exclusive_ns: 'Total excl', avg_elapsed_inclusive_ns: 'Avg',
		max_elapsed_inclusive_ns: 'Max', elapsed_exclusive_uncertainty_ns: '+-' };
/* At least. */
const WIDTHS = { count: 64, id: 60, time: 84, percent: 60, duration: 100, relation: 90, module: 150, source: 170, text: 150 };

/* A column of csv, as table() takes it. set: cpu, full, os: how it is headed and written. */
function csvColumn(section, info, set) {
	const brief = set === 'cpu' && BRIEF[info.name], form = brief && info.form === 'time' ? 'duration' : info.form;

	return { ...info, form, section, group: brief ? '' : info.group, heading: brief || info.heading,
		 isLeft: /^(relation|name|module|source|text)$/.test(form), width: brief ? 104 : WIDTHS[form] ?? 260 };
}

function columnsOf(table, section, set) {
	const { columns, ...sets } = model.index.tables[table];
	const names = set === 'all' ? columns.map(column => column.name).filter(name => !section.isEmpty(name)) : sets[set];

	return names.map(name => columns.find(column => column.name === name)).filter(info => info)
		.map(info => csvColumn(section, info, set));
}

const SETS = { cpu: 'Time', full: 'Four values', os: 'System', all: 'All columns' };

/* Buttons for the sets of columns that differ. chosen(id): of another one. */
function setChoice(table, section, at, ids, chosen) {
	const seen = new Set(), keyOf = id => columnsOf(table, section, id).map(column => column.name).join();
	const list = ids.filter(id => !seen.has(keyOf(id)) && seen.add(keyOf(id)));

	return list.length < 2 ? null : h('span', { class: 'choice', role: 'group', 'aria-label': 'Columns' }, list.map(id =>
		h('button', { 'aria-pressed': String(id === at), onclick: () => chosen(id === ids[0] ? null : id) }, SETS[id])));
}

/* Rows that have the text in one of these columns. A string is looked at once, whatever rows have it. */
function rowsWith(text, section, names) {
	if (!text)
		return upTo(section.n);
	const wanted = text.toLowerCase(), { strings } = section.model, hits = new Int8Array(strings.length), rows = new Int32Array(section.n);
	const columns = names.filter(name => section.columns.get(name)?.kind === 's').map(name => section.get(name));
	const has = string => {
		if (string < 0)
			return false;
		if (!hits[string])
			hits[string] = (section.model.lower ??= strings.map(one => one.toLowerCase()))[string].includes(wanted) ? 1 : -1;
		return hits[string] > 0;
	};
	let n = 0;

	for (let row = 0; row < section.n; row++)
		if (columns.some(column => has(column[row])))
			rows[n++] = row;
	return rows.subarray(0, n);
}

/* Steps of a view's prepare(): decodes these columns, those there are. */
function decodeColumns(names, load) {
	return names.map(name => async () => {
		const section = await load();

		return section.has(name) && !section.decode(name, DECODED_AT_ONCE) ? 'more' : '';
	});
}

/* The same of the columns of a set, their marks and what they may be off by. */
function decodeSteps(table, set, load) {
	const { columns, [set]: names } = model.index.tables[table];
	const offs = names.map(name => UNCERTAINTY[columns.find(column => column.name === name)?.value]);

	return decodeColumns([...new Set([...names.flatMap(name => [name, name + '.marks']), ...offs])].filter(name => name), load);
}

/* ---- cells ----------------------------------------------------------------------------------- */

function numberText(column, value, unit) {
	if (exactly() && column.form !== 'id')
		return Number.isNaN(value) ? '' : column.form === 'percent' ? value.toFixed(6) : thousands(String(value));
	switch (column.form) {
	case 'time':
		return inUnit(value, unit);
	case 'percent':
		return Number.isNaN(value) ? 'n/a' : percent(value);
	case 'duration':
		return column.family === 'off_cpu' && value <= 0 ? '' : duration(value);
	case 'id':
		return Number.isNaN(value) ? '' : String(value);
	default:
		return count(value);
	}
}

const marksOf = (section, name, row) => section.has(name + '.marks') ? section.get(name + '.marks')[row] : 0;

/* What is shown of a number, with its marks. */
function cellText(column, row, unit) {
	const { section, name } = column, value = section.get(name)[row], marks = marksOf(section, name, row);

	if (marks & MARK.upperEnd && !exactly())
		return '\u2264 ' + numberText(column, upperEnd(column, row, value), unit);
	return (marks & MARK.least ? '\u2265 ' : '') + numberText(column, value, unit) +
	       (marks & MARK.rough ? '~' : marks & MARK.estimated ? '\u2248' : marks & MARK.partial ? '*' : marks & MARK.open ? '+' : '');
}

/* Where nothing is known but that: the value and what it may be off by. */
function upperEnd(column, row, value) {
	const end = value + (offOf(column.section, column, row)?.[1] ?? 0);

	return /percent$/.test(column.family) ? Math.min(end, 100) : end;
}

/* A value's column of a table, that has it or not. */
const infoOf = (table, name) => model.index.tables[table].columns.find(column => column.name === name);

/* A value of a table, with its marks and a unit of its own. */
function shownValue(table, section, name, row) {
	const info = infoOf(table, name);

	return info ? cellText({ ...csvColumn(section, info, 'cpu'), form: info.form === 'time' ? 'duration' : info.form, family: info.family === 'off_cpu' ? 'total' : info.family }, row) : '';
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

function cellTitle(column, row) {
	const { section, name, form } = column, value = section.get(name)[row], unit = /_ns$/.test(name) ? ' ns' : '';
	const off = offText(value, offOf(section, column, row), unit, one => form === 'percent' ? one.toFixed(6) : String(+one.toFixed(1)));

	return [`${name}: ${asInCsv(value, form)}${Number.isNaN(value) ? '' : unit}${off}`, ...tellMarks(marksOf(section, name, row)), column.meaning, rulesOf(column)].join('\n');
}

/* The share of the largest one as a bar, and what it may be off by as a whisker. */
function bar(column, row, most) {
	const value = column.section.get(column.name)[row];

	if (!(most > 0) || !(value >= 0))
		return null;
	return h('span', { class: 'bar', 'aria-hidden': 'true' }, h('i', { style: { width: `${Math.min(value / most, 1) * 100}%` } }),
		 whisker(value, offOf(column.section, column, row), most));
}

/* ---- widths ---------------------------------------------------------------------------------- */

let measuring = null, fontFamily = null;

function textWidth(text, isBold) {
	measuring ??= document.createElement('canvas').getContext('2d');
	fontFamily ??= getComputedStyle(document.body).fontFamily;
	measuring.font = `${isBold ? '600 ' : ''}14px ${fontFamily}`;
	return measuring.measureText(text).width;
}

/* What a column needs: for its heading, which may get an arrow, and its longest number with marks. */
function widthNeeded(column, rows, unit, isSorted) {
	const heading = Math.max(textWidth(`${column.heading || column.name || ''}${isSorted ? ' \u25bc' : ''}`, true) + 18, column.hasBar ? 104 : 0);

	if (!column.section || column.cell || column.isLeft || (!exactly() && !/^(count|time|id)$/.test(column.form)))
		return heading;
	const { section, family, value: which, name } = column, values = section.get(name);
	const offs = /^(total|cpu)$/.test(family) && section.has(UNCERTAINTY[which]) ? section.get(UNCERTAINTY[which]) : null;
	let most = 0;

	for (let i = 0; i < rows.length; i++) { /* what is shown may be the end of what it may be */
		const end = values[rows[i]] + (offs ? offs[rows[i]] || 0 : 0);

		if (end > most)
			most = end;
	}
	return Math.max(heading, textWidth(`\u2265 ${numberText(column, most, unit)}`) + 18);
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
	return column.form === 'time' && !exactly() ? `${column.group || column.heading} (${unit.name})` : column.group ?? '';
}

/* Above a single column it needs room, too. */
function fitWidths({ columns, rows, sort }, unit) {
	columns.forEach((column, i) => {
		const group = groupText(column, unit), isAlone = ![columns[i - 1], columns[i + 1]].some(one => one && group && groupText(one, unit) === group);

		if (i && column.isLeft && column.section && !column.cell)
			column.width = textWidthNeeded(column, rows);
		column.width = Math.ceil(Math.max(column.width, widthNeeded(column, rows, unit, Boolean(sort) && sort.name === column.name), isAlone ? textWidth(group) + 18 : 0));
	});
}

/* In pixels, of fitted columns. */
function widthsIn(container, columns) {
	const widths = columns.map(column => column.width), whole = container.clientWidth - 42; /* beside a scroll bar */

	if (innerWidth <= 600) /* room for a number beside it */
		widths[0] = Math.min(widths[0], Math.floor(innerWidth * 0.5));
	const room = whole - widths.reduce((sum, one) => sum + one, 0);

	/* Rather short names than the last column cut off; what is left is the names'. */
	if (room >= 0 || widths[0] + room >= LEAST_NAME)
		widths[0] += Math.min(room, 360);
	return widths;
}

/* ---- the table ------------------------------------------------------------------------------- */

/*
 * table(container, {
 *   columns       of csvColumn(), or { heading, width, isLeft, cell(row) -> element or text }
 *   rows          numbers of rows, in their order
 *   sort          { name, up } or null; onsort(name, up)
 *   open(row)     a row was chosen: Enter, or a click
 *   rowClass(row)
 *   label         for those who cannot see it
 * }) -> { show(rows), scrollTo(place), cursor() -> the row where the cursor is, or undefined, element }
 */
function table(container, options) {
	const columns = inOrder(options), unit = unitOf(mostOf(options, 'elapsed_inclusive_ns'));
	const bars = new Map(columns.filter(column => column.hasBar).map(column => [column, mostOf(options, column.name)]));
	const { body, head, element, box, sign, outer, leftOut, width } = frameOf(container, { ...options, columns }, unit);
	let rows = options.rows, first = -1, end = -1, cursor = -1;

	function line(i) {
		const row = rows[i];

		return h('tr', { 'aria-rowindex': i + 2, class: (options.rowClass?.(row) ?? '') + (i === cursor ? ' cursor' : ''),
				 onclick: () => { cursor = i; options.open?.(row); } },
			 columns.map(column => cellOf(column, row, unit, bars.get(column))));
	}

	function drawAll() {
		const n = Math.min(rows.length, ROWS_PRINTED);

		first = -1;
		body.replaceChildren(...Array.from({ length: n }, (_, i) => line(i)));
		leftOut.textContent = rows.length > n ? `${count(rows.length - n)} more rows are not printed.` : '';
	}

	function draw(anew) {
		if (isPrinting)
			return;
		const [from, to] = rowsSeen(box, rows.length);

		if (from === first && to === end && !anew)
			return;
		[first, end] = [from, to];
		body.replaceChildren(gapOf(from), ...Array.from({ length: to - from }, (_, i) => line(from + i)), gapOf(rows.length - to));
	}

	function scrolled() {
		draw();
		const left = box.scrollWidth - box.clientWidth - box.scrollLeft;

		sign.textContent = left > 4 ? '\u2192' : '';
		outer.classList.toggle('more', left > 4);
	}

	function move(to) {
		cursor = Math.min(Math.max(to, 0), rows.length - 1);
		const top = cursor * ROW_HEIGHT, height = box.clientHeight - head.offsetHeight;

		if (top < box.scrollTop)
			box.scrollTop = top;
		else if (top + ROW_HEIGHT > box.scrollTop + height)
			box.scrollTop = top + ROW_HEIGHT - height;
		draw(true);
	}

	box.addEventListener('scroll', scrolled, { passive: true });
	box.addEventListener('keydown', event => {
		const to = rowOfKey(event.key, cursor, box, rows.length);

		if (to !== undefined && rows.length)
			move(to);
		else if (event.key === 'Enter' && cursor >= 0)
			options.open?.(rows[cursor]);
		else if (!options.key?.(event, rows[cursor]))
			return;
		event.preventDefault();
	});
	container.append(outer, leftOut);
	const printed = { print(paper) {
		if (!box.isConnected)
			tablesShown.delete(printed);
		else if (paper)
			drawAll();
		else
			draw(true);
		outer.style.setProperty('zoom', paper ? String(Math.min(1, paper / width)) : '');
	} };

	tablesShown.add(printed);
	body.append(gapOf(rows.length)); /* so that it is as high as it will be, and rows are made once */
	new ResizeObserver(scrolled).observe(box);
	draw(true);
	return {
		element: box,
		show(list) {
			rows = list;
			cursor = Math.min(cursor, rows.length - 1);
			element.setAttribute('aria-rowcount', rows.length);
			box.scrollTop = Math.min(box.scrollTop, rows.length * ROW_HEIGHT);
			draw(true);
		},
		scrollTo: i => move(i),
		cursor: () => rows[cursor],
		redraw: () => draw(true),
	};
}

/* What it is made of; rows come into the body. */
function frameOf(container, options, unit) {
	const { label, columns } = options, body = h('tbody'), head = headOf(options, unit);

	fitWidths(options, unit);
	const widths = widthsIn(container, columns), width = widths.reduce((sum, one) => sum + one, 0);
	const element = h('table', { class: 'rows', style: { width: `${width}px` }, 'aria-label': label, 'aria-rowcount': options.rows.length },
		h('colgroup', {}, widths.map(one => h('col', { style: { width: `${one}px` } }))), head, body);
	const box = h('div', { class: 'box', tabindex: '0', role: 'region', 'aria-label': label }, element);
	const sign = h('div', { class: 'sign', 'aria-hidden': 'true' }), outer = h('div', { class: 'outer' }, box, sign);

	return { body, head, element, box, sign, outer, width, leftOut: h('p', { class: 'note left-out' }) };
}

/* In the place of so many rows. */
function gapOf(n) {
	return h('tr', { class: 'gap', style: { height: `${n * ROW_HEIGHT}px` } });
}

/* From which row to which: those on the screen and some around. */
function rowsSeen(box, n) {
	const from = Math.max(0, Math.floor(box.scrollTop / ROW_HEIGHT) - ROWS_AROUND);

	return [from, Math.min(n, from + Math.ceil((box.clientHeight || innerHeight) / ROW_HEIGHT) + 2 * ROWS_AROUND)];
}

/* Where a key takes the cursor, if it moves it. */
function rowOfKey(key, cursor, box, n) {
	const page = Math.max(1, Math.floor(box.clientHeight / ROW_HEIGHT) - 2);

	return { ArrowDown: cursor + 1, ArrowUp: cursor - 1, PageDown: cursor + page, PageUp: cursor - page, Home: 0, End: n - 1 }[key];
}

/* most: what the whole of its bar is. */
function cellOf(column, row, unit, most) {
	if (column.cell)
		return h('td', { class: column.isLeft ? 'left' : null }, column.cell(row));
	if (column.isLeft)
		return textCell(column, row);
	return h('td', { title: cellTitle(column, row) }, most ? bar(column, row, most) : null, cellText(column, row, unit));
}

/* On a narrow screen what the rows are sorted by is beside their names. */
function inOrder({ columns, sort }) {
	const at = innerWidth <= 600 && sort ? columns.findIndex(column => column.name === sort.name) : -1;

	return at < 2 ? columns : [columns[0], columns[at], ...columns.filter((_, i) => i && i !== at)];
}

function mostOf(options, name) {
	const section = options.columns.find(column => column.section)?.section, { rows } = options;
	const values = section?.has(name) ? section.get(name) : null;
	let most = 0;

	for (let i = 0; values && i < rows.length; i++)
		if (values[rows[i]] > most)
			most = values[rows[i]];
	return most;
}

function textOfCell({ section, name, form }, row) {
	const text = section.text(name, row), line = form === 'source' && text ? section.get('line')[row] : NaN;

	return form === 'source' ? text.replace(/.*\//, '') + (line > 0 ? `:${line}` : '') : text;
}

function textCell(column, row) {
	return h('td', { class: 'left ' + column.form, title: column.section.text(column.name, row) }, textOfCell(column, row));
}

function headOf(options, unit) {
	const { columns } = options, groups = [];
	const groupOf = column => groupText(column, unit);

	for (const column of columns) {
		const last = groups[groups.length - 1];

		if (last && last.group && (last.group === groupOf(column) || (column.group && last.of === column.group)))
			last.n++;
		else
			groups.push({ group: groupOf(column), of: column.group, n: 1 });
	}
	return h('thead', {},
		groups.some(one => one.group) ? h('tr', { class: 'groups' }, groups.map(one => h('th', { colspan: one.n }, one.group))) : null,
		h('tr', {}, columns.map(column => {
			const sorted = Boolean(options.sort) && options.sort.name === column.name;

			return h('th', { class: column.isLeft ? 'left' : null, scope: 'col',
					 'aria-sort': sorted ? options.sort.up ? 'ascending' : 'descending' : null,
					 title: column.meaning ? `${column.name}: ${column.meaning}\n${rulesOf(column)}` : null },
				 options.onsort && column.section ? h('button', { onclick: () => options.onsort(column.name,
					 sorted ? !options.sort.up : column.isLeft) },
				 column.heading || column.name, sorted ? options.sort.up ? ' \u25b2' : ' \u25bc' : '') : column.heading);
		})));
}
