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
		return treeOf(this.shape, this.column(measure.inclusive), this.column(measure.exclusive) ?? new Float64Array(this.shape.n));
	}

	module(label) {
		return label < this.owner.functions.n ? this.owner.functions.text('module_name', label) : '';
	}

	moduleName(label) {
		return this.module(label).replace(/.*\//, '');
	}
}

/* One session, or two in one tree. */
class FlameTrees {
	/* before: null, or the session that `after` is compared with. */
	constructor(after, before) {
		this.after = after;
		this.before = before;
		this.made = new Map();
		this.names = after.names;
		this.labels = after.labels;
		if (before)
			this.joinLabels();
	}

	/* Functions of the other session by name and module; those of its own get labels of their own. */
	joinLabels() {
		const numbers = new Map(), key = (side, label) => `${side.names[label]}\n${side.moduleName(label).replace(/\.so[.0-9]*$/, '')}`;
		const { after, before } = this;

		this.names = after.names.slice();
		this.modules = after.names.map((_, label) => after.module(label));
		after.names.forEach((_, label) => numbers.set(key(after, label), label));
		this.ofBefore = Int32Array.from(before.names, (name, label) => {
			const one = key(before, label);

			if (!numbers.has(one)) {
				numbers.set(one, this.names.length);
				this.names.push(name);
				this.modules.push(before.module(label));
			}
			return numbers.get(one);
		});
		this.labels = this.names.length;
	}

	module(label) {
		return this.modules?.[label] ?? this.after.module(label);
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
		return this.once(`plain ${measure.id} ${width}`, () => this.before ? this.plainOfTwo(measure, width) : this.plainOfOne(measure));
	}

	plainOfOne(measure) {
		const tree = this.after.tree(measure), { nodes } = this.after;
		const waiting = this.after.column('off_cpu_exclusive_ns'), elapsed = this.after.column('elapsed_exclusive_ns');

		tree.from = Int32Array.from({ length: tree.n }, (_, i) => this.after.from + i);
		if (waiting && elapsed)
			tree.addSides(waiting, elapsed);
		tree.nodes = nodes;
		return tree;
	}

	plainOfTwo(measure, width) {
		const after = this.after.tree(measure), before = this.before.tree(measure);

		before.label = Int32Array.from(before.label, label => this.ofBefore[label]);
		const [one, two] = merge([after, before], this.labels);
		const own = [sumsOf(one, after.own), sumsOf(two, before.own)];
		const tree = treeOf(one.shape, null, own[width === 'before' ? 1 : 0]);

		tree.addSides(own[1], own[0]);
		tree.from = one.from.map(i => i < 0 ? -1 : i + this.after.from);
		tree.fromBefore = two.from.map(i => i < 0 ? -1 : i + this.before.from);
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
