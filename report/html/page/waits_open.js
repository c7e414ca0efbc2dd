/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * waits_open.js - a part of view_waits.js: waits that have not ended, circles first.
 */

function openParty(words, one) {
	const place = waitPlace(one), calls = one.calls ? ` (${one.calls})` : '';

	return [h('dt', {}, words), h('dd', {}, waitThread(one),
		one.name ? [', in ', functionLink(one.name, cutName(one.name))] : null,
		h('span', { class: 'note', title: one.file }, place && ` ${place}`, calls))];
}

function openWait(wait) {
	const more = wait.more ? h('dd', {}, `and ${plural(wait.more, 'more thread')} there`) : null;
	const path = waitPath(wait.path);

	return h('div', { class: 'open-wait' }, h('b', {}, waitObject(wait) + waitTime(wait)),
		h('dl', {}, openParty('waiting', wait.waiter),
			path ? h('dd', { class: 'note by' }, path) : null, more,
			wait.holder ? openParty(wait.held, wait.holder) : null,
			wait.readers ? [h('dt', {}, wait.held), h('dd', {}, readersWords(wait))] : null));
}

function waitCircle(waits) {
	const n = waits.length, likely = waits[0].is_certain ? '' : ', likely';
	const words = n === 1 ? 'a thread waits for what it has itself'
		: `${count(n)} threads, each waits for what the next one has`;

	return h('section', { class: 'deadlock' }, h('h3', {}, `Deadlock${likely}: ${words}`),
		waits.map(openWait));
}

function openWaits({ open }) {
	const numbers = [...new Set(open.map(one => one.cycle).filter(one => one))];
	const others = open.filter(one => !one.cycle);

	return [numbers.map(number => waitCircle(open.filter(one => one.cycle === number))),
		others.length ? h('section', {}, h('h3', {}, 'Waits that have not ended'),
			others.map(openWait)) : null];
}
