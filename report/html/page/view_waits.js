/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_waits.js - what was waited for: waits that have not ended, then objects by the time that threads have
 * waited for them, with who waited and who ended that.
 */

{
	function unknown({ parts }) {
		const sum = list => list.reduce((ns, part) => ns + part.ns, 0), all = sum(parts);
		const share = sum(parts.filter(part => part.giver.known === 'no')) / all;

		return share >= 0.01 ? h('p', { class: 'note' },
			`Not known who ended ${(100 * share).toFixed(0)} % of it: ` +
			'calls in code without probes.') : null;
	}

	const namesOf = group => [waitObject(group),
		...[...group.waiters, ...group.givers].flatMap(one => [one.name ?? '', one.thread ?? ''])];

	async function render(container, state) {
		const waits = await model.load('waits'), { groups } = waits, list = h('div');
		const found = h('span', { class: 'found', 'aria-live': 'polite' });

		function show() {
			const text = (state.get('filter') ?? '').toLowerCase();
			const has = name => name.toLowerCase().includes(text);
			const chosen = groups.filter(group => namesOf(group).some(has));
			const others = chosen.filter(one => !one.is_lock);
			const all = plural(groups.length, 'object');
			const parts = [waitedObjects('locks', chosen.filter(one => one.is_lock)),
				waitedObjects('signals and for threads to end', others),
				text ? null : unknown(waits)];

			list.replaceChildren(...parts.filter(one => one));
			found.textContent = chosen.length === groups.length ? all
				: `${count(chosen.length)} of ${all}`;
		}

		container.classList.add('scrolls', 'waits');
		container.append(...openWaits(waits).flat().filter(one => one));
		if (!groups.length)
			return;
		if (groups.length > 1)
			container.append(h('div', { class: 'tools' },
				filterField('Filter by object or function', show), found));
		container.append(list);
		show();
	}

	register({ id: 'waits', title: 'Waits', order: 39, needs: ['waits'], render,
		available: of => of.has('waits') });
}
