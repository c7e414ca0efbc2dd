/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_tree.js - the call paths, opened and closed (open_paths.js): of all threads merged, or of one. A row of the
 * table is a path that is shown.
 */

{
	/* Levels, and pixels of each; deeper ones say which they are. */
	const indent = () => innerWidth <= 600 ? [10, 5] : [30, 14];
	let paths, list, grid, found;

	function update(at) {
		list = paths.visible();
		grid.show(list);
		if (at !== undefined)
			grid.scrollTo(list.indexOf(at));
	}

	function toggle(i) {
		paths.set(i, !paths.opened[i]);
		update();
	}

	function search(text, again) {
		const { path, told } = text ? paths.find(text, again) : { path: -1, told: '' };

		found.textContent = told;
		if (path >= 0)
			update(path);
	}

	function nameCell(i) {
		const { nodes, from, to, opened } = paths, depth = nodes.depth[i] - (from < to ? nodes.depth[from] : 1), closed = nodes.size[i] > 1;
		const name = model.nodeName(nodes, i), f = nodes.function[i], jumps = nodes.get('tail_calls')[i];
		const [levels, pixels] = indent();

		return h('span', { class: 'path' + (nodes.get('hot')[i] ? ' hot' : ''), style: { 'padding-left': `${Math.min(depth, levels) * pixels}px` },
				   title: SPECIAL_ROWS[name] ?? (f >= 0 ? model.functions.text('full_name', f) : name) },
			h('button', { class: 'twig', tabindex: '-1', 'aria-label': opened[i] ? 'close' : 'open', disabled: !closed,
				      onclick: event => { event.stopPropagation(); toggle(i); } }, closed ? opened[i] ? '\u25be' : '\u25b8' : ''),
			depth > levels ? h('small', {}, `(${nodes.depth[i]}) `) : null, name,
			jumps > 0 ? h('small', {}, jumps < nodes.get('calls')[i] ? ' (part jump)' : ' (jump)') : null);
	}

	function columns(set) {
		const { nodes } = paths, list = columnsOf(nodes.name, nodes, set === 'all' ? 'full' : set).filter(column => nodes.has(column.name) && !column.isLeft);

		for (const column of list)
			column.hasBar = /inclusive/.test(column.name) && /^(total|cpu|samples)$/.test(column.family) && column.form !== 'percent';
		return [{ heading: 'Call path', isLeft: true, width: Math.min(520, Math.max(220, innerWidth * 0.45)), cell: nameCell }, ...list];
	}

	function hiddenNote() {
		const { paths_hidden: n, paths_hidden_ns: time, least_percent: least } = model.index;

		return n ? h('span', { class: 'found' }, `${count(n)} paths below ${least.toFixed(4)} % are not in this page: ` +
			`${model.isSampled ? count(time) + ' samples' : duration(time)} (cinstr html --paths=0 has them)`) : null;
	}

	function threadChoice(state, threads) {
		return threads ? h('select', { 'aria-label': 'Thread', onchange: event => go('tree', { thread: event.target.value || null }) },
			h('option', { value: '' }, 'All threads, merged'),
			threads.map(name => h('option', { value: name, selected: name === state.get('thread') }, name))) : null;
	}

	async function threadNames() {
		if (!model.has('thread_nodes'))
			return null;
		const trees = await model.load('thread_nodes'), names = [];

		for (let i = 0; i < trees.n; i += trees.size[i])
			names.push(trees.text('name', i));
		return names;
	}

	/* What was open before, by names; else the hot path. Returns where the cursor was. */
	function openFirst(kept) {
		let last = -1;

		if (kept?.section !== paths.nodes.name)
			return paths.openHot();
		findNodes(model, paths.nodes, kept.opened, (i, flag) => {
			paths.opened[i] = flag & 1;
			last = flag & 2 ? i : last;
		});
		return last;
	}

	async function render(container, state, _, kept) {
		const set_ = { full: 'full', cpu: 'cpu' }[state.get('columns')] ?? 'cpu';

		paths = await OpenPaths.of(state);
		found = h('span', { class: 'found', 'aria-live': 'polite' });
		const last = openFirst(kept), { nodes } = paths;

		container.append(h('div', { class: 'tools' },
			h('input', { type: 'search', placeholder: 'Find a function', 'aria-label': 'Find', value: state.get('find'),
				     oninput: event => { set({ find: event.target.value }); search(event.target.value); },
				     onkeydown: event => event.key === 'Enter' && search(event.target.value, true) }), found,
			threadChoice(state, await threadNames()),
			model.isSampled ? null : setChoice(nodes.name, nodes, set_, ['cpu', 'full'], id => go('tree', { columns: id })),
			h('button', { onclick: () => update(paths.openHot()) }, 'Hot path'),
			hiddenNote()));
		list = paths.visible();
		grid = table(container, { columns: columns(set_), rows: list, label: 'Call tree', rowClass: i => nodes.get('hot')[i] ? 'hot' : '',
			open: i => choosePath(i),
			key: (event, i) => keyOf(event, i) });
		const at = nodes.name === 'nodes' && state.get('path') ? Number(state.get('path')) : -1;

		if (kept)
			last >= 0 && grid.scrollTo(list.indexOf(last));
		else if (at >= 0 && at < nodes.n) {
			paths.openTo(at);
			update(at);
		} else if (state.get('find'))
			search(state.get('find'));
	}

	function keyOf(event, i) {
		const { nodes, opened } = paths;

		if (i === undefined)
			return false;
		switch (event.key) {
		case 'ArrowRight':
			if (!opened[i])
				toggle(i);
			else if (nodes.size[i] > 1)
				grid.scrollTo(list.indexOf(i) + 1);
			return true;
		case 'ArrowLeft':
			if (opened[i])
				toggle(i);
			else if (nodes.parent[i] >= paths.from)
				grid.scrollTo(list.indexOf(nodes.parent[i]));
			return true;
		case '*':
			paths.toggleBelow(i);
			update(i);
			return true;
		case 'f':
			if (nodes.function[i] >= 0)
				go('function', { function: model.functionName(nodes.function[i]) });
			return true;
		case 'g':
			choosePath(i);
			go('flame');
			return true;
		}
		return false;
	}

	/* What is open, and where the cursor is. */
	function keep() {
		const { nodes } = paths, flags = paths.opened.slice(), cursor = grid.cursor();

		if (cursor !== undefined)
			flags[cursor] |= 2;
		return { section: nodes.name, opened: keepNodes(model, nodes, flags) };
	}

	/* Other views show it, too. */
	function choosePath(i) {
		const { nodes } = paths;

		set({ path: nodes.name === 'nodes' ? String(i) : null });
		if (nodes.function[i] >= 0)
			set({ function: model.functionName(nodes.function[i]) });
	}

	function prepare() {
		const load = () => model.load('nodes'), inclusive = model.isSampled ? 'inclusive_samples' : 'elapsed_inclusive_ns';

		return [...decodeColumns([inclusive, 'hot', 'tail_calls', 'calls'], load), ...decodeSteps('nodes', 'cpu', load)];
	}

	register({ id: 'tree', title: 'Call tree', order: 30, needs: ['nodes'], render, keep, prepare, keys: {
		n: ['find the next one', () => search(state.get('find'), true)],
		h: ['open the hot path', () => update(paths.openHot())],
		'\u2190 \u2192': ['close or open a path; go up or down', null],
		'*': ['open all that is below', null],
		g: ['the path in the flame graph', null],
		f: ['look at the function', null] } });
}
