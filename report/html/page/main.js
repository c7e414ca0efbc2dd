/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * main.js - begins, when all views have been registered.
 */

async function main() {
	model = await new Model('', await firstSource()).begin();
	document.title = `${model.session.command_line || 'cinstr'} - cinstr`;
	addEventListener('hashchange', () => draw());
	await draw();
}

main().catch(error => {
	document.getElementById('view').replaceChildren(h('p', { class: 'bad' }, String(error.message ?? error)));
	throw error;
});
