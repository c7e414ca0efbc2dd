/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * main.js - begins, when all views have been registered.
 */

const STEP_MOST = 12; /* ms of idle time for which a step is begun */

function idle() {
	return new Promise(done => {
		if (window.requestIdleCallback)
			requestIdleCallback(done, { timeout: 2000 });
		else
			setTimeout(done, 100);
	});
}

/* While nobody does anything, what views need when they are first opened, in steps of milliseconds. Of a
 * session that is being recorded nothing is fetched before it is looked at: all that is there is fetched
 * again with each edition. */
async function prepare(of) {
	const mine = shown().filter(view => !of.isExecuted || view.ofInstructions);
	let time = null;

	if (served.state?.live)
		return;
	for (const view of mine)
		for (const step of view.prepare?.() ?? [])
			do {
				if (!(time?.timeRemaining() > STEP_MOST))
					time = await idle();
				if (model !== of)
					return;
			} while (await step() === 'more');
	document.body.dataset.prepared = '1';
}

async function main() {
	model = await new Model('', await firstSource()).begin();
	document.title = `${model.session.command_line || 'cinstr'} - cinstr`;
	addEventListener('hashchange', () => draw());
	beginWithMeasure();
	await draw();
	prepare(model).catch(() => {}); /* the view that needs it tells what is wrong */
}

main().catch(error => {
	const text = h('p', { class: 'bad' }, String(error.message ?? error));

	document.getElementById('view').replaceChildren(text);
	throw error;
});
