/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * waits.js - what threads waited for, and who ended that, for view_waits.js and view_function_waits.js. The
 * section, as html_waits.c writes it, times in ns:
 *   open     waits that have not ended: cycle (its number), is_certain (of it, at its first wait),
 *            kind, object or address, is_known, ns (if the end of the recording is known), since_ns,
 *            waiter, more (threads that wait at the same place), path, and held, holder if somebody has it,
 *            or held, readers: so many of a read-write lock, not known which
 *   groups   objects, as cinstr waits shows them together; of each waiters and givers: shares of its time;
 *            readers, of a giver that is not known: so many readers had the lock, at most
 *   parts    of a group, a waiter, a giver (by their `number`) and a path: waits, ns, longest_ns
 * A place, and a share or a party with one: function (-1: none that the page has), name, file, line.
 */

rawDecoders.waits = bytes => {
	const waits = JSON.parse(new TextDecoder().decode(bytes)), byNumber = new Map();
	const find = (list, number) => list.find(one => one.number === number);

	waits.groups.forEach(group => byNumber.set(group.number, group));
	for (const part of waits.parts) {
		const group = byNumber.get(part.group);

		part.group = group;
		part.waiter = find(group.waiters, part.waiter);
		part.giver = find(group.givers, part.giver);
		(group.parts ??= []).push(part);
	}
	waits.parts.sort((a, b) => b.ns - a.ns);
	return waits;
};

const LIKELY =
	'likely: the last call that signalled or gave it during the wait; an earlier one may have ended it';
const GIVEN = 'The call that gave it back, or signalled, when the wait ended';

/* ---- as text --------------------------------------------------------------------------------- */

/* "hold.c:20"; '': not known. */
function waitPlace({ file, line }) {
	return file ? file.replace(/.*\//, '') + (line ? `:${line}` : '') : '';
}

/* "mutex table_lock" */
function waitObject({ kind, object, objects, address }) {
	const several = objects > 1 && !object ? `${count(objects)} ` : '';

	return several + kind + (object ? ` ${object}` : address ? ` at ${address}` : '');
}

/* "for 3.2 s, since 0.5 s of the run" */
function waitTime({ is_known: isKnown, ns, since_ns: since }) {
	if (!isKnown)
		return ', not known which one';
	return `: ${ns >= 0 ? `for ${nsText(ns)}, ` : ''}since ${nsText(since)} of the run`;
}

/* "worker, thread 1234", "worker, 8 threads", or, of more than there was room for, "several threads" */
function waitThread({ tid, thread, threads, is_first: isFirst }) {
	if (threads > 1)
		return `${thread}, ${plural(threads, 'thread')}`;
	if (!tid)
		return 'several threads';
	return `${thread && !isFirst ? `${thread}, ` : ''}${isFirst ? 'main thread' : 'thread'} ${tid}`;
}

/* ---- elements -------------------------------------------------------------------------------- */

/* "3 readers, not known which" */
const readersWords = ({ readers }) => `${plural(readers, 'reader')}, not known which`;

/* The function of a place, or of a share of which only the thread is known. */
function waitWho(one, group) {
	if (one.readers)
		return readersWords(one);
	if (one.known === 'no')
		return 'not known';
	if (one.known === 'thread')
		return waitThread(one) + (/thread/.test(group.kind) ? '' : ', not known where');
	return one.name ? functionLink(one.name, cutName(one.name)) : 'not known';
}

/* Functions down to the caller of the last one, whose name is shown already. The middle is left out first. */
function waitPath(path) {
	const names = path ? path.split(';').slice(0, -1) : [], last = names.pop();

	return last === undefined ? null : h('span', { class: 'down', title: path.replaceAll(';', '\n') },
		h('span', {}, names.map(name => `${name} \u203a `).join('')), cutName(last));
}

/* Of an object, to what the view shows of it. */
function waitLink(group) {
	const filter = group.object ?? group.waiters[0]?.name ?? '';

	return h('a', { href: address('waits', new Map([['filter', filter]])) }, waitObject(group));
}
