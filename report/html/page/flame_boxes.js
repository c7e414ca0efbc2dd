/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * flame_boxes.js - what is drawn of a tree (flame_layout.js): boxes, row by row.
 */

/*
 * What is drawn of a tree, row by row, for a width in pixels. zoom: the node that has all of the width, or
 * -1; above it are its callers. Children narrower than `least` pixels that stand side by side are one box
 * without a node, whose `node` is -1 - how many nodes that are; with all below them they are counted in
 * `narrow`.
 */
class Boxes {
	constructor(tree, zoom, width, least = 1) {
		this.tree = tree;
		this.width = width;
		this.least = least;
		this.node = [];
		this.x = [];
		this.w = [];
		this.value = [];
		this.ends = []; /* of each row: behind its last box */
		this.narrow = 0;
		this.narrowValue = 0;
		this.base = 0; /* rows above the zoomed one */
		this.scale = 0;
		this.opened = 0; /* boxes before it have what is below them */

		for (const i of tree.chain(zoom)) {
			this.put(i, 0, width, tree.value[i]);
			this.ends.push(this.node.length);
			this.base++;
		}
		this.base = Math.max(this.base - 1, 0);
		this.opened = this.begin(Math.max(this.rows - 1, 0));
		this.scale = width / (zoom < 0 ? tree.total : tree.value[zoom]) || 0;
		this.isDone = !(this.scale > 0 && Number.isFinite(this.scale));
		if (zoom < 0 && !this.isDone) {
			this.below(-1, 0);
			this.ends.push(this.node.length);
		}
	}

	put(node, x, w, value) {
		this.node.push(node);
		this.x.push(x);
		this.w.push(w);
		this.value.push(value);
	}

	below(parent, x) {
		const { tree, scale, least } = this;
		let narrow = 0, from = x, value = 0;

		const flush = () => {
			if (narrow) {
				this.put(-1 - narrow, from, x - from, value);
				narrow = value = 0;
			}
		};

		for (let i = tree.first(parent); i >= 0; i = tree.next(i)) {
			const own = tree.value[i], w = own * scale;

			if (w >= least) {
				flush();
				this.put(i, x, w, own);
			} else {
				if (!narrow)
					from = x;
				narrow++;
				value += own;
				this.narrow += tree.count(i);
				this.narrowValue += own;
			}
			x += w;
		}
		flush();
	}

	get rows() {
		return this.ends.length;
	}

	begin(row) {
		return row ? this.ends[row - 1] : 0;
	}

	/* More rows, up to so many, or until the time (performance.now()) has come. Whether all are there. */
	extend(rows, until = Infinity) {
		while (!this.isDone && this.ends.length < rows) {
			const end = this.ends[this.ends.length - 1];

			while (this.opened < end) {
				const k = this.opened++;

				if (this.node[k] < 0)
					continue;
				this.below(this.node[k], this.x[k]);
				if (performance.now() > until)
					return this.isDone;
			}
			if (this.node.length === end)
				this.isDone = true;
			else
				this.ends.push(this.node.length);
		}
		return this.isDone;
	}

	/* The box at a place, or -1. */
	at(row, x) {
		if (row < 0 || row >= this.ends.length)
			return -1;
		let low = this.begin(row), high = this.ends[row];

		while (low < high) {
			const middle = low + high >> 1;

			if (this.x[middle] + this.w[middle] <= x)
				low = middle + 1;
			else
				high = middle;
		}
		return low < this.ends[row] && this.x[low] <= x ? low : -1;
	}
}
