/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_changes.js - of two sessions: what has more in B than in A, and what less, with the verdicts and intervals of
 * cinstr diff. Of call paths the same by its rule for single runs.
 */

{
	const IN_SUMMARY = 8;
	const BY = { functions: 'Functions', nodes: 'Call paths', modules: 'Modules' };
	const TITLES = { elapsed_exclusive_ns: 'Elapsed, exclusive', elapsed_inclusive_ns: 'Elapsed, inclusive', cpu_exclusive_ns: 'On the processor, exclusive',
			 off_cpu_exclusive_ns: 'Waiting, exclusive', application_exclusive_ns: 'Application, exclusive', calls: 'Calls',
			 exclusive: 'Share, exclusive', inclusive: 'Share, inclusive' };
	const OFF_BY = { elapsed_exclusive_ns: UNCERTAINTY.EE, elapsed_inclusive_ns: UNCERTAINTY.EI, application_exclusive_ns: UNCERTAINTY.AE };
	const HINTS = { single: 'noise: the change is not more than what the correction for the probes\u2019 cost may be wrong by in both (R9). ?: of one run on each side nobody knows how much runs differ; cinstr diff of several runs tells.',
			interval: 'noise, agrees: the true difference may be 0, with 95 % confidence of all rows together.' };

	/* ---- rows ------------------------------------------------------------------------------ */

	/* What is compared: rows of what is on either side. value(name)[i]: before, after, change, half, low, high. */
	function rowsOfSet({ info, section }, set, sections) {
		const get = name => section.get(name).subarray(set.from, set.from + set.rows);
		const verdicts = get('verdict'), sides = info.is_swapped ? [1, 0] : [0, 1];

		return { n: set.rows, by: set.by, sections: [sections[sides[0]], sections[sides[1]]], owners: sides.map(side => side ? model.other : model),
			 rows: [get('a'), get('b')], before: get('before'), after: get('after'), change: get('change'), half: get('half'), low: get('low'), high: get('high'),
			 verdict: i => set.verdicts[verdicts[i]], isSure: set.has_interval };
	}

	/* nodes have no shares: of the whole. */
	function valuesOf(owner, section, column) {
		if (!/^(in|ex)clusive$/.test(column))
			return section.get(column);
		const name = owner.isSampled ? `${column}_samples` : `cpu_${column}_ns`, total = owner.total(name);

		return section.get(name).map(value => 100 * value / total);
	}

	async function rowsOfPaths(set) {
		const a = await model.load('nodes'), b = await model.other.load('nodes'), { ofA, ofB } = (await matches()).nodes;
		const va = valuesOf(model, a, set.column), vb = valuesOf(model.other, b, set.column), off = OFF_BY[set.column], onlyB = [];

		for (let k = 0; k < b.n; k++)
			if (ofB[k] < 0)
				onlyB.push(k);
		const n = a.n + onlyB.length, one = new Int32Array(n).fill(-1), two = new Int32Array(n).fill(-1);
		const rows = { n, by: 'nodes', sections: [a, b], owners: [model, model.other], rows: [one, two], isSure: false };

		for (const name of ['before', 'after', 'change', 'half'])
			rows[name] = new Float64Array(n);
		for (let i = 0; i < n; i++) {
			one[i] = i < a.n ? i : -1;
			two[i] = i < a.n ? ofA[i] : onlyB[i - a.n];
			rows.before[i] = one[i] < 0 ? 0 : va[one[i]] || 0;
			rows.after[i] = two[i] < 0 ? 0 : vb[two[i]] || 0;
			rows.change[i] = rows.after[i] - rows.before[i];
			rows.half[i] = off ? (one[i] < 0 ? 0 : a.get(off)[one[i]] || 0) + (two[i] < 0 ? 0 : b.get(off)[two[i]] || 0) : 0;
		}
		rows.verdict = i => set.verdicts[one[i] < 0 ? 4 : two[i] < 0 ? 5 : rows.change[i] === 0 ? 0 : Math.abs(rows.change[i]) <= rows.half[i] ? 1 : rows.change[i] < 0 ? 2 : 3];
		return rows;
	}

	/* The session that has the row, its section, and the row there. */
	function ownerOf(rows, i) {
		const side = rows.rows[0][i] >= 0 ? 0 : 1;

		return [rows.owners[side], rows.sections[side], rows.rows[side][i]];
	}

	/* A path by its last functions. */
	function nameOf(rows, i) {
		const [owner, section, row] = ownerOf(rows, i), names = [];

		if (rows.by !== 'nodes')
			return section.text('name', row);
		for (let k = row; k >= 0 && names.length < 60; k = section.parent[k])
			names.unshift(owner.nodeName(section, k));
		return names.join(' \u203a ');
	}

	/* ---- cells ----------------------------------------------------------------------------- */

	function textOf(isShare, column) {
		return value => Number.isNaN(value) ? '' : isShare ? (exactly() ? value.toFixed(6) : `${value.toFixed(2)} %`) :
			exactly() ? thousands(String(value)) : column === 'calls' ? count(value) : duration(value);
	}

	const signed = (value, text) => (value > 0 ? '+' : value < 0 ? '\u2212' : '') + text(Math.abs(value));

	/* Of what has grown tenfold and more: how many times it is. */
	function inPercent(before, after) {
		return after >= 10 * before ? `${count(after / before)} x` : signed(100 * (after - before) / before, value => value.toFixed(1));
	}

	/* \u2264: nothing is known but that it is not more. */
	function sideCell(rows, side, name, text) {
		return i => {
			const section = rows.sections[side], row = rows.rows[side][i], value = rows[side ? 'after' : 'before'][i];

			if (!(row >= 0))
				return value > 0 ? text(value) : '';
			const marks = marksOf(section, name, row);
			const off = OFF_BY[name] ? section.get(OFF_BY[name])[row] || 0 : 0;

			return h('span', { title: `${name}: ${value}${off ? ` \u00b1 ${off}` : ''}` }, marks & MARK.upperEnd && !exactly() ? `\u2264 ${text(value + off)}`
				: text(value) + (marks & MARK.rough ? '~' : marks & MARK.estimated ? '\u2248' : ''));
		};
	}

	/* [less, more]: what the size of a change may be off by; null: not known. */
	function offOfChange(rows, i) {
		const { low, high, change, half } = rows, isLess = change[i] < 0;

		if (!rows.isSure)
			return half[i] > 0 ? [half[i], half[i]] : null;
		return isLess ? [high[i] - change[i], change[i] - low[i]] : [change[i] - low[i], high[i] - change[i]];
	}

	/* Of A's value nothing is known but that it is not more: no change in percent either. */
	function isUpperEnd(rows, i, name) {
		const row = rows.rows[0][i];

		return row >= 0 && (marksOf(rows.sections[0], name, row) & MARK.upperEnd) > 0;
	}

	function changeCell(rows, most, text) {
		return i => {
			const size = Math.abs(rows.change[i]);

			return [h('span', { class: 'bar', 'aria-hidden': 'true' }, h('i', { class: rows.change[i] > 0 ? 'wait' : 'cpu', style: { width: `${most > 0 ? 100 * size / most : 0}%` } }),
				whisker(size, offOfChange(rows, i), most)),
				h('span', { title: `change: ${rows.change[i]}` }, signed(rows.change[i], text))];
		};
	}

	/* With one run on each side only what the correction may be wrong by is known. */
	function intervalCell(rows, text) {
		return i => rows.isSure ? h('span', { title: `interval_low: ${rows.low[i]}\ninterval_high: ${rows.high[i]}` }, `${signed(rows.low[i], text)} to ${signed(rows.high[i], text)}`)
			: rows.half[i] > 0 ? h('span', { title: `what the correction may be wrong by in both: ${rows.half[i]}` }, `\u00b1 ${text(rows.half[i])}`) : '';
	}

	function verdictCell(rows) {
		return i => {
			const verdict = rows.verdict(i), isOpen = !rows.isSure && !/^(same|noise|added|removed)$/.test(verdict);

			return h('span', { title: rows.isSure ? HINTS.interval : HINTS.single, class: `verdict ${rows.change[i] > 0 ? 'more' : 'less'} ${/^(same|noise|agrees)$/.test(verdict) ? 'within' : ''}` }, verdict + (isOpen ? '?' : ''));
		};
	}

	function columnsOfRows(rows, info, set) {
		const isShare = info.kind !== 'times', text = textOf(isShare, set.column), heads = info.kind === 'beside' && rows.by !== 'nodes' ? ['Sampled', 'Instrumented'] : ['A', 'B'];
		const points = isShare ? value => value.toFixed(exactly() ? 6 : 2) : text;
		const most = rows.change.reduce((max, value) => Math.max(max, Math.abs(value)), 0), isPath = rows.by === 'nodes';
		const calls = side => i => rows.rows[side][i] >= 0 && rows.sections[side].has('calls') ? count(rows.sections[side].get('calls')[rows.rows[side][i]]) : '';
		const widest = side => rows.rows[side].reduce((max, row) => row >= 0 ? Math.max(max, rows.sections[side].get('calls')[row] || 0) : max, 0);
		const both = [0, 1].map(side => [widest(side), side]).filter(([n]) => n > 0 && set.column !== 'calls');

		return [{ heading: isPath ? 'Call path' : 'Name', isLeft: true, width: 230, cell: i => h('span', { class: isPath ? 'mono tail' : 'mono', title: nameOf(rows, i) },
				isPath ? h('bdi', {}, nameOf(rows, i)) : nameOf(rows, i)) },
			{ heading: 'Verdict', isLeft: true, width: Math.max(88, ...set.verdicts.map(verdict => textWidth(verdict) + 26)), meaning: rows.isSure ? HINTS.interval : HINTS.single, name: 'verdict', cell: verdictCell(rows) },
			...heads.map((heading, side) => ({ heading, width: exactly() ? 120 : 90, cell: sideCell(rows, side, set.column, text) })),
			{ heading: isShare ? 'Points' : 'Change', name: 'change', width: exactly() ? 130 : 110, cell: changeCell(rows, most, points) },
			...(isShare ? [] : [{ heading: 'Change %', width: 92, cell: i => rows.before[i] > 0 && rows.rows[1][i] >= 0 && !isUpperEnd(rows, i, set.column) ? inPercent(rows.before[i], rows.after[i]) : '' }]),
			{ heading: rows.isSure ? 'Interval, 95 %' : 'Off by', name: 'interval', meaning: rows.isSure ? HINTS.interval : HINTS.single, width: rows.isSure ? 180 : 92, cell: intervalCell(rows, points) },
			...both.map(([n, side]) => ({ heading: `Calls ${heads[side]}`, width: Math.ceil(textWidth(count(n))) + 18, cell: calls(side) }))];
	}

	/* ---- the view -------------------------------------------------------------------------- */

	function about(info, set, rows) {
		const text = textOf(info.kind !== 'times', set.column), lines = [['A', model], ['B', model.other]].map(([side, one]) =>
			h('li', {}, h('b', {}, `${side} `), h('span', { class: 'mono' }, one.index.data.source), ` ${one.session.command_line ?? ''} \u00b7 ${duration(one.session.duration_ns)}${one.isSampled ? `, ${count(one.session.samples)} samples` : ''}`));

		if (set.total_a > 0)
			lines.push(h('li', {}, h('b', {}, 'All '), `${text(set.total_a)} \u2192 ${text(set.total_b)}, ${signed(100 * (set.total_b / set.total_a - 1), value => value.toFixed(1))} %`));
		if (set.distortion !== undefined)
			lines.push(h('li', {}, `The probes distort ${set.distortion.toFixed(2)} points of the shares, of which chance alone would make ${set.by_chance.toFixed(2)}. What samples see and probes do not is a part of its caller.`));
		return h('ul', { class: 'sides note' }, lines, h('li', {}, rows.isSure ? HINTS.interval : HINTS.single));
	}

	async function rowsFor(by, changes, set) {
		return by === 'nodes' ? rowsOfPaths(set) : rowsOfSet(changes, set, [await model.load(by), await model.other.load(by)]);
	}

	async function render(container, state) {
		const changes = await changesOf(), { info } = changes, bys = Object.keys(BY).filter(id => id === 'nodes' ? info.kind !== 'beside' : info.sets.some(set => set.by === id));
		const by = bys.includes(state.get('by')) ? state.get('by') : 'functions', sets = info.sets.filter(set => set.by === (by === 'nodes' ? 'functions' : by));
		const set_ = sets.find(set => set.column === state.get('value')) ?? sets[0], rows = await rowsFor(by, changes, set_);
		const order = sortRows(upTo(rows.n), rows.change.map(Math.abs), false);
		let grid = null;
		const chosen = wanted => wanted ? order.filter(i => nameOf(rows, i).toLowerCase().includes(wanted.toLowerCase())) : order;

		container.append(h('div', { class: 'tools' },
			h('input', { type: 'search', placeholder: 'Filter', 'aria-label': 'Filter', value: state.get('filter'), oninput: event => { set({ filter: event.target.value }); grid.show(chosen(event.target.value)); } }),
			bys.length < 2 ? null : h('span', { class: 'choice', role: 'group', 'aria-label': 'What is compared' }, bys.map(id => h('button', { 'aria-pressed': String(id === by), onclick: () => go('changes', { by: id }) }, BY[id]))),
			h('select', { 'aria-label': 'Value', onchange: event => go('changes', { value: event.target.value }) }, sets.map(one => h('option', { value: one.column, selected: one === set_ }, TITLES[one.column])))),
			about(info, set_, rows));
		grid = table(container, { label: 'Changes', columns: columnsOfRows(rows, info, set_), rows: chosen(state.get('filter')), sort: { name: 'change' }, open: i => {
			const [owner, section, row] = ownerOf(rows, i);

			if (owner === model && by !== 'modules')
				go('function', { function: by === 'nodes' ? model.nodeName(section, row) : section.text('name', row) });
		} });
	}

	/* Only A's functions have a view. */
	function linkOf(rows, i) {
		const [owner] = ownerOf(rows, i), name = nameOf(rows, i);

		return owner === model && model.functionOf(name) >= 0 ? h('a', { href: address('function', new Map([['function', name]])) }, name) : name;
	}

	/* In the summary: what has changed most, with the verdicts. */
	async function inSummary(container) {
		if (!model.other)
			return;
		const changes = await changesOf(), { info } = changes, [first] = info.sets, rows = await rowsFor('functions', changes, first), text = textOf(info.kind !== 'times', first.column);
		const plain = info.kind === 'times' ? text : value => value.toFixed(exactly() ? 6 : 2);
		const order = Array.from(sortRows(upTo(rows.n), rows.change.map(Math.abs), false)).filter(i => rows.change[i]).slice(0, IN_SUMMARY), verdict = verdictCell(rows), off = intervalCell(rows, plain);
		const sides = [0, 1].map(side => sideCell(rows, side, first.column, text));
		const total = first.total_a > 0 ? `${text(first.total_a)} \u2192 ${text(first.total_b)}, ${signed(100 * (first.total_b / first.total_a - 1), value => value.toFixed(1))} %` : '';

		const title = info.kind === 'beside' ? 'Shares as sampled, and with probes' : 'Changes from A to B';
		const points = value => info.kind === 'times' ? text(value) : `${value.toFixed(exactly() ? 6 : 2)} points`;
		const line = i => h('tr', {}, h('td', { class: 'mono' }, linkOf(rows, i)), h('td', {}, verdict(i)), h('td', { class: 'number' }, sides[0](i)),
			h('td', { class: 'number' }, rows.rows[1][i] >= 0 ? ['\u2192 ', sides[1](i)] : ''), h('td', { class: 'number' }, signed(rows.change[i], points)), h('td', { class: 'number note' }, off(i)));

		container.append(h('section', {}, h('h3', {}, `${title} (${TITLES[first.column]})${total ? ': ' + total : ''}`),
			order.length ? h('table', { class: 'brief' }, h('tbody', {}, order.map(line))) : h('p', { class: 'note' }, 'None.'),
			h('p', { class: 'note' }, h('a', { href: address('changes', new Map()) }, 'All changes'), '. What follows is of A.')));
	}

	summaryFirst.push(inSummary);
	register({ id: 'changes', title: 'Changes', order: 15, needs: [], available: () => model.other !== null, render, rowsOfPaths, nameOf });
}
