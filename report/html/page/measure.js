/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * measure.js - time, or executed instructions in its place: which of the two models (model.js) a view is
 * drawn of, as `measure` in the address says, and how one goes to the other.
 */

const timesOf = () => model.times ?? model;

/* The model that a view is drawn of, for this address. */
async function modelOf(view, keys) {
	const times = timesOf(), isWanted = keys.get('measure') === 'instructions';

	return view.ofInstructions && times.hasInstructions && isWanted ? times.withInstructions() : times;
}

/* Of a choice of values, the one of executed instructions, if they are known: [[id, title]]. */
function measureOfInstructions() {
	return timesOf().hasInstructions ? [['instructions', 'Instructions']] : [];
}

/* Why they are not in the page, where they were counted; else null. */
function noInstructions() {
	const { no_instructions: why } = timesOf().index;
	const words = why?.replace('instructions', 'they');

	return why ? h('span', { class: 'found' }, `No instructions here: ${words}.`) : null;
}

/* id null: of time. The path that is looked at has another number in the other model, which has other
 * columns. */
async function goToMeasure(view, id, keys = {}) {
	const isOther = (id === 'instructions') !== model.isExecuted;

	if (isOther) {
		await keepAddress(await modelOf(current, new Map([['measure', id]])));
		set({ sort: null });
	}
	go(view, { ...(id || isOther ? { measure: id } : {}), ...keys });
}

/* What tables of executed instructions have below them. */
function executedFoot() {
	const ofA = model.times?.other ? ['These are the instructions of A.'] : [];
	const lines = model.isExecuted ? [...ofA, ...model.index.foot] : [];

	return lines.map(line => h('p', { class: 'note' }, line));
}

/* What the page is to show first, if the address says nothing else. */
function beginWithMeasure() {
	const { id, keys } = readAddress();

	if (!model.hasInstructions || model.index.measure !== 'instructions' || keys.has('measure'))
		return;
	keys.set('measure', 'instructions');
	history.replaceState(null, '', address(id || 'functions', keys));
}
