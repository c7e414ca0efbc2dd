/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_ranks.js - of a function in a session of several processes: what each of them (a rank) has of it, as a
 * strip; a part of view_function.js. Of what was merged only mean, least and most are known.
 */

{
	/* One value in words, as the table has it; its title is csv's. */
	function fact(number, heading, name, who) {
		const f = model.functions, value = f.get(name)[number], of = who ? f.text(who, number) : '';
		const title = `${name}: ${asInCsv(value)}${of && `\n${who}: ${of}`}`;

		return Number.isNaN(value) ? null
			: told(title, heading, nsText(value), of ? ` in ${of}` : '');
	}

	const told = (title, heading, ...words) =>
		h('div', { title }, h('dt', {}, heading), h('dd', {}, ...words));

	function facts(number) {
		const [n, all, imbalance] = ['contributors', 'contributors_of', 'imbalance_percent']
			.map(name => model.functions.get(name)[number]);
		const exact = `imbalance_percent: ${asInCsv(imbalance, 'percent')}`;

		return h('dl', { class: 'facts' }, fact(number, 'mean', 'process_mean_ns'),
			fact(number, 'least', 'process_min_ns', 'process_min_who'),
			fact(number, 'most', 'process_max_ns', 'process_max_who'),
			fact(number, 'standard deviation', 'process_deviation_ns'),
			told(exact, 'most over mean', `${percent(imbalance)} %`),
			fact(number, 'what it costs', 'imbalance_cost_ns'),
			told(null, 'have it', `${count(n)} of ${plural(all, 'process', 'processes')}`));
	}

	/* Least, mean and most on a line from 0 on. */
	function range(number) {
		const f = model.functions, whole = Math.max(f.get('process_max_ns')[number], 1);
		const part = name => 100 * f.get(`process_${name}_ns`)[number] / whole;
		const [least, most, mean] = ['min', 'max', 'mean'].map(part);

		const label = 'Least, mean and most of a process';

		return [h('div', { class: 'range', role: 'img', 'aria-label': label },
			h('i', { class: 'cpu', style: { left: `${least}%`, width: `${most - least}%` } }),
			h('i', { class: 'mean', style: { left: `${mean}%` } })),
		ranksLegend([['cpu', 'from the least to the most'], ['mean', 'mean']])];
	}

	functionParts.push(async (container, number) => {
		const f = model.functions;

		if (!(f.get('contributors_of')[number] > 1))
			return;
		const title = f.has('process_mean_ns')
			? 'of cpu_exclusive_ns; who does not have the function counts as 0 in the mean' : '';

		container.append(h('h3', { title }, 'How processes share it'),
			facts(number), ...(await rankStrip(number) ?? range(number)));
	});
}
