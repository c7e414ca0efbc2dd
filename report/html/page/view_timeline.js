/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_timeline.js - the calls of a timeline, each thread's in lanes by depth (timeline_chart.js). What is narrower than
 * a pixel is drawn joined (lanes.js); calls as long as the finest cell are always there one by one.
 */

{
	const STEPS = 12, STEP_MS = 10; /* of prepare() */
	let chart = null, data = null;

	async function read() {
		if (!data) {
			const course = await Course.of(model), sites = await model.load('course_sites');
			const { list, items } = lanesOf(await model.load('lanes'), await model.load('items'), course.info.cell_ns);
			const names = (await model.load('items')).get('name'), threads = new Map();

			for (const lane of list) {
				if (!threads.has(lane.thread))
					threads.set(lane.thread, []);
				threads.get(lane.thread).push(lane);
			}
			data = { course, sites, list, items, names, threads, isWhole: new Set() };
		}
		return data;
	}

	function note(element) {
		const { info } = chart.course, finest = info.cell_ns, parts = [];

		parts.push(`Here calls of ${duration(chart.cell)} and more are single boxes; shorter ones that begin in the same ${duration(chart.cell)}, with no longer one between, are one box, as high as their share of its time`);
		if (finest > 1)
			parts.push(`the page has ${count(info.calls)} calls, of which all of ${duration(finest)} and more are single`);
		if (info.short_ns)
			parts.push(`calls shorter than ${duration(info.short_ns)} were left out when it was recorded`);
		if (info.too_deep)
			parts.push(`${count(info.too_deep)} calls are deeper than ${count(info.deepest)} levels, and not here`);
		if (info.gaps)
			parts.push(`${count(info.gaps)} stretches of events were not kept`);
		parts.push('times are as the clock saw them, with the probes');
		element.textContent = parts.join(' \u00b7 ');
	}

	function zoomToCall(x, y) {
		const found = chart.itemAt(x, y);

		if (!found)
			return;
		const [, level, i] = found, length = level.end[i] - level.begin[i];

		chart.span.go(level.begin[i] - length * 0.1, level.end[i] + length * 0.1);
		chart.changed();
	}

	function clicked(x, y, event, about) {
		const row = chart.rowAt(y), found = chart.itemAt(x, y);

		if (row && y < row.y + LANES_HEAD && row.lanes.length > chart.few) {
			chart.toggle(row.t);
			return;
		}
		if (event.detail === 2) {
			zoomToCall(x, y);
			return;
		}
		if (!found)
			return;
		const [, level, i] = found, f = chart.items.function[level.longest[i]];

		about.replaceChildren(h('span', {}, chart.tell(...found).split('\n').join(' \u00b7 ')),
			h('button', { onclick: () => zoomToCall(x, y), title: 'double click' }, 'Zoom'),
			f >= 0 ? h('button', { onclick: () => go('function', { function: model.functionName(f) }) }, 'Function') : '');
		if (f >= 0)
			set({ function: model.functionName(f) });
	}

	async function render(container, state) {
		const all = await read(), span = new TimeWindow(all.course.end, state.get('span'));
		const found = h('span', { class: 'found', 'aria-live': 'polite', id: 'timeline-found' });
		const about = h('div', { class: 'about', 'aria-live': 'polite' }, h('span', { class: 'note' },
			'Drag, or Ctrl and the wheel, to move in time; a click tells of a call, a double click zooms to it.'));
		const foot = h('p', { class: 'note foot' }), tools = h('div', { class: 'tools' });

		chart = new TimelineChart(all, span);
		const controls = timeControls(span, { left: () => 0, of: () => chart.box.width }, () => chart.changed());
		const input = h('input', { type: 'search', placeholder: 'Find a function', 'aria-label': 'Find', value: state.get('find'),
			oninput: event => { set({ find: event.target.value }); found.textContent = chart.search(event.target.value); },
			onkeydown: event => event.key === 'Enter' && chart.next(event.shiftKey ? -1 : 1) });

		tools.append(input, found, controls.buttons());
		container.append(tools, about);
		chart.controls = controls;
		chart.changed = () => { set({ span: span.address() }); hideTip(); chart.box.ask(); };
		chart.told = text => about.replaceChildren(text);
		chart.box = new CanvasBox(container, {
			label: 'Timeline', draw: (...of) => chart.draw(...of), hover: (x, y) => chart.hover(x, y),
			key: event => controls.key(event), wheel: (event, x) => controls.wheel(event, x), drag: controls.drag,
			click: (x, y, event) => clicked(x, y, event, about) });
		container.append(foot);
		chart.onDrawn = () => note(foot);
		chart.box.setHeight(chart.height);
		chart.box.resize();
		found.textContent = chart.search(input.value);
		if (state.get('lane'))
			chart.showThread(Number(state.get('lane')));
	}

	/* What it needs, and its levels for a window as wide as this one. */
	function prepare() {
		const lanes = async () => {
			const { list, course } = await read(), until = performance.now() + STEP_MS;

			for (; ready < list.length && performance.now() < until; ready++)
				list[ready].level(course.end / innerWidth);
		};
		let ready = 0;

		return [...decodeColumns(['gap', 'length', 'calls', 'busy', 'at', 'longest', 'own_work', 'function', 'site', 'flags', 'name'], () => model.load('items')),
			read, ...Array(STEPS).fill(lanes)];
	}

	register({ id: 'timeline', prepare, title: 'Timeline', order: 38, needs: ['course'], render,
		available: () => model.has('lanes'),
		get chart() { return chart; },
		leave: () => chart?.box?.end(),
		redraw: () => chart?.box?.drawNow(),
		keys: { ...TIME_KEYS,
			'+': ['zoom in', () => chart.controls.key({ key: '+' })], '-': ['zoom out', () => chart.controls.key({ key: '-' })],
			0: ['all of the time', () => chart.controls.key({ key: '0' })],
			n: ['the next call found', () => chart.next(1)],
			N: ['the one before', () => chart.next(-1)] } });
}
