/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * flame_layout.js - trees of call paths as boxes: pure functions over arrays, without a document.
 * testsuite/html/flame_layout.test.js runs them.
 *
 * A tree, in preorder: n, parent (-1: a root), size (with all below), label (what it is called by: nodes of
 * one label are the same function), own (its part of the measure), value (with all below). first(i) and
 * next(i) give its children; first(-1) the first root. A lazy one (Inverted) has no size and grows.
 * sides: two more measures, for colours: `left` and `right` of each node, with all below.
 */

/* The measure of each node: what is its own, hidden paths below it included, and with all below. */
function treeOf(shape, inclusive, exclusive) {
	return treeInParts(shape, inclusive, exclusive, Infinity).next().value;
}

/* The same, with a rest after each `most` nodes or fewer. */
function *treeInParts(shape, inclusive, exclusive, most) {
	const { n, parent, size, label } = shape, own = new Float64Array(n), value = new Float64Array(n);
	const passes = inclusive ? [ownOfInclusive, valueOfInclusive, ownOfValue] : [ownOfExclusive, valueOfOwn];
	let left = most;

	for (const pass of passes)
		for (let end = n; end > 0;) { /* callees before callers */
			const from = Math.max(end - left, 0);

			pass(from, end, parent, own, value, inclusive ?? exclusive);
			left -= end - from;
			end = from;
			if (!left) {
				yield null;
				left = most;
			}
		}
	return new Tree({ n, parent, size, label, own, value });
}

function ownOfExclusive(from, end, parent, own, value, exclusive) {
	for (let i = from; i < end; i++)
		own[i] = Math.max(exclusive[i] || 0, 0);
}

function valueOfOwn(from, end, parent, own, value) {
	for (let i = end - 1; i >= from; i--) {
		value[i] += own[i];
		if (parent[i] >= 0)
			value[parent[i]] += value[i];
	}
}

function ownOfInclusive(from, end, parent, own, value, inclusive) {
	for (let i = from; i < end; i++)
		own[i] = inclusive[i] || 0;
}

/* What is below a node may be more than it has (R9): it has that, then. */
function valueOfInclusive(from, end, parent, own, value) {
	for (let i = end - 1; i >= from; i--) {
		value[i] = Math.max(own[i], value[i], 0); /* here value: of the children so far */
		own[i] = value[i];
		if (parent[i] >= 0)
			value[parent[i]] += value[i];
	}
}

function ownOfValue(from, end, parent, own, value) {
	for (let i = end - 1; i >= from; i--)
		if (parent[i] >= 0)
			own[parent[i]] -= value[i];
}

class Tree {
	constructor(arrays) {
		Object.assign(this, arrays);
		this.total = 0;
		for (let i = 0; i < this.n; i += this.size[i])
			this.total += this.value[i];
	}

	first(i) {
		return i < 0 ? this.n ? 0 : -1 : this.size[i] > 1 ? i + 1 : -1;
	}

	next(i) {
		const next = i + this.size[i], parent = this.parent[i];

		return next < (parent < 0 ? this.n : parent + this.size[parent]) ? next : -1;
	}

	count(i) {
		return this.size[i];
	}

	/* Two more measures of the same nodes, without what is below them. */
	addSides(left, right) {
		this.ownSides = [left, right];
		this.sides = [null, null];
		return this;
	}

	/* With all below: made when they are first asked for. */
	side(k) {
		return this.ownSides && (this.sides[k] ??= treeOf(this, null, this.ownSides[k]).value);
	}

	get left() {
		return this.side(0);
	}

	get right() {
		return this.side(1);
	}

	chain(i) {
		const chain = [];

		for (; i >= 0; i = this.parent[i])
			chain.push(i);
		return chain.reverse();
	}
}

/* ---- trees made of trees --------------------------------------------------------------------- */

/* Nodes by their parent and label. */
class Merger {
	/* labels: how many there are; most: how many nodes at most */
	constructor(labels, most) {
		this.labels = labels;
		this.parent = new Int32Array(most);
		this.label = new Int32Array(most);
		this.n = 0;
		this.mask = (1 << 32 - Math.clz32(2 * most + 1)) - 1;
		this.slots = new Int32Array(this.mask + 1); /* number + 1 */
	}

