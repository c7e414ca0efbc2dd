/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * change_cells.js - how view_changes.js and summary_changes.js show a row of what changed.
 */

const CHANGE_TITLES = {
	elapsed_exclusive_ns: 'Elapsed, exclusive', elapsed_inclusive_ns: 'Elapsed, inclusive',
	cpu_exclusive_ns: 'On the processor, exclusive', off_cpu_exclusive_ns: 'Waiting, exclusive',
	application_exclusive_ns: 'Application, exclusive', calls: 'Calls',
	exclusive: 'Share, exclusive', inclusive: 'Share, inclusive',
};

const CHANGE_HINTS = {
	single: 'noise: the change is not more than what the correction for the probes\u2019 cost may be ' +
		'wrong by in both (R9). ?: of one run on each side nobody knows how much runs differ; ' +
		'cinstr diff of several runs tells.',
	interval: 'noise, agrees: the true difference may be 0, with 95 % confidence of all rows together.'
};

const signed = (value, text) => (value > 0 ? '+' : value < 0 ? '\u2212' : '') + text(Math.abs(value));

/* Values of a column as text; shares: with or without the sign. */
function changeText(isShare, column, sign = ' %') {
	return value => {
		if (Number.isNaN(value))
			return '';
		if (isShare)
			return exactly() ? value.toFixed(6) : value.toFixed(2) + sign;
		if (exactly())
			return thousands(String(value));
		return column === 'calls' ? count(value) : duration(value);
	};
}

/* Each function makes what a cell has of row i. */
class ChangeCells {
	/* rows: ChangeRows; set: what they are of (changes.js) */
	constructor(rows, info, set) {
		this.rows = rows;
		this.info = info;
		this.set = set;
		this.isShare = info.kind !== 'times';
		this.text = changeText(this.isShare, set.column);
		this.points = changeText(this.isShare, set.column, '');
		this.hint = rows.isSure ? CHANGE_HINTS.interval : CHANGE_HINTS.single;
		this.most = rows.change.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
	}

	/* Of all rows, from A to B; '' where there is no such whole. */
	total() {
		const { set: { total_a: before, total_b: after }, text } = this;
		const change = signed(100 * (after / before - 1), value => value.toFixed(1));

		return before > 0 ? `${text(before)} \u2192 ${text(after)}, ${change} %` : '';
	}

	name(i) {
		const isPath = this.rows.by === 'nodes', name = this.rows.nameOf(i);

		return h('span', { class: isPath ? 'mono tail' : 'mono', title: name },
			isPath ? h('bdi', {}, name) : name);
	}

	/* \u2264: nothing is known but that it is not more. */
	side(side, i) {
		const { rows, text, set: { column } } = this, section = rows.sections[side];
		const row = rows.rows[side][i], value = rows[side ? 'after' : 'before'][i];

		if (!(row >= 0))
			return value > 0 ? text(value) : '';
		const marks = marksOf(section, column, row), off = rows.offs(section, column)[row] || 0;
		const sign = marks & MARK.rough ? '~' : marks & MARK.estimated ? '\u2248' : '';

		const isEnd = marks & MARK.upperEnd && !exactly();

		return h('span', { title: `${column}: ${value}${off ? ` \u00b1 ${off}` : ''}` },
			isEnd ? `\u2264 ${text(value + off)}` : text(value) + sign);
	}

	change(i) {
		const { rows, most } = this, change = rows.change[i], size = Math.abs(change);
		const style = { width: `${most > 0 ? 100 * size / most : 0}%` };
		const parts = [h('i', { class: change > 0 ? 'wait' : 'cpu', style }),
			whisker(size, rows.offOf(i), most)];

		return [h('span', { class: 'bar', 'aria-hidden': 'true' }, parts),
			h('span', { title: `change: ${change}` }, signed(change, this.points))];
	}

	/* Of what has grown tenfold and more: how many times it is. */
	percent(i) {
		const { rows } = this, before = rows.before[i], after = rows.after[i];

		if (!(before > 0 && rows.rows[1][i] >= 0) || rows.isUpperEnd(i, this.set.column))
			return '';
		return after >= 10 * before ? `${count(after / before)} x`
			: signed(100 * (after - before) / before, value => value.toFixed(1));
	}

