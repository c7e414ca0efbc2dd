/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * flame_merge.js - trees made of trees (flame_layout.js): recursion as one level, and two sessions in one
 * shape.
 */

/* Parents come before their children. */
function addToParents(parent, values, n) {
	for (let i = n - 1; i >= 0; i--)
		if (parent[i] >= 0)
			values[parent[i]] += values[i];
}

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
		const { n } = this, sum = Float64Array.from(weight), place = new Int32Array(n);
		const parent = new Int32Array(n), size = new Int32Array(n).fill(1), label = new Int32Array(n);
		let at = 0;

		addToParents(this.parent, sum, n);
		this.visit(sum, i => {
			place[i] = at;
			parent[at] = this.parent[i] < 0 ? -1 : place[this.parent[i]];
			label[at++] = this.label[i];
		});
		addToParents(parent, size, n);
		return { place, shape: { n, parent, size, label } };
	}

	/* Numbers in preorder, of siblings those with the largest sum first. */
	visit(sum, visitor) {
		const { begins, children } = this.children(), stack = new Int32Array(this.n + 1);
		let top = 0;

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

			visitor(i);
			push(i);
		}
	}

	/* By parent p: in `children` from begins[p] to begins[p + 1]; of -1 from 0. */
	children() {
		const { n, parent } = this, begins = new Int32Array(n + 2), children = new Int32Array(n);

		for (let i = 0; i < n; i++)
			begins[parent[i] + 2]++;
		for (let i = 0; i < n; i++)
			begins[i + 1] += begins[i];
		for (let i = 0; i < n; i++)
			children[begins[parent[i] + 1]++] = i; /* so it becomes where they end */
		return { begins, children };
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
