/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_tree.js - the call paths, opened and closed (open_paths.js): of all threads merged, or of one. A row
 * of the table is a path that is shown.
 */

{
	let tree = null; /* a TreeTable */

	function hiddenNote() {
		const { paths_hidden: n, paths_hidden_ns: time, least_percent: least } = model.index;

		const amount = model.isExecuted ? `${count(time)} instructions`
			: model.isSampled ? `${count(time)} samples` : duration(time);

		return n ? h('span', { class: 'found' },
			`${count(n)} paths below ${least.toFixed(4)} % are not in this page: ${amount} ` +
			'(cinstr html --paths=0 has them)') : null;
	}

	function threadChoice(state, threads) {
		const onchange = event => go('tree', { thread: event.target.value || null });
		const selected = state.get('thread');
		const option = name => h('option', { value: name, selected: name === selected }, name);

		return threads ? h('select', { 'aria-label': 'Thread', onchange },
			h('option', { value: '' }, 'All threads, merged'), threads.map(option)) : null;
	}

	async function threadNames() {
		if (!model.has('thread_nodes'))
			return null;
		const trees = await model.load('thread_nodes'), names = [];

		for (let i = 0; i < trees.n; i += trees.size[i])
			names.push(trees.text('name', i));
		return names;
	}

	const next = () => tree.search(state.get('find'), true);

	async function render(container, state, _, kept) {
		const chosen = !model.isExecuted && state.get('columns') === 'full' ? 'full' : 'cpu';
		const threads = await threadNames();

		tree = new TreeTable(await OpenPaths.of(state));
		const { nodes } = tree.paths, last = tree.openFirst(kept);

		container.append(h('div', { class: 'tools' },
			findField(text => tree.search(text), next), tree.found,
			threadChoice(state, threads),
			model.isSampled ? null
				: setChoice('tree', nodes.name, nodes, chosen, ['cpu', 'full']),
			h('button', { onclick: () => tree.openHot() }, 'Hot path'),
			hiddenNote()));
		tree.show(container, chosen);
		const at = nodes.name === 'nodes' && state.get('path') ? Number(state.get('path')) : -1;

		if (kept)
			last >= 0 && tree.scrollTo(last);
		else if (at >= 0 && at < nodes.n)
			tree.openTo(at);
		else if (state.get('find'))
			tree.search(state.get('find'));
	}

	function prepare() {
		const { inclusive } = model, load = () => model.load('nodes');

		return [...decodeColumns([inclusive, 'hot', 'tail_calls', 'calls'], load),
			...decodeSteps('nodes', 'cpu', load)];
	}

	register({ id: 'tree', title: 'Call tree', order: 30, needs: ['nodes'], render, prepare,
		ofInstructions: true,
		keep: () => tree?.keep(),
		keys: {
			n: ['find the next one', next],
			h: ['open the hot path', () => tree.openHot()],
			'\u2190 \u2192': ['close or open a path; go up or down', null],
			'*': ['open all that is below', null],
			g: ['the path in the flame graph', null],
			f: ['look at the function', null],
		} });
}