	/* With one run on each side only what the correction may be wrong by is known. */
	interval(i) {
		const { rows: { isSure, low, high, half }, points } = this;

		if (isSure)
			return h('span', { title: `interval_low: ${low[i]}\ninterval_high: ${high[i]}` },
				`${signed(low[i], points)} to ${signed(high[i], points)}`);
		const title = `what the correction may be wrong by in both: ${half[i]}`;

		return half[i] > 0 ? h('span', { title }, `\u00b1 ${points(half[i])}`) : '';
	}

	verdict(i) {
		const { rows, hint: title } = this, verdict = rows.verdict(i);
		const more = rows.change[i] > 0 ? 'more' : 'less';
		const within = /^(same|noise|agrees)$/.test(verdict) ? 'within' : '';
		const isOpen = !rows.isSure && !/^(same|noise|added|removed)$/.test(verdict);

		return h('span', { title, class: `verdict ${more} ${within}` },
			isOpen ? `${verdict}?` : verdict);
	}

	/* Of each side that has calls, beside what is compared. */
	callColumns(heads) {
		const { rows } = this, list = [];

		for (const side of this.set.column === 'calls' ? [] : [0, 1]) {
			const section = rows.sections[side], own = rows.rows[side];
			const calls = section.has('calls') ? section.get('calls') : [];
			const most = own.reduce((max, row) => Math.max(max, calls[row] || 0), 0);
			const cell = i => own[i] >= 0 ? count(calls[own[i]]) : '';
			const width = Math.ceil(textWidth(count(most))) + 18;

			if (most > 0)
				list.push({ heading: `Calls ${heads[side]}`, cell, width });
		}
		return list;
	}

	/* What the largest value needs, with its marks; rounded ones differ in length. */
	width(list, least) {
		const most = list.reduce((max, value) => Math.max(max, Math.abs(value)), 0);

		return Math.max(least, Math.ceil(textWidth(`\u2264 ${this.text(most)}`)) + 18);
	}

	/* As table() takes them. */
	columns() {
		const { isShare, hint: meaning, rows: { by, before, after, change } } = this;
		const isBeside = this.info.kind === 'beside' && by !== 'nodes';
		const heads = isBeside ? ['Sampled', 'Instrumented'] : ['A', 'B'];
		const sides = heads.map((heading, side) => ({
			heading, width: this.width(side ? after : before, 90),
			cell: i => this.side(side, i) }));
		const verdicts = Math.max(88, ...this.set.verdicts.map(verdict => textWidth(verdict) + 26));
		const width = this.width(change, 110);
		const column = (heading, width, cell, more) =>
			({ heading, width, cell: i => this[cell](i), ...more });

		return [column(by === 'nodes' ? 'Call path' : 'Name', 230, 'name', { isLeft: true }),
			column('Verdict', verdicts, 'verdict', { isLeft: true, name: 'verdict', meaning }),
			...sides,
			column(isShare ? 'Points' : 'Change', width, 'change', { name: 'change' }),
			...(isShare ? [] : [column('Change %', this.percentWidth(), 'percent')]),
			...this.offColumns(),
			...this.callColumns(heads)];
	}

	percentWidth() {
		const { before, after } = this.rows;
		const times = (most, value, i) => value > 0 ? Math.max(most, after[i] / value) : most;

		return Math.max(92, textWidth(`${count(before.reduce(times, 0))} x`) + 18);
	}

	/* Intervals, or what the change may be off by; of calls it is nothing. */
	offColumns() {
		const { isSure, half, low, high } = this.rows, heading = isSure ? 'Interval, 95 %' : 'Off by';
		const width = isSure ? this.width(low, 90) + this.width(high, 90) : this.width(half, 92);
		const cell = i => this.interval(i);

		return isSure || half.some(one => one > 0)
			? [{ heading, width, name: 'interval', meaning: this.hint, cell }] : [];
	}
}
