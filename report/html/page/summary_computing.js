/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * summary_computing.js - a part of view_summary.js: who computes, who waits, what the system did, as lists
 * with bars (summary_lists.js).
 */

/* By list of the summary: its title, and what it is sorted by. */
const SYSTEM_LISTS = {
	system_calls: ['System calls', 'system_calls_exclusive'],
	voluntary_switches: ['Waits', 'voluntary_switches_exclusive'],
	involuntary_switches: ['Preempted', 'involuntary_switches_exclusive'],
	page_ins: ['Page-ins', 'major_fault_intervals_exclusive'],
	disk_input: ['Disk input', 'block_input_intervals_exclusive'],
	disk_output: ['Disk output', 'block_output_intervals_exclusive'],
};

/* Its row in the table of functions, if it has the same value there; else -1. */
function rowOfSummary(one, key) {
	const row = model.functionOf(one.name);

	return row >= 0 && model.functions.get(key)[row] === one[key] ? row : -1;
}

/* And how long each call took, where they are counted. */
function textOfWaits(key) {
	const plain = textWithShare(key);
	const each = one => one.calls > 0
		? `${plural(one.calls, 'call')}, ${duration(one[key] / one.calls)} each  ` : '';

	return one => each(one) + plain(one);
}

function textWithShare(key) {
	const whole = model.total(key);
	const share = value => whole > 0 ? `${(100 * value / whole).toFixed(1)} %` : '';

	return one => `${nsText(one[key])}  ${share(one[key])}`;
}

/* As the table of functions has it, with its marks. */
function textOfTable(key, percentKey) {
	const plain = textWithShare(key);
	const shown = (name, row) => shownValue('functions', model.functions, name, row);

	return one => {
		const row = rowOfSummary(one, key);

		return row < 0 ? plain(one) : `${shown(key, row)}  ${shown(percentKey, row)} %`;
	};
}

/* Who waits, at which line, in what. */
const waitingSite = one => [functionLink(one.name), one.line ? `:${one.line}` : '', ' \u2192 ',
	one.callee ? functionLink(one.callee) : ''];

function listsOfTimes(summary) {
	const computing = 'cpu_exclusive_ns', waiting = 'off_cpu_exclusive_ns';
	const waits = summary.time.preempted_ns > 0 ? 'Waiting, also for a processor' : 'Waiting';
	const off = one => {
		const row = rowOfSummary(one, computing);

		return row < 0 ? null : shownOff('functions', model.functions, computing, row);
	};
	const system = ([list, [title, key]]) => summaryBars(title, summary[list], {
		key, text: one => count(one[key] ?? NaN), kind: 'other' });

	return [
		summaryBars('Computing', summary.cpu_exclusive, {
			key: computing, off, text: textOfTable(computing, 'cpu_exclusive_percent') }),
		summaryBars(waits, summary.waiting_sites, {
			key: waiting, text: textOfWaits(waiting), name: waitingSite, kind: 'wait' }),
		...Object.entries(SYSTEM_LISTS).map(system)];
}
