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
		const n = to - from, { functions } = owner;
		const label = nodes.function.slice(from, to), parent = nodes.parent.slice(from, to), others = new Map();

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
		return name && this.nodes.has(name) && !this.nodes.isEmpty(name) ? this.nodes.get(name).subarray(this.from, this.from + this.shape.n) : null;
	}

	tree(measure) {
		return this.treeInParts(measure, Infinity).next().value;
	}

	treeInParts(measure, most) {
		return treeInParts(this.shape, this.column(measure.inclusive), this.column(measure.exclusive) ?? new Float64Array(this.shape.n), most);
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
		const thread = state.get('thread');
		const isThread = thread && model.has('thread_nodes'), key = isThread ? thread : '', cache = model.flameTrees ??= new Map();

		if (cache.has(key))
			return cache.get(key);
		const nodes = await model.load(isThread ? 'thread_nodes' : 'nodes');
		let from = 0, to = nodes.n, after = null, ofAfter = null;

		if (isThread)
			for (let i = 0; i < nodes.n; i += nodes.size[i])
				if (nodes.text('name', i) === thread)
					[from, to] = [i, i + nodes.size[i]];
		if (model.other && model.other.isSampled === model.isSampled && !isThread) { /* samples and times cannot be compared */
			const theirs = await model.other.load('nodes');

			after = new FlameSide(model.other, theirs, 0, theirs.n);
			ofAfter = matchSet(await changesOf(), 'functions', model.functions, model.other.functions).ofB;
		}
		cache.set(key, new FlameTrees(new FlameSide(model, nodes, from, to), after, ofAfter));
		return cache.get(key);
	}

	/* before: the session of the page, A; after: null, or the one that it is compared with, B; functions: of
	 * each function of B, that of A, as in matches(). */
	constructor(before, after, functions) {
		this.before = before;
		this.after = after;
		this.made = new Map();
		this.names = before.names;
		this.labels = before.labels;
		if (after)
			this.joinLabels(functions ?? []);
	}

	/* Functions of the other session as cinstr diff finds them (by number; -1: not there), names that are no
	 * functions by themselves; those of its own get labels of their own. */
	joinLabels(functions) {
		const numbers = new Map(), key = (side, label) => `${side.names[label]}\n${side.moduleName(label).replace(/\.so[.0-9]*$/, '')}`;
		const { before, after } = this;

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
		return this.once(`plain ${measure.id} ${width}`, () => this.after ? this.plainOfTwo(measure, width) : this.plainOfOne(this.before.tree(measure)));
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
		const { label, own, ownOfLabels: sums, labelled: from } = plain, end = Math.min(from + most, plain.n);

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
		plain.ownOfLabels.forEach((sum, label) => sums.set(this.module(label), (sums.get(this.module(label)) ?? 0) + sum));
		return [...sums].filter(([, sum]) => sum > 0).sort((a, b) => b[1] - a[1]);
	}

	plainOfOne(tree) {
		const side = this.before;
		const waiting = side.column('off_cpu_exclusive_ns'), elapsed = side.column('elapsed_exclusive_ns');

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
		return this.once(`collapsed ${measure.id} ${width}`, () => {
			const plain = this.plain(measure, width), merged = collapse(plain, this.labels);
			const tree = treeOf(merged.shape, null, sumsOf(merged, plain.own)), paths = new Int32Array(tree.n);

			if (plain.ownSides)
				tree.addSides(sumsOf(merged, plain.ownSides[0]), sumsOf(merged, plain.ownSides[1]));
			for (let i = 0; i < plain.n; i++)
				paths[merged.of[i]]++;
			tree.paths = paths;
			tree.of = merged.of;
			tree.from = merged.from.map(i => plain.from[i]);
			tree.fromAfter = plain.fromAfter && merged.from.map(i => plain.fromAfter[i]);
			return tree;
		});
	}

	inverted(measure, width, isCollapsed) {
		return this.once(`inverted ${measure.id} ${width} ${isCollapsed}`, () =>
			new Inverted(isCollapsed ? this.collapsed(measure, width) : this.plain(measure, width), this.labels));
	}

	tree({ measure, width, isCollapsed, isInverted }) {
		if (isInverted)
			return this.inverted(measure, width, isCollapsed);
		return isCollapsed ? this.collapsed(measure, width) : this.plain(measure, width);
	}
}
