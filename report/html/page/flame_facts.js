/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * flame_facts.js - what is known of a node of the flame graph (flame_graph.js): how much it is, what changed,
 * and its tooltip.
 */

/* By measure; of others R5 and R9. */
const FLAME_RULES = { application: ['R12', 'R9'], waiting: ['R13'], samples: ['S3'], calls: ['R6'],
	instructions: ['R5'] };

/* A value as csv has it; uncertainty: the column of what it may be off by. */
function exactLine(section, name, uncertainty, i) {
	const value = asInCsv(section.get(name)[i]), marks = marksOf(section, name, i);
	const off = section.has(uncertainty) ? section.get(uncertainty)[i] : NaN;

	return `${name} ${value}${off > 0 ? ` \u00b1 ${asInCsv(off)}` : ''}` +
		(marks & MARK.estimated ? ' \u2248' : '') + (marks & MARK.rough ? ' ~' : '');
}

/* Of a tree of `trees`, by a measure. */
class FlameFacts {
	/* trees: FlameTrees; what: { measure, width, isInverted, isCollapsed } */
	constructor(trees, what) {
		Object.assign(this, what, { trees });
		this.tree = trees.tree(this);
	}

	name(node) {
		return this.trees.names[this.tree.label[node]];
	}

	amount(value) {
		return this.measure.unit === 'ns' ? duration(value) : `${count(value)} ${this.measure.id}`;
	}

	share(value) {
		return this.tree.total > 0 ? `${percent(100 * value / this.tree.total)} %` : '';
	}

	/* All that is known of a node, for its tooltip. */
	tell(node) {
		const { tree, trees } = this, name = this.name(node);
		const isMany = this.isInverted || tree.paths?.[node] > 1;
		const lines = [trees.module(tree.label[node]), SPECIAL_ROWS[name], this.tellAmount(node),
			isMany ? this.tellPaths(node) : '',
			...(trees.after ? this.tellChange(node) : []),
			...(isMany ? this.exactOfFunction(node) : this.exactOfPath(node))];

		return [name, ...lines.filter(line => line)].join('\n');
	}

	tellAmount(node) {
		const { tree: { value, own }, measure, isInverted } = this;

		const sign = one => this.isEstimate(node, one) ? ' \u2248' : '';

		return `${measure.title}: ${this.amount(value[node])}${sign('inclusive')}, ` +
			this.share(value[node]) +
			(isInverted ? '' : `; own ${this.amount(own[node])}${sign('exclusive')}`);
	}

	/* Whether executed instructions are one: what is several paths has no mark of its own; of a function
	 * on all paths they are exact, as long as it has none. */
	isEstimate(node, which) {
		const { tree, measure, trees: { before: { nodes } } } = this, name = measure[which];
		const isOn = (section, i) => Boolean(marksOf(section, name, i) & MARK.estimated);

		if (measure.id !== 'instructions')
			return false;
		if (this.isInverted && tree.parent[node] < 0 && tree.label[node] < model.functions.n)
			return Boolean(marksOf(model.functions, measure.exclusive, tree.label[node]) &
				MARK.estimated);
		if (!this.isInverted && !(tree.paths?.[node] > 1) && tree.from[node] >= 0)
			return isOn(nodes, tree.from[node]);
		return nodes.get(`${name}.marks`).some(marks => marks & MARK.estimated);
	}

	/* Of which paths it is. */
	tellPaths(node) {
		if (!this.isInverted)
			return `${count(this.tree.paths[node])} paths: recursion is one level`;
		const own = this.measure.id === 'instructions' ? 'own instructions' : 'own time';

		return this.tree.parent[node] < 0 ? `${own} of the function on all paths`
			: `${own} of the function at the root, called like this`;
	}

	tellChange(node) {
		const [before, after] = this.sidesOf(node), change = after - before;
		const text = value => model.isSampled ? `${(100 * value).toFixed(2)} %` : this.amount(value);
		const size = text(Math.abs(change)).replace('%', 'points');

		return [`A ${text(before)}, B ${text(after)}: ${change < 0 ? '\u2212' : '+'}${size}` +
			(this.isUncertain(node) ? ', within what is uncertain' : '')];
	}

	/* As csv has them. */
	exactOfPath(node) {
		const { before, after } = this.trees, { fromAfter } = this.tree, from = this.tree.from[node];
		const of = (side, i, title) =>
			i < 0 ? [`${title}: not there`] : [`${title}:`, ...this.exact(side.nodes, i)];

		if (!after)
			return from < 0 ? [] : [...this.exact(before.nodes, from), ...this.rules()];
		return [...of(before, from, 'A, before'),
			...of(after, fromAfter ? fromAfter[node] : -1, 'B, after'), ...this.rules()];
	}

	exactOfFunction(node) {
		const label = this.tree.label[node];

		if (this.tree.parent[node] >= 0 || label >= model.functions.n || !this.isInverted)
			return [];
		return ['the function, on all paths:',
			...this.exact(model.functions, label), ...this.rules()];
	}

	exact(section, i) {
		const { inclusive, exclusive, uncertainty } = this.measure, lines = [];

		[inclusive, exclusive].forEach((name, k) => {
			if (name && name !== 'calls' && section.has(name))
				lines.push(exactLine(section, name, uncertainty?.[k], i));
		});
		if (section.has('calls'))
			lines.push(`calls ${asInCsv(section.get('calls')[i])}`);
		return lines;
	}

	rules() {
		const rules = FLAME_RULES[this.measure.id] ?? ['R5', 'R9'];

		return rules.map(rule => `${rule}: ${RULES[rule]}`);
	}

	/* ---- two sessions ---------------------------------------------------------------------- */

	/* [in A, in B]; samples as shares of all: two runs take different numbers of them. */
	sidesOf(node) {
		const before = this.tree.left[node], after = this.tree.right[node];

		return model.isSampled ? [before / model.session.samples, after / model.other.session.samples]
			: [before, after];
	}

	/* -1: gone, 0: as it was, 1: new. */
	changeOf(node) {
		const [before, after] = this.sidesOf(node);

		if (before === after || this.isUncertain(node))
			return 0;
		return (after - before) / Math.max(after, before);
	}

	/* The change is no more than what both values may be off by. */
	isUncertain(node) {
		const { trees: { before, after }, tree: { from, fromAfter, left, right } } = this;
		const name = this.measure.uncertainty?.[0];

		if (model.isSampled)
			return this.isByChance(node);
		if (!name || !fromAfter || from[node] < 0 || fromAfter[node] < 0)
			return false;
		const off = before.nodes.get(name)[from[node]] + after.nodes.get(name)[fromAfter[node]];

		return Math.abs(right[node] - left[node]) <= off;
	}

	/* The intervals of both shares reach one another. */
	isByChance(node) {
		const { left, right } = this.tree;
		const one = shareRange(left[node], model.session.samples);
		const other = shareRange(right[node], model.other.session.samples);

		return one[0] <= other[0] ? other[0] <= one[1] : one[0] <= other[1];
	}
}
