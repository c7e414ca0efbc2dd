/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_changes.js - of two sessions: what has more in B than in A, and what less, as a table.
 */

{
	const BY = { functions: 'Functions', nodes: 'Call paths', modules: 'Modules' };

	function sideLine(side, { index, session, isSampled }) {
		const samples = isSampled ? `, ${count(session.samples)} samples` : '';

		return h('li', {}, h('b', {}, `${side} `), h('span', { class: 'mono' }, index.data.source),
			` ${session.command_line ?? ''} \u00b7 ${duration(session.duration_ns)}${samples}`);
	}

	function distortionLine({ distortion, by_chance: chance }) {
		return h('li', {}, `The probes distort ${distortion.toFixed(2)} points of the shares, of ` +
			`which chance alone would make ${chance.toFixed(2)}. What samples see and probes ` +
			'do not is a part of its caller.');
	}

	function about(set, cells) {
		const total = cells.total();

		return h('ul', { class: 'sides note' }, sideLine('A', model), sideLine('B', model.other),
			total ? h('li', {}, h('b', {}, 'All '), total) : null,
			set.distortion === undefined ? null : distortionLine(set),
			h('li', {}, cells.hint));
	}

	/* What the address asks for: by, those there are, the set of it, and all sets of it. */
	function chosenOf(info, state) {
		const hasSet = id => info.sets.some(set => set.by === id);
		const has = id => id === 'nodes' ? info.kind !== 'beside' : hasSet(id);
		const bys = Object.keys(BY).filter(has), value = state.get('value');
		const by = bys.includes(state.get('by')) ? state.get('by') : 'functions';
		const sets = info.sets.filter(set => set.by === (by === 'nodes' ? 'functions' : by));

		return { by, bys, sets, set: sets.find(set => set.column === value) ?? sets[0] };
	}

	function tools({ by, bys, sets, set: chosen }, onFilter) {
		const option = one => h('option', {
			value: one.column, selected: one === chosen }, CHANGE_TITLES[one.column]);
		const onchange = event => go('changes', { value: event.target.value });
		const list = bys.map(id => [id, BY[id]]), goBy = id => go('changes', { by: id });

		return h('div', { class: 'tools' }, filterField('Filter', onFilter),
			list.length < 2 ? null : choiceOf('What is compared', list, by, goBy),
			h('select', { 'aria-label': 'Value', onchange }, sets.map(option)));
	}

	async function render(container, state) {
		const changes = await changesOf(), chosen = chosenOf(changes.info, state);
		const rows = await ChangeRows.of(chosen.by, changes, chosen.set), order = rows.inOrder();
		const cells = new ChangeCells(rows, changes.info, chosen.set);
		const has = wanted => i => rows.nameOf(i).toLowerCase().includes(wanted);
		const having = text => text ? order.filter(has(text.toLowerCase())) : order;

		container.append(tools(chosen, text => grid.show(having(text))), about(chosen.set, cells));
		const grid = table(container, {
			label: 'Changes', columns: cells.columns(), sort: { name: 'change' },
			rows: having(state.get('filter')), open: i => openRow(rows, i) });
	}

	function openRow(rows, i) {
		const [owner, section, row] = rows.ownerOf(i);

		if (rows.by === 'modules')
			return;
		const name = rows.by === 'nodes' ? owner.nodeName(section, row) : section.text('name', row);

		go('function', { function: name });
	}

	register({ id: 'changes', title: 'Changes', order: 15, needs: [], render,
		available: of => of.other !== null });
}
