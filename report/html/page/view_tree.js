/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_tree.js - the call paths, opened and closed (open_paths.js): of all threads merged, or of one. A row of the
 * table is a path that is shown.
 */

{
	let tree = null; /* a TreeTable */

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
		const set_ = { full: 'full', cpu: 'cpu' }[state.get('columns')] ?? 'cpu', threads = await threadNames();

		tree = new TreeTable(await OpenPaths.of(state));
		const { nodes } = tree.paths, last = tree.openFirst(kept);

		container.append(h('div', { class: 'tools' },
			h('input', { type: 'search', placeholder: 'Find a function', 'aria-label': 'Find', value: state.get('find'),
				     oninput: event => { set({ find: event.target.value }); tree.search(event.target.value); },
				     onkeydown: event => event.key === 'Enter' && tree.search(event.target.value, true) }), tree.found,
			threadChoice(state, threads),
			model.isSampled ? null : setChoice(nodes.name, nodes, set_, ['cpu', 'full'], id => go('tree', { columns: id })),
			h('button', { onclick: () => tree.openHot() }, 'Hot path'),
			hiddenNote()));
		tree.show(container, set_);
		const at = nodes.name === 'nodes' && state.get('path') ? Number(state.get('path')) : -1;

		if (kept)
			last >= 0 && tree.scrollTo(last);
		else if (at >= 0 && at < nodes.n)
			tree.openTo(at);
		else if (state.get('find'))
			tree.search(state.get('find'));
	}

	function prepare() {
		const load = () => model.load('nodes'), inclusive = model.isSampled ? 'inclusive_samples' : 'elapsed_inclusive_ns';

		return [...decodeColumns([inclusive, 'hot', 'tail_calls', 'calls'], load), ...decodeSteps('nodes', 'cpu', load)];
	}

	register({ id: 'tree', title: 'Call tree', order: 30, needs: ['nodes'], render, keep: () => tree?.keep(), prepare, keys: {
		n: ['find the next one', () => tree.search(state.get('find'), true)],
		h: ['open the hot path', () => tree.openHot()],
		'\u2190 \u2192': ['close or open a path; go up or down', null],
		'*': ['open all that is below', null],
		g: ['the path in the flame graph', null],
		f: ['look at the function', null] } });
}
