/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * changes.js - what of session A (model) is what of B (model.other): functions, modules and paths that are
 * called alike.
 *
 *   await matches()   { functions, modules, nodes: { ofA: Int32Array, ofB: Int32Array } }; ofA[i] is the row in B
 *                     of A's row i, or -1
 */

function matches() {
	model.matched ??= match(model, model.other);
	return model.matched;
}

/* Rows of two sections that have the same key, the first with the first. */
function matchRows(a, b, keyOf) {
	const ofA = new Int32Array(a.n).fill(-1), ofB = new Int32Array(b.n).fill(-1), rows = new Map();

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
	const ofA = new Int32Array(a.n).fill(-1), ofB = new Int32Array(b.n).fill(-1), rows = new Map();
	const key = (parent, f) => (parent + 1) * 4294967296 + f + 1;

	for (let i = 0; i < a.n; i++)
		rows.set(key(a.parent[i], a.function[i]), i);
	for (let i = 0; i < b.n; i++) {
		const parent = b.parent[i] < 0 ? -1 : ofB[b.parent[i]], f = b.function[i] < 0 ? -1 : functionsOfB[b.function[i]];

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

async function match(one, other) {
	const base = text => text.replace(/.*\//, '');
	const functions = matchRows(one.functions, other.functions, (section, i) =>
		`${section.text('full_name', i)}\n${base(section.text('file', i))}\n${one.functions.n + other.functions.n > 0 ? section.text('module_name', i) : ''}`);
	/* What has moved to another file or module, if it is the only one of the name. */
	const left = matchLeft(one.functions, other.functions, functions);

	return { functions: left, modules: matchRows(one.modules, other.modules, (section, i) => base(section.text('name', i))),
		 nodes: matchNodes(await one.load('nodes'), await other.load('nodes'), left.ofB) };
}

function matchLeft(a, b, { ofA, ofB }) {
	const names = new Map();

	for (const [section, of, side] of [[a, ofA, 0], [b, ofB, 1]])
		for (let i = 0; i < section.n; i++)
			if (of[i] < 0) {
				const name = section.text('full_name', i);

				names.has(name) || names.set(name, [[], []]);
				names.get(name)[side].push(i);
			}
	for (const [[i, ...more], [k, ...others]] of names.values())
		if (i !== undefined && k !== undefined && !more.length && !others.length) {
			ofA[i] = k;
			ofB[k] = i;
		}
	return { ofA, ofB };
}
