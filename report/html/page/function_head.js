/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * function_head.js - the head of view_function.js: a field for another function, where this one is, and what
 * csv has of it, in words.
 */

const FUNCTIONS_SUGGESTED = 2000; /* names at most, of all functions */

/* To the function of that name, or the first with that in its name, or that of the second session. */
function goToFunction(text) {
	const wanted = text.toLowerCase();
	let number = model.functionOf(text);

	for (let i = 0; number < 0 && i < model.functions.n; i++)
		if (model.functionName(i).toLowerCase().includes(wanted))
			number = i;
	if (number >= 0)
		go('function', { function: model.functionName(number) });
	else if (model.other?.functionOf(text) >= 0)
		go('function', { function: text });
}

function functionField() {
	const list = 'functions-known', names = h('datalist', { id: list }), { n } = model.functions;
	const option = (_, i) => h('option', { value: model.functionName(i) });
	const onfocus = () => {
		if (!names.childElementCount && n <= FUNCTIONS_SUGGESTED)
			names.append(...Array.from({ length: n }, option));
	};
	const onchange = event => goToFunction(event.target.value);

	return [h('input', { type: 'search', list, placeholder: 'Another function', 'aria-label': 'Function',
			     onfocus, onchange }), names];
}

/* Boxes are of measures that have a part below, too. */
const functionMeasures = owner => owner.measures().filter(one => one.inclusive);

/* at: the one that is shown. */
function measureChoice(owner, at) {
	const list = functionMeasures(owner.times ?? owner).map(one => [one.id, one.title]);

	return choiceOf('Measure', [...list, ...measureOfInstructions()], at,
		id => goToMeasure('function', id));
}

/* In the place of all of it, where the function executed nothing that was counted. Whether it is. */
function showUncounted(container, name) {
	const executed = model.functions.get(model.inclusive)[model.functionOf(name ?? '')];

	if (!model.isExecuted || !name || executed > 0)
		return false;
	container.append(
		h('div', { class: 'tools' }, functionField(), measureChoice(model, 'instructions')),
		h('h2', {}, name),
		h('p', { class: 'note' }, 'No instructions of it are known here.'));
	return true;
}

/* Where its source is, and its module. */
function functionPlace(number, functions) {
	const line = functions.get('line')[number];
	const file = functions.text('file', number);
	const parts = [file && `${file}${line > 0 ? ':' + line : ''}`, functions.text('module', number)];

	return parts.filter(one => one).join(' \u00b7 ');
}

/* ---- values ---------------------------------------------------------------------------------- */

const FUNCTION_FACTS = [
	'calls', 'elapsed_inclusive_ns', 'elapsed_exclusive_ns', 'application_inclusive_ns',
	'application_exclusive_ns', 'off_cpu_ns', 'off_cpu_exclusive_ns', 'avg_elapsed_inclusive_ns',
	'min_elapsed_inclusive_ns', 'p50_elapsed_inclusive_ns', 'p99_elapsed_inclusive_ns',
	'max_elapsed_inclusive_ns', 'inclusive_samples', 'exclusive_samples', 'inclusive_percent',
	'exclusive_percent', 'inclusive_instructions', 'exclusive_instructions',
	'inclusive_instructions_percent', 'exclusive_instructions_percent', 'inclusive_instructions_per_call',
	'exclusive_instructions_per_call', 'ns_per_instruction',
];

function functionFact(number, name, functions) {
	const column = csvColumn(functions, infoOf('functions', name), 'cpu');

	column.form = column.form === 'time' ? 'duration' : column.form;
	const text = cellText(column, number), group = column.group ? `${column.group}, ` : '';

	return text === '' ? null : h('div', { title: cellTitle(column, number) },
		h('dt', {}, `${group}${column.heading}`), h('dd', {}, text));
}

function functionFacts(number, functions) {
	const isKnown = name => functions.has(name) && !Number.isNaN(functions.get(name)[number]);
	const names = FUNCTION_FACTS.filter(isKnown);

	return h('dl', { class: 'facts' }, names.map(name => functionFact(number, name, functions)));
}
