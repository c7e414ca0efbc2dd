/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * flame_colours.js - the colours of a flame graph (flame_graph.js): of modules, of waiting, of what changed.
 */

const FLAME_COLOURS = { module: 'Module', waiting: 'Waiting', change: 'Change' };

/* The one that the address asks for, of those that the trees have; of two sessions that of the change. */
function flameColourOf(trees, state) {
	const first = trees.after ? 'change' : 'module', none = trees.after ? 'waiting' : 'change';
	const wanted = FLAME_COLOURS[state.get('colour')] ? state.get('colour') : first;

	return wanted === none || (model.isExecuted && wanted === 'waiting') ? 'module' : wanted;
}

/* Colours of one frame: [r, g, b], or as text. */
class FlameColours {
	constructor(graph) {
		const dark = isDark();

		this.graph = graph;
		this.text = dark ? '#f2f4f7' : '#14171a';
		this.narrow = dark ? '#4a515a' : '#b4bcc5';
		this.found = foundColour(dark);
		this.cool = dark ? [45, 96, 150] : [158, 200, 245];
		this.warm = dark ? [166, 96, 20] : [246, 172, 84];
		this.grey = dark ? [66, 72, 80] : [206, 211, 217];
		this.red = dark ? [178, 52, 44] : [240, 128, 116];
		this.blue = dark ? [48, 92, 178] : [124, 166, 240];
		this.modules = []; /* by label */
	}

	/* Of a node that is not found. */
	of(node) {
		const { tree, trees, colour } = this.graph, label = tree.label[node];

		if (colour === 'waiting' && tree.right)
			return this.ofWaiting(tree.left[node], tree.right[node]);
		if (colour === 'change')
			return this.ofChange(this.graph.changeOf(node));
		return this.modules[label] ??= moduleColour(trees.module(label));
	}

	ofWaiting(waiting, elapsed) {
		return mixed(this.cool, this.warm, elapsed > 0 ? Math.min(1, waiting / elapsed) : 0);
	}

	ofChange(change) {
		return mixed(this.grey, change > 0 ? this.red : this.blue, Math.abs(change));
	}
}
