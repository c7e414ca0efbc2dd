/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_functions.js - all functions, with all that csv has of them.
 */

{
	const STRINGS_AT_ONCE = 10000;
	let shownTable = null, rows = null;

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
			rows = rowsWith(state.get('filter'), section, ['name', 'module_name']);
			found.textContent = rows.length === section.n ? plural(section.n, 'function') : `${count(rows.length)} of ${plural(section.n, 'function')}`;
			if (section.has(sort.name))
				rows = rows.length === section.n ? orderOf(section, sort.name, sort.up) : sortRows(rows, sortKeys(section, sort.name), sort.up);
			return rows;
		}

		container.append(h('div', { class: 'tools' },
			h('input', { type: 'search', placeholder: 'Filter by name or module', 'aria-label': 'Filter', value: state.get('filter'),
				     oninput: event => { set_({ filter: event.target.value }); shownTable.show(choose()); } }),
			setChoice('functions', section, set, Object.keys(SETS), id => go('functions', { columns: id })),
			found));
		shownTable = table(container, { columns, rows: choose(), sort, label: 'Functions',
			onsort: (name, up) => go('functions', { sort: name + (up ? ':asc' : '') }),
			open: row => go('function', { function: model.functionName(row) }) });
		if (kept && model.functionOf(kept) >= 0)
			shownTable.scrollTo(rows.indexOf(model.functionOf(kept)));
	}
	const set_ = keys => set(keys);

	/* Its columns, the order that is shown first, and that of names. */
	function prepare() {
		const section = model.functions, { name, up } = sortOf(new Map(), 'cpu');

		return [...decodeSteps('functions', 'cpu', async () => section), async () => { section.has(name) && orderOf(section, name, up); },
			async () => sorterOf(model).work(STRINGS_AT_ONCE) ? '' : 'more',
			async () => { for (const isUp of [true, false]) orderOf(section, 'name', isUp); }];
	}

	register({ id: 'functions', title: 'Functions', order: 20, available: () => true, render, prepare,
		   keep: () => model.functionName(shownTable.cursor() ?? -1) });
}
