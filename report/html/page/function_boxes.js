/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * function_boxes.js - a function between those that called it and those that it called, as boxes as large as their
 * share: the upper part of view_function.js.
 */

const FUNCTION_BOXES = 8; /* on a side */

function amountOf(measure, value) {
	if (exactly())
		return `${thousands(String(value))} ${measure.unit}`;
	return measure.unit === 'ns' ? duration(value) : count(value);
}

/* One of the boxes: a function, what of the whole it has, a bar of that; more.off: of value, by offOf(). */
function functionBox(name, value, whole, measure, more) {
	const share = whole > 0 ? value / whole : 0, off = offText(value, more.off ?? null, ` ${measure.unit}`);
	const exact = `${measure.inclusive}: ${asInCsv(value)} ${measure.unit}${off}`;

	return h('li', { style: { 'flex-grow': Math.max(share, 0.04) } },
		h(more.to ? 'a' : 'span', { href: more.to, class: 'boxed', title: `${name}\n${exact}\n${more.title ?? ''}` },
			h('span', { class: 'fill', 'aria-hidden': 'true', style: { width: `${Math.min(share, 1) * 100}%` } }),
			whisker(value, more.off, whole), h('span', { class: 'who' }, name),
			h('span', { class: 'what' }, `${more.text ?? amountOf(measure, value)}  ${(share * 100).toFixed(1)} %`,
			  more.calls > 0 ? h('small', {}, `  ${count(more.calls)} call${more.calls === 1 ? '' : 's'}`) : null)));
}

/* number: the function at the other end, or -1. */
function edgeBox(edges, i, number, whole, measure) {
	const name = number < 0 ? '[outside]' : model.functionName(number);

	return functionBox(name, edges.get(measure.inclusive)[i], whole, measure, {
		text: shownValue('edges', edges, measure.inclusive, i), off: shownOff('edges', edges, measure.inclusive, i),
		calls: edges.get('calls')[i], title: edges.get('recursion')[i] ? 'recursive' : '',
		to: number < 0 ? null : address('function', new Map([...state, ['function', name]])) });
}

/* Its callers, or what it calls: those with most. */
function functionSide(title, rows, edges, whole, measure, other) {
	const values = edges.get(measure.inclusive), list = [...rows].sort((a, b) => values[b] - values[a]);
	const rest = list.slice(FUNCTION_BOXES).reduce((sum, i) => sum + (values[i] || 0), 0);

	const height = `${Math.min(list.length, FUNCTION_BOXES + 1) * 26 + 130}px`;

	return h('section', { class: 'side' }, h('h3', {}, title), list.length ? h('ol', { style: { 'min-height': height } },
		list.slice(0, FUNCTION_BOXES).map(i => edgeBox(edges, i, edges.get(other)[i], whole, measure)),
		list.length > FUNCTION_BOXES ?
			functionBox(`${count(list.length - FUNCTION_BOXES)} more: in the table below`, rest, whole, measure, {}) : null)
		: h('p', { class: 'note' }, 'none'));
}

function functionItself(number, measure) {
	const { functions } = model, names = [measure.inclusive, measure.exclusive];
	const [inclusive, exclusive] = names.map(name => functions.get(name)[number]);
	const offs = names.map(name => shownOff('functions', functions, name, number));
	const called = Math.max(inclusive - exclusive, 0), text = value => amountOf(measure, value);

	return h('section', { class: 'side current' }, h('h3', {}, 'Function'),
		h('p', { class: 'boxed', title: shownTitle('functions', functions, measure.inclusive, number) },
		  h('b', { class: 'who' }, model.functionName(number)),
		  h('span', { class: 'what' }, shownValue('functions', functions, measure.inclusive, number), offs[0] ?
			h('small', {}, offText(inclusive, offs[0].map(Math.round), '', text)) : null)),
		h('ol', {}, functionBox('in it alone', exclusive, inclusive, { ...measure, inclusive: measure.exclusive },
					{ text: shownValue('functions', functions, measure.exclusive, number), off: offs[1] }),
			functionBox('in what it called', called, inclusive, measure,
				    { text: withMarks(called, offs[0], text), off: offs[0] })));
}
