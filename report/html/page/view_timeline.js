/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_timeline.js - the calls of a timeline, each thread's in lanes by depth (timeline_chart.js). What is
 * narrower than a pixel is drawn joined (lanes.js); calls as long as the finest cell are always there one by
 * one.
 */

{
	const STEPS = 12, STEP_MS = 10; /* of prepare() */
	let chart = null;

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
			f < 0 ? ''
				: h('button', { onclick: () => go('function', { function: model.functionName(f) }) }, 'Function'));
		if (f >= 0)
			set({ function: model.functionName(f) });
	}

	/* What a drawn chart does, beside what it draws. */
	function connect(container, span, about, foot) {
		const controls = timeControls(span, { left: () => 0, of: () => chart.box.width }, () => chart.changed());

		chart.controls = controls;
		chart.changed = () => {
			set({ span: span.address() });
			hideTip();
			chart.box.ask();
		};
		chart.told = text => about.replaceChildren(text);
		chart.box = new CanvasBox(container, {
			label: 'Timeline', draw: (...of) => chart.draw(...of), hover: (x, y) => chart.hover(x, y),
			key: event => controls.key(event), wheel: (event, x) => controls.wheel(event, x), drag: controls.drag,
			click: (x, y, event) => clicked(x, y, event, about) });
		chart.onDrawn = () => { foot.textContent = timelineNote(chart); };
		return controls;
	}

	function searchField(state, found) {
		return h('input', { type: 'search', placeholder: 'Find a function', 'aria-label': 'Find',
			value: state.get('find'),
			oninput: event => {
				set({ find: event.target.value });
				found.textContent = chart.search(event.target.value);
			},
			onkeydown: event => event.key === 'Enter' && chart.next(event.shiftKey ? -1 : 1) });
	}

	async function render(container, state) {
		const all = await timelineData(), span = new TimeWindow(all.course.end, state.get('span'));
		const found = h('span', { class: 'found', 'aria-live': 'polite', id: 'timeline-found' });
		const about = h('div', { class: 'about', 'aria-live': 'polite' }, h('span', { class: 'note' },
			'Drag, or Ctrl and the wheel, to move in time; a click tells of a call, a double click zooms to it.'));
		const foot = h('p', { class: 'note foot' }), input = searchField(state, found);
		const tools = h('div', { class: 'tools' }, input, found);

		chart = new TimelineChart(all, span);
		container.append(tools, about);
		tools.append(connect(container, span, about, foot).buttons());
		container.append(foot);
		chart.box.setHeight(chart.height);
		chart.box.resize();
		found.textContent = chart.search(input.value);
		if (state.get('lane'))
			chart.showThread(Number(state.get('lane')));
	}

	/* What it needs, and its levels for a window as wide as this one. */
	function prepare() {
		const lanes = async () => {
			const { list, course } = await timelineData(), until = performance.now() + STEP_MS;

			for (; ready < list.length && performance.now() < until; ready++)
				list[ready].level(course.end / innerWidth);
		};
		let ready = 0;

		return [...decodeColumns(ITEM_COLUMNS, () => model.load('items')), timelineData,
			...Array(STEPS).fill(lanes)];
	}

	const press = key => () => chart.controls.key({ key });

	register({ id: 'timeline', prepare, title: 'Timeline', order: 38, needs: ['course'], render,
		available: () => model.has('lanes'),
		get chart() { return chart; },
		leave: () => chart?.box?.end(),
		redraw: () => chart?.box?.drawNow(),
		keys: { ...TIME_KEYS,
			'+': ['zoom in', press('+')], '-': ['zoom out', press('-')], 0: ['all of the time', press('0')],
			n: ['the next call found', () => chart.next(1)],
			N: ['the one before', () => chart.next(-1)] } });
}