	add(parent, label) {
		let slot = (Math.imul(parent + 1, 0x9e3779b1) ^ Math.imul(label + 1, 0x85ebca6b)) >>> 0;

		for (slot = (slot ^ slot >>> 15) & this.mask; this.slots[slot]; slot = slot + 1 & this.mask) {
			const number = this.slots[slot] - 1;

			if (this.parent[number] === parent && this.label[number] === label)
				return number;
		}
		this.parent[this.n] = parent;
		this.label[this.n] = label;
		this.slots[slot] = this.n + 1;
		return this.n++;
	}

	/* What each number is in preorder, siblings by weight; and the shape. */
	finish(weight) {
		const { n } = this, sum = Float64Array.from(weight);
		const place = new Int32Array(n), parent = new Int32Array(n), size = new Int32Array(n).fill(1), label = new Int32Array(n);
		const begins = new Int32Array(n + 2), children = new Int32Array(n), stack = new Int32Array(n + 1);
		let at = 0, top = 0;

		for (let i = n - 1; i >= 0; i--)
			if (this.parent[i] >= 0)
				sum[this.parent[i]] += sum[i];
		for (let i = 0; i < n; i++)
			begins[this.parent[i] + 2]++;
		for (let i = 0; i < n; i++)
			begins[i + 1] += begins[i];
		for (let i = 0; i < n; i++)
			children[begins[this.parent[i] + 1]++] = i;
		/* Now begins[p + 1] is where those of p end, and begins[p] where they begin. */
		const push = of => {
			const own = children.subarray(of < 0 ? 0 : begins[of], begins[of + 1]);

			if (own.length > 1)
				own.sort((a, b) => sum[a] - sum[b] || b - a);
			for (const i of own) /* the last one put on is the first taken off */
				stack[top++] = i;
		};

		push(-1);
		while (top) {
			const i = stack[--top];

			place[i] = at;
			parent[at] = this.parent[i] < 0 ? -1 : place[this.parent[i]];
			label[at++] = this.label[i];
			push(i);
		}
		for (let i = n - 1; i >= 0; i--)
			if (parent[i] >= 0)
				size[parent[i]] += size[i];
		return { place, shape: { n, parent, size, label } };
	}
}

/*
 * Recursion as one level: where a function is on the path already, what it calls hangs at that place.
 * -> { shape, of: the node of each node of `tree`, from: one of its nodes of each }
 */
function collapse(tree, labels) {
	const merger = new Merger(labels, tree.n), of = new Int32Array(tree.n);

	for (let i = 0; i < tree.n; i++) {
		const label = tree.label[i], parent = tree.parent[i] < 0 ? -1 : of[tree.parent[i]];
		let at = parent;

		while (at >= 0 && merger.label[at] !== label)
			at = merger.parent[at];
		of[i] = at >= 0 ? at : merger.add(parent, label);
	}
	return finishMerged(merger, [{ tree, of }])[0];
}

/*
 * The paths of several trees with common labels in one shape: of each tree { shape, of, from }; a path that
 * it does not have is -1 in its `from`.
 */
function merge(trees, labels) {
	const merger = new Merger(labels, trees.reduce((sum, tree) => sum + tree.n, 0)), parts = [];

	for (const tree of trees) {
		const of = new Int32Array(tree.n);

		for (let i = 0; i < tree.n; i++)
			of[i] = merger.add(tree.parent[i] < 0 ? -1 : of[tree.parent[i]], tree.label[i]);
		parts.push({ tree, of });
	}
	return finishMerged(merger, parts);
}

function finishMerged(merger, parts) {
	const weight = new Float64Array(merger.n);

	for (const { tree, of } of parts)
		for (let i = 0; i < tree.n; i++)
			weight[of[i]] += tree.own[i];
	const { place, shape } = merger.finish(weight);

	return parts.map(({ tree, of }) => {
		const from = new Int32Array(shape.n).fill(-1);

		for (let i = tree.n - 1; i >= 0; i--) {
			of[i] = place[of[i]];
			from[of[i]] = i;
		}
		return { shape, of, from };
	});
}

/* Of each node of a merged shape the sum of what its nodes have. */
function sumsOf(merged, values) {
	const sums = new Float64Array(merged.shape.n);

	for (let i = 0; i < values.length; i++)
		sums[merged.of[i]] += values[i] || 0;
	return sums;
}

/* ---- callers below --------------------------------------------------------------------------- */

/*
 * Each function with what is its own on all paths; below it those that called it there, and so on. Nodes are
 * made when somebody asks for children: all of them would be as many as all paths have levels.
 */
