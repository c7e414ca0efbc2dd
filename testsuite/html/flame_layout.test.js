/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * flame_layout.test.js SCRIPT... - random trees: sums stay sums, whatever is made of them. The scripts are
 * those of the page that have no document.
 */
'use strict';
const fs = require('fs'), vm = require('vm'), assert = require('assert');
const scripts = process.argv.slice(2).map(path => fs.readFileSync(path, 'utf8')).join('');
const { treeOf, treeInParts, collapse, merge, sumsOf, Inverted, Boxes, shareOf } = vm.runInThisContext(
	scripts + ';({ treeOf, treeInParts, collapse, merge, sumsOf, Inverted, Boxes, shareOf })');

/* Paths in preorder, siblings of different labels; most are below the one before them, if `deep`. */
function random(n, labels, seed, deep) {
	const draw = () => (seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff) / 0x7fffffff;
	const children = [[]], names = [new Set()], label = [-1], order = [];

	for (let i = 1; i <= n; i++) {
		const parent = draw() < deep ? i - 1 : Math.floor(draw() * i);
		let one = Math.floor(draw() * labels);

		while (names[parent].has(one))
			one = (one + 1) % labels;
		names[parent].add(one);
		children[parent].push(i);
		children.push([]);
		names.push(new Set());
		label.push(one);
	}
	for (const stack = [0]; stack.length;) {
		const i = stack.pop();

		order.push(i);
		stack.push(...children[i].reverse());
	}
	const place = new Map(order.map((i, at) => [i, at - 1]));
	const parent = new Int32Array(n).fill(-1), size = new Int32Array(n).fill(1);

	children.forEach((list, i) => list.forEach(child => parent[place.get(child)] = place.get(i)));
	for (let i = n - 1; i >= 0; i--)
		if (parent[i] >= 0)
			size[parent[i]] += size[i];
	const amount = () => draw() < 0.2 ? 0 : Math.floor(draw() ** 6 * 1e6);
	const own = Float64Array.from({ length: n }, amount), all = own.slice();

	for (let i = n - 1; i >= 0; i--)
		if (parent[i] >= 0)
			all[parent[i]] += all[i];
	const labelOf = Int32Array.from(order.slice(1), i => label[i]);

	return { shape: { n, parent, size, label: labelOf }, own, all };
}

const sum = list => list.reduce((a, b) => a + b, 0);

function childrenOf(tree, i) {
	const list = [];

	for (let child = tree.first(i); child >= 0; child = tree.next(child))
		list.push(child);
	return list;
}

/* By going up from each node. */
function byHand(tree, wanted) {
	let share = 0;

	for (let i = 0; i < tree.n; i++) {
		let at = tree.parent[i];

		while (at >= 0 && !wanted[tree.label[at]])
			at = tree.parent[at];
		if (at < 0 && wanted[tree.label[i]])
			share += tree.value[i];
	}
	return share;
}

