/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * flame_trees.js - the trees that view_flame.js draws: of one session or two, by measure, with recursion as
 * one level or callers below. Each is made once.
 */

/* What is to be drawn of a session: labels are its functions, and behind them other names. */
class FlameSide {
	constructor(owner, nodes, from, to) {
		this.owner = owner;
		this.nodes = nodes;
		this.from = from;
		const n = to - from, { functions } = owner, others = new Map();
		const label = nodes.function.slice(from, to), parent = nodes.parent.slice(from, to);

		this.labels = functions.n;
		this.names = Array.from({ length: functions.n }, (_, f) => owner.functionName(f));
		for (let i = 0; i < n; i++) {
			parent[i] = parent[i] < from ? -1 : parent[i] - from;
			if (label[i] >= 0)
				continue;
			const name = nodes.text('name', from + i);

			if (!others.has(name)) {
				others.set(name, this.labels++);
				this.names.push(name);
			}
			label[i] = others.get(name);
		}
		this.shape = { n, parent, size: nodes.size.slice(from, to), label };
	}

	column(name) {
		if (!name || this.nodes.isEmpty(name))
			return null;
		return this.nodes.get(name).subarray(this.from, this.from + this.shape.n);
	}

	/* Whether a function is above itself on some path. */
	get isRecursive() {
		const { n, parent, label } = this.shape, path = [], isAbove = new Uint8Array(this.labels);

		for (let i = 0; i < n; i++) {
			while (path.length && path.at(-1) !== parent[i])
				isAbove[label[path.pop()]] = 0;
			if (isAbove[label[i]])
				return true;
			isAbove[label[i]] = 1;
			path.push(i);
		}
		return false;
	}

	tree(measure) {
		return this.treeInParts(measure, Infinity).next().value;
	}

	treeInParts(measure, most) {
		const inclusive = this.column(measure.inclusive);
		const exclusive = this.column(measure.exclusive) ?? new Float64Array(this.shape.n);

		return treeInParts(this.shape, inclusive, exclusive, most);
	}

	module(label) {
		return label < this.owner.functions.n ? this.owner.functions.text('module_name', label) : '';
	}

	moduleName(label) {
		return this.module(label).replace(/.*\//, '');
	}
}

const FLAME_NODES_AT_ONCE = 262144; /* milliseconds */

/* One session, or two in one tree. */
class FlameTrees {
	/* Of what the address asks for. */
	static async of(state) {
		const thread = model.has('thread_nodes') ? state.get('thread') ?? '' : '';
		const cache = model.flameTrees ??= new Map();

		if (!cache.has(thread))
			cache.set(thread, await (thread ? FlameTrees.ofThread(thread) : FlameTrees.ofAll()));
		return cache.get(thread);
	}

	/* All of them, if there is no such thread. */
	static async ofThread(thread) {
		const nodes = await model.load('thread_nodes');
		let from = 0, to = nodes.n;

		for (let i = 0; i < nodes.n; i += nodes.size[i])
			if (nodes.text('name', i) === thread)
				[from, to] = [i, i + nodes.size[i]];
		return new FlameTrees(new FlameSide(model, nodes, from, to), null);
	}

	/* With the other session, but samples and times cannot be compared. */
	static async ofAll() {
		const { other } = model, nodes = await model.load('nodes');
		const mine = new FlameSide(model, nodes, 0, nodes.n);

		if (!other || other.isSampled !== model.isSampled)
			return new FlameTrees(mine, null);
		const theirs = await other.load('nodes'), side = new FlameSide(other, theirs, 0, theirs.n);
		const { ofB } = matchSet(await changesOf(), 'functions', model.functions, other.functions);

		return new FlameTrees(mine, side, ofB);
	}

	/* before: the session of the page, A; after: null, or the one that it is compared with, B; functions:
	 * of each function of B, that of A, as in matches(). */
	constructor(before, after, functions) {
		this.before = before;
		this.after = after;
		this.made = new Map();
		this.names = before.names;
		this.labels = before.labels;
		if (after)
			this.joinLabels(functions ?? []);
	}

	/* Functions of the other session as cinstr diff finds them (by number; -1: not there), names that are
	 * no functions by themselves; those of its own get labels of their own. */
	joinLabels(functions) {
		const { before, after } = this, numbers = new Map();
		const module = (side, label) => side.moduleName(label).replace(/\.so[.0-9]*$/, '');
		const key = (side, label) => `${side.names[label]}\n${module(side, label)}`;

		this.names = before.names.slice();
		this.modules = before.names.map((_, label) => before.module(label));
		before.names.forEach((_, label) => numbers.set(key(before, label), label));
		this.ofAfter = Int32Array.from(after.names, (name, label) => {
			const one = key(after, label);

			if (functions[label] >= 0)
				return functions[label];
			if (!numbers.has(one)) {
				numbers.set(one, this.names.length);
				this.names.push(name);
				this.modules.push(after.module(label));
			}
			return numbers.get(one);
		});
		this.labels = this.names.length;
	}

