/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_flame.js - call paths as boxes: as wide as what they take, each below (or above) its caller. What is
 * zoomed into is a path of the call tree.
 */

{
	const PREPARED = 20; /* steps for callers below */
	let graph = null;

	async function render(container, state) {
		graph = new FlameGraph(await FlameTrees.of(state), state);
		const where = h('nav', { class: 'crumbs', 'aria-label': 'Zoom' });
		const what = h('div', { class: 'about', 'aria-live': 'polite' });
		const foot = h('p', { class: 'note foot' }), modules = h('ul', { class: 'legend' });

		container.append(flameTools(graph), where, what);
		connectFlame(graph, container, { where, what, foot });
		container.append(foot, modules);
		flameLegend(graph, modules);
		flameCrumbs(graph, where);
		flameAbout(graph, what);
		if (!graph.tree.total)
			foot.textContent = 'There is none of it in this session.';
		graph.look(state.get('find') ?? '');
		graph.box.resize();
		graph.show(graph.selected);
	}

	/* The trees that are shown first, and those of callers, as far as they are seen. */
	function prepare() {
		const none = new Map(), measure = flameMeasure(none), trees = () => FlameTrees.of(none);
		const columns = [measure.inclusive, measure.exclusive, 'off_cpu_exclusive_ns',
			'elapsed_exclusive_ns'].filter(name => name);
		let first = null, callers = null;

		const plain = async () => (first ??= (await trees()).stepToPlain(measure, 'after'))();
		const begin = async () => {
			const all = await trees(), tree = all.inverted(measure, 'after', all.isRecursive);

			callers = new Boxes(tree, -1, innerWidth);
		};
		const extend = async () => {
			callers.extend(innerHeight / FLAME_ROW, performance.now() + FLAME_EXTEND_MS);
		};

		const merge = async () => {
			const all = await trees();

			all.withCallees(measure, 'after', all.isRecursive);
		};

		return [...decodeColumns(columns, () => model.load('nodes')), async () => { await trees(); },
			plain, merge, begin, ...Array(PREPARED).fill(extend)];
	}

	function redraw() {
		graph?.box?.drawNow();
		flameLegend(graph, document.querySelector('#view > .legend'));
	}

	register({ id: 'flame', title: 'Flame graph', order: 35, needs: ['nodes'], render, prepare,
		ofInstructions: true,
		get graph() { return graph; },
		leave: () => graph?.box?.end(),
		redraw,
		keys: {
			i: ['callers below, or callees', () => invertFlame(graph)],
			r: ['recursion as one level', () => collapseFlame(graph)],
			0: ['zoom out to all of it', () => graph.zoomTo(-1)],
			Backspace: ['back to where the zoom was', () => graph.goBack()],
			n: ['the next one found', () => graph.next(1)],
			N: ['the one before', () => graph.next(-1)],
			t: ['the path in the tree', () => flameToTree(graph)],
			f: ['the function', () => flameToFunction(graph)],
			'\u2190 \u2191 \u2192 \u2193': ['to the caller, callee, the box beside', null],
			Enter: ['zoom into the box', () => graph.zoomTo(graph.selected)],
		} });
}
