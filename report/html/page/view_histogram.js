/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_histogram.js - of a function: how many of its calls took how long; a part of view_function.js.
 */

{
	const BINS = ['from_ns', 'to_ns', 'calls', 'ns']; /* columns of `histograms` */

	/* Of each of the function's bins: from, to, calls, ns. */
	async function binsOf(number) {
		const section = await model.load('histograms'), owner = section.get('function');
		const columns = BINS.map(name => section.get(name)), bins = [];

		for (let i = 0; i < section.n; i++)
			if (owner[i] === number)
				bins.push(columns.map(column => column[i]));
		return bins;
	}

	function binRow([from, to, calls, ns], most, mostTime) {
		const title = `${from} to ${to} ns: ${calls} calls, together about ${ns} ns`;
		const cell = (...content) => h('span', { role: 'cell' }, ...content);
		const part = (kind, width) => h('i', { class: kind, style: { width: `${100 * width}%` } });

		return h('div', { role: 'row', title }, cell(`${duration(from)} \u2013 ${duration(to)}`),
			h('span', { role: 'cell', class: 'meter' },
				part('cpu', calls / most), part('wait', ns / mostTime)),
			cell(count(calls)), cell(duration(ns)));
	}

	functionParts.push(async (container, number) => {
		if (!model.has('histograms'))
			return;
		const bins = await binsOf(number), most = k => Math.max(...bins.map(bin => bin[k]));
		const entry = (kind, words) => h('li', {}, h('i', { class: kind }), words);
		const label = 'How many calls took how long';

		if (bins.length < 2)
			return;
		const mostCalls = most(2), mostTime = most(3);

		container.append(h('h3', { title: RULES.R8 }, 'How long its calls took'),
			h('div', { class: 'histogram', role: 'table', 'aria-label': label },
				bins.map(bin => binRow(bin, mostCalls, mostTime))),
			h('ul', { class: 'legend' },
				entry('cpu', 'calls'), entry('wait', 'time of these calls, about')));
	});
}
