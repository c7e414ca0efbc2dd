/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_ranks.js - of a function in a session of several processes: what each of them (a rank) has of it, as a strip;
 * a part of view_function.js. Of what was merged only mean, least and most are known.
 */

{
	const MOST_SHOWN = 4000;

	/* Rows of `ranks` by function. Made once. */
	async function rowsOf(number) {
		const ranks = await model.load('ranks');

		if (!ranks.byFunction) {
			const owner = ranks.get('function');

			ranks.byFunction = new Map();
			for (let i = 0; i < ranks.n; i++)
				ranks.byFunction.has(owner[i]) ? ranks.byFunction.get(owner[i]).push(i) : ranks.byFunction.set(owner[i], [i]);
		}
		return ranks.byFunction.get(number) ?? [];
	}

	/* By rank; processes that are none come last, by their number. */
	function inOrder(list) {
		const rank = list.get('rank'), pid = list.get('pid'), key = i => Number.isNaN(rank[i]) ? Infinity : rank[i];

		return Array.from(upTo(list.n)).sort((a, b) => (key(a) === key(b) ? 0 : key(a) - key(b)) || pid[a] - pid[b] || a - b);
	}

	function titleOf(list, process, value) {
		const host = list.text('host', process), who = list.text('who', process), pid = `pid ${list.get('pid')[process]}`;

		return [who, who === pid ? '' : pid, host && `host ${host}`, Number.isNaN(value) ? 'does not have it' : `cpu_exclusive_ns: ${asInCsv(value)} ns`]
			.filter(one => one).join('\n');
	}

	/* One value in words, as the table has it; its title is csv's. */
	function fact(number, heading, name, who) {
		const f = model.functions, value = f.get(name)[number], of = who ? f.text(who, number) : '';

		return Number.isNaN(value) ? null : h('div', { title: `${name}: ${asInCsv(value)}${of && `\n${who}: ${of}`}` },
			h('dt', {}, heading), h('dd', {}, exactly() ? `${thousands(String(value))} ns` : duration(value), of ? ` in ${of}` : ''));
	}

	function facts(number) {
		const f = model.functions, n = f.get('contributors')[number], all = f.get('contributors_of')[number];
		const imbalance = f.get('imbalance_percent')[number];

		return h('dl', { class: 'facts' }, fact(number, 'mean', 'process_mean_ns'), fact(number, 'least', 'process_min_ns', 'process_min_who'),
			fact(number, 'most', 'process_max_ns', 'process_max_who'), fact(number, 'standard deviation', 'process_deviation_ns'),
			h('div', { title: `imbalance_percent: ${asInCsv(imbalance, 'percent')}` }, h('dt', {}, 'most over mean'), h('dd', {}, `${percent(imbalance)} %`)),
			fact(number, 'what it costs', 'imbalance_cost_ns'),
			h('div', {}, h('dt', {}, 'have it'), h('dd', {}, `${count(n)} of ${plural(all, 'process', 'processes')}`)));
	}

	async function strip(number) {
		if (!model.has('ranks'))
			return null;
		const rows = await rowsOf(number), ranks = await model.load('ranks'), list = await model.load('rank_list');

		if (!rows.length || list.n > MOST_SHOWN)
			return null;
		const values = new Float64Array(list.n).fill(NaN), mean = model.functions.get('process_mean_ns')[number];
		const least = model.functions.text('process_min_who', number), most = model.functions.text('process_max_who', number);

		rows.forEach(i => { values[ranks.get('process')[i]] = ranks.get('cpu_exclusive_ns')[i]; });
		const top = values.reduce((a, b) => b > a ? b : a, 1);

		return [h('ol', { class: 'ranks', style: { '--mean': `${100 * mean / top}%` }, 'aria-label': 'Each process, by rank' },
			inOrder(list).map(process => {
				const value = values[process], who = list.text('who', process), title = titleOf(list, process, value);

				return h('li', { title, 'aria-label': title.replaceAll('\n', ', '), class: Number.isNaN(value) ? 'none' : who === most ? 'most' : who === least ? 'least' : null },
					h('i', { style: { height: `${Number.isNaN(value) ? 0 : 100 * value / top}%` } }));
			})),
		h('ul', { class: 'legend' }, h('li', {}, h('i', { class: 'cpu' }), 'a process each, by rank'), h('li', {}, h('i', { class: 'hot' }), 'the most'), h('li', {}, h('i', { class: 'mean' }), 'mean'))];
	}

	/* Least, mean and most on a line from 0 on. */
	function range(number) {
		const f = model.functions, at = name => 100 * f.get(name)[number] / Math.max(f.get('process_max_ns')[number], 1);

		return [h('div', { class: 'range', role: 'img', 'aria-label': 'Least, mean and most of a process' },
			h('i', { class: 'cpu', style: { left: `${at('process_min_ns')}%`, width: `${at('process_max_ns') - at('process_min_ns')}%` } }),
			h('i', { class: 'mean', style: { left: `${at('process_mean_ns')}%` } })),
		h('ul', { class: 'legend' }, h('li', {}, h('i', { class: 'cpu' }), 'from the least to the most'), h('li', {}, h('i', { class: 'mean' }), 'mean'))];
	}

	functionParts.push(async (container, number) => {
		const f = model.functions;

		if (!(f.get('contributors_of')[number] > 1))
			return;
		container.append(h('h3', { title: f.has('process_mean_ns') ? 'of cpu_exclusive_ns; who does not have the function counts as 0 in the mean' : '' }, 'How processes share it'),
			facts(number), ...(await strip(number) ?? range(number)));
	});
}
