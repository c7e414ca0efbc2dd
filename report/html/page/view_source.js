/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_source.js - of a function: its source, with the values of each line and what is called from there, as
 * cinstr annotate; a part of view_function.js.
 */

{
	/* Columns of a line, of those that the session has. */
	const COLUMNS = ['elapsed_inclusive_ns', 'elapsed_exclusive_ns', 'off_cpu_exclusive_ns', 'calls', 'inclusive_samples', 'exclusive_samples'];
	const shownOf = lines => COLUMNS.filter(name => lines.has(name) && !lines.isEmpty(name));
	const headingOf = name => BRIEF[name] ?? infoOf('lines', name).heading;

	/* What of the function's time a line has, for its ground. */
	function heat(lines, row, number) {
		const name = model.isSampled ? 'exclusive_samples' : 'elapsed_exclusive_ns';
		const whole = model.functions.get(name)[number];

		return row < 0 || !(whole > 0) ? 0 : Math.min(lines.get(name)[row] / whole, 1) || 0;
	}

	function callRow(sites, site, n) {
		const callee = sites.text('callee', site), name = model.isSampled ? 'inclusive_samples' : 'elapsed_inclusive_ns';

		return h('tr', { class: 'call' }, h('td', { colspan: n }), h('td'), h('td', {}, '\u2192 ',
			model.functionOf(callee) >= 0 ? h('a', { href: address('function', new Map([...state, ['function', callee]])) }, callee) : callee,
			h('span', { title: shownTitle('sites', sites, name, site) }, ` ${shownValue('sites', sites, name, site)}`), sites.get('calls')[site] > 0 ? `  ${count(sites.get('calls')[site])} calls` : ''));
	}

	/* The lines that a value is of, where they are several. */
	function rangeOf(lines, row) {
		const from = lines.get('line_from')[row], to = lines.get('line_to')[row];

		return from > 0 && to > from ? `${from}\u2013${to}` : '';
	}

	function lineRow(source, i, lines, names, number) {
		const row = source.get('row')[i], part = heat(lines, row, number), range = row < 0 ? '' : rangeOf(lines, row);
		const cell = name => {
			if (row < 0)
				return h('td');
			const column = csvColumn(lines, infoOf('lines', name), 'cpu'), value = lines.get(name)[row];

			return h('td', { title: cellTitle(column, row) + (range ? `\nof some of the lines ${range}` : '') }, value > 0 ? shownValue('lines', lines, name, row) : '',
				 range && /exclusive/.test(name) && value > 0 ? h('small', {}, ` [${range}]`) : null);
		};

		return h('tr', { style: part > 0.005 ? { '--heat': `${Math.round(part * 45)}%` } : {}, class: part > 0.005 ? 'warm' : null }, names.map(cell),
			 h('td', { class: 'number' }, String(source.get('line')[i])), h('td', { class: 'text' }, source.text('text', i)));
	}

	function why(number) {
		const { notes = [], beyond_budget: beyond } = model.index.source ?? {}, note = notes.find(([one]) => one === number)?.[1];

		if (!model.index.source)
			return 'The page was made without sources (--no-source).';
		if (note)
			return note;
		return beyond && model.functions.get('line')[number] > 0 ? 'Not among the functions whose sources are in the page (--source-limit).' : null;
	}

	async function part(container, number) {
		const source = model.has('source') ? await model.load('source') : null, lines = await model.load('lines'), sites = await model.load('sites');
		const owner = source?.get('function'), first = owner ? owner.indexOf(number) : -1;

		if (first < 0) {
			const text = why(number);

			if (text)
				container.append(h('p', { class: 'note' }, `Source: ${text}`));
			return;
		}
		const names = shownOf(lines), rows = [], callLine = source.get('call_line'), callSite = source.get('call_site');

		for (let i = first; owner[i] === number; i++) {
			rows.push(lineRow(source, i, lines, names, number));
			for (let k = callLine.indexOf(i); k >= 0 && callLine[k] === i; k++)
				if (callSite[k] >= 0)
					rows.push(callRow(sites, callSite[k], names.length));
		}
		container.append(h('h3', {}, 'Source'), h('div', { class: 'scroller', tabindex: '0', role: 'region', 'aria-label': 'Source' },
			h('table', { class: 'source' }, h('thead', {}, h('tr', {}, names.map(name => h('th', {}, headingOf(name))), h('th', {}, 'Line'), h('th', {}, ''))),
			  h('tbody', {}, rows))));
	}

	functionParts.push(part);
}
