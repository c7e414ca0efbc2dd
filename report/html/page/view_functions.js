/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_functions.js - all functions, with all that csv has of them.
 */

{
	const STRINGS_AT_ONCE = 10000;
	/* Sorted by the first of these that the session has. */
	const FIRST = {
		full: ['elapsed_exclusive_ns'], os: ['off_cpu_exclusive_ns'],
		cpu: ['cpu_exclusive_ns', 'elapsed_exclusive_ns'],
	};
	let shownTable = null, rows = null;

	function sortOf(state, chosen) {
		const names = model.isSampled || model.isExecuted ? [model.exclusive]
			: FIRST[chosen] ?? FIRST.cpu;
		const first = names.find(name => !model.functions.isEmpty(name)) ?? 'name';

		return sortOfAddress(state, model.functions) ?? { name: first, up: false };
	}

	/* Rows that the filter leaves, in order; made once of all of them. */
	function chosenRows(text, { name, up }) {
		const section = model.functions, list = rowsWith(text, section, ['name', 'module_name']);

		if (!section.has(name))
			return list;
		return list.length === section.n ? orderOf(section, name, up)
			: sortRows(list, sortKeys(section, name), up);
	}

	function render(container, state, _, kept) {
		const section = model.functions, chosen = setOfAddress(state), sort = sortOf(state, chosen);
		const columns = namesFirst(columnsOf('functions', section, chosen));
		const found = h('span', { class: 'found', 'aria-live': 'polite' });

		function choose() {
			const all = plural(section.n, 'function');

			rows = chosenRows(state.get('filter'), sort);
			found.textContent = rows.length === section.n ? all
				: `${count(rows.length)} of ${all}`;
			return rows;
		}

		showBarsOf(columns, sort.name);
		container.append(h('div', { class: 'tools' },
			filterField('Filter by name or module', () => shownTable.show(choose())),
			setChoice('functions', 'functions', section, chosen),
			found));
		shownTable = table(container, { columns, rows: choose(), sort, label: 'Functions',
			onsort: sortInAddress('functions'),
			open: row => go('function', { function: model.functionName(row) }) });
		if (kept && model.functionOf(kept) >= 0)
			shownTable.scrollTo(rows.indexOf(model.functionOf(kept)));
	}

	/* Its columns, the order that is shown first, and that of names. */
	function prepare() {
		const section = model.functions, { name, up } = sortOf(new Map(), 'cpu');

		return [...decodeSteps('functions', 'cpu', async () => section),
			async () => { section.has(name) && orderOf(section, name, up); },
			async () => sorterOf(model).work(STRINGS_AT_ONCE) ? '' : 'more',
			async () => { for (const isUp of [true, false]) orderOf(section, 'name', isUp); }];
	}

	register({ id: 'functions', title: 'Functions', order: 20, available: () => true, render, prepare,
		ofInstructions: true,
		keep: () => model.functionName(shownTable.cursor() ?? -1) });
}
