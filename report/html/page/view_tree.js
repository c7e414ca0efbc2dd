/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_tree.js - the call paths, opened and closed: of all threads merged, or of one. A path is its number in
 * `nodes` (or thread_nodes); a row of the table is one that is shown.
 */

{
	const INDENTED = 30; /* levels; deeper ones say which they are */
	let nodes, opened, list, grid, from, to, found;

	/* One section's tree, and what of it is looked at: [from, to). */
	async function choose(state) {
		const thread = state.get('thread');

		nodes = await model.load(thread && model.has('thread_nodes') ? 'thread_nodes' : 'nodes');
		from = 0;
		to = nodes.n;
		if (nodes.name !== 'thread_nodes')
			return;
		for (let i = 0; i < nodes.n; i += nodes.size[i])
			if (nodes.text('name', i) === thread) {
				from = i;
				to = i + nodes.size[i];
			}
	}

	/* Rows that are shown, in order. */
	function visible() {
		const rows = [];

		for (let i = from; i < to;) {
			rows.push(i);
			i += opened[i] ? 1 : nodes.size[i];
		}
		return Int32Array.from(rows);
	}

	function update(at) {
		list = visible();
		grid.show(list);
		if (at !== undefined)
			grid.scrollTo(list.indexOf(at));
	}

	function toggle(i, open = !opened[i]) {
		opened[i] = open && nodes.size[i] > 1 ? 1 : 0;
		update();
	}

	/* All that is below, of at most so many. */
	function openBelow(i) {
		const end = Math.min(i + nodes.size[i], i + 5000), open = !opened[i];

		for (let k = i; k < end; k++)
			opened[k] = open && nodes.size[k] > 1 ? 1 : 0;
		update(i);
	}

	function openTo(i) {
		for (let k = nodes.parent[i]; k >= 0; k = nodes.parent[k])
			opened[k] = 1;
		update(i);
	}

	/* On from there while one callee has most of it: a recursion goes on where the hot path does not. */
	function openMost(i) {
		const value = nodes.get(model.isSampled ? 'inclusive_samples' : 'elapsed_inclusive_ns');

		while (i >= 0 && nodes.size[i] > 1 && value[i + 1] * 2 >= value[i]) { /* the first one has most */
			i++;
			opened[i] = nodes.size[i] > 1 ? 1 : 0;
		}
	}

	function openHot() {
		const hot = nodes.get('hot');
		let last = -1;

		for (let i = from; i < to; i++)
			if (hot[i]) {
				opened[i] = nodes.size[i] > 1 ? 1 : 0;
				last = i;
			}
		openMost(last);
		return last;
	}

	/* The next path whose function has the text in its name, behind the row `at`. */
	function findNext(text, at) {
		const wanted = text.toLowerCase(), hits = new Uint8Array(model.functions.n);
		let n = 0, next = -1, place = 0;

		for (let f = 0; f < model.functions.n; f++)
			hits[f] = model.functionName(f).toLowerCase().includes(wanted);
		for (let i = from; i < to; i++) {
			const f = nodes.function[i];

			if (!(f >= 0 ? hits[f] : nodes.text('name', i).toLowerCase().includes(wanted)))
				continue;
			n++;
			if (next < 0 && i > at) {
				next = i;
				place = n;
			}
		}
		if (next < 0 && n && at >= from)
			return findNext(text, from - 1);
		found.textContent = n ? `${count(place)} of ${count(n)}` : 'none';
		return next;
	}

	let lastFound = -1;

	function search(text, again) {
		if (!text) {
			found.textContent = '';
			return;
		}
		lastFound = findNext(text, again ? lastFound : from - 1);
		if (lastFound >= 0)
			openTo(lastFound);
	}

	function nameCell(i) {
		const depth = nodes.depth[i] - (from < to ? nodes.depth[from] : 1), closed = nodes.size[i] > 1;
		const name = model.nodeName(nodes, i), f = nodes.function[i], jumps = nodes.get('tail_calls')[i];

		return h('span', { class: 'path' + (nodes.get('hot')[i] ? ' hot' : ''), style: { 'padding-left': `${Math.min(depth, INDENTED) * 14}px` },
				   title: SPECIAL_ROWS[name] ?? (f >= 0 ? model.functions.text('full_name', f) : name) },
			h('button', { class: 'twig', tabindex: '-1', 'aria-label': opened[i] ? 'close' : 'open', disabled: !closed,
				      onclick: event => { event.stopPropagation(); toggle(i); } }, closed ? opened[i] ? '\u25be' : '\u25b8' : ''),
			depth > INDENTED ? h('small', {}, `(${nodes.depth[i]}) `) : null, name,
			jumps > 0 ? h('small', {}, jumps < nodes.get('calls')[i] ? ' (part jump)' : ' (jump)') : null);
	}

	function columns(set) {
		const list = columnsOf(nodes.name, nodes, set === 'all' ? 'full' : set).filter(column => nodes.has(column.name) && !column.isLeft);

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

	async function render(container, state, _, kept) {
		const set = { full: 'full', cpu: 'cpu' }[state.get('columns')] ?? 'cpu';

		await choose(state);
		opened = new Uint8Array(nodes.n);
		found = h('span', { class: 'found', 'aria-live': 'polite' });
		let last = -1;

		if (kept?.section === nodes.name)
			findNodes(model, nodes, kept.opened, (i, flag) => {
				opened[i] = flag & 1;
				last = flag & 2 ? i : last;
			});
		else
			last = openHot();

		container.append(h('div', { class: 'tools' },
			h('input', { type: 'search', placeholder: 'Find a function', 'aria-label': 'Find', value: state.get('find'),
				     oninput: event => { set_({ find: event.target.value }); search(event.target.value); },
				     onkeydown: event => event.key === 'Enter' && search(event.target.value, true) }), found,
			threadChoice(state, await threadNames()),
			model.isSampled ? null : setChoice(nodes.name, nodes, set, ['cpu', 'full'], id => go('tree', { columns: id })),
			h('button', { onclick: () => update(openHot()) }, 'Hot path'),
			hiddenNote()));
		list = visible();
		grid = table(container, { columns: columns(set), rows: list, label: 'Call tree', rowClass: i => nodes.get('hot')[i] ? 'hot' : '',
			open: i => choosePath(i),
			key: (event, i) => keyOf(event, i) });
		const at = nodes.name === 'nodes' && state.get('path') ? Number(state.get('path')) : -1;

		if (kept)
			last >= 0 && grid.scrollTo(list.indexOf(last));
		else if (at >= 0 && at < nodes.n)
			openTo(at);
		else if (state.get('find'))
			search(state.get('find'));
	}

	function keyOf(event, i) {
		if (i === undefined)
			return false;
		switch (event.key) {
		case 'ArrowRight':
			if (!opened[i])
				toggle(i, true);
			else if (nodes.size[i] > 1)
				grid.scrollTo(list.indexOf(i) + 1);
			return true;
		case 'ArrowLeft':
			if (opened[i])
				toggle(i, false);
			else if (nodes.parent[i] >= from)
				grid.scrollTo(list.indexOf(nodes.parent[i]));
			return true;
		case '*':
			openBelow(i);
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
	const set_ = keys => set(keys);

	/* What is open, and where the cursor is. */
	function keep() {
		const flags = opened.slice(), cursor = grid.cursor();

		if (cursor !== undefined)
			flags[cursor] |= 2;
		return { section: nodes.name, opened: keepNodes(model, nodes, flags) };
	}

	/* Other views show it, too. */
	function choosePath(i) {
		set_({ path: nodes.name === 'nodes' ? String(i) : null });
		if (nodes.function[i] >= 0)
			set_({ function: model.functionName(nodes.function[i]) });
	}

	register({ id: 'tree', title: 'Call tree', order: 30, needs: ['nodes'], render, keep, prepare: () => decodeSteps('nodes', 'cpu', () => model.load('nodes')), keys: {
		n: ['find the next one', () => search(state.get('find'), true)],
		h: ['open the hot path', () => update(openHot())],
		'\u2190 \u2192': ['close or open a path; go up or down', null],
		'*': ['open all that is below', null],
		g: ['the path in the flame graph', null],
		f: ['look at the function', null] } });
}
