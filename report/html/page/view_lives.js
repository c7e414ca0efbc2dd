/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_lives.js - call sites, threads, processes, marks, modules: a table each, with all that csv has of them.
 */

{
	const KINDS = { sites: 'Call sites', lines: 'Lines', threads: 'Threads', processes: 'Processes', marks: 'Marks', modules: 'Modules' };
	const FIRST = { lines: { name: 'elapsed_exclusive_ns' }, marks: { name: 'begin_ns', up: true }, sites: { name: 'off_cpu_exclusive_ns' } };
	const SETS = { cpu: 'Time', full: 'Four values', os: 'System', all: 'All columns' };

	/* Who calls what, where: f:12 -> g, or =>: a tail call. */
	function siteName(section, row) {
		const line = section.get('line')[row], callee = section.text('callee', row);
		const text = section.text('name', row) + (line > 0 ? `:${line}` : '') + (callee ? `${section.get('tail_calls')[row] > 0 ? ' \u21d2 ' : ' \u2192 '}${callee}` : '');

		return h('span', { class: 'mono', title: text }, text);
	}

	/* Where the time is of some of several lines, all of them. */
	function lineName(section, row) {
		const from = section.get('line_from')[row], to = section.get('line_to')[row], line = section.get('line')[row];
		const text = (section.text('file', row).replace(/.*\//, '') || section.text('name', row)) + (line > 0 && section.text('file', row) ? `:${line}` : '') + (from > 0 && to > from ? ` (${from}-${to})` : '');

		return h('span', { class: 'mono', title: `${section.text('file', row)}\n${section.text('function', row)}` }, text);
	}

	function tableOf(kind) {
		return async (container, state) => {
			const section = await model.load(kind), set = SETS[state.get('columns')] ? state.get('columns') : 'cpu';
			const sort = state.get('sort') ? { name: state.get('sort').replace(/:asc$/, ''), up: /:asc$/.test(state.get('sort')) } : FIRST[kind];
			const columns = columnsOf(kind, section, set);
			let rows = upTo(section.n);

			if (/^(sites|lines)$/.test(kind) && columns.some(column => column.form === 'name'))
				columns.find(column => column.form === 'name').cell = row => kind === 'lines' ? lineName(section, row) : siteName(section, row);
			columns.sort((a, b) => (b.form === 'name') - (a.form === 'name'));
			if (sort && section.has(sort.name))
				rows = sortRows(rows, sortKeys(section, sort.name), sort.up);
			container.append(h('div', { class: 'tools' },
				h('span', { class: 'choice', role: 'group', 'aria-label': 'Columns' }, Object.entries(SETS).map(([id, title]) =>
					h('button', { 'aria-pressed': String(id === set), onclick: () => go(kind, { columns: id === 'cpu' ? null : id }) }, title))),
				h('span', { class: 'found' }, `${count(section.n)} ${KINDS[kind].toLowerCase()}`)));
			table(container, { columns, rows, sort, label: KINDS[kind], onsort: (name, up) => go(kind, { sort: name + (up ? ':asc' : '') }),
				open: row => kind === 'sites' ? go('function', { function: section.text('callee', row) || section.text('name', row) }) : kind === 'threads' && model.has('thread_nodes') && go('tree', { thread: `[thread ${section.text('name', row)} ${section.get('tid')[row]}]` }) });
		};
	}

	Object.entries(KINDS).forEach(([kind, title], i) =>
		register({ id: kind, title, order: 60 + i, needs: [kind], available: () => model.has(kind) && (!model[kind] || model[kind].n > 0), render: tableOf(kind) }));
}
