/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_function_waits.js - a part of view_function.js: what the function waited for and who ended that, and
 * what others waited for until it gave it back or signalled.
 */

{
	const ROWS = 10;

	/* By object and the function at the other end, most time first. */
	function sumsOf(parts, other) {
		const sums = new Map();

		for (const part of parts) {
			const one = part[other], who = one.name ?? one.tid ?? one.known;
			const key = `${part.group.number} ${who}`;
			const { group, giver: { known } } = part, isLikely = known === 'likely';
			const sum = sums.get(key) ?? { group, one, isLikely, ns: 0, waits: 0, longest: 0 };

			sum.ns += part.ns;
			sum.waits += part.waits;
			sum.longest = Math.max(sum.longest, part.longest_ns);
			sums.set(key, sum);
		}
		return [...sums.values()].sort((a, b) => b.ns - a.ns);
	}

	function row({ group, one, isLikely, ns, waits, longest }, words) {
		const most = waits > 1 ? `, longest ${nsText(longest)}` : '';
		const times = `in ${plural(waits, 'wait')}${most}`;

		return h('tr', {}, h('td', {}, waitLink(group)),
			h('td', { class: 'number', title: `${ns} ns` }, nsText(ns)), h('td', {}, times),
			h('td', {}, h('span', { class: 'note', title: isLikely ? LIKELY : null },
				words(group, isLikely), ' '), waitWho(one, group)));
	}

	function put(container, title, sums, words) {
		const rows = sums.map(sum => row(sum, words)), first = rows.splice(0, ROWS);
		const body = h('tbody', {}, first);
		const more = rows.length ? h('button', { onclick: () => {
			more.remove();
			body.append(...rows);
		} }, `${count(rows.length)} more`) : null;

		if (sums.length)
			container.append(h('h3', {}, title),
				h('table', { class: 'brief' }, body), more ?? '');
	}

	/* Waits that have not ended, in which the function waits, or has what is waited for. */
	function putOpen(container, open, number) {
		const is = one => one?.function === number;
		const list = open.filter(({ waiter, holder }) => is(waiter) || is(holder));
		const named = (words, one) => [`; ${words} `, waitThread(one),
			...one.name && !is(one) ? [', in ', functionLink(one.name)] : []];
		const line = wait => h('li', {},
			waitObject(wait) + waitTime(wait), named('waiting:', wait.waiter),
			wait.holder ? named(wait.held, wait.holder) : null);

		if (list.length)
			container.append(h('h3', {}, h('a', { href: address('waits', new Map()) },
				'Waits that have not ended')),
			h('ul', { class: 'open-here' }, list.map(line)));
	}

	functionParts.push(async (container, number) => {
		if (!model.has('waits'))
			return;
		const { open, parts } = await model.load('waits');
		const of = role => parts.filter(part => part[role].function === number);

		putOpen(container, open, number);
		put(container, 'What it waited for', sumsOf(of('waiter'), 'giver'),
			(group, isLikely) => group.given + (isLikely ? ', likely' : ''));
		put(container, 'What others waited for until it gave or signalled it',
			sumsOf(of('giver'), 'waiter'),
			(_, isLikely) => isLikely ? 'likely; waiting:' : 'waiting:');
	});
}
