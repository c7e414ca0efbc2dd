/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_histogram.js - of a function: how many of its calls took how long; a part of view_function.js.
 */

functionParts.push(async (container, number) => {
	if (!model.has('histograms'))
		return;
	const bins = await model.load('histograms'), owner = bins.get('function'), from = bins.get('from_ns'), to = bins.get('to_ns');
	const calls = bins.get('calls'), time = bins.get('ns'), rows = [];

	for (let i = 0; i < bins.n; i++)
		if (owner[i] === number)
			rows.push(i);
	if (rows.length < 2)
		return;
	const most = Math.max(...rows.map(i => calls[i])), mostTime = Math.max(...rows.map(i => time[i]));

	container.append(h('h3', { title: RULES.R8 }, 'How long its calls took'), h('div', { class: 'histogram', role: 'table', 'aria-label': 'How many calls took how long' },
		rows.map(i => h('div', { role: 'row', title: `${from[i]} to ${to[i]} ns: ${calls[i]} calls, together about ${time[i]} ns` },
			h('span', { role: 'cell' }, `${duration(from[i])} \u2013 ${duration(to[i])}`),
			h('span', { role: 'cell', class: 'meter' }, h('i', { class: 'cpu', style: { width: `${100 * calls[i] / most}%` } }), h('i', { class: 'wait', style: { width: `${100 * time[i] / mostTime}%` } })),
			h('span', { role: 'cell' }, count(calls[i])), h('span', { role: 'cell' }, duration(time[i]))))),
	h('ul', { class: 'legend' }, h('li', {}, h('i', { class: 'cpu' }), 'calls'), h('li', {}, h('i', { class: 'wait' }), 'time of these calls, about')));
});
