/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_summary.js - the session at a glance: findings, where the time went, the hot
 * path, what computes and what waits, what the recording is worth (advice). All of it is cinstr summary's, as
 * JSON.
 */

{
	/* What is not in the page. */
	function pathsHidden() {
		const { paths_hidden: n, least_percent: least } = model.index;

		return n ? h('p', { class: 'note' },
			`${count(n)} call paths below ${least} % are not in this page (cinstr html ` +
			'--paths=0 has them); the numbers of functions are complete.') : null;
	}

	async function render(container) {
		const summary = await model.load('summary');
		const put = (...parts) => container.append(...parts.filter(one => one));

		container.classList.add('scrolls', 'summary');
		for (const part of summaryFirst)
			await part(container, model);
		put(summaryWarning(summary), summaryFindings(summary),
			model.isSampled ? summarySamples(summary) : summaryTimes(summary));
		for (const part of summaryParts)
			await part(container, model);
		put(summaryHotPath(summary, await model.load('hot')),
			summaryLists(summary), summaryAdvice(summary), pathsHidden());
	}

	rawDecoders.summary = bytes => JSON.parse(new TextDecoder().decode(bytes));
	register({ id: 'summary', title: 'Summary', order: 10, needs: ['summary'], render });
}
