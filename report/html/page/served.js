/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * served.js - the page of `cinstr serve`: its sections come from there, each when it is first needed. The
 * server reads the session again while it is recorded, or when it was recorded anew; each reading is an
 * edition. The page asks how things are while it is looked at, and takes the newest edition. What was
 * opened stays open: a view's keep() returns what its render(container, state, model, kept) gets then.
 */

const served = {
	is: document.getElementById('served') !== null,
	state: null, isPaused: false, isGone: false, isTaking: false,
};

async function askServer(what) {
	const answer = await fetch(what, { cache: 'no-store', credentials: 'omit' });

	if (!answer.ok)
		throw new Error(`cinstr serve does not have ${what} any more (${answer.status}). Load the ` +
			'page again.');
	return answer;
}

/* Where sections come from: of this page, elements; of a served one, parts of an edition. */
const inPage = {
	has: name => document.getElementById('data-' + name) !== null,
	async bytes(name) {
		const element = document.getElementById('data-' + name);
		const bytes = bytesOfBase64(element.textContent);

		element.textContent = '';
		return bytes;
	},
};

function inEdition({ edition, parts }) {
	return {
		has: name => parts.includes(name),
		async bytes(name) {
			const answer = await askServer(`${edition}/${name}`);

			return new Uint8Array(await answer.arrayBuffer());
		},
	};
}

/* The source of the first model. */
async function firstSource() {
	if (!served.is)
		return inPage;
	served.state = await (await askServer('state')).json();
	setTimeout(followServer, served.state.every);
	return inEdition(served.state);
}

/* Places on the screen that are no view's own: what is scrolled, and where the keyboard is. */
function placesOf(container) {
	const all = [container, ...container.querySelectorAll('*')], focus = document.activeElement;
	const scrolled = all.filter(box => box.scrollTop || box.scrollLeft);
	const at = element => [...element.parentElement.children].indexOf(element);
	const path = element => element === container ? '' : `${path(element.parentElement)} ${at(element)}`;
	const hasFocus = focus && focus !== container && container.contains(focus);

	return {
		scrolled: scrolled.map(box => [path(box), box.scrollTop, box.scrollLeft]),
		focus: hasFocus ? [path(focus), focus.selectionStart, focus.selectionEnd] : null,
	};
}

function restorePlaces(container, places) {
	const find = path => path.split(' ').slice(1).reduce((element, i) => element?.children[i], container);

	for (const [path, top, left] of places.scrolled)
		find(path)?.scrollTo(left, top);
	if (places.focus) {
		const element = find(places.focus[0]);

		element?.focus({ preventScroll: true });
		if (places.focus[1] !== null && places.focus[1] !== undefined)
			element?.setSelectionRange?.(places.focus[1], places.focus[2]);
	}
}

/* ---- places in a tree, by names: numbers are another edition's -------------------------------- */

/* Of the nodes that have a flag: { flag, below: Map of name -> the same }. */
function keepNodes(of, nodes, flags) {
	const root = { flag: 0, below: new Map() }, made = new Map([[-1, root]]);

	for (let i = 0; i < nodes.n; i++) {
		if (!flags[i])
			continue;
		const path = [];
		let at = i;

		for (; !made.has(at); at = nodes.parent[at])
			path.push(at);
		for (let entry = made.get(at), node; path.length; entry = made.get(node)) {
			node = path.pop();
			made.set(node, { flag: 0, below: new Map() });
			entry.below.set(of.nodeName(nodes, node), made.get(node));
		}
		made.get(i).flag = flags[i];
	}
	return root;
}

/* The nodes of these names: visit(node, flag). */
function findNodes(of, nodes, kept, visit) {
	const left = [[kept, 0, nodes.n]];

	while (left.length) {
		const [{ below }, from, end] = left.pop();

		if (!below.size)
			continue;
		for (let i = from; i < end; i += nodes.size[i]) {
			const entry = below.get(of.nodeName(nodes, i));

			if (!entry)
				continue;
			if (entry.flag)
				visit(i, entry.flag);
			left.push([entry, i + 1, i + nodes.size[i]]);
		}
	}
}

