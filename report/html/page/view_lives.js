/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_lives.js - call sites, threads, processes, marks, modules: a table each, with all that csv has of them.
 */

{
	const KINDS = { sites: 'Call sites', lines: 'Lines', threads: 'Threads', processes: 'Processes', marks: 'Marks', modules: 'Modules' };
	/* Sorted by the first of these that is shown. */
	const TOTAL = ['elapsed_inclusive_ns', 'off_cpu_ns', 'inclusive_samples'];
	const EXCLUSIVE = ['cpu_exclusive_ns', 'elapsed_exclusive_ns', 'off_cpu_exclusive_ns', 'exclusive_samples'];
	const FIRST = { lines: EXCLUSIVE, modules: EXCLUSIVE, threads: TOTAL, processes: TOTAL, marks: ['begin_ns'],
			sites: ['off_cpu_exclusive_ns', 'elapsed_inclusive_ns', 'cpu_exclusive_ns', 'inclusive_samples'] };
	const WORDS = { sites: ['call site'], lines: ['line'], threads: ['thread'], processes: ['process', 'processes'], marks: ['mark'], modules: ['module'] };
	const FILTERED = ['name', 'callee', 'file', 'function', 'module_name', 'module', 'text', 'process'];

	/* Who calls what, where: f:12 -> g, or =>: a tail call. */
	function siteName(section, row) {
		const line = section.get('line')[row], callee = section.text('callee', row), caller = section.text('name', row) + (line > 0 ? `:${line}` : '');
		const called = callee ? `${section.get('tail_calls')[row] > 0 ? ' \u21d2 ' : ' \u2192 '}${callee}` : '';

		return h('span', { class: 'mono site', title: caller + called }, h('span', {}, caller), h('span', {}, called));
	}

	/* Where the time is of some of several lines, all of them. */
	function lineName(section, row) {
		const from = section.get('line_from')[row], to = section.get('line_to')[row], line = section.get('line')[row];
		const text = (section.text('file', row).replace(/.*\//, '') || section.text('name', row)) + (line > 0 && section.text('file', row) ? `:${line}` : '') + (from > 0 && to > from ? ` (${from}-${to})` : '');

		return h('span', { class: 'mono', title: `${section.text('file', row)}\n${section.text('function', row)}` }, text);
	}

	/* A line may be of several functions; where lines are not known, it is one. */
	function openLine(section, row) {
		const names = [...section.text('function', row).split('; '), section.text('name', row)];
		const name = names.find(one => model.functionOf(one) >= 0);

		if (name)
			go('function', { function: name });
	}

	function openRow(kind, section, row) {
		if (kind === 'sites')
			go('function', { function: section.text('callee', row) || section.text('name', row) });
		else if (kind === 'lines')
			openLine(section, row);
		else if (kind === 'modules')
			go('functions', { filter: section.text('name', row).replace(/.*\//, '') });
		else if (kind === 'threads' && model.has('thread_nodes'))
			go('tree', { thread: `[thread ${section.text('name', row)} ${section.get('tid')[row]}]` });
	}

	/* Two names need room: intervals of samples are at the bars, and among all columns. */
	const isLeftOut = (kind, set, column) => kind === 'sites' && set === 'cpu' && /_(low|high)$/.test(column.name);

	function columnsOfKind(kind, section, set) {
		const columns = columnsOf(kind, section, set).filter(column =>
			column.form === 'name' || !section.isEmpty(column.name) && !isLeftOut(kind, set, column));
		const name = columns.find(column => column.form === 'name');

		if (name && kind === 'sites')
			name.cell = row => siteName(section, row);
		else if (name && kind === 'lines')
			name.cell = row => lineName(section, row);
		return columns.sort((a, b) => (b.form === 'name') - (a.form === 'name'));
	}

	/* From the address, or the first one. */
	function sortOf(kind, state, columns) {
		const text = state.get('sort'), first = FIRST[kind].find(name => columns.some(column => column.name === name));

		return text ? { name: text.replace(/:asc$/, ''), up: /:asc$/.test(text) } : first ? { name: first, up: kind === 'marks' } : null;
	}

	/* Where the program sets none, there is one row, for the recording's begin. */
	const hasMarks = () => !model.has('course') || model.has('course_marks');

	function tableOf(kind) {
		return async (container, state) => {
			const section = await model.load(kind), set_ = SETS[state.get('columns')] ? state.get('columns') : 'cpu';
			const columns = columnsOfKind(kind, section, set_), sort = sortOf(kind, state, columns);
			const found = h('span', { class: 'found', 'aria-live': 'polite' });
			let grid = null;

			for (const column of columns)
				column.hasBar = column.name === sort?.name && /^(total|cpu|off_cpu|samples)$/.test(column.family);

			function choose() {
				const rows = rowsWith(state.get('filter'), section, FILTERED), all = plural(section.n, ...WORDS[kind]);

				found.textContent = rows.length === section.n ? all : `${count(rows.length)} of ${all}`;
				return sort && section.has(sort.name) ? sortRows(rows, sortKeys(section, sort.name), sort.up) : rows;
			}

			container.append(h('div', { class: 'tools' },
				section.n > 1 ? h('input', { type: 'search', placeholder: 'Filter by names', 'aria-label': 'Filter', value: state.get('filter'),
					oninput: event => { set({ filter: event.target.value }); grid.show(choose()); } }) : null,
				setChoice(kind, section, set_, Object.keys(SETS), id => go(kind, { columns: id })), found));
			grid = table(container, { columns, rows: choose(), sort, label: KINDS[kind],
				onsort: (name, up) => go(kind, { sort: name + (up ? ':asc' : '') }), open: row => openRow(kind, section, row) });
		};
	}

	Object.entries(KINDS).forEach(([kind, title], i) =>
		register({ id: kind, title, order: 60 + i, needs: [kind], render: tableOf(kind),
			available: () => model.has(kind) && (!model[kind] || model[kind].n > 0) && (kind !== 'marks' || hasMarks()) }));
}
