/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_source.js - of a function: its source, with the values of each line and what is called from there, as
 * cinstr annotate (source_lines.js); a part of view_function.js.
 */

{
	function why(number) {
		const { notes = [], beyond_budget: beyond } = model.index.source ?? {};
		const note = notes.find(([one]) => one === number)?.[1];

		if (!model.index.source)
			return 'The page was made without sources (--no-source).';
		if (note)
			return note;
		return beyond && model.functions.get('line')[number] > 0
			? 'Not among the functions whose sources are in the page (--source-limit).' : null;
	}

	/* Its lines, each with what is called from there below it; first: its first one. */
	function rowsOf(number, first, source, lines, sites) {
		const owner = source.get('function'), names = lineColumns(lines), rows = [];
		const [callLine, callSite] = ['call_line', 'call_site'].map(name => source.get(name));

		for (let i = first; owner[i] === number; i++) {
			rows.push(lineRow(source, i, lines, names, number));
			for (let k = callLine.indexOf(i); k >= 0 && callLine[k] === i; k++)
				if (callSite[k] >= 0)
					rows.push(callRow(sites, callSite[k], names.length));
		}
		return rows;
	}

	async function part(container, number) {
		const source = model.has('source') ? await model.load('source') : null;
		const lines = model.has('lines') ? await model.load('lines') : null;
		const sites = model.has('sites') ? await model.load('sites') : null;
		const first = source ? source.get('function').indexOf(number) : -1;

		if (first < 0) {
			const text = why(number);

			if (text)
				container.append(h('p', { class: 'note' }, `Source: ${text}`));
			return;
		}
		const rows = rowsOf(number, first, source, lines, sites);

		container.append(h('h3', {}, 'Source'),
			h('div', { class: 'scroller', tabindex: '0', role: 'region', 'aria-label': 'Source' },
				h('table', { class: 'source' }, linesHead(lines), h('tbody', {}, rows))));
	}

	functionParts.push(part);
}
