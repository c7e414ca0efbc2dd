/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * change_rows.js - what view_changes.js compares: functions or modules with the verdicts and intervals of
 * cinstr diff (changes.js), or call paths, of which the verdicts are made here by its rule for single runs.
 */

/* What the values of a column may be off by. */
const changeOff = column => ({
	elapsed_exclusive_ns: UNCERTAINTY.EE,
	elapsed_inclusive_ns: UNCERTAINTY.EI,
	application_exclusive_ns: UNCERTAINTY.AE,
})[column];

/*
 * Rows of what is on either side, A (0) or B (1):
 *   n, by            functions, nodes, modules
 *   owners, sections of each side
 *   rows             of each side: of row i that of the section; none: NaN or -1
 *   before, after, change, half, low, high  by row; low and high only where isSure: there are intervals
 *   verdict(i)       its word
 */
class ChangeRows {
	constructor(fields) {
		Object.assign(this, fields);
	}

	/* by: functions, nodes, modules */
	static async of(by, changes, set) {
		return by === 'nodes' ? ChangeRows.ofPaths(set)
			: ChangeRows.ofSet(changes, set, [await model.load(by), await model.other.load(by)]);
	}

	static ofSet({ info, section }, set, sections) {
		const get = name => section.get(name).subarray(set.from, set.from + set.rows);
		const verdicts = get('verdict'), sides = info.is_swapped ? [1, 0] : [0, 1];
		const rows = new ChangeRows({
			n: set.rows, by: set.by, isSure: set.has_interval,
			owners: sides.map(side => side ? model.other : model), rows: [get('a'), get('b')],
			sections: sides.map(side => sections[side]),
			verdict: i => set.verdicts[verdicts[i]] });

		for (const name of ['before', 'after', 'change', 'half', 'low', 'high'])
			rows[name] = get(name);
		return rows;
	}

	static async ofPaths(set) {
		const a = await model.load('nodes'), b = await model.other.load('nodes');
		const { nodes } = await matches();
		const rows = new ChangeRows({
			by: 'nodes', sections: [a, b], owners: [model, model.other],
			rows: ChangeRows.pathsOf(a, b, nodes), isSure: false });

		rows.n = rows.rows[0].length;
		rows.fill(set.column);
		rows.verdict = i => set.verdicts[rows.verdictOfPath(i)];
		return rows;
	}

	/* By row the path of A, and that of B: all of A, then those that B alone has. */
	static pathsOf(a, b, { ofA, ofB }) {
		const onlyB = [];

		for (let k = 0; k < b.n; k++)
			if (ofB[k] < 0)
				onlyB.push(k);
		const n = a.n + onlyB.length, one = new Int32Array(n).fill(-1), two = new Int32Array(n);

		one.set(upTo(a.n));
		two.set(ofA);
		two.set(onlyB, a.n);
		return [one, two];
	}

	/* The values of paths. */
	fill(column) {
		const { n, rows: [one, two], sections } = this;
		const [offA, offB] = sections.map(section => this.offs(section, column));
		const [va, vb] = [0, 1].map(side => this.valuesOf(side, column));
		const at = (values, row) => values[row] || 0;

		for (const name of ['before', 'after', 'change', 'half'])
			this[name] = new Float64Array(n);
		for (let i = 0; i < n; i++) { /* none is -1, where nothing is */
			this.before[i] = at(va, one[i]);
			this.after[i] = at(vb, two[i]);
			this.change[i] = this.after[i] - this.before[i];
			this.half[i] = at(offA, one[i]) + at(offB, two[i]);
		}
	}

	offs(section, column) {
		return changeOff(column) ? section.get(changeOff(column)) : [];
	}

	/* Paths have no shares in their section: of the whole. */
	valuesOf(side, column) {
		const owner = this.owners[side], section = this.sections[side];

		if (!/^(in|ex)clusive$/.test(column))
			return section.get(column);
		const name = owner.isSampled ? `${column}_samples` : `cpu_${column}_ns`;
		const total = owner.total(name);

		return section.get(name).map(value => 100 * value / total);
	}

	/* Its place among the verdicts, as in diff/. */
	verdictOfPath(i) {
		const { rows: [one, two], change, half } = this;

		if (one[i] < 0 || two[i] < 0)
			return one[i] < 0 ? 4 : 5;
		if (Math.abs(change[i]) <= half[i])
			return change[i] === 0 ? 0 : 1;
		return change[i] === 0 ? 0 : change[i] < 0 ? 2 : 3;
	}

	/* Of the largest changes first. */
	inOrder() {
		return sortRows(upTo(this.n), this.change.map(Math.abs), false);
	}

	/* The session that has the row, its section, and the row there. */
	ownerOf(i) {
		const side = this.rows[0][i] >= 0 ? 0 : 1;

		return [this.owners[side], this.sections[side], this.rows[side][i]];
	}

	/* A path by its last functions. */
	nameOf(i) {
		const [owner, section, row] = this.ownerOf(i), names = [];

		if (this.by !== 'nodes')
			return section.text('name', row);
		for (let k = row; k >= 0 && names.length < 60; k = section.parent[k])
			names.unshift(owner.nodeName(section, k));
		return names.join(' \u203a ');
	}

	/* [less, more]: what the size of a change may be off by; null: not known. */
	offOf(i) {
		const { low, high, change, half } = this, isLess = change[i] < 0;

		if (!this.isSure)
			return half[i] > 0 ? [half[i], half[i]] : null;
		const sides = [change[i] - low[i], high[i] - change[i]];

		return isLess ? sides.reverse() : sides;
	}

	/* Of A's value nothing is known but that it is not more: no change in percent either. */
	isUpperEnd(i, name) {
		const row = this.rows[0][i];

		return row >= 0 && (marksOf(this.sections[0], name, row) & MARK.upperEnd) > 0;
	}
}