function check(made, labels) {
	const { shape, own, all } = made, tree = treeOf(shape, all, own), same = treeOf(shape, null, own);

	assert.deepStrictEqual([...tree.own], [...own]);
	assert.deepStrictEqual([...tree.value], [...all]);
	assert.deepStrictEqual([...same.value], [...all]);
	assert.strictEqual(tree.total, sum([...own]));
	for (let i = 0; i < tree.n; i++)
		assert.strictEqual(sum(childrenOf(tree, i).map(child => tree.value[child])) + own[i], all[i]);

	const boxes = new Boxes(tree, -1, 1000);
	let n = boxes.narrow;

	assert(boxes.extend(Infinity));
	n = boxes.narrow;
	const bit = new Boxes(tree, -1, 1000);
	let parts = 1;

	while (!bit.extend(Infinity, 0)) /* as much as there is time for: none */
		parts++;
	for (const part of ['node', 'x', 'ends', 'narrow'])
		assert.deepStrictEqual(bit[part], boxes[part], 'bit by bit');
	assert(parts > boxes.rows, 'a row is more than one bit');
	boxes.node.forEach((node, k) => {
		n += node >= 0;
		assert(node < 0 || Math.abs(boxes.w[k] - 1000 * tree.value[node] / tree.total) < 1e-6);
		const middle = boxes.x[k] + boxes.w[k] / 2;

		assert(node < 0 || boxes.w[k] < 2 || boxes.at(tree.chain(node).length - 1, middle) === k);
	});
	assert.strictEqual(n, tree.n, 'each node is a box, or counted as narrower than a pixel');

	const wanted = Uint8Array.from({ length: labels }, (_, label) => label % 7 === 3 ? 1 : 0);

	assert.strictEqual(shareOf(tree, wanted).sum, byHand(tree, wanted));

	const merged = collapse(tree, labels), once = treeOf(merged.shape, null, sumsOf(merged, own));

	assert.strictEqual(once.total, tree.total);
	for (let i = 0; i < once.n; i++)
		assert(once.chain(i).every(at => at === i || once.label[at] !== once.label[i]), 'once');

	const [one, two] = merge([tree, once], labels);

	assert.deepStrictEqual(sum([...sumsOf(one, tree.own)]), tree.total);
	assert.strictEqual(sum([...sumsOf(two, once.own)]), once.total);
	assert(one.shape.n >= tree.n && [...one.from].filter(i => i >= 0).length === tree.n);

	for (const inclusive of [all, null]) {
		const parts = treeInParts(shape, inclusive, own, 7), atOnce = treeOf(shape, inclusive, own);
		let rests = 0, part = parts.next();

		for (; !part.done; part = parts.next())
			rests++;
		assert(rests > tree.n / 7 - 1);
		for (const name of ['own', 'value', 'total'])
			assert.deepStrictEqual(part.value[name], atOnce[name]);
	}
	tree.addSides(own, own.map(x => 2 * x));
	const inverted = new Inverted(tree, labels), roots = childrenOf(inverted, -1);

	for (const root of roots) {
		const label = inverted.label[root], of = [...own].filter((_, i) => tree.label[i] === label);

		assert.strictEqual(inverted.value[root], sum(of));
		assert.strictEqual(inverted.right[root], 2 * inverted.left[root]);
	}
	assert.strictEqual(sum(roots.map(root => inverted.value[root])), inverted.total);
	for (let i = 0; i < inverted.n && i < 3000; i++)
		assert(sum(childrenOf(inverted, i).map(child => inverted.value[child])) <= inverted.value[i]);
}

for (let seed = 1; seed <= 12; seed++)
	check(random(50 * seed, 700, seed, seed % 4 / 4), 800);
check(random(4000, 4500, 5, 0.99), 4600);

/* Nothing at all, and a recursion that is deeper than any stack of calls. */
{
	const nothing = treeOf({ n: 0, parent: [], size: [], label: [] }, null, []);

	assert.strictEqual(nothing.total, 0);
	assert.strictEqual(new Boxes(nothing, -1, 100).extend(9), true);
}
{
	const n = 200000, parent = Int32Array.from({ length: n }, (_, i) => i - 1);
	const shape = { n, parent, size: parent.map(i => n - 1 - i), label: new Int32Array(n) };
	const tree = treeOf(shape, null, new Float64Array(n).fill(1)), boxes = new Boxes(tree, -1, 1000);

	boxes.extend(Infinity);
	assert(boxes.rows > 190000);
	assert.strictEqual(collapse(tree, 1).shape.n, 1);
	assert.strictEqual(new Boxes(new Inverted(tree, 1), -1, 1000).extend(40), false);
}
{
	/* main > a > work in one session only, main > b > work in both; the width is the other session's. */
	const shape = { n: 5, parent: [-1, 0, 1, 0, 3], size: [5, 2, 1, 2, 1], label: [0, 1, 3, 2, 3] };
	const tree = treeOf(shape, null, [0, 0, 0, 0, 7]);

	tree.addSides([0, 0, 200, 0, 10], [0, 0, 0, 0, 7]);
	tree.fromAfter = [0, -1, -1, 1, 2];

	const inverted = new Inverted(tree, 4), [work] = childrenOf(inverted, -1);

	const of = name => inverted[name][work];

	assert.deepStrictEqual(['label', 'value', 'left', 'right'].map(of), [3, 7, 210, 7]);
	assert.deepStrictEqual(childrenOf(inverted, work).map(i => inverted.label[i]), [2, 1]);
}
console.log('ok');
