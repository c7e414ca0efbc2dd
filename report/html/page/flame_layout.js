/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * flame_layout.js - trees of call paths by measure: pure functions over arrays, without a document, as those
 * of flame_merge.js, flame_inverted.js, flame_boxes.js are. testsuite/html/flame_layout.test.js runs them.
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
	const passes = inclusive ? [ownOfInclusive, valueOfInclusive, ownOfValue]
		: [ownOfExclusive, valueOfOwn];
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
