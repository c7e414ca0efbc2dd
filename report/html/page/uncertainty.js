/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * uncertainty.js - what values of csv may be off by, as csv has it: for the probes' cost (R9), for samples
 * (M3, S4).
 */

const UNCERTAINTY = {
	EI: 'elapsed_inclusive_uncertainty_ns', EE: 'elapsed_exclusive_uncertainty_ns',
	AI: 'application_inclusive_uncertainty_ns', AE: 'application_exclusive_uncertainty_ns',
};
const NORMAL_95 = 1.959964; /* standard errors */

/* Shares, of 1, that so many samples do not contradict: report/values/wilson_interval.c. */
function shareRange(samples, all) {
	const p = samples / all, z = NORMAL_95 * NORMAL_95 / all, middle = (p + z / 2) / (1 + z);
	const half = Math.sqrt(z * p * (1 - p) + z * z / 4) / (1 + z);

	if (!(all > 0))
		return [0, 1];
	return [samples > 0 && middle > half ? middle - half : 0,
		samples < all && middle + half < 1 ? middle + half : 1];
}

/* [less, more]: by how much a number of samples may be off, as a part of all. */
function offOfSamples(samples, all) {
	const [low, high] = shareRange(samples, all);

	return [samples - low * all, high * all - samples];
}

/* What 100 % of a column of shares is. */
function wholeOf(section, column) {
	if (column.value[0] === 'A')
		return section.model.total('application_');
	return section.model.total(column.family === 'percent' ? 'elapsed' : 'cpu_');
}

/* [less, more]: by how much the true value may differ, in the value's unit; null: csv does not say. */
function offOf(section, column, row) {
	const { family, value: which } = column, name = UNCERTAINTY[which];
	const { samples: all } = section.model.session;
	const off = section.has(name) ? section.get(name)[row] : NaN;
	const both = one => one > 0 ? [one, one] : null;

	switch (family) {
	case 'total':
	case 'cpu':
		return both(off);
	case 'average':
		return both(off / section.get('calls')[row]);
	case 'percent':
	case 'cpu_percent':
		return both(100 * off / wholeOf(section, column));
	case 'samples':
		return offOfSamples(section.get(column.name)[row], all);
	case 'share': {
		const samples = section.get(which === 'EI' ? 'inclusive_samples' : 'exclusive_samples')[row];

		return offOfSamples(samples, all).map(one => 100 * one / all);
	}
	}
	return null;
}

/* Behind a value of csv: +- 5 ns, or the range it is in; for samples with 95 % confidence (S4). */
function offText(value, off, unit, asText = one => asInCsv(one)) {
	if (!off || Number.isNaN(value))
		return '';
	return off[0] === off[1] ? ` \u00b1 ${asText(off[0])}${unit}`
		: ` (${asText(value - off[0])} to ${asText(value + off[1])}${unit})`;
}

/* From where to where a value may be, on a bar of which `most` is the whole. */
function whisker(value, off, most) {
	const part = share => `${Math.min(Math.max(share / most, 0), 1) * 100}%`;

	if (!off || !(most > 0))
		return null;
	const style = { left: part(value - off[0]), right: `calc(100% - ${part(value + off[1])})` };

	return h('b', { class: 'whisker', style });
}

/* In the words of tables (report/output/foot_short.c). */
const MARK_MEANINGS = [
	['rough', '~ rough: uncertain by more than half'],
	['upperEnd', '\u2264 x: between 0 and x'],
	['estimated', '\u2248 estimate from samples'],
	['partial', '* timed in a part of the run only'],
	['least', '\u2265 n: at least n'],
	['open', '+ some call had not returned'],
];

const EXECUTED_ESTIMATE = '\u2248 estimate, by calls: some of these functions were called elsewhere, ' +
	'too; or of code with jumps in inline assembly';

/* A line for each mark that a number has. */
function tellMarks(marks) {
	if (model.isExecuted && marks & MARK.estimated)
		return [EXECUTED_ESTIMATE];
	return MARK_MEANINGS.filter(([mark]) => marks & MARK[mark]).map(([, meaning]) => meaning);
}

/* A value with the marks that tables would have: nothing but its end is known; it is rough (~). */
function withMarks(value, off, text) {
	if (!off || exactly())
		return text(value);
	if (off[0] >= value * (1 - 1e-9))
		return `\u2264 ${text(value + off[1])}`;
	return `${text(value)}${off[0] > value / 2 ? '~' : ''}`;
}
