/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * table.js - tables of any length: only the rows on the screen are elements. Rows are numbers; their
 * order is an array of them.
 */

const ROW_HEIGHT = 24, ROWS_AROUND = 8, ROWS_PRINTED = 1000;
const tablesShown = new Set(); /* for paper (canvas.js) */

/*
 * table(container, {
 *   columns       of csvColumn(), or { heading, width, isLeft, cell(row) -> element or text }
 *   rows          numbers of rows, in their order
 *   sort          { name, up } or null; onsort(name, up)
 *   open(row)     a row was chosen: Enter, or a click
 *   key(event, row)  another key, with the row where the cursor is; whether it was meant
 *   rowClass(row)
 *   label         for those who cannot see it
 * }) -> a Table: { show(rows), scrollTo(place), cursor() -> the row where the cursor is, or undefined }
 */
const table = (container, options) => new Table(container, options);

class Table {
	constructor(container, options) {
		const columns = inOrder(options);

		this.options = options;
		this.columns = columns;
		this.rows = options.rows;
		this.unit = unitOf(mostOf(options, 'elapsed_inclusive_ns'));
		this.wholes = columns.map(column => column.hasBar ? mostOf(options, column.name) : 0);
		this.first = this.end = this.at = -1; /* at: where the cursor is */
		Object.assign(this, frameOf(container, { ...options, columns }, this.unit));
		this.box.addEventListener('scroll', () => this.scrolled(), { passive: true });
		this.box.addEventListener('keydown', event => this.key(event));
		container.append(this.outer, this.leftOut);
		tablesShown.add(this);
		this.body.append(gapOf(this.rows.length)); /* as high as it will be: rows are made once */
		new ResizeObserver(() => this.scrolled()).observe(this.box);
		this.draw(true);
	}

	/* ---- rows ------------------------------------------------------------------------------ */

	line(i) {
		const { options, unit, wholes } = this, row = this.rows[i];
		const name = (options.rowClass?.(row) ?? '') + (i === this.at ? ' cursor' : '');
		const onclick = () => {
			this.at = i;
			options.open?.(row);
		};

		return h('tr', { 'aria-rowindex': i + 2, class: name, onclick },
			this.columns.map((column, k) => cellOf(column, row, unit, wholes[k])));
	}

	lines(from, to) {
		return Array.from({ length: to - from }, (_, i) => this.line(from + i));
	}

	/* Those that are seen, if they are others than before. */
	draw(isAnew) {
		if (isPrinting)
			return;
		const { box, rows: { length: n } } = this, [from, to] = rowsSeen(box, n);

		if (from === this.first && to === this.end && !isAnew)
			return;
		[this.first, this.end] = [from, to];
		this.body.replaceChildren(gapOf(from), ...this.lines(from, to), gapOf(n - to));
	}

	scrolled() {
		this.draw();
		const { box } = this, left = box.scrollWidth - box.clientWidth - box.scrollLeft;

		this.sign.textContent = left > 4 ? '\u2192' : '';
		this.outer.classList.toggle('more', left > 4);
	}

	show(rows) {
		this.rows = rows;
		this.at = Math.min(this.at, rows.length - 1);
		this.element.setAttribute('aria-rowcount', rows.length);
		this.box.scrollTop = Math.min(this.box.scrollTop, rows.length * ROW_HEIGHT);
		this.draw(true);
	}

	/* ---- the cursor ------------------------------------------------------------------------ */

	cursor() {
		return this.rows[this.at];
	}

	scrollTo(place) {
		const { box, head } = this, height = box.clientHeight - head.offsetHeight;

		this.at = Math.min(Math.max(place, 0), this.rows.length - 1);
		const top = this.at * ROW_HEIGHT;

		if (top < box.scrollTop)
			box.scrollTop = top;
		else if (top + ROW_HEIGHT > box.scrollTop + height)
			box.scrollTop = top + ROW_HEIGHT - height;
		this.draw(true);
	}

	key(event) {
		const { options, rows, at } = this, to = rowOfKey(event.key, at, this.box, rows.length);

		if (to !== undefined && rows.length)
			this.scrollTo(to);
		else if (event.key === 'Enter' && at >= 0)
			options.open?.(rows[at]);
		else if (!options.key?.(event, rows[at]))
			return;
		event.preventDefault();
	}

	/* ---- paper ----------------------------------------------------------------------------- */

	/* paper: its width; null: on the screen again. */
	print(paper) {
		if (!this.box.isConnected)
			tablesShown.delete(this);
		else if (paper)
			this.drawAll();
		else
			this.draw(true);
		this.outer.style.setProperty('zoom', paper ? String(Math.min(1, paper / this.width)) : '');
	}

	drawAll() {
		const { length } = this.rows, n = Math.min(length, ROWS_PRINTED);

		this.first = -1;
		this.body.replaceChildren(...this.lines(0, n));
		this.leftOut.textContent = length > n
			? `${count(length - n)} more rows are not printed.` : '';
	}
}

/* What a table is made of; rows come into the body. */
function frameOf(container, options, unit) {
	const { label, columns } = options, body = h('tbody'), head = headOf(options, unit);

	fitWidths(options, unit);
	const widths = widthsIn(container, columns), width = widths.reduce((sum, one) => sum + one, 0);
	const columnOf = one => h('col', { style: { width: `${one}px` } });
	const element = h('table', { class: 'rows', style: { width: `${width}px` }, 'aria-label': label,
				     'aria-rowcount': options.rows.length },
		h('colgroup', {}, widths.map(columnOf)), head, body);
	const box = h('div', { class: 'box', tabindex: '0', role: 'region', 'aria-label': label }, element);
	const sign = h('div', { class: 'sign', 'aria-hidden': 'true' });

	return { body, head, element, box, sign, width, outer: h('div', { class: 'outer' }, box, sign),
		 leftOut: h('p', { class: 'note left-out' }) };
}

/* In the place of so many rows. */
function gapOf(n) {
	return h('tr', { class: 'gap', style: { height: `${n * ROW_HEIGHT}px` } });
}

/* From which row to which: those on the screen and some around. */
function rowsSeen(box, n) {
	const from = Math.max(0, Math.floor(box.scrollTop / ROW_HEIGHT) - ROWS_AROUND);
	const seen = Math.ceil((box.clientHeight || innerHeight) / ROW_HEIGHT);

	return [from, Math.min(n, from + seen + 2 * ROWS_AROUND)];
}

/* Where a key takes the cursor, if it moves it. */
function rowOfKey(key, cursor, box, n) {
	const page = Math.max(1, Math.floor(box.clientHeight / ROW_HEIGHT) - 2);

	return { ArrowDown: cursor + 1, ArrowUp: cursor - 1, PageDown: cursor + page, PageUp: cursor - page,
		 Home: 0, End: n - 1 }[key];
}

/* Of all rows. */
function mostOf(options, name) {
	const section = options.columns.find(column => column.section)?.section, { rows } = options;
	const values = section?.has(name) ? section.get(name) : null;
	let most = 0;

	for (let i = 0; values && i < rows.length; i++)
		if (values[rows[i]] > most)
			most = values[rows[i]];
	return most;
}
