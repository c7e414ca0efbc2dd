/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_flame.js - call paths as boxes: as wide as what they take, each below (or above) its caller. What is
 * zoomed into is a path of the call tree.
 */

{
	const PREPARED = 20; /* steps for callers below */
	let graph = null;

	async function treesOf(state) {
		const thread = state.get('thread');
		const isThread = thread && model.has('thread_nodes'), key = isThread ? thread : '', cache = model.flameTrees ??= new Map();

		if (cache.has(key))
			return cache.get(key);
		const nodes = await model.load(isThread ? 'thread_nodes' : 'nodes');
		let from = 0, to = nodes.n, after = null;

		if (isThread)
			for (let i = 0; i < nodes.n; i += nodes.size[i])
				if (nodes.text('name', i) === thread)
					[from, to] = [i, i + nodes.size[i]];
		if (model.other && model.other.isSampled === model.isSampled && !isThread) { /* samples and times cannot be compared */
			const theirs = await model.other.load('nodes');

			after = new FlameSide(model.other, theirs, 0, theirs.n);
		}
		cache.set(key, new FlameTrees(new FlameSide(model, nodes, from, to), after));
		return cache.get(key);
	}

	/* ---- the view -------------------------------------------------------------------------- */

	const change = keys => go('flame', keys);
	const flip = (key, value) => change({ [key]: state.get(key) === value ? null : value });

	function choice(label, list, at, key) {
		return h('span', { class: 'choice', role: 'group', 'aria-label': label }, list.map(([id, title, what]) =>
			h('button', { 'aria-pressed': String(id === at), title: what, onclick: () => change({ [key]: id }) }, title)));
	}

	function tools(state) {
		const found = h('span', { class: 'found', 'aria-live': 'polite', id: 'flame-found' }), { trees } = graph;
		const look = text => found.textContent = graph.search(text);
		const input = h('input', { type: 'search', placeholder: 'Find a function', 'aria-label': 'Find', value: state.get('find'),
			oninput: event => { set({ find: event.target.value }); look(event.target.value); },
			onkeydown: event => event.key === 'Enter' && graph.next(event.shiftKey ? -1 : 1) });
		const colours = Object.entries(FLAME_COLOURS).filter(([id]) => id === 'change' ? trees.after : id !== 'waiting' || !trees.after && !model.functions.isEmpty('off_cpu_ns'));

		graph.look = () => look(input.value);
		return h('div', { class: 'tools' }, input, found,
			choice('Width', flameMeasures().map(one => [one.id, one.title, 'boxes are as wide as this']), graph.measure.id, 'measure'),
			colours.length > 1 ? h('label', {}, 'Colour ', h('select', { 'aria-label': 'Colour', onchange: event => change({ colour: event.target.value }) },
				colours.map(([id, title]) => h('option', { value: id, selected: id === graph.colour }, title)))) : null,
			trees.after ? choice('Session', [['before', 'A, before', 'boxes are as wide as in A'], ['after', 'B, after', 'boxes are as wide as in B']], graph.width, 'width') : null,
			h('button', { 'aria-pressed': String(graph.isFlame), onclick: () => flip('shape', 'flame'), title: 'callers at the bottom' }, 'Flame'),
			h('button', { 'aria-pressed': String(graph.isInverted), onclick: () => change({ invert: graph.isInverted ? null : '1', path: null, chain: null }),
				      title: 'what is in a function alone, with its callers below (i)' }, 'Callers'),
			h('button', { 'aria-pressed': String(graph.isCollapsed), onclick: () => change({ collapse: graph.isCollapsed ? null : '1', chain: null }),
				      title: 'each function once on a path (r)' }, 'Recursion as one'));
	}

	/* Where the zoom is: its callers, each to go back to. */
	function crumbs(element) {
		const chain = graph.tree.chain(graph.zoom), shown = chain.length > 12 ? [...chain.slice(0, 4), null, ...chain.slice(-7)] : chain;

		element.replaceChildren(
			h('button', { disabled: graph.zoom < 0, onclick: () => graph.zoomTo(-1), title: 'all of it (0)' }, 'All'),
			...shown.flatMap(node => [h('span', { 'aria-hidden': 'true' }, ' \u203a '), node === null ? `${chain.length - 11} more` :
				h('button', { onclick: () => graph.zoomTo(node), 'aria-current': node === graph.zoom ? 'location' : null }, graph.name(node))]));
	}

	/* What is said of the selected path, and where else to look at it. */
	function about(element) {
		const node = graph.selected;

		if (node < 0) {
			element.replaceChildren(h('span', { class: 'note' }, model.isMixed ? 'Parts that samples tell are \u2248 estimates. ' : '',
				'Click a box to zoom in; arrow keys and Enter do so, too.'));
			return;
		}
		const label = graph.tree.label[node], f = label < model.functions.n ? label : -1, path = graph.addressOf(node).path;
		const [name, ...rest] = graph.tell(node).split('\n');

		element.replaceChildren(h('b', {}, name), h('span', {}, rest.filter(line => !/^[RMS]\d/.test(line)).join(' \u00b7 ')),
			path !== null && !state.get('thread') ? h('button', { onclick: () => go('tree', { path, find: null }), title: 'the path in the tree (t)' }, 'In the tree') : '',
			f >= 0 ? h('button', { onclick: () => go('function', { function: model.functionName(f) }), title: 'f' }, 'Function') : '');
	}

	function note(element) {
		const { narrow, narrowValue } = graph.boxes, { paths_hidden: hidden, least_percent: least } = model.index;
		const parts = [];

		if (narrow)
			parts.push(`${count(narrow)} frame${narrow === 1 ? '' : 's'} narrower than a pixel (grey): ${graph.share(narrowValue)}`);
		if (hidden)
			parts.push(`${count(hidden)} paths below ${least.toFixed(4)} % are not in this page; they are own time of their callers here`);
		if (graph.measure.id === 'calls')
			parts.push('as wide as the calls of a path and of all that it called');
		if (graph.colour === 'waiting')
			parts.push('blue: on a processor, orange: waiting');
		if (graph.colour === 'change')
			parts.push('red: more in B, blue: less, grey: the same, or within what is uncertain');
		element.textContent = parts.join(' \u00b7 ');
	}

	/* Colours of the modules with most. */
	function legend(element) {
		if (graph.colour !== 'module')
			return;
		const list = graph.trees.modulesWithMost(graph.measure, graph.width), most = list.slice(0, 6);

		element.replaceChildren(...most.map(([module, sum]) => h('li', { title: module || 'of no module' }, h('i', { style: { background: moduleColour(module) } }),
			`${module.replace(/.*\//, '') || 'none'} `, h('b', {}, graph.share(sum)))), list.length > most.length ? h('li', {}, `${count(list.length - most.length)} more`) : '');
	}

	async function render(container, state) {
		graph = new FlameGraph(await treesOf(state), state);
		const where = h('nav', { class: 'crumbs', 'aria-label': 'Zoom' }), what = h('div', { class: 'about', 'aria-live': 'polite' });
		const foot = h('p', { class: 'note foot' }), modules = h('ul', { class: 'legend' });

		container.append(tools(state), where, what);
		graph.box = new CanvasBox(container, {
			label: 'Flame graph',
			draw: (...all) => graph.draw(...all),
			fromEnd: () => graph.isFlame,
			hover: (x, y) => graph.hover(x, y),
			key: event => graph.key(event),
			click(x, y) {
				const box = graph.boxAt(x, y), node = box < 0 ? -2 : graph.boxes.node[box];

				if (node < 0)
					return;
				graph.selected = node;
				if (node === graph.zoom)
					graph.onMove();
				else
					graph.zoomTo(node);
			} });
		container.append(foot, modules);
		legend(modules);
		graph.onMove = () => {
			set(graph.addressOf(graph.selected));
			const label = graph.selected < 0 ? -1 : graph.tree.label[graph.selected];

			if (label >= 0 && label < model.functions.n)
				set({ function: model.functionName(label) });
			crumbs(where);
			about(what);
		};
		graph.onDrawn = () => note(foot);
		crumbs(where);
		about(what);
		if (!graph.tree.total)
			foot.textContent = 'There is none of it in this session.';
		graph.look();
		graph.box.resize();
		graph.show(graph.selected);
	}

	const toTree = () => graph.selected >= 0 && !state.get('thread') && go('tree', { path: graph.addressOf(graph.selected).path, find: null });

	/* The trees that are shown first, and those of callers, as far as they are seen. */
	function prepare() {
		const none = new Map(), measure = flameMeasure(none), columns = [measure.inclusive, measure.exclusive, 'off_cpu_exclusive_ns', 'elapsed_exclusive_ns'];
		let first = null, callers = null;

		const plain = async () => (first ??= (await treesOf(none)).stepToPlain(measure, 'after'))();
		const begin = async () => {
			callers = new Boxes((await treesOf(none)).inverted(measure, 'after', false), -1, innerWidth);
		};

		return [...decodeColumns(columns.filter(name => name), () => model.load('nodes')), async () => { await treesOf(none); }, plain, begin, ...Array.from({ length: PREPARED }, () => async () => callers.extend(innerHeight / FLAME_ROW, performance.now() + FLAME_EXTEND_MS))];
	}

	register({ id: 'flame', title: 'Flame graph', order: 35, needs: ['nodes'], render, prepare,
		get graph() { return graph; },
		leave: () => graph?.box?.end(),
		redraw: () => { graph?.box?.drawNow(); legend(document.querySelector('#view > .legend')); },
		keys: {
			i: ['callers below, or callees', () => change({ invert: graph.isInverted ? null : '1', path: null, chain: null })],
			r: ['recursion as one level', () => change({ collapse: graph.isCollapsed ? null : '1', chain: null })],
			0: ['zoom out to all of it', () => graph.zoomTo(-1)],
			Backspace: ['back to where the zoom was', () => graph.goBack()],
			n: ['the next one found', () => graph.next(1)],
			N: ['the one before', () => graph.next(-1)],
			t: ['the path in the tree', toTree],
			f: ['the function', () => graph.selected >= 0 && graph.tree.label[graph.selected] < model.functions.n &&
				go('function', { function: model.functionName(graph.tree.label[graph.selected]) })],
			'\u2190 \u2191 \u2192 \u2193': ['to the caller, callee, the box beside', null],
			Enter: ['zoom into the box', () => graph.zoomTo(graph.selected)],
		} });
}
