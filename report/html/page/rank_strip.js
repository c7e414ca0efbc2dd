/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * rank_strip.js - each process (rank) of a session as a bar, of one function: for view_ranks.js.
 */

const RANKS_SHOWN = 4000;

/* Rows of `ranks` by function. Made once. */
async function rankRows(number) {
	const ranks = await model.load('ranks');

	if (!ranks.byFunction) {
		const owner = ranks.get('function');

		ranks.byFunction = new Map();
		for (let i = 0; i < ranks.n; i++) {
			if (!ranks.byFunction.has(owner[i]))
				ranks.byFunction.set(owner[i], []);
			ranks.byFunction.get(owner[i]).push(i);
		}
	}
	return ranks.byFunction.get(number) ?? [];
}

/* By rank; processes that are none come last, by their number. */
function ranksInOrder(list) {
	const rank = list.get('rank'), pid = list.get('pid');
	const key = i => Number.isNaN(rank[i]) ? Infinity : rank[i];
	const compare = (a, b) => (key(a) === key(b) ? 0 : key(a) - key(b)) || pid[a] - pid[b] || a - b;

	return Array.from(upTo(list.n)).sort(compare);
}

function rankTitle(list, process, value) {
	const host = list.text('host', process), who = list.text('who', process);
	const pid = `pid ${list.get('pid')[process]}`;
	const has = Number.isNaN(value) ? 'does not have it' : `cpu_exclusive_ns: ${asInCsv(value)} ns`;

	return [who, who === pid ? '' : pid, host && `host ${host}`, has].filter(one => one).join('\n');
}

const ranksLegend = list => h('ul', { class: 'legend' },
	list.map(([kind, words]) => h('li', {}, h('i', { class: kind }), words)));

async function rankStrip(number) {
	if (!model.has('ranks'))
		return null;
	const rows = await rankRows(number), ranks = await model.load('ranks');
	const list = await model.load('rank_list');

	if (!rows.length || list.n > RANKS_SHOWN)
		return null;
	const values = new Float64Array(list.n).fill(NaN);
	const mean = model.functions.get('process_mean_ns')[number];

	rows.forEach(i => { values[ranks.get('process')[i]] = ranks.get('cpu_exclusive_ns')[i]; });
	const top = values.reduce((a, b) => b > a ? b : a, 1), style = { '--mean': `${100 * mean / top}%` };

	return [h('ol', { class: 'ranks', style, 'aria-label': 'Each process, by rank' },
		ranksInOrder(list).map(process => rankBar(list, number, process, values[process], top))),
	ranksLegend([['cpu', 'a process each, by rank'], ['hot', 'the most'], ['mean', 'mean']])];
}

function rankBar(list, number, process, value, top) {
	const title = rankTitle(list, process, value), isNone = Number.isNaN(value);
	const is = column => list.text('who', process) === model.functions.text(column, number);
	const extreme = () => is('process_max_who') ? 'most' : is('process_min_who') ? 'least' : null;
	const kind = isNone ? 'none' : extreme();

	return h('li', { title, 'aria-label': title.replaceAll('\n', ', '), class: kind },
		h('i', { style: { height: `${isNone ? 0 : 100 * value / top}%` } }));
}
