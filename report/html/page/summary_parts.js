/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * summary_parts.js - parts of view_summary.js: what the recording is worth, findings, the hot path. Each
 * makes an element, or null where there is nothing to say.
 */

const nsText = value => exactly() ? `${thousands(String(value))} ns` : duration(value);

/* shown: the name, or what is shown of it. */
function functionLink(name, shown = name) {
	return model.functionOf(name) < 0 ? h('span', { class: 'mono' }, shown)
		: h('a', { class: 'mono', href: functionAddress(name) }, shown);
}

/* Of all processes together. */
function sumOfProcesses(name) {
	const { processes } = model;

	return processes.has(name) ? processes.get(name).reduce((sum, one) => sum + (one || 0), 0) : 0;
}

/* ---- what it is worth ------------------------------------------------------------------------ */

/* What is wrong with the recording, in one sentence, before its numbers. */
function summaryWarning({ advice }) {
	const first = advice?.find(one => one.severity !== 'information');
	const onclick = event => {
		event.preventDefault();
		document.querySelector('details.worth').scrollIntoView();
	};

	return first ? h('p', { class: 'note warning' }, h('b', {}, `${first.severity}: `),
		first.text.match(/^.*?[.](?= |$)/)?.[0] ?? first.text, ' ',
		h('a', { href: location.hash, onclick }, 'What the recording is worth')) : null;
}

function summaryAdvice({ advice }) {
	const line = one => h('li', {}, h('b', {}, `${one.severity} ${one.id}: `), one.text,
		one.action ? h('span', { class: 'note' }, ' ', one.action) : null);

	const open = advice?.some(one => one.severity !== 'information');

	return advice?.length ? h('details', { class: 'worth', open },
		h('summary', {}, `What the recording is worth: ${plural(advice.length, 'note')}`),
		h('ul', {}, advice.map(line))) : null;
}

/* Of a sampled session: how many samples there are, and of how much time. */
function summarySamples({ session }) {
	const { samples: n, samples_not_seen: lost = 0, interval, interval_unit: unit, event } = session;
	const all = duration((n + lost) * interval), wall = duration(session.duration_ns);

	if (unit !== 'ns')
		return h('p', {}, `${count(n)} samples, one every ${count(interval)} ${unit} (${event}).`);
	return h('p', {}, `${count(n)} samples, one every ${duration(interval)} on a processor (${event}): ` +
		`about ${all} on processors in ${wall}. What threads wait for is not in samples.`);
}

/* ---- findings, the hot path ------------------------------------------------------------------ */

/* How much sooner the run could end, if that is known. */
function summaryGain({ bound_percent: bound, estimate_low_percent: low, estimate_high_percent: high }) {
	const decimals = high < 9.95 ? 1 : 0;

	if (bound)
		return `; saves at most ${bound.toFixed(1)} %`;
	return high ? `; without it ${low.toFixed(decimals)} to ${high.toFixed(decimals)} % less` : null;
}

function summaryFinding(one) {
	const place = one.file ? ` (${one.file.replace(/.*\//, '')}${one.line ? ':' + one.line : ''})` : '';

	return h('li', { value: one.rank }, h('span', { class: 'gain' }, `${one.percent.toFixed(1)} %`), ' ',
		one.subject ? [functionLink(one.subject), place, ' '] : null, one.text, summaryGain(one),
		h('div', { class: 'note' }, `${one.id}: ${one.title}. `,
			one.command ? h('code', {}, one.command) : null));
}

function summaryFindings({ findings }) {
	const of = model.isSampled ? 'samples' : 'the run';

	return h('section', {}, h('h3', {}, 'Findings'),
		findings?.length ? h('p', { class: 'note' }, `The time each is about, of ${of}.`) : null,
		findings?.length ? h('ol', { class: 'findings' }, findings.map(summaryFinding))
			: h('p', { class: 'note' }, 'No rule applies: what takes the time is listed below.'));
}

/* A level that is several paths of the tree, of a recursion. */
function shareOfPaths(one, value, percents) {
	const f = model.functionOf(one.name), title = 'what the function may be off by, on all paths';
	const off = f < 0 || model.isSampled ? null : shownOff('functions', model.functions, percents, f);

	return [h('b', { title: `${value}: ${one[value]}, of the paths that are one but for recursion` },
		`${(one[percents] ?? NaN).toFixed(1)} %`),
	off ? h('small', { title }, ` \u00b1 up to ${off[0].toFixed(1)}`) : null];
}

/* The share of a level, with its marks and what it may be off by. */
function hotShare(one, hot) {
	const [value, percents] = model.isSampled ? ['inclusive_samples', 'inclusive_percent']
		: ['elapsed_inclusive_ns', 'elapsed_inclusive_percent'];
	const f = model.functionOf(one.name), functions = hot.get('function'), values = hot.get(value);
	const row = upTo(hot.n).find(i => functions[i] === f && values[i] === one[value]) ?? -1;

	if (row < 0)
		return shareOfPaths(one, value, percents);
	const off = shownOff('nodes', hot, percents, row), title = shownTitle('nodes', hot, value, row);
	const range = offText(one[percents], off, '', number => number.toFixed(1));

	return [h('b', { title }, `${shownValue('nodes', hot, percents, row)} %`),
		off?.some(part => part >= 0.05) ? h('small', {}, range) : null];
}

function summaryHotPath({ hot_path: path }, hot) {
	const title = 'The most expensive callee at each level, of the thread that works on';
	const level = one => h('li', {}, functionLink(one.name), ' ', hotShare(one, hot),
		one.calls > 1 ? h('small', {}, ` \u00b7 ${count(one.calls)} calls`) : null);

	return path?.length ? h('section', {}, h('h3', { title }, 'Hot path'),
		h('ol', { class: 'chain' }, path.map(level))) : null;
}
