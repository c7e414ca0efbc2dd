/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * open_paths.js - which paths of a call tree are open, so that those below are shown, and where a function is
 * found among them: what view_tree.js shows. A path is its number in `nodes` (or thread_nodes).
 */

class OpenPaths {
	/* Of the paths [from, to), all closed. */
	constructor(nodes, from, to) {
		Object.assign(this, { nodes, from, to, opened: new Uint8Array(nodes.n), lastFound: -1 });
	}

	/* Of one thread, if the tree is by thread. */
	static async of(state) {
		const thread = state.get('thread'), isOfThread = thread && model.has('thread_nodes');
		const nodes = await model.load(isOfThread ? 'thread_nodes' : 'nodes');

		if (nodes.name === 'thread_nodes')
			for (let i = 0; i < nodes.n; i += nodes.size[i])
				if (nodes.text('name', i) === thread)
					return new OpenPaths(nodes, i, i + nodes.size[i]);
		return new OpenPaths(nodes, 0, nodes.n);
	}

	/* Those that are shown, in order. */
	visible() {
		const rows = [];

		for (let i = this.from; i < this.to;) {
			rows.push(i);
			i += this.opened[i] ? 1 : this.nodes.size[i];
		}
		return Int32Array.from(rows);
	}

	set(i, isOpen) {
		this.opened[i] = isOpen && this.nodes.size[i] > 1 ? 1 : 0;
	}

	/* All that is below, of at most so many. */
	toggleBelow(i) {
		const end = Math.min(i + this.nodes.size[i], i + 5000), isOpen = !this.opened[i];

		for (let k = i; k < end; k++)
			this.set(k, isOpen);
	}

	/* So that it is shown. */
	openTo(i) {
		for (let k = this.nodes.parent[i]; k >= 0; k = this.nodes.parent[k])
			this.opened[k] = 1;
	}

	/* Returns the last one on it, or -1. */
	openHot() {
		const hot = this.nodes.get('hot');
		let last = -1;

		for (let i = this.from; i < this.to; i++)
			if (hot[i]) {
				this.set(i, true);
				last = i;
			}
		this.openMost(last);
		return last;
	}

	/* On from there while one callee has most of it: a recursion goes on where the hot path does not. */
	openMost(i) {
		const value = this.nodes.get(model.inclusive);

		/* the first one has most */
		while (i >= 0 && this.nodes.size[i] > 1 && value[i + 1] * 2 >= value[i])
			this.set(++i, true);
	}

	/* Whether a path's function has the text in its name. */
	matcher(text) {
		const wanted = text.toLowerCase(), hits = new Uint8Array(model.functions.n), { nodes } = this;

		for (let f = 0; f < model.functions.n; f++)
			hits[f] = model.functionName(f).toLowerCase().includes(wanted);
		const hasText = i => nodes.text('name', i).toLowerCase().includes(wanted);

		return i => nodes.function[i] >= 0 ? hits[nodes.function[i]] === 1 : hasText(i);
	}

	/* Opens the first one, or the next one behind that; it, or -1; and which of how many. */
	find(text, again) {
		const isHit = this.matcher(text), behind = again ? this.lastFound : -1;
		let n = 0, first = -1, next = -1, place = 1;

		for (let i = this.from; i < this.to; i++) {
			if (!isHit(i))
				continue;
			n++;
			first = first < 0 ? i : first;
			if (next < 0 && i > behind) {
				next = i;
				place = n;
			}
		}
		this.lastFound = next < 0 ? first : next;
		if (this.lastFound >= 0)
			this.openTo(this.lastFound);
		return { path: this.lastFound, told: n ? `${count(place)} of ${count(n)}` : 'none' };
	}
}
