/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_changes.js - of two sessions: what has more in B than in A, and what less, as a table; and in the
 * summary what has changed most.
 */

{
	const IN_SUMMARY = 8;
	const BY = { functions: 'Functions', nodes: 'Call paths', modules: 'Modules' };
	const TITLES = {
		elapsed_exclusive_ns: 'Elapsed, exclusive', elapsed_inclusive_ns: 'Elapsed, inclusive',
		cpu_exclusive_ns: 'On the processor, exclusive', off_cpu_exclusive_ns: 'Waiting, exclusive',
		application_exclusive_ns: 'Application, exclusive', calls: 'Calls',
		exclusive: 'Share, exclusive', inclusive: 'Share, inclusive'
	};

	async function rowsFor(by, changes, set) {
		return by === 'nodes' ? ChangeRows.ofPaths(set)
			: ChangeRows.ofSet(changes, set, [await model.load(by), await model.other.load(by)]);
	}

	/* '' where there is no such whole. */
	function totalText(set, text) {
		const change = 100 * (set.total_b / set.total_a - 1);

		return set.total_a > 0 ?
			`${text(set.total_a)} \u2192 ${text(set.total_b)}, ${signed(change, value => value.toFixed(1))} %` : '';
	}

	function about(set, cells) {
		const lines = [['A', model], ['B', model.other]].map(([side, { index, session, isSampled }]) =>
			h('li', {}, h('b', {}, `${side} `), h('span', { class: 'mono' }, index.data.source),
				` ${session.command_line ?? ''} \u00b7 ${duration(session.duration_ns)}` +
				(isSampled ? `, ${count(session.samples)} samples` : '')));
		const total = totalText(set, cells.text);

		if (total)
			lines.push(h('li', {}, h('b', {}, 'All '), total));
		if (set.distortion !== undefined)
			lines.push(h('li', {}, `The probes distort ${set.distortion.toFixed(2)} points of the shares, of ` +
				`which chance alone would make ${set.by_chance.toFixed(2)}. What samples see and probes ` +
				'do not is a part of its caller.'));
		return h('ul', { class: 'sides note' }, lines, h('li', {}, cells.hint));
	}

	/* What the address asks for: by, those there are, the set of it, and all sets of it. */
	function chosenOf(info, state) {
		const has = id => id === 'nodes' ? info.kind !== 'beside' : info.sets.some(set => set.by === id);
		const bys = Object.keys(BY).filter(has), value = state.get('value');
		const by = bys.includes(state.get('by')) ? state.get('by') : 'functions';
		const sets = info.sets.filter(set => set.by === (by === 'nodes' ? 'functions' : by));

		return { by, bys, sets, set: sets.find(set => set.column === value) ?? sets[0] };
	}

	function tools({ by, bys, sets, set: chosen }, onFilter) {
		const button = id => h('button', { 'aria-pressed': String(id === by),
						   onclick: () => go('changes', { by: id }) }, BY[id]);
		const option = one => h('option', { value: one.column, selected: one === chosen }, TITLES[one.column]);
		const oninput = event => {
			set({ filter: event.target.value });
			onFilter(event.target.value);
		};
		const onchange = event => go('changes', { value: event.target.value });
		const group = { class: 'choice', role: 'group', 'aria-label': 'What is compared' };

		return h('div', { class: 'tools' },
			h('input', { type: 'search', placeholder: 'Filter', 'aria-label': 'Filter',
				     value: state.get('filter'), oninput }),
			bys.length < 2 ? null : h('span', group, bys.map(button)),
			h('select', { 'aria-label': 'Value', onchange }, sets.map(option)));
	}

	async function render(container, state) {
		const changes = await changesOf(), chosen = chosenOf(changes.info, state);
		const rows = await rowsFor(chosen.by, changes, chosen.set), order = rows.inOrder();
		const cells = new ChangeCells(rows, changes.info, chosen.set);
		const has = wanted => i => rows.nameOf(i).toLowerCase().includes(wanted);
		const having = text => text ? order.filter(has(text.toLowerCase())) : order;

		container.append(tools(chosen, text => grid.show(having(text))), about(chosen.set, cells));
		const grid = table(container, { label: 'Changes', columns: cells.columns(), sort: { name: 'change' },
						rows: having(state.get('filter')), open: i => openRow(rows, i) });
	}

	function openRow(rows, i) {
		const [owner, section, row] = rows.ownerOf(i);

		if (owner === model && rows.by !== 'modules')
			go('function', { function: rows.by === 'nodes' ? model.nodeName(section, row) : section.text('name', row) });
	}

	register({ id: 'changes', title: 'Changes', order: 15, needs: [], available: () => model.other !== null, render });

	/* ---- in the summary -------------------------------------------------------------------- */

	/* Only A's functions have a view. */
	function linkOf(rows, i) {
		const [owner] = rows.ownerOf(i), name = rows.nameOf(i);

		return owner === model && model.functionOf(name) >= 0
			? h('a', { href: address('function', new Map([['function', name]])) }, name) : name;
	}

	function line(rows, cells, i) {
		const points = cells.isShare ? value => `${cells.points(value)} points` : cells.text;
		const number = (...content) => h('td', { class: 'number' }, ...content);

		return h('tr', {}, h('td', { class: 'mono' }, linkOf(rows, i)), h('td', {}, cells.verdict(i)),
			number(cells.side(0, i)), number(rows.rows[1][i] >= 0 ? ['\u2192 ', cells.side(1, i)] : ''),
			number(signed(rows.change[i], points)), h('td', { class: 'number note' }, cells.interval(i)));
	}

	/* What has changed most, with the verdicts. */
	summaryFirst.push(async container => {
		if (!model.other)
			return;
		const changes = await changesOf(), { info } = changes, [first] = info.sets;
		const rows = await rowsFor('functions', changes, first);
		const cells = new ChangeCells(rows, info, first);
		const order = Array.from(rows.inOrder()).filter(i => rows.change[i]).slice(0, IN_SUMMARY);
		const title = info.kind === 'beside' ? 'Shares as sampled, and with probes' : 'Changes from A to B';
		const total = totalText(first, cells.text), all = address('changes', new Map());

		container.append(h('section', {},
			h('h3', {}, `${title} (${TITLES[first.column]})${total ? ': ' + total : ''}`),
			order.length ? h('table', { class: 'brief' }, h('tbody', {}, order.map(i => line(rows, cells, i))))
				: h('p', { class: 'note' }, 'None.'),
			h('p', { class: 'note' }, h('a', { href: all }, 'All changes'), '. What follows is of A.')));
	});
}
