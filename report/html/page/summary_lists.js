/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * summary_lists.js - a part of view_summary.js: who computes, who waits, what the system did, as lists with
 * bars; of samples, in which functions, lines and modules most of them are.
 */

/* An element, of which some lists may be missing. */
let summaryLists = null;

{
	const SYSTEM = {
		system_calls: ['System calls', 'system_calls_exclusive'],
		voluntary_switches: ['Waits', 'voluntary_switches_exclusive'],
		involuntary_switches: ['Preempted', 'involuntary_switches_exclusive'],
		page_ins: ['Page-ins', 'major_fault_intervals_exclusive'],
		disk_input: ['Disk input', 'block_input_intervals_exclusive'],
		disk_output: ['Disk output', 'block_output_intervals_exclusive']
	};
	const nameLink = one => functionLink(one.name);

	/*
	 * Rows of a list, with bars of the largest one. key: what is drawn; text(one): what is shown;
	 * name(one): an element; kind: of the bar; off(one): what the value may be off by, by offOf().
	 */
	function bars(title, list, { key, text, name = nameLink, kind = 'cpu', off = () => null }) {
		const value = one => one[key] ?? 0, most = Math.max(...(list ?? []).map(value), 0);
		const meter = one => h('span', { class: 'meter' },
			h('i', { class: kind, style: { width: `${most > 0 ? 100 * value(one) / most : 0}%` } }),
			whisker(value(one), off(one), most));
		const titleOf = one => `${one.name}: ${value(one)}${offText(value(one), off(one), '')}`;
		const row = one => h('li', { title: titleOf(one) }, h('span', { class: 'who' }, name(one)),
			h('span', { class: 'what' }, text(one)), meter(one));

		return list?.length ? h('section', { class: 'bars' }, h('h3', {}, title),
			h('ol', {}, list.map(row))) : null;
	}

	/* ---- of samples ------------------------------------------------------------------------ */

	function ofSamples(summary) {
		const off = key => one => offOfSamples(one[key], model.session.samples);
		const functions = which => ({ key: `${which}_samples`, off: off(`${which}_samples`),
			text: one => `${count(one[`${which}_samples`])}  ${one[`${which}_percent`].toFixed(1)} %` });
		const others = { key: 'exclusive_samples', off: off('exclusive_samples'),
				 text: one => count(one.exclusive_samples), name: one => one.name };

		return [bars('Most samples by themselves', summary.exclusive_samples, functions('exclusive')),
			bars('\u2026 with what they call', summary.inclusive_samples, functions('inclusive')),
			bars('Source lines', summary.lines, others), bars('Modules', summary.modules, others)];
	}

	/* ---- of times -------------------------------------------------------------------------- */

	/* Its row in the table of functions, if it has the same value there; else -1. */
	function rowOf(one, key) {
		const row = model.functionOf(one.name);

		return row >= 0 && model.functions.get(key)[row] === one[key] ? row : -1;
	}

	function withShare(key) {
		const whole = model.total(key);

		return one => `${nsText(one[key])}  ${whole > 0 ? (100 * one[key] / whole).toFixed(1) + ' %' : ''}`;
	}

	/* As the table of functions has it, with its marks. */
	function ofTable(key, percentKey) {
		const plain = withShare(key);
		const shown = (name, row) => shownValue('functions', model.functions, name, row);

		return one => {
			const row = rowOf(one, key);

			return row < 0 ? plain(one) : `${shown(key, row)}  ${shown(percentKey, row)} %`;
		};
	}

	/* Who waits, at which line, in what. */
	const site = one => [functionLink(one.name), one.line ? `:${one.line}` : '', ' \u2192 ',
		one.callee ? functionLink(one.callee) : ''];

	function ofTimes(summary) {
		const computing = 'cpu_exclusive_ns', waiting = 'off_cpu_exclusive_ns';
		const waits = summary.time.preempted_ns > 0 ? 'Waiting, also for a processor' : 'Waiting';
		const off = one => {
			const row = rowOf(one, computing);

			return row < 0 ? null : shownOff('functions', model.functions, computing, row);
		};
		const system = ([list, [title, key]]) =>
			bars(title, summary[list], { key, text: one => count(one[key] ?? NaN), kind: 'other' });

		return [
			bars('Computing', summary.cpu_exclusive,
				{ key: computing, off, text: ofTable(computing, 'cpu_exclusive_percent') }),
			bars(waits, summary.waiting_sites,
				{ key: waiting, text: withShare(waiting), name: site, kind: 'wait' }),
			...Object.entries(SYSTEM).map(system)];
	}

	summaryLists = summary =>
		h('div', { class: 'columns' }, model.isSampled ? ofSamples(summary) : ofTimes(summary));
}
