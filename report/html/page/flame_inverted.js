/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * flame_inverted.js - a tree (flame_layout.js) with callers below, which grows where somebody looks.
 */

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
		this.lists = []; /* of each node not opened: paths that end there, and those they began at */
		this.firsts = []; /* -2: not opened */
		this.nexts = [];
		this.total = 0;
		this.left = [];
		this.right = [];
		this.buckets = new Int32Array(labels + 1);
		this.sums = new Float64Array(labels);
		this.sides = tree.ownSides ? [new Float64Array(labels), new Float64Array(labels)] : [];
		const paths = this.pathsWithOwn();

		this.root = this.open(-1, paths, paths);
	}

	/* Of two sessions also what has something in the other one: it is in their sums. Sets the total. */
	pathsWithOwn() {
		const { n, own, ownSides, fromAfter } = this.tree, paths = new Int32Array(n);
		const [one, two] = fromAfter ? ownSides : [own, own];
		let found = 0;

		for (let i = 0; i < n; i++)
			if (own[i] > 0 || one[i] > 0 || two[i] > 0) {
				paths[found++] = i;
				this.total += own[i];
			}
		return paths.subarray(0, found);
	}

	/* Children by label of what `paths` hold, with the values of `starts`. Returns the first. */
	open(parent, paths, starts) {
		const seen = this.sumUp(paths, starts), { parts, ends } = this.divide(seen, paths, starts);
		const first = seen.length ? this.n : -1;

		seen.forEach((label, k) => {
			const from = k ? ends[k - 1] : 0, isLast = k + 1 === seen.length;

			this.put(parent, label, parts.map(part => part.subarray(from, ends[k])), isLast);
		});
		return first;
	}

	/* Labels, the largest sum first; in buckets how many paths each has, in sums and sides what. */
	sumUp(paths, starts) {
		const { label, own, ownSides } = this.tree, { buckets, sums, sides } = this, seen = [];

		for (let k = 0; k < paths.length; k++) {
			const one = label[paths[k]];

			if (!buckets[one]++)
				seen.push(one);
			sums[one] += own[starts[k]];
			if (ownSides) {
				sides[0][one] += ownSides[0][starts[k]];
				sides[1][one] += ownSides[1][starts[k]];
			}
		}
		return seen.sort((a, b) => sums[b] - sums[a] || a - b);
	}

	/* Paths and their starts by label; of seen[k] those before ends[k]. */
	divide(seen, paths, starts) {
		const { buckets, tree: { label } } = this, n = paths.length;
		const byLabel = new Int32Array(n), startsBy = new Int32Array(n), ends = [];
		let at = 0;

		for (const one of seen) {
			const count = buckets[one];

			buckets[one] = at; /* where the next one comes to */
			ends.push(at += count);
		}
		for (let k = 0; k < n; k++) {
			const to = buckets[label[paths[k]]]++;

			byLabel[to] = paths[k];
			startsBy[to] = starts[k];
		}
		return { parts: [byLabel, startsBy], ends };
	}

	/* A node, with what was summed up of its label. */
	put(parent, label, list, isLast) {
		const { buckets, sums, sides: [left, right] } = this;

		this.parent.push(parent);
		this.label.push(label);
		this.value.push(sums[label]);
		this.lists.push(list);
		this.left.push(left ? left[label] : 0);
		this.right.push(right ? right[label] : 0);
		this.firsts.push(-2);
		this.nexts.push(isLast ? -1 : this.n + 1);
		this.n++;
		buckets[label] = sums[label] = 0;
		if (left)
			left[label] = right[label] = 0;
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
