/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_changes.js - of two sessions: what has more in B than in A, and what less. Sessions of different methods
 * have no values in common: their shares are compared.
 */

{
	const BY = { functions: 'Functions', nodes: 'Call paths', modules: 'Modules' };

	/* What can be compared: [id, title, column of A, column of B, uncertainty, is a share]. */
	function measuresOf() {
		const other = model.other;

		if (model.isSampled !== other.isSampled) {
			const column = one => one.isSampled ? 'exclusive_percent' : 'cpu_exclusive_percent';
			const inclusive = one => one.isSampled ? 'inclusive_percent' : 'cpu_inclusive_percent';

			return [{ id: 'share', title: 'Share of time on a processor, exclusive', a: column(model), b: column(other), isShare: true },
				{ id: 'inclusive', title: '\u2026 inclusive', a: inclusive(model), b: inclusive(other), isShare: true }];
		}
		const names = model.isSampled ? [['exclusive_percent', 'Share, exclusive'], ['inclusive_percent', 'Share, inclusive'], ['exclusive_samples', 'Samples, exclusive']]
			: [['cpu_exclusive_ns', 'CPU, exclusive'], ['elapsed_exclusive_ns', 'Total, exclusive'], ['elapsed_inclusive_ns', 'Total, inclusive'],
			   ['off_cpu_exclusive_ns', 'Waiting, exclusive'], ['application_exclusive_ns', 'Application, exclusive'], ['calls', 'Calls']];

		return names.filter(([name]) => !model.functions.isEmpty(name) || !other.functions.isEmpty(name)).map(([name, title]) => ({ id: name, title, a: name, b: name,
			isShare: /percent/.test(name), isCount: /^calls|samples/.test(name), uncertainty: /^elapsed_inclusive/.test(name) ? UNCERTAINTY.EI : /^(cpu|elapsed)_exclusive/.test(name) ? UNCERTAINTY.EE : null }));
	}

	/* nodes have no shares: of the whole. */
	function valuesOf(owner, section, name) {
		const whole = { exclusive_percent: 'exclusive_samples', inclusive_percent: 'inclusive_samples', cpu_exclusive_percent: 'cpu_exclusive_ns', cpu_inclusive_percent: 'cpu_inclusive_ns' }[name];

		if (section.has(name) || !whole)
			return section.get(name);
		const total = owner.total(whole);

		return section.get(whole).map(value => 100 * value / total);
	}

	/* One row of what is on either side: values, and which rows they are of. */
	async function rowsOf(by, measure) {
		const a = await model.load(by), b = await model.other.load(by), { ofA, ofB } = (await matches())[by];
		const va = valuesOf(model, a, measure.a), vb = valuesOf(model.other, b, measure.b), onlyB = [];

		for (let k = 0; k < b.n; k++)
			if (ofB[k] < 0)
				onlyB.push(k);
		const n = a.n + onlyB.length, rows = { n, a: new Int32Array(n).fill(-1), b: new Int32Array(n).fill(-1), sections: [a, b], by };

		for (const name of ['va', 'vb', 'change', 'size', 'bar'])
			rows[name] = new Float64Array(n);
		for (let i = 0; i < n; i++) {
			rows.a[i] = i < a.n ? i : -1;
			rows.b[i] = i < a.n ? ofA[i] : onlyB[i - a.n];
			rows.va[i] = rows.a[i] < 0 ? 0 : va[rows.a[i]] || 0;
			rows.vb[i] = rows.b[i] < 0 ? 0 : vb[rows.b[i]] || 0;
			rows.change[i] = rows.vb[i] - rows.va[i];
			rows.size[i] = Math.abs(rows.change[i]);
			rows.bar[i] = measure.uncertainty ? (rows.a[i] < 0 ? 0 : a.get(measure.uncertainty)[rows.a[i]] || 0) + (rows.b[i] < 0 ? 0 : b.get(measure.uncertainty)[rows.b[i]] || 0) : 0;
		}
		return rows;
	}

	function ownerOf(rows, i) {
		return rows.a[i] >= 0 ? [model, rows.sections[0], rows.a[i]] : [model.other, rows.sections[1], rows.b[i]];
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

	const text = (measure, value) => Number.isNaN(value) ? '' : exactly() ? measure.isShare ? value.toFixed(6) : thousands(String(value))
		: measure.isShare ? `${value.toFixed(2)} %` : measure.isCount ? count(value) : duration(value);

	function verdict(rows, i) {
		if (rows.a[i] < 0)
			return 'new';
		if (rows.b[i] < 0)
			return 'gone';
		return rows.size[i] === 0 ? 'same' : rows.size[i] <= rows.bar[i] ? 'within \u00b1' : rows.change[i] > 0 ? 'more' : 'less';
	}

	function columnsOfRows(rows, measure) {
		const most = rows.size.reduce((max, value) => Math.max(max, value), 0), csv = measure.a + (measure.a === measure.b ? '' : `, ${measure.b}`);
		const cell = (side, name) => i => rows[side][i] < 0 ? '' : h('span', { title: `${name}: ${rows['v' + side][i]}` }, text(measure, rows['v' + side][i]));

		return [{ heading: rows.by === 'nodes' ? 'Call path' : 'Name', isLeft: true, width: 300, cell: i => h('span', { class: rows.by === 'nodes' ? 'mono tail' : 'mono', title: nameOf(rows, i) },
				rows.by === 'nodes' ? h('bdi', {}, nameOf(rows, i)) : nameOf(rows, i)) },
			{ heading: '', isLeft: true, width: 88, meaning: 'within \u00b1: not more than both may be off by (R9); of one run on each side, chance is not known: cinstr diff of several runs tells it', cell: i => h('span', { class: `verdict ${verdict(rows, i).replace(' \u00b1', '')}` }, verdict(rows, i)) },
			{ heading: 'A', width: 110, cell: cell('a', csv) }, { heading: 'B', width: 110, cell: cell('b', csv) },
			{ heading: 'Change', width: 130, cell: i => [h('span', { class: 'bar', 'aria-hidden': 'true' }, h('i', { class: rows.change[i] > 0 ? 'wait' : 'cpu', style: { width: `${most > 0 ? 100 * rows.size[i] / most : 0}%` } })),
				h('span', { title: `change: ${rows.change[i]}${rows.bar[i] > 0 ? ` \u00b1 ${rows.bar[i]}` : ''}` }, (rows.change[i] > 0 ? '+' : rows.change[i] < 0 ? '\u2212' : '') + text(measure, rows.size[i]))] },
			{ heading: 'Change %', width: 104, cell: i => rows.va[i] > 0 && rows.b[i] >= 0 ? `${rows.change[i] > 0 ? '+' : ''}${(100 * rows.change[i] / rows.va[i]).toFixed(1)}` : '' },
			{ heading: 'Calls A', width: 96, cell: i => rows.a[i] < 0 ? '' : count(rows.sections[0].get('calls')[rows.a[i]]) },
			{ heading: 'Calls B', width: 96, cell: i => rows.b[i] < 0 ? '' : count(rows.sections[1].get('calls')[rows.b[i]]) }];
	}

	function totals(measure) {
		const whole = measure.isShare || measure.isCount ? null : [model, model.other].map(one => one.total(measure.a));
		const name = one => one.session.command_line || one.index.data.source;

		return h('p', { class: 'note' }, `A: ${model.index.data.source} (${name(model)}, ${duration(model.session.duration_ns)})  B: ${model.other.index.data.source} (${name(model.other)}, ${duration(model.other.session.duration_ns)})`,
			 whole ? `  All: ${text(measure, whole[0])} \u2192 ${text(measure, whole[1])}, ${whole[0] > 0 ? (100 * (whole[1] / whole[0] - 1)).toFixed(1) : '?'} %` : null,
			 ' One run on each side: what is chance is not known (cinstr diff of several runs tells).');
	}

	async function render(container, state) {
		const by = BY[state.get('by')] ? state.get('by') : 'functions', measures = measuresOf(), measure = measures.find(one => one.id === state.get('value')) ?? measures[0];
		const rows = await rowsOf(by, measure), order = sortRows(upTo(rows.n), rows.size, false);
		let grid = null;
		const chosen = wanted => wanted ? order.filter(i => nameOf(rows, i).toLowerCase().includes(wanted.toLowerCase())) : order;

		container.append(totals(measure), h('div', { class: 'tools' },
			h('input', { type: 'search', placeholder: 'Filter', 'aria-label': 'Filter', value: state.get('filter'), oninput: event => { set({ filter: event.target.value }); grid.show(chosen(event.target.value)); } }),
			h('span', { class: 'choice', role: 'group', 'aria-label': 'What is compared' }, Object.entries(BY).map(([id, title]) => h('button', { 'aria-pressed': String(id === by), onclick: () => go('changes', { by: id }) }, title))),
			h('select', { 'aria-label': 'Value', onchange: event => go('changes', { value: event.target.value }) }, measures.map(one => h('option', { value: one.id, selected: one === measure }, one.title)))));
		grid = table(container, { label: 'Changes', columns: columnsOfRows(rows, measure), rows: chosen(state.get('filter')), open: i => {
			const [owner, section, row] = ownerOf(rows, i);

			if (owner === model && by !== 'modules')
				go('function', { function: by === 'nodes' ? model.nodeName(section, row) : section.text('name', row) });
		} });
	}

	register({ id: 'changes', title: 'Changes', order: 15, needs: [], available: () => model.other !== null, render });
}
