/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * changes.js - of two sessions, A (model) and B (model.other): what cinstr diff says of them
 * (html_changes.c), and which paths are called alike.
 *
 *   await matches()   { functions, modules, nodes: { ofA: Int32Array, ofB: Int32Array } }; ofA[i] is the row
 *                     in B of A's row i, or -1
 *   await matchedFunctions()   the first of these alone
 *   await changesOf() { info, section }; info.kind: times, sampled (two sampled sessions: shares), beside (a
 *                     sampled and an instrumented one: shares; the sampled one is first, is_swapped: that is
 *                     B); info.sets: by (functions, modules), column, verdicts, has_interval, total_a,
 *                     total_b; rows [from, from + rows) of the section: a, b (rows of the first session and
 *                     the other), verdict (number), before, after, change, half, low, high: diff
 *                     --format=csv's numbers
 */

rawDecoders.changes_info = bytes => JSON.parse(new TextDecoder().decode(bytes));

async function changesOf() {
	const info = await model.load('changes_info'), section = await model.load('changes');
	let from = 0;

	for (const set of info.sets) {
		set.from = from;
		from += set.rows;
	}
	return { info, section };
}

function matches() {
	model.matched ??= match(model, model.other);
	return model.matched;
}

/* { ofA, ofB } of two sections, with nothing in them. */
const noMatches = (a, b) => ({ ofA: new Int32Array(a.n).fill(-1), ofB: new Int32Array(b.n).fill(-1) });

/* Of the first set that compares these. */
function matchSet({ info, section }, by, a, b) {
	const set = info.sets.find(one => one.by === by), { ofA, ofB } = noMatches(a, b);

	if (!set)
		return matchRows(a, b, (one, i) => one.text('name', i).replace(/.*\//, ''));
	const [ofOne, ofOther] = ['a', 'b'].map(name => section.get(name));

	for (let i = set.from; i < set.from + set.rows; i++) {
		const [rowA, rowB] = info.is_swapped ? [ofOther[i], ofOne[i]] : [ofOne[i], ofOther[i]];

		if (!(rowA >= 0 && rowB >= 0))
			continue;
		ofA[rowA] = rowB;
		ofB[rowB] = rowA;
	}
	return { ofA, ofB };
}

/* Rows of two sections that have the same key, the first with the first. */
function matchRows(a, b, keyOf) {
	const { ofA, ofB } = noMatches(a, b), rows = new Map();

	for (let i = 0; i < b.n; i++) {
		const key = keyOf(b, i);

		rows.has(key) ? rows.get(key).push(i) : rows.set(key, [i]);
	}
	for (let i = 0; i < a.n; i++) {
		const row = rows.get(keyOf(a, i))?.shift() ?? -1;

		ofA[i] = row;
		if (row >= 0)
			ofB[row] = i;
	}
	return { ofA, ofB };
}

/* Paths are the same when their functions are, and their callers' paths. */
function matchNodes(a, b, functionsOfB) {
	const { ofA, ofB } = noMatches(a, b), rows = new Map();
	const key = (parent, f) => (parent + 1) * 4294967296 + f + 1;

	for (let i = 0; i < a.n; i++)
		rows.set(key(a.parent[i], a.function[i]), i);
	for (let i = 0; i < b.n; i++) {
		const parent = b.parent[i] < 0 ? -1 : ofB[b.parent[i]];
		const f = b.function[i] < 0 ? -1 : functionsOfB[b.function[i]];

		if ((b.parent[i] >= 0 && parent < 0) || (f < 0 && b.function[i] >= 0))
			continue;
		const row = rows.get(key(parent, f)) ?? -1;

		if (row >= 0 && ofA[row] < 0) {
			ofB[i] = row;
			ofA[row] = i;
		}
	}
	return { ofA, ofB };
}

/* { ofA, ofB } of functions alone. */
function matchedFunctions() {
	model.matchedFunctions ??= changesOf().then(changes =>
		matchSet(changes, 'functions', model.functions, model.other.functions));
	return model.matchedFunctions;
}

async function match(one, other) {
	const changes = await changesOf(), functions = await matchedFunctions();

	return { functions, modules: matchSet(changes, 'modules', one.modules, other.modules),
		 nodes: matchNodes(await one.load('nodes'), await other.load('nodes'), functions.ofB) };
}
