/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * summary_changes.js - a part of view_summary.js: of two sessions, which functions have changed most.
 */

{
	const IN_SUMMARY = 8;

	function linkOf(rows, i) {
		const [owner] = rows.ownerOf(i), name = rows.nameOf(i);

		return owner.functionOf(name) >= 0
			? h('a', { href: address('function', new Map([['function', name]])) }, name) : name;
	}

	function line(rows, cells, i) {
		const points = cells.isShare ? value => `${cells.points(value)} points` : cells.text;
		const number = (...content) => h('td', { class: 'number' }, ...content);

		return h('tr', {}, h('td', { class: 'mono' }, linkOf(rows, i)), h('td', {}, cells.verdict(i)),
			number(cells.side(0, i)),
			number(rows.rows[1][i] >= 0 ? ['\u2192 ', cells.side(1, i)] : ''),
			number(signed(rows.change[i], points)),
			h('td', { class: 'number note' }, cells.interval(i)));
	}

	/* With the verdicts. */
	summaryFirst.push(async container => {
		if (!model.other)
			return;
		const changes = await changesOf(), { info } = changes, [first] = info.sets;
		const rows = await ChangeRows.of('functions', changes, first);
		const cells = new ChangeCells(rows, info, first), total = cells.total();
		const order = Array.from(rows.inOrder()).filter(i => rows.change[i]).slice(0, IN_SUMMARY);
		const lines = order.map(i => line(rows, cells, i));
		const title = info.kind === 'beside' ? 'Shares as sampled, and with probes'
			: 'Changes from A to B';
		const all = h('a', { href: address('changes', new Map()) }, 'All changes');

		container.append(h('section', {},
			h('h3', {}, `${title} (${CHANGE_TITLES[first.column]})${total ? ': ' + total : ''}`),
			lines.length ? h('table', { class: 'brief' }, h('tbody', {}, lines))
				: h('p', { class: 'note' }, 'None.'),
			h('p', { class: 'note' }, all, '. What follows is of A.')));
	});
}
