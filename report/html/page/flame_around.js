/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * flame_around.js - what is said around the flame graph of view_flame.js: where the zoom is, what the
 * selected box is; below it what it does not show, and its colours.
 */

const CRUMBS_FIRST = 4, CRUMBS_LAST = 7; /* of a long way; at most one more is left whole */

/* Where the zoom is: its callers, each to go back to. */
function flameCrumbs(graph, element) {
	const chain = graph.tree.chain(graph.zoom), more = chain.length - CRUMBS_FIRST - CRUMBS_LAST;
	const back = node => h('button', {
		onclick: () => graph.zoomTo(node), 'aria-current': node === graph.zoom ? 'location' : null },
	graph.name(node));
	const shown = more > 1 ? [...chain.slice(0, CRUMBS_FIRST).map(back), `${more} more`,
		...chain.slice(-CRUMBS_LAST).map(back)] : chain.map(back);
	const all = { disabled: graph.zoom < 0, onclick: () => graph.zoomTo(-1), title: 'all of it (0)' };

	element.replaceChildren(h('button', all, 'All'),
		...shown.flatMap(one => [h('span', { 'aria-hidden': 'true' }, ' \u203a '), one]));
}

/* What is said of the selected path, and where else to look at it. */
function flameAbout(graph, element) {
	if (graph.selected < 0) {
		element.replaceChildren(h('span', { class: 'note' },
			model.isMixed ? 'Parts that samples tell are \u2248 estimates. ' : '',
			'Click a box to zoom in; arrow keys and Enter do so, too.'));
		return;
	}
	const [name, ...rest] = graph.tell(graph.selected).split('\n');
	const words = rest.filter(line => !/^[RMS]\d/.test(line)).join(' \u00b7 ');
	const button = (title, onclick, text) => h('button', { title, onclick }, text);

	element.replaceChildren(h('b', {}, name), h('span', {}, words),
		selectedPath(graph) === null ? ''
			: button('the path in the tree (t)', () => flameToTree(graph), 'In the tree'),
		selectedFunction(graph) < 0 ? '' : button('f', () => flameToFunction(graph), 'Function'));
}

function flameNote(graph, element) {
	const { paths_hidden: hidden, least_percent: least } = model.index, { boxes } = graph, parts = [];

	if (boxes.narrow)
		parts.push(`${plural(boxes.narrow, 'frame')} narrower than a pixel (grey): ` +
			graph.share(boxes.narrowValue));
	if (hidden)
		parts.push(`${count(hidden)} paths below ${least.toFixed(4)} % are not in this page; they ` +
			`are own ${model.isExecuted ? 'instructions' : 'time'} of their callers here`);
	if (graph.measure.id === 'calls')
		parts.push('as wide as the calls of a path and of all that it called');
	if (graph.colour === 'waiting')
		parts.push('blue: on a processor, orange: waiting');
	if (graph.colour === 'change')
		parts.push(`red: ${model.isSampled ? 'a larger share' : 'more'} in B, blue: less, grey: ` +
			'the same, or within what is uncertain');
	element.textContent = parts.join(' \u00b7 ');
}

const LEGEND_MOST = 6;

/* Colours of the modules with most. */
function flameLegend(graph, element) {
	if (graph.colour !== 'module')
		return;
	const list = graph.trees.modulesWithMost(graph.measure, graph.width);
	const more = list.length - LEGEND_MOST;
	const entry = ([module, sum]) => h('li', { title: module || 'of no module' },
		h('i', { style: { background: moduleColour(module) } }),
		`${module.replace(/.*\//, '') || 'none'} `, h('b', {}, graph.share(sum)));

	element.replaceChildren(...list.slice(0, LEGEND_MOST).map(entry),
		more > 0 ? h('li', {}, `${count(more)} more`) : '');
}