	/* Else recursion as one level is no other picture. */
	get isRecursive() {
		const { before, after } = this;

		return this.once('recursive', () => before.isRecursive || Boolean(after?.isRecursive));
	}

	module(label) {
		return this.modules?.[label] ?? this.before.module(label);
	}

	lower() {
		return this.lowerNames ??= this.names.map(name => name.toLowerCase());
	}

	once(key, make) {
		if (!this.made.has(key))
			this.made.set(key, make());
		return this.made.get(key);
	}

	/* By measure alone; `from` of each node: its number in the session's nodes, or -1. */
	plain(measure, width) {
		return this.once(`plain ${measure.id} ${width}`, () => this.after
			? this.plainOfTwo(measure, width) : this.plainOfOne(this.before.tree(measure)));
	}

	/* The same of one session, and the modules: a step of a view's prepare(). */
	stepToPlain(measure, width) {
		const parts = this.partsOfPlain(measure, width);

		return () => parts.next().done ? '' : 'more';
	}

	*partsOfPlain(measure, width) {
		const tree = this.after ? null : yield *this.before.treeInParts(measure, FLAME_NODES_AT_ONCE);

		if (tree)
			this.once(`plain ${measure.id} ${width}`, () => this.plainOfOne(tree));
		const plain = this.plain(measure, width);

		plain.ownOfLabels ??= new Float64Array(this.labels);
		for (plain.labelled ??= 0; plain.labelled < plain.n; yield null)
			this.addToLabels(plain, FLAME_NODES_AT_ONCE);
	}

	/* Of so many nodes more. */
	addToLabels(plain, most) {
		const { label, own, ownOfLabels: sums, labelled: from } = plain;
		const end = Math.min(from + most, plain.n);

		for (let i = from; i < end; i++)
			sums[label[i]] += own[i];
		plain.labelled = end;
	}

	/* [name, what is its own] of each that has something, the most first. */
	modulesWithMost(measure, width) {
		const plain = this.plain(measure, width), sums = new Map();

		plain.ownOfLabels ??= new Float64Array(this.labels);
		plain.labelled ??= 0;
		this.addToLabels(plain, Infinity);
		plain.ownOfLabels.forEach((sum, label) => {
			const module = this.module(label);

			sums.set(module, (sums.get(module) ?? 0) + sum);
		});
		return [...sums].filter(([, sum]) => sum > 0).sort((a, b) => b[1] - a[1]);
	}

	plainOfOne(tree) {
		const side = this.before, waiting = side.column('off_cpu_exclusive_ns');
		const elapsed = side.column('elapsed_exclusive_ns');

		tree.from = upTo(tree.n);
		if (side.from)
			for (let i = 0; i < tree.n; i++)
				tree.from[i] += side.from;
		if (waiting && elapsed)
			tree.addSides(waiting, elapsed);
		return tree;
	}

	/* fromAfter: numbers in the other session's nodes. */
	plainOfTwo(measure, width) {
		const before = this.before.tree(measure), after = this.after.tree(measure);

		after.label = Int32Array.from(after.label, label => this.ofAfter[label]);
		const [one, two] = merge([before, after], this.labels);
		const own = [sumsOf(one, before.own), sumsOf(two, after.own)];
		const tree = treeOf(one.shape, null, own[width === 'before' ? 0 : 1]);

		tree.addSides(own[0], own[1]);
		tree.from = one.from.map(i => i < 0 ? -1 : i + this.before.from);
		tree.fromAfter = two.from.map(i => i < 0 ? -1 : i + this.after.from);
		return tree;
	}

	collapsed(measure, width) {
		return this.once(`collapsed ${measure.id} ${width}`, () =>
			this.collapsedOf(this.plain(measure, width)));
	}

	collapsedOf(plain) {
		const merged = collapse(plain, this.labels);
		const tree = treeOf(merged.shape, null, sumsOf(merged, plain.own));

		if (plain.ownSides)
			tree.addSides(...plain.ownSides.map(own => sumsOf(merged, own)));
		tree.paths = new Int32Array(tree.n);
		for (let i = 0; i < plain.n; i++)
			tree.paths[merged.of[i]]++;
		tree.of = merged.of;
		tree.from = merged.from.map(i => plain.from[i]);
		tree.fromAfter = plain.fromAfter && merged.from.map(i => plain.fromAfter[i]);
		return tree;
	}

	withCallees(measure, width, isCollapsed) {
		return isCollapsed ? this.collapsed(measure, width) : this.plain(measure, width);
	}

	inverted(measure, width, isCollapsed) {
		return this.once(`inverted ${measure.id} ${width} ${isCollapsed}`, () =>
			new Inverted(this.withCallees(measure, width, isCollapsed), this.labels));
	}

	tree({ measure, width, isCollapsed, isInverted }) {
		return isInverted ? this.inverted(measure, width, isCollapsed)
			: this.withCallees(measure, width, isCollapsed);
	}
}
