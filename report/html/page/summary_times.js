/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * summary_times.js - a part of view_summary.js: the time of all threads, what it is divided into, what is not
 * in it.
 */

/* Where it went: an element. */
let summaryTimes = null;

{
	const TIMES = [['on_processor_ns', 'on a processor', 'cpu'], ['waiting_ns', 'waiting', 'wait'],
		       ['preempted_ns', 'waiting for a processor', 'preempted'],
		       ['page_ins_ns', 'waiting for pages', 'page'],
		       ['disk_ns', 'waiting for a disk', 'disk']];
	const PARTS = [['application_ns', 'in the program without what the system did (Application)'],
		       ['outside_functions_ns', 'outside any function']];
	const BESIDES = [['probe_overhead_ns', 'probes'], ['own_work_ns', 'recording\'s own work'],
			 ['paused_ns', 'paused'], ['attach_ns', 'to attach']];
	const OFF_OF = { on_processor_ns: 'EI', application_ns: 'AI' }; /* keys of UNCERTAINTY */

	/* [less, more]: of a time of the whole session, as its processes have it. */
	function offOf(key) {
		const off = OFF_OF[key] ? sumOfProcesses(UNCERTAINTY[OFF_OF[key]]) : 0;

		return off > 0 ? [off, off] : null;
	}

	function titleOf(time, key) {
		const { probe_overhead_low_ns: low, probe_overhead_high_ns: high } = time;
		const range = `, at least ${low}, at most ${high}\n${RULES.R9}`;
		const probes = key === 'probe_overhead_ns' ? range : '';

		return `${key}: ${time[key]} ns${offText(time[key], offOf(key), ' ns')}${probes}`;
	}

	const textOf = (time, key) => withMarks(time[key], offOf(key), nsText);

	function shareOf(time, key) {
		const share = value => Math.min(100 * value / time.elapsed_ns, 100).toFixed(1);

		return withMarks(time[key], offOf(key), share).replace('~', '');
	}

	/* The parts that there are, as a bar and in words. */
	function stack(time, parts) {
		const label = parts.map(([key, words]) => `${words} ${nsText(time[key])}`).join(', ');
		const piece = ([key, , kind]) =>
			h('i', { class: kind, style: { 'flex-grow': time[key] }, title: titleOf(time, key) });
		const words = ([key, text, kind]) => h('li', { title: titleOf(time, key) },
			h('i', { class: kind }), `${text} `, h('b', {}, textOf(time, key)),
			` ${shareOf(time, key)} %`);

		return [h('div', { class: 'stack', role: 'img', 'aria-label': label }, parts.map(piece)),
			h('ul', { class: 'legend' }, parts.map(words))];
	}

	function line(title, list) {
		const parts = list.flatMap((one, i) => i ? [' \u00b7 ', one] : [one]);

		return list.length ? h('p', { class: 'note' }, title, parts) : null;
	}

	/* Where threads were kept in several ways, tables have the sum. */
	function offProcessor(parts) {
		const off = sumOfProcesses('off_cpu_ns'), title = `off_cpu_ns: ${off} ns`;
		const text = `off the processor in any way, as Waiting in tables, ${nsText(off)}`;

		return parts.length > 2 && off > 0 ? [h('span', { title }, text)] : [];
	}

	summaryTimes = ({ time }) => {
		const having = list => list.filter(([key]) => time[key] > 0), parts = having(TIMES);
		const other = ([key, words]) =>
			h('span', { title: titleOf(time, key) }, `${words} ${textOf(time, key)}`);
		const title = rulesOf({ family: 'percent' });

		return h('section', {}, h('h3', { title }, `Time of all threads: ${nsText(time.elapsed_ns)}`),
			...stack(time, parts),
			line('Of it: ', [...offProcessor(parts), ...having(PARTS).map(other)]),
			line('Not in it: ', having(BESIDES).map(other)));
	};
}
