/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lanes.test.js LANES.JS - calls joined step by step are what the rule says of them at once.
 */
'use strict';
const fs = require('fs'), vm = require('vm'), assert = require('assert');
const script = fs.readFileSync(process.argv[2], 'utf8');
const { Level, Lane, cellFor } = vm.runInThisContext(script + ';({ Level, Lane, cellFor })');

function random(n, seed) {
	const draw = () => (seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff) / 0x7fffffff;
	const calls = [];
	let at = 0;

	for (let i = 0; i < n; i++) {
		const length = Math.floor(draw() ** 8 * 100000) + 1;

		at += Math.floor(draw() * 60);
		calls.push([at, at + length]);
		at += length;
	}
	return calls;
}

/* Each item: [begin, end, calls, busy, the longest]. */
function byHand(calls, cell) {
	const items = [];

	calls.forEach(([begin, end], i) => {
		const last = items[items.length - 1], long = k => calls[k][1] - calls[k][0] >= cell;
		const cellOf = moment => Math.floor(moment / cell);

		if (last && !long(i) && !long(last[4]) && cellOf(last[0]) === cellOf(begin)) {
			last[1] = end;
			last[2]++;
			last[3] += end - begin;
			if (end - begin > calls[last[4]][1] - calls[last[4]][0])
				last[4] = i;
		} else {
			items.push([begin, end, 1, end - begin, i]);
		}
	});
	return items;
}

for (let seed = 1; seed <= 20; seed++) {
	const calls = random(2000, seed), finest = new Level(calls.length);
	const lengths = Float64Array.from(calls, ([begin, end]) => end - begin);

	calls.forEach(([begin, end], i) => finest.put(begin, end, 1, end - begin, i));
	const lane = new Lane(0, 0, finest, 1, lengths);

	for (const least of [5000, 1, 3, 64, 700, 1e9]) {
		const level = lane.level(least), items = byHand(calls, cellFor(1, least));

		const columns = [level.begin, level.end, level.calls, level.busy, level.longest];
		const made = Array.from({ length: level.n }, (_, i) => columns.map(column => column[i]));

		assert.deepStrictEqual(made, items);
		for (const at of [0, items[5]?.[0] ?? 0, 1e12]) {
			const i = level.search(at);

			assert((i === level.n || level.end[i] > at) && (i === 0 || level.end[i - 1] <= at));
		}
	}
}
console.log('ok');
