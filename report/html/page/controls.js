/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * controls.js - what is chosen with in the lines above what views show: fields of text, buttons of which one
 * is pressed.
 */

/* Buttons: [id, title, what it does]; at: the id of the one that is pressed; chosen(id). */
function choiceOf(label, list, at, chosen) {
	const button = ([id, title, what]) => h('button', {
		'aria-pressed': String(id === at), title: what, onclick: () => chosen(id) }, title);

	return h('span', { class: 'choice', role: 'group', 'aria-label': label }, list.map(button));
}

/* Its text is in the address, as `key`. act(text): it is another one; enter(isBack):
 * Enter, or Shift and Enter. */
function textField(key, label, placeholder, act, enter) {
	const oninput = ({ target: { value } }) => {
		set({ [key]: value });
		act(value);
	};
	const onkeydown = enter && (event => event.key === 'Enter' && enter(event.shiftKey));

	return h('input', { type: 'search', placeholder, 'aria-label': label, value: state.get(key),
		oninput, onkeydown });
}

const filterField = (placeholder, act) => textField('filter', 'Filter', placeholder, act);
const findField = (act, enter) => textField('find', 'Find', 'Find a function', act, enter);