/* The address's path is a number, too. */
async function keepAddress(fresh) {
	const path = Number(state.get('path') ?? -1);

	set({ chain: null }); /* of numbers of another edition */
	if (!(path >= 0) || !model.has('nodes') || !fresh.has('nodes'))
		return;
	const nodes = await model.load('nodes'), flags = new Uint8Array(nodes.n);
	let found = null;

	flags[path] = 1;
	findNodes(fresh, await fresh.load('nodes'), keepNodes(model, nodes, flags), i => found ??= String(i));
	set({ path: found });
}

/* The model that is shown, and the one of the new edition that stands for it. */
async function twinsOf(fresh) {
	const isExecuted = model.isExecuted && fresh.hasInstructions;

	return [model, isExecuted ? await fresh.withInstructions() : fresh];
}

/* The newest edition takes the place of the one that is shown. */
async function takeEdition(next) {
	const fresh = new Model('', inEdition(next)), main = document.getElementById('view');

	await fresh.begin();
	const [from, to] = await twinsOf(fresh);

	for (const name of from.loaded.keys())
		if (to.has(name))
			await to.load(name);
	served.state = next;
	await keepAddress(to);
	const kept = current?.keep?.(), places = placesOf(main);

	model = fresh;
	await draw(kept);
	restorePlaces(main, places);
	document.body.dataset.edition = next.edition;
	prepare(fresh).catch(() => {});
}

/* Takes what is new; returns when to ask again. */
async function checkServer() {
	let next = 5000;

	if (document.hidden || served.isPaused || served.isTaking)
		return next;
	served.isTaking = true;
	try {
		const state = await (await askServer('state')).json();

		next = state.every;
		served.isGone = false;
		const { edition, parts } = served.state;

		if (state.edition !== edition && !document.querySelector('.dragging'))
			await takeEdition(state);
		else
			served.state = { ...state, edition, parts };
	} catch (error) {
		served.isGone = true;
		served.state.problem = String(error.message ?? error);
	}
	served.isTaking = false;
	drawServed();
	return next;
}

async function followServer() {
	setTimeout(followServer, await checkServer());
}

addEventListener('visibilitychange', () => {
	if (served.is && !document.hidden && !served.isTaking && served.state)
		drawServed();
});

const RANGE_ASKED = 100, RANGE_EVERY = 100; /* times, ms */

/* All views of a range of time, in ns; 0, 0: of all of it. The server reads the session again. */
async function askRange(from, to) {
	const { edition } = served.state;

	await askServer(`range/${from}-${to}`);
	set({ span: null });
	served.isPaused = false;
	for (let i = 0; i < RANGE_ASKED && served.state.edition === edition && !served.isGone; i++) {
		await new Promise(done => setTimeout(done, RANGE_EVERY));
		await checkServer();
	}
}

/* ---- in the page's head ----------------------------------------------------------------------- */

/* Is it live, can it be read: [words, class]. */
function servedStatus() {
	const { isGone, isPaused, state: { live, problem } } = served;

	if (isGone)
		return ['cinstr serve has ended: what is shown stays', 'bad'];
	if (problem)
		return [`could not be read again: ${problem}`, 'bad'];
	if (!live)
		return ['ended', null];
	return isPaused ? ['recording, paused here', null] : ['recording', 'live'];
}

function pauseButton() {
	const title = 'Whether what is shown follows the recording';
	const onclick = () => {
		served.isPaused = !served.isPaused;
		drawServed();
	};

	return h('button', { 'aria-pressed': String(served.isPaused), title, onclick },
		served.isPaused ? 'Go on' : 'Pause');
}

function servedSign() {
	if (!served.is)
		return null;
	const [words, kind] = servedStatus();

	const isPart = /\b(from|to)=/.test(model.session.filter ?? '');

	return h('span', { id: 'served-sign', class: kind, role: 'status' }, words,
		isPart ? h('button', { onclick: () => askRange(0, 0) }, 'All of the time') : null,
		served.state.live && !served.isGone ? pauseButton() : null);
}

function drawServed() {
	const old = document.getElementById('served-sign'), sign = servedSign();

	if (old && sign && old.textContent !== sign.textContent)
		old.replaceWith(sign);
}
