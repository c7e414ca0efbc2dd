/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_functions.js - all functions, with all that csv has of them.
 */

{
	const SETS = { cpu: 'Time', full: 'Four values', os: 'System', all: 'All columns' };
	let shownTable = null, rows = null;

	/* Rows whose name or module has the text in it. A name is looked at once, whatever rows have it. */
	function matching(text, section) {
		if (!text)
			return upTo(section.n);
		const wanted = text.toLowerCase(), { strings } = section.model, hits = new Int8Array(strings.length);
		const names = section.get('name'), modules = section.get('module_name'), rows = new Int32Array(section.n);
		const has = string => {
			if (string < 0)
				return false;
			if (!hits[string])
				hits[string] = (section.model.lower ??= strings.map(one => one.toLowerCase()))[string].includes(wanted) ? 1 : -1;
			return hits[string] > 0;
		};
		let n = 0;

		for (let row = 0; row < section.n; row++)
			if (has(names[row]) || has(modules[row]))
				rows[n++] = row;
		return rows.subarray(0, n);
	}

	function sortOf(state, set) {
		const text = state.get('sort');

		if (text)
			return { name: text.replace(/:asc$/, ''), up: /:asc$/.test(text) };
		const names = model.isSampled ? ['exclusive_samples'] : { full: ['elapsed_exclusive_ns'], os: ['off_cpu_exclusive_ns'] }[set] ??
			['cpu_exclusive_ns', 'elapsed_exclusive_ns'];

		return { name: names.find(name => !model.functions.isEmpty(name)) ?? 'name', up: false };
	}

	function render(container, state, _, kept) {
		const section = model.functions, set = SETS[state.get('columns')] ? state.get('columns') : 'cpu';
		const sort = sortOf(state, set), columns = columnsOf('functions', section, set);
		const found = h('span', { class: 'found', 'aria-live': 'polite' });

		columns.sort((a, b) => (b.form === 'name') - (a.form === 'name'));
		for (const column of columns)
			column.hasBar = column.name === sort.name && /^(total|cpu|off_cpu|samples)$/.test(column.family);

		function choose() {
			rows = matching(state.get('filter'), section);
			found.textContent = rows.length === section.n ? `${count(section.n)} functions` : `${count(rows.length)} of ${count(section.n)} functions`;
			if (section.has(sort.name))
				rows = sortRows(rows, sortKeys(section, sort.name), sort.up);
			return rows;
		}

		container.append(h('div', { class: 'tools' },
			h('input', { type: 'search', placeholder: 'Filter by name or module', 'aria-label': 'Filter', value: state.get('filter'),
				     oninput: event => { set_({ filter: event.target.value }); shownTable.show(choose()); } }),
			h('span', { class: 'choice', role: 'group', 'aria-label': 'Columns' }, Object.entries(SETS).map(([id, title]) =>
				h('button', { 'aria-pressed': String(id === set), onclick: () => go('functions', { columns: id === 'cpu' ? null : id }) }, title))),
			found));
		shownTable = table(container, { columns, rows: choose(), sort, label: 'Functions',
			onsort: (name, up) => go('functions', { sort: name + (up ? ':asc' : '') }),
			open: row => go('functions', { function: model.functionName(row) }) });
		if (kept && model.functionOf(kept) >= 0)
			shownTable.scrollTo(rows.indexOf(model.functionOf(kept)));
	}
	const set_ = keys => set(keys);

	register({ id: 'functions', title: 'Functions', order: 20, available: () => true, render,
		   keep: () => model.functionName(shownTable.cursor() ?? -1) });
}
