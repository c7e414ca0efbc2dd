/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * summary_lists.js - a part of view_summary.js: lists with bars. Of samples: in which functions, lines and
 * modules most of them are; of times see summary_computing.js.
 */

const functionNameLink = one => functionLink(one.name, cutName(one.name));

/* Of the largest value, and what the value may be off by. */
function summaryMeter(value, most, kind, off) {
	const width = `${most > 0 ? 100 * value / most : 0}%`;

	return h('span', { class: 'meter' },
		h('i', { class: kind, style: { width } }), whisker(value, off, most));
}

/*
 * Rows of a list, with bars of the largest one; null: there are none. key: what is drawn; text(one): what is
 * shown; name(one): an element; kind: of the bar; off(one): what the value may be off by, by offOf().
 */
function summaryBars(title, list, { key, text, name = functionNameLink, kind = 'cpu', off = () => null }) {
	const value = one => one[key] ?? 0, most = Math.max(...(list ?? []).map(value), 0);
	const titleOf = one => `${one.name}: ${value(one)}${offText(value(one), off(one), '')}`;
	const row = one => h('li', { title: titleOf(one) }, h('span', { class: 'who' }, name(one)),
		h('span', { class: 'what' }, text(one)), summaryMeter(value(one), most, kind, off(one)));

	return list?.length
		? h('section', { class: 'bars' }, h('h3', {}, title), h('ol', {}, list.map(row))) : null;
}

function listsOfSamples(summary) {
	const off = key => one => offOfSamples(one[key], model.session.samples);
	const functions = which => {
		const key = `${which}_samples`, share = one => one[`${which}_percent`].toFixed(1);

		return { key, off: off(key), text: one => `${count(one[key])}  ${share(one)} %` };
	};
	const others = {
		key: 'exclusive_samples', off: off('exclusive_samples'),
		text: one => count(one.exclusive_samples), name: one => one.name };

	return [summaryBars('Most samples by themselves', summary.exclusive_samples, functions('exclusive')),
		summaryBars('\u2026 with what they call', summary.inclusive_samples, functions('inclusive')),
		summaryBars('Source lines', summary.lines, others),
		summaryBars('Modules', summary.modules, others)];
}

/* An element, of which some lists may be missing. */
function summaryLists(summary) {
	return h('div', { class: 'columns' },
		model.isSampled ? listsOfSamples(summary) : listsOfTimes(summary));
}
