/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * rules.js - which rule of doc/semantics.md a number follows, in a sentence each: for tooltips.
 */

const RULES = {
	R5: 'inclusive: in it and what it called; exclusive: in it alone',
	R6: 'a function that is on the stack several times counts once',
	R7: 'shares are of the session\'s elapsed, application or processor time, summed over threads',
	R8: 'of single calls that have returned',
	R9: 'the probes\' cost is measured and subtracted; +- is what it may be off by',
	R11: 'intervals in which the operating system acted',
	R12: 'Application time leaves out intervals in which the operating system acted',
	R13: 'no context switch goes unseen',
	R15: 'a jump in place of a call is told as tail call',
	R17: 'a session holds all processes that ran under the first one',
	S3: 'the function that was executing gets an exclusive sample; every function on the stack an ' +
		'inclusive one, once',
	S4: 'shares are of all samples kept; with 95 % confidence they lie in the range given',
	S5: 'time in which a thread waits is not sampled',
};

/* What rows are that are no function. */
const SPECIAL_ROWS = {
	'[calls beyond the budget of paths]': 'calls on paths that were new when there were as many as was ' +
		'allowed (cinstr record --paths=N): how they were called is not known',
	'[outside]': 'code without probes, or the system',
	'[truncated stack]': 'samples whose stack was longer than what was kept of it',
	'[anonymous code]': 'code that is in no file: made while the program ran',
};

const RULES_OF_FAMILY = {
	count: ['R6'], total: ['R5', 'R6', 'R9'], percent: ['R7'], average: ['R8', 'R9'], shortest: ['R8'],
	longest: ['R8'], uncertainty: ['R9'], quantile: ['R8'], overhead: ['R9'], off_cpu: ['R5', 'R13'],
	cpu: ['R5', 'R9'], cpu_percent: ['R7'], os: ['R11'], life: ['R17'], samples: ['S3', 'S5'],
	share: ['S4'], share_low: ['S4'], share_high: ['S4'], instructions: ['R5', 'R6'],
};

function rulesOf(column) {
	const rules = column.value?.startsWith('A') && column.family === 'total' ? ['R12', 'R9']
		: RULES_OF_FAMILY[column.family] ?? [];

	return rules.map(rule => `${rule}: ${RULES[rule]}`).join('\n');
}
