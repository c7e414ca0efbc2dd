/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_summary.js - the session at a glance: where the time went, what could be saved (findings), the hot path,
 * what computes and what waits, what the recording is worth (advice). All of it is cinstr summary's, as JSON.
 */

{
	const TIMES = [['on_processor_ns', 'on a processor', 'cpu'], ['waiting_ns', 'waiting', 'wait'],
		       ['preempted_ns', 'waiting for a processor', 'preempted'], ['page_ins_ns', 'waiting for pages', 'page'],
		       ['disk_ns', 'waiting for a disk', 'disk']];
	const PARTS = [['application_ns', 'in the program without what the system did (Application)'], ['outside_functions_ns', 'outside any function']];
	const BESIDES = [['probe_overhead_ns', 'probes'], ['own_work_ns', 'recording\'s own work'], ['paused_ns', 'paused'], ['attach_ns', 'to attach']];
	const LISTS = { system_calls: ['System calls', 'system_calls_exclusive'], voluntary_switches: ['Waits', 'voluntary_switches_exclusive'],
			involuntary_switches: ['Preempted', 'involuntary_switches_exclusive'], page_ins: ['Page-ins', 'major_fault_intervals_exclusive'],
			disk_input: ['Disk input', 'block_input_intervals_exclusive'], disk_output: ['Disk output', 'block_output_intervals_exclusive'] };
	const ns = value => exactly() ? `${thousands(String(value))} ns` : duration(value);

	function link(name) {
		return model.functionOf(name) < 0 ? h('span', { class: 'mono' }, name)
			: h('a', { class: 'mono', href: address('function', new Map([...state, ['function', name]])) }, name);
	}

	/* [less, more]: of a time of the whole session, as its processes have it. */
	const OFF_OF_TIMES = { on_processor_ns: UNCERTAINTY.EI, application_ns: UNCERTAINTY.AI };

	function offOfTime(key) {
		const { processes } = model, off = processes.has(OFF_OF_TIMES[key]) ? processes.get(OFF_OF_TIMES[key]).reduce((sum, one) => sum + (one || 0), 0) : 0;

		return off > 0 ? [off, off] : null;
	}

	function times(summary) {
		const { time } = summary, whole = time.elapsed_ns, title = key => `${key}: ${time[key]} ns${offText(time[key], offOfTime(key), ' ns')}`;
		const share = key => withMarks(time[key], offOfTime(key), value => Math.min(100 * value / whole, 100).toFixed(1)).replace('~', ''), parts = TIMES.filter(([key]) => time[key] > 0);
		const other = ([key, words]) => h('span', { title: title(key) + (key === 'probe_overhead_ns' ?
			`, at least ${time.probe_overhead_low_ns}, at most ${time.probe_overhead_high_ns}\n${RULES.R9}` : '') }, `${words} ${withMarks(time[key], offOfTime(key), ns)}`);

		return h('section', {}, h('h3', { title: rulesOf({ family: 'percent' }) }, `Time of all threads: ${ns(whole)}`),
			h('div', { class: 'stack', role: 'img', 'aria-label': parts.map(([key, words]) => `${words} ${ns(time[key])}`).join(', ') },
				parts.map(([key, , kind]) => h('i', { class: kind, style: { 'flex-grow': time[key] }, title: title(key) }))),
			h('ul', { class: 'legend' }, parts.map(([key, words, kind]) => h('li', { title: title(key) }, h('i', { class: kind }), `${words} `,
				h('b', {}, withMarks(time[key], offOfTime(key), ns)), ` ${share(key)} %`))),
			line('Of it: ', [...offProcessor(parts), ...PARTS.filter(([key]) => time[key] > 0).map(other)]),
			line('Not in it: ', BESIDES.filter(([key]) => time[key] > 0).map(other)));
	}

	function line(title, list) {
		return list.length ? h('p', { class: 'note' }, title, list.flatMap((one, i) => i ? [' \u00b7 ', one] : [one])) : null;
	}

	/* Where threads were kept in several ways, tables have the sum. */
	function offProcessor(parts) {
		const off = model.processes.has('off_cpu_ns') ? model.processes.get('off_cpu_ns').reduce((sum, one) => sum + (one || 0), 0) : 0;

		return parts.length > 2 && off > 0 ? [h('span', { title: `off_cpu_ns: ${off} ns` }, `off the processor in all (Waiting in tables) ${ns(off)}`)] : [];
	}

	/* How many there are, and of how much time. */
	function samples({ session }) {
		const { samples: n, samples_not_seen: lost = 0, interval, interval_unit: unit, event, duration_ns: wall } = session;

		return h('p', {}, unit !== 'ns' ? `${count(n)} samples, one every ${count(interval)} ${unit} (${event}).` :
			`${count(n)} samples, one every ${duration(interval)} on a processor (${event}): about ${duration((n + lost) * interval)} on processors in ${duration(wall)}. What threads wait for is not in samples.`);
	}

	/* What is wrong with the recording, in one sentence, before its numbers. */
	function warning({ advice: list }) {
		const first = list?.find(one => one.severity !== 'information');

		return first ? h('p', { class: 'note warning' }, h('b', {}, `${first.severity}: `), first.text.match(/^.*?[.](?= |$)/)?.[0] ?? first.text, ' ',
			h('a', { href: location.hash, onclick: event => { event.preventDefault(); document.querySelector('details.worth').scrollIntoView(); } }, 'What the recording is worth')) : null;
	}

	function finding(one) {
		const place = one.file ? ` (${one.file.replace(/.*\//, '')}${one.line ? ':' + one.line : ''})` : '';

		return h('li', { value: one.rank }, h('span', { class: 'gain' }, `${one.percent.toFixed(1)} %`), ' ', one.subject ? [link(one.subject), place, ' '] : null, one.text,
			h('div', { class: 'note' }, `${one.id}: ${one.title}. `, one.command ? h('code', {}, one.command) : null));
	}

	function findings(summary) {
		const { findings: list } = summary;

		return h('section', {}, h('h3', {}, 'Findings'), list?.length ? h('ol', { class: 'findings' }, list.map(finding))
			: h('p', { class: 'note' }, 'None: no rule found something that could be saved.'));
	}

	/* The share of a level, with its marks and what it may be off by, if it is one path of the tree; else, of a recursion, several. */
	function hotShare(one, hot) {
		const [value, percents] = model.isSampled ? ['inclusive_samples', 'inclusive_percent'] : ['elapsed_inclusive_ns', 'elapsed_inclusive_percent'];
		const f = model.functionOf(one.name), row = upTo(hot.n).find(i => hot.get('function')[i] === f && hot.get(value)[i] === one[value]) ?? -1;

		if (row < 0) {
			const off = f < 0 || model.isSampled ? null : shownOff('functions', model.functions, percents, f);

			return [h('b', { title: `${value}: ${one[value]}, of the paths that are one but for recursion` }, `${(one[percents] ?? NaN).toFixed(1)} %`),
				off ? h('small', { title: 'what the function may be off by, on all paths' }, ` \u00b1 up to ${off[0].toFixed(1)}`) : null];
		}
		const off = shownOff('nodes', hot, percents, row);

		return [h('b', { title: shownTitle('nodes', hot, value, row) }, `${shownValue('nodes', hot, percents, row)} %`),
			off?.some(one => one >= 0.05) ? h('small', {}, offText(one[percents], off, '', number => number.toFixed(1))) : null];
	}

	function hotPath(summary, hot) {
		const { hot_path: path } = summary;

		return path?.length ? h('section', {}, h('h3', { title: 'The most expensive callee at each level, of the thread that works on' }, 'Hot path'),
			h('ol', { class: 'chain' }, path.map(one => h('li', {}, link(one.name), ' ', hotShare(one, hot),
				one.calls > 1 ? h('small', {}, ` \u00b7 ${count(one.calls)} calls`) : null)))) : null;
	}

	/* Rows of a list, with bars. value(one): what is shown and drawn; off(one): of it, by offOf(). */
	function bars(title, list, value, text, name, kind, off = () => null) {
		const most = Math.max(...list.map(value), 0);

		return list.length ? h('section', { class: 'bars' }, h('h3', {}, title), h('ol', {}, list.map(one => h('li', { title: `${one.name}: ${value(one)}${offText(value(one), off(one), '')}` },
			h('span', { class: 'who' }, name(one)), h('span', { class: 'what' }, text(one)),
			h('span', { class: 'meter' }, h('i', { class: kind, style: { width: `${most > 0 ? 100 * value(one) / most : 0}%` } }), whisker(value(one), off(one), most)))))) : null;
	}

	/* Of the table of functions. */
	const offOfFunction = key => one => {
		const row = model.functionOf(one.name);

		return row < 0 || model.functions.get(key)[row] !== one[key] ? null : shownOff('functions', model.functions, key, row);
	};
	const offOfCount = key => one => offOfSamples(one[key], model.session.samples);

	function withShare(key) {
		const whole = model.total(key);

		return one => `${ns(one[key])}  ${whole > 0 ? (100 * one[key] / whole).toFixed(1) + ' %' : ''}`;
	}

	/* As the table of functions has it, with its marks. */
	function ofFunction(key, percentKey) {
		const plain = withShare(key);

		return one => {
			const row = model.functionOf(one.name);

			return row < 0 || model.functions.get(key)[row] !== one[key] ? plain(one)
				: `${shownValue('functions', model.functions, key, row)}  ${shownValue('functions', model.functions, percentKey, row)} %`;
		};
	}

	function lists(summary) {
		const functionLink = one => link(one.name);
		const site = one => [link(one.name), one.line ? `:${one.line}` : '', ' \u2192 ', one.callee ? link(one.callee) : ''];

		if (model.isSampled)
			return [bars('Most samples by themselves', summary.exclusive_samples ?? [], one => one.exclusive_samples, one => `${count(one.exclusive_samples)}  ${one.exclusive_percent.toFixed(1)} %`, functionLink, 'cpu', offOfCount('exclusive_samples')),
				bars('\u2026 with what they call', summary.inclusive_samples ?? [], one => one.inclusive_samples, one => `${count(one.inclusive_samples)}  ${one.inclusive_percent.toFixed(1)} %`, functionLink, 'cpu', offOfCount('inclusive_samples')),
				bars('Source lines', summary.lines ?? [], one => one.exclusive_samples, one => count(one.exclusive_samples), one => one.name, 'cpu', offOfCount('exclusive_samples')),
				bars('Modules', summary.modules ?? [], one => one.exclusive_samples, one => count(one.exclusive_samples), one => one.name, 'cpu', offOfCount('exclusive_samples'))];
		return [bars('Computing', summary.cpu_exclusive ?? [], one => one.cpu_exclusive_ns, ofFunction('cpu_exclusive_ns', 'cpu_exclusive_percent'), functionLink, 'cpu', offOfFunction('cpu_exclusive_ns')),
			bars('Waiting', summary.waiting_sites ?? [], one => one.off_cpu_exclusive_ns, withShare('off_cpu_exclusive_ns'), site, 'wait'),
			...Object.entries(LISTS).map(([key, [title, column]]) => bars(title, summary[key] ?? [], one => one[column] ?? 0, one => count(one[column] ?? NaN), functionLink, 'other'))];
	}

	function advice(summary) {
		const { advice: list } = summary;

		return list?.length ? h('details', { class: 'worth', open: list.some(one => one.severity !== 'information') }, h('summary', {}, `What the recording is worth: ${count(list.length)} note${list.length === 1 ? '' : 's'}`),
			h('ul', {}, list.map(one => h('li', {}, h('b', {}, `${one.severity} ${one.id}: `), one.text, one.action ? h('span', { class: 'note' }, ' ', one.action) : null)))) : null;
	}

	async function render(container) {
		const summary = await model.load('summary');

		container.classList.add('scrolls', 'summary');
		for (const part of summaryFirst)
			await part(container, model);
		container.append(...[warning(summary), model.isSampled ? samples(summary) : times(summary)].filter(one => one));
		for (const part of summaryParts)
			await part(container, model);
		container.append(findings(summary));
		const path = hotPath(summary, await model.load('hot'));

		container.append(...[path].filter(one => one), h('div', { class: 'columns' }, lists(summary)), ...[advice(summary)].filter(one => one));
		if (model.index.paths_hidden)
			container.append(h('p', { class: 'note' }, `${count(model.index.paths_hidden)} call paths below ${model.index.least_percent} % are not in this page (cinstr html --paths=0 has them); the numbers of functions are complete.`));
	}

	rawDecoders.summary = bytes => JSON.parse(new TextDecoder().decode(bytes));
	register({ id: 'summary', title: 'Summary', order: 10, needs: ['summary'], render });
}
