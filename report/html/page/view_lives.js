/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_lives.js - call sites, lines, threads, processes, marks, modules: a table each, with all that csv has
 * of them.
 */

{
	/* Of each: its title, and what one of them is called, and several. */
	const KINDS = {
		sites: ['Call sites', 'call site'], lines: ['Lines', 'line'], threads: ['Threads', 'thread'],
		processes: ['Processes', 'process', 'processes'], marks: ['Marks', 'mark'],
		modules: ['Modules', 'module'],
	};
	/* Sorted by the first of these that is shown. */
	const TOTAL = ['elapsed_inclusive_ns', 'off_cpu_ns', 'inclusive_samples', 'inclusive_instructions'];
	const EXCLUSIVE = ['cpu_exclusive_ns', 'elapsed_exclusive_ns', 'off_cpu_exclusive_ns',
		'exclusive_samples', 'exclusive_instructions'];
	const OF_INSTRUCTIONS = ['threads', 'processes', 'modules'];
	const CALLED = ['off_cpu_exclusive_ns', 'elapsed_inclusive_ns', 'cpu_exclusive_ns',
		'inclusive_samples'];
	const FIRST = {
		sites: CALLED, lines: EXCLUSIVE, modules: EXCLUSIVE, threads: TOTAL, processes: TOTAL,
		marks: ['begin_ns'],
	};
	const FILTERED = ['name', 'callee', 'file', 'function', 'module_name', 'module', 'text', 'process'];

	/* From the address, or the first one. */
	function sortOf(kind, state, section, columns) {
		const first = FIRST[kind].find(name => columns.some(column => column.name === name));

		return sortOfAddress(state, section) ??
			(first ? { name: first, up: kind === 'marks' } : null);
	}

	/* Where the program sets none, there is one row, for the recording's begin. */
	const hasMarks = of => of.has('course_marks');

	async function render(kind, container, state) {
		const section = await model.load(kind), chosen = setOfAddress(state);
		const [title, ...words] = KINDS[kind], all = plural(section.n, ...words);
		const columns = columnsOfLives(kind, section, chosen);
		const sort = sortOf(kind, state, section, columns);
		const found = h('span', { class: 'found', 'aria-live': 'polite' });

		function choose() {
			const rows = rowsWith(state.get('filter'), section, FILTERED), n = rows.length;

			found.textContent = n === section.n ? all : `${count(n)} of ${all}`;
			return sort && section.has(sort.name)
				? sortRows(rows, sortKeys(section, sort.name), sort.up) : rows;
		}

		showBarsOf(columns, sort?.name);
		container.append(h('div', { class: 'tools' },
			section.n > 1 ? filterField('Filter by names', () => grid.show(choose())) : null,
			setChoice(kind, kind, section, chosen), found));
		const grid = table(container, { columns, rows: choose(), sort, label: title,
			onsort: sortInAddress(kind), open: row => openLife(kind, section, row) });
	}

	const isThere = (kind, of) => of.has(kind) && (!of[kind] || of[kind].n > 0);
	/* What was merged has one row for all threads. */
	const ifKept = { marks: hasMarks, threads: of => of.has('course') };

	Object.entries(KINDS).forEach(([kind, [title]], i) => register({
		id: kind, title, order: 60 + i, needs: [kind],
		ofInstructions: OF_INSTRUCTIONS.includes(kind),
		available: of => isThere(kind, of) && (ifKept[kind]?.(of) ?? true),
		render: (container, state) => render(kind, container, state) }));
}
