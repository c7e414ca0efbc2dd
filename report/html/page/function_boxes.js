/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * function_boxes.js - a function between those that called it and those that it called, as boxes as large as
 * their share: the upper part of view_function.js.
 */

const FUNCTION_BOXES = 8; /* on a side */

function amountOf(measure, value) {
	if (exactly())
		return `${thousands(String(value))} ${measure.unit}`;
	return measure.unit === 'ns' ? duration(value) : count(value);
}

/* One of the boxes: a function, what of the whole it has, a bar of that; more.off: of value, by offOf(). */
function functionBox(name, value, whole, measure, more) {
	const share = whole > 0 ? value / whole : 0, width = `${Math.min(share, 1) * 100}%`;
	const off = offText(value, more.off ?? null, ` ${measure.unit}`);
	const exact = `${measure.inclusive}: ${asInCsv(value)} ${measure.unit}${off}`;
	const title = `${name}\n${exact}\n${more.title ?? ''}`;
	const text = `${more.text ?? amountOf(measure, value)}  ${(share * 100).toFixed(1)} %`;
	const calls = more.calls > 0 ? h('small', {}, `  ${plural(more.calls, 'call')}`) : null;

	return h('li', { style: { 'flex-grow': Math.max(share, 0.04) } },
		h(more.to ? 'a' : 'span', { href: more.to, class: 'boxed', title },
			h('span', { class: 'fill', 'aria-hidden': 'true', style: { width } }),
			whisker(value, more.off, whole),
			h('span', { class: 'who' }, cutName(name)),
			h('span', { class: 'what' }, text, calls)));
}

/* number: the function at the other end, or -1. */
function edgeBox(edges, i, number, whole, measure) {
	const name = number < 0 ? '[outside]' : edges.model.functionName(number), { inclusive } = measure;

	return functionBox(name, edges.get(inclusive)[i], whole, measure, {
		text: shownValue('edges', edges, inclusive, i),
		off: shownOff('edges', edges, inclusive, i),
		calls: edges.get('calls')[i],
		title: edges.get('recursion')[i] ? 'recursive' : '',
		to: number < 0 ? null : functionAddress(name) });
}

/* Its callers, or what it calls: those with most. */
function functionSide(title, rows, edges, whole, measure, other) {
	const values = edges.get(measure.inclusive), list = [...rows].sort((a, b) => values[b] - values[a]);
	const rest = list.slice(FUNCTION_BOXES).reduce((sum, i) => sum + (values[i] || 0), 0);
	const more = list.length - FUNCTION_BOXES, ends = edges.get(other);
	const box = i => edgeBox(edges, i, ends[i], whole, measure);
	const height = `${Math.min(list.length, FUNCTION_BOXES + 1) * 26 + 130}px`;
	const words = `${count(more)} more: in the table below`;

	return h('section', { class: 'side' }, h('h3', {}, title),
		list.length ? h('ol', { style: { 'min-height': height } },
			list.slice(0, FUNCTION_BOXES).map(box),
			more > 0 ? functionBox(words, rest, whole, measure, {}) : null)
			: h('p', { class: 'note' }, 'none'));
}

function functionItself(number, measure, functions) {
	const names = [measure.inclusive, measure.exclusive];
	const [inclusive, exclusive] = names.map(name => functions.get(name)[number]);
	const offs = names.map(name => shownOff('functions', functions, name, number));
	const [value, own] = names.map(name => shownValue('functions', functions, name, number));
	const called = Math.max(inclusive - exclusive, 0), text = one => amountOf(measure, one);
	const range = offs[0] ? h('small', {}, offText(inclusive, offs[0].map(Math.round), '', text)) : null;
	const title = shownTitle('functions', functions, measure.inclusive, number);
	const ofOwn = { ...measure, inclusive: measure.exclusive };
	const isEstimate = model.isExecuted && marksOf(functions, measure.inclusive, number) & MARK.estimated;
	const sign = isEstimate ? '\u2248' : '';

	return h('section', { class: 'side current' }, h('h3', {}, 'Function'),
		h('p', { class: 'boxed', title },
			h('b', { class: 'who' }, cutName(functions.text('name', number))),
			h('span', { class: 'what' }, value, range)),
		h('ol', {},
			functionBox('in it alone', exclusive, inclusive, ofOwn, { text: own, off: offs[1] }),
			functionBox('in what it called', called, inclusive, measure, {
				text: withMarks(called, offs[0], text) + sign, off: offs[0] })));
}
