/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * waits_objects.js - a part of view_waits.js: objects that were waited for, each with who waited and who
 * ended that.
 */

const OBJECTS_SHOWN = 25; /* at first */
const WAIT_SHARES = 4; /* of each: who waited, who ended that */
const WAIT_SHARE_LEAST = 0.005; /* of an object's time: less is not worth a line */

/* The path with most of the share's time. */
function waitPathOf(share, group, role) {
	const sums = new Map();

	for (const part of group.parts)
		if (part[role] === share && part.path)
			sums.set(part.path, (sums.get(part.path) ?? 0) + part.ns);
	const all = [...sums].sort((a, b) => b[1] - a[1]);

	return all.length ? [waitPath(all[0][0]), all.length > 1
		? h('span', {}, `and ${plural(all.length - 1, 'more path')}`) : null] : [];
}

function waitShare(share, group, role) {
	const part = group.ns ? 100 * share.ns / group.ns : 0, place = waitPlace(share);
	const isSeveral = share.threads > 1 && share.known !== 'thread';
	const threads = isSeveral ? plural(share.threads, 'thread') : null;
	const path = role === 'waiter' ? waitPathOf(share, group, role) : [];
	const likely = share.known === 'likely' ? 'likely' : null;
	const title = `${share.ns} ns in ${plural(share.waits, 'wait')}${likely ? `\n${LIKELY}` : ''}`;
	const note = [place ? h('span', { title: share.file }, place) : null, ...path];

	return h('li', {}, h('span', { class: 'who' }, waitWho(share, group)),
		h('span', { class: 'what', title },
			[threads, likely, `${exactly() ? part.toFixed(6) : part.toFixed(0)} %`]
				.filter(one => one).join(' \u00b7 ')),
		summaryMeter(share.ns, group.ns, role === 'waiter' ? 'wait' : 'other', null),
		note.some(one => one) ? h('span', { class: 'note by' }, note) : null);
}

function waitShares([words, title], list, group, role) {
	const worth = list.filter((one, i) => !i || one.ns >= WAIT_SHARE_LEAST * group.ns);
	const n = worth.length > WAIT_SHARES ? WAIT_SHARES - 1 : worth.length;
	const rows = part => part.map(one => waitShare(one, group, role)), rest = worth.slice(n);
	const onclick = () => more.replaceWith(...rows(rest));
	const more = rest.length ? h('li', {}, h('button', { onclick }, `${count(rest.length)} more`)) : null;

	return h('div', { class: 'bars' }, h('h4', { title }, words),
		h('ol', {}, rows(worth.slice(0, n)), more));
}

function waitedObject(group) {
	const longest = group.waits > 1 ? `, longest ${nsText(group.longest_ns)}` : '';
	const title = group.module ? `in ${group.module}` : null;

	return h('div', { class: 'waited' }, h('b', { title }, waitObject(group)),
		`: ${nsText(group.ns)} in ${plural(group.waits, 'wait')}${longest}`,
		h('div', { class: 'columns' },
			waitShares(['waiting', null], group.waiters, group, 'waiter'),
			waitShares([group.given, GIVEN], group.givers, group, 'giver')));
}

/* The first ones, and a button for more of them. */
function waitedObjects(what, groups) {
	const ns = groups.reduce((sum, one) => sum + one.ns, 0);
	const section = h('section', {}, h('h3', {},
		`Waiting for ${what}: ${nsText(ns)}, all threads together`));

	function put(from) {
		const left = groups.length - from - OBJECTS_SHOWN;

		section.append(...groups.slice(from, from + OBJECTS_SHOWN).map(waitedObject));
		if (left <= 0)
			return;
		const button = h('button', { onclick: () => {
			button.remove();
			put(from + OBJECTS_SHOWN);
		} }, `${count(left)} more`);

		section.append(button);
	}
	put(0);
	return groups.length ? section : null;
}
