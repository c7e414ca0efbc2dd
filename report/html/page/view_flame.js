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
		const where = h('nav', { class: 'crumbs', 'aria-label': 'Zoom' }), what = h('div', { class: 'about', 'aria-live': 'polite' });
		const foot = h('p', { class: 'note foot' }), modules = h('ul', { class: 'legend' });

		container.append(flameTools(graph, state), where, what);
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
		flameLegend(graph, modules);
		graph.onMove = () => {
			set(graph.addressOf(graph.selected));
			const label = graph.selected < 0 ? -1 : graph.tree.label[graph.selected];

			if (label >= 0 && label < model.functions.n)
				set({ function: model.functionName(label) });
			flameCrumbs(graph, where);
			flameAbout(graph, what);
		};
		graph.onDrawn = () => flameNote(graph, foot);
		flameCrumbs(graph, where);
		flameAbout(graph, what);
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

		const plain = async () => (first ??= (await FlameTrees.of(none)).stepToPlain(measure, 'after'))();
		const begin = async () => {
			callers = new Boxes((await FlameTrees.of(none)).inverted(measure, 'after', false), -1, innerWidth);
		};

		const extend = async () => { callers.extend(innerHeight / FLAME_ROW, performance.now() + FLAME_EXTEND_MS); };

		return [...decodeColumns(columns.filter(name => name), () => model.load('nodes')), async () => { await FlameTrees.of(none); },
			plain, begin, ...Array.from({ length: PREPARED }, () => extend)];
	}

	register({ id: 'flame', title: 'Flame graph', order: 35, needs: ['nodes'], render, prepare,
		get graph() { return graph; },
		leave: () => graph?.box?.end(),
		redraw: () => { graph?.box?.drawNow(); flameLegend(graph, document.querySelector('#view > .legend')); },
		keys: {
			i: ['callers below, or callees', () => invertFlame(graph)],
			r: ['recursion as one level', () => collapseFlame(graph)],
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