class Inverted {
	constructor(tree, labels) {
		this.tree = tree;
		this.n = 0;
		this.parent = [];
		this.label = [];
		this.value = [];
		this.lists = []; /* of each node that was not opened: paths that end there, and those they began at */
		this.firsts = []; /* -2: not opened */
		this.nexts = [];
		this.total = 0;
		this.left = [];
		this.right = [];
		this.buckets = new Int32Array(labels + 1);
		this.sums = new Float64Array(labels);
		this.sides = tree.ownSides ? [new Float64Array(labels), new Float64Array(labels)] : [];

		/* of two sessions also what has something in the other one: it is in their sums */
		const paths = new Int32Array(tree.n), [one, two] = tree.fromAfter ? tree.ownSides : [tree.own, tree.own];
		let n = 0;

		for (let i = 0; i < tree.n; i++)
			if (tree.own[i] > 0 || one[i] > 0 || two[i] > 0) {
				paths[n++] = i;
				this.total += tree.own[i];
			}
		this.root = this.open(-1, paths.subarray(0, n), paths.subarray(0, n));
	}

	/* Children by label of what `paths` hold, of which the values are those of `starts`. Returns the first. */
	open(parent, paths, starts) {
		const { label, own, ownSides } = this.tree, { buckets, sums, sides } = this, seen = [], n = paths.length;

		for (let k = 0; k < n; k++) {
			const one = label[paths[k]];

			if (!buckets[one]++)
				seen.push(one);
			sums[one] += own[starts[k]];
			if (ownSides) {
				sides[0][one] += ownSides[0][starts[k]];
				sides[1][one] += ownSides[1][starts[k]];
			}
		}
		seen.sort((a, b) => sums[b] - sums[a] || a - b);
		const byLabel = new Int32Array(n), startsBy = new Int32Array(n), ends = [];
		let at = 0;

		for (const one of seen) {
			const count = buckets[one];

			buckets[one] = at;
			ends.push(at += count);
		}
		for (let k = 0; k < n; k++) {
			const to = buckets[label[paths[k]]]++;

			byLabel[to] = paths[k];
			startsBy[to] = starts[k];
		}
		const first = seen.length ? this.n : -1;

		seen.forEach((one, k) => {
			const from = k ? ends[k - 1] : 0;

			this.parent.push(parent);
			this.label.push(one);
			this.value.push(sums[one]);
			this.lists.push([byLabel.subarray(from, ends[k]), startsBy.subarray(from, ends[k])]);
			this.left.push(ownSides ? sides[0][one] : 0);
			this.right.push(ownSides ? sides[1][one] : 0);
			this.firsts.push(-2);
			this.nexts.push(k + 1 < seen.length ? this.n + 1 : -1);
			this.n++;
			buckets[one] = sums[one] = 0;
			sides.forEach(side => side[one] = 0);
		});
		return first;
	}

	first(i) {
		if (i < 0)
			return this.root;
		if (this.firsts[i] !== -2)
			return this.firsts[i];
		const [paths, starts] = this.lists[i], { parent } = this.tree;
		const callers = new Int32Array(paths.length), theirs = new Int32Array(paths.length);
		let n = 0;

		for (let k = 0; k < paths.length; k++)
			if (parent[paths[k]] >= 0) {
				callers[n] = parent[paths[k]];
				theirs[n++] = starts[k];
			}
		this.lists[i] = null;
		this.firsts[i] = -1;
		return this.firsts[i] = n ? this.open(i, callers.subarray(0, n), theirs.subarray(0, n)) : -1;
	}

	next(i) {
		return this.nexts[i];
	}

	count() {
		return 1;
	}

	chain(i) {
		return Tree.prototype.chain.call(this, i);
	}
}

/* ---- boxes ----------------------------------------------------------------------------------- */

/*
 * What is drawn of a tree, row by row, for a width in pixels. zoom: the node that has all of the width, or -1;
 * above it are its callers. Children narrower than `least` pixels that stand side by side are one box without
 * a node, whose `node` is -1 - how many nodes that are; with all below them they are counted in `narrow`.
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

/* ---- search ---------------------------------------------------------------------------------- */

/* What the outermost nodes have whose label is wanted (R6: nothing counts twice). */
function shareOf(tree, wanted) {
	let sum = 0, nodes = 0;

	for (let i = 0; i < tree.n;) {
		if (wanted[tree.label[i]]) {
			sum += tree.value[i];
			nodes++;
			i += tree.size[i];
		} else {
			i++;
		}
	}
	return { sum, nodes };
}
