/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_timeline.js - the calls of a timeline, each thread's in lanes by depth (timeline_chart.js). What is
 * narrower than a pixel is drawn joined (lanes.js); calls as long as the finest cell are always there one by
 * one.
 */

{
	const STEPS = 12, STEP_MS = 10; /* of prepare() */
	const HINT = 'Drag, or Ctrl and the wheel, to move in time; a click tells of a call, a double ' +
		'click zooms to it.';
	let chart = null;

	async function render(container, state) {
		const all = await timelineData(), span = new TimeWindow(all.course.end, state.get('span'));
		const found = h('span', { class: 'found', 'aria-live': 'polite', id: 'timeline-found' });
		const about = h('div', { class: 'about', 'aria-live': 'polite' },
			h('span', { class: 'note' }, HINT));
		const foot = h('p', { class: 'note foot' });
		const find = text => { found.textContent = chart.search(text); };
		const tools = h('div', { class: 'tools' },
			findField(find, isBack => chart.next(isBack ? -1 : 1)), found);

		chart = new TimelineChart(all, span);
		container.append(tools, about);
		connectTimeline(chart, container, { tools, about, foot });
		tools.append(chart.controls.buttons());
		offerRange(tools, span);
		container.append(foot);
		chart.box.setHeight(chart.height);
		chart.box.resize();
		find(state.get('find') ?? '');
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

	register({ id: 'timeline', prepare, title: 'Timeline', order: 38, needs: ['course'], render,
		available: of => of.has('lanes'),
		get chart() { return chart; },
		leave: () => chart?.box?.end(),
		redraw: () => chart?.box?.drawNow(),
		keys: { ...timeKeys(() => chart.controls),
			n: ['the next call found', () => chart.next(1)],
			N: ['the one before', () => chart.next(-1)] } });
}
