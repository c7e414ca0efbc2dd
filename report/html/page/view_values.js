/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_values.js - the program's own values: how long threads had each value of its tags, and what it has
 * counted, by call path. The section, as html_values.c writes it, times in ns, most first:
 *   tags     name, times, ns, waiting_ns, left_out (values that are not in the page), and values: value
 *            (none: all that threads did not keep apart), is_open, times, ns, waiting_ns, longest_ns; of the
 *            longest period path and waited_in, if they are known
 *   counts   name, sum, calls, left_out, and paths: path, sum, calls
 */

rawDecoders.values = bytes => JSON.parse(new TextDecoder().decode(bytes));

{
	const SHOWN = 25; /* at first, of each tag and count */

	const number = (text, title = null) => h('td', { class: 'number', title }, text);
	const time = ns => number(nsText(ns), `${ns} ns`);
	const below = (columns, ...what) => h('tr', { class: 'below' },
		h('td', { colspan: columns }, ...what));

	/* "longest in handle by main › all" */
	function where(path, words = null) {
		const name = path?.split(';').pop();

		return name ? h('span', { class: 'by' }, words ? h('span', { class: 'note' }, words) : null,
			functionLink(name, cutName(name)), waitPath(path)) : null;
	}

	function valueRows(one) {
		const notes = [one.waited_in ? `waited in ${one.waited_in}` : null,
			one.is_open ? 'had not ended' : null].filter(note => note).join(', ');

		return [
			h('tr', {}, h('td', {}, one.value ?? '(others)'), number(count(one.times)),
				time(one.ns), time(one.waiting_ns), time(one.longest_ns)),
			below(5, where(one.path, one.times > 1 ? 'longest in' : 'in'),
				notes ? h('span', { class: 'note' }, notes) : null),
		];
	}

	const pathRows = one => [h('tr', {}, h('td', {}, where(one.path) ?? 'outside any function'),
		number(count(one.sum)), number(count(one.calls)))];

	/* The first rows, a button for the others, and how many are not in the page. */
	function list(heads, all, rowsOf, { what, left_out: leftOut }) {
		const body = h('tbody', {}, all.slice(0, SHOWN).flatMap(rowsOf)), rest = all.slice(SHOWN);
		const more = h('button', { onclick: () => {
			more.remove();
			body.append(...rest.flatMap(rowsOf));
		} }, `${count(rest.length)} more`);
		const head = (text, i) => h('th', { class: i ? 'number' : null, scope: 'col' }, text);

		return [h('table', { class: 'own' }, h('thead', {}, h('tr', {}, heads.map(head))), body),
			rest.length ? more : null, leftOut ? h('p', { class: 'note' },
				`${plural(leftOut, what)} with less are not in the page.`) : null];
	}

	const tagged = tag => h('section', {}, h('h3', {}, `Tag ${tag.name}: ${nsText(tag.ns)} in ` +
			`${plural(tag.times, 'period')}, ${nsText(tag.waiting_ns)} waiting`),
		list(['Value', 'Times', 'Time', 'Waiting', 'Longest'], tag.values, valueRows,
			{ ...tag, what: 'value' }));

	const counted = one => h('section', {}, h('h3', {}, `Counted ${one.name}: ${count(one.sum)} in ` +
			plural(one.calls, 'call')),
		list(['In', 'Counted', 'Calls'], one.paths, pathRows, { ...one, what: 'call path' }));

	async function render(container) {
		const { tags, counts } = await model.load('values');

		container.classList.add('scrolls', 'waits');
		container.append(...tags.map(tagged));
		if (tags.length)
			container.append(h('p', { class: 'note' }, 'Times of a tag: of all threads ' +
				'together, without the recording\u2019s own time. Periods are in the ' +
				'functions in which they began.'));
		container.append(...counts.map(counted));
	}

	register({ id: 'values', title: 'Own values', order: 41, needs: ['values'], render,
		available: of => of.has('values') });
}
