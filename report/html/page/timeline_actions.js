/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * timeline_actions.js - what is done with the chart of view_timeline.js: clicks, keys, moving in time.
 */

function zoomToCall(chart, x, y) {
	const found = chart.itemAt(x, y);

	if (!found)
		return;
	const [, level, i] = found, length = level.end[i] - level.begin[i];

	chart.span.go(level.begin[i] - length * 0.1, level.end[i] + length * 0.1);
	chart.changed();
}

/* about: where a call that is clicked on is told of. */
function clickTimeline(chart, x, y, event, about) {
	const row = chart.rowAt(y);

	if (row && y < row.y + LANES_HEAD && row.lanes.length > chart.few)
		chart.toggle(row.t);
	else if (event.detail === 2)
		zoomToCall(chart, x, y);
	else
		tellCallAt(chart, x, y, about);
}

function tellCallAt(chart, x, y, about) {
	const found = chart.itemAt(x, y);

	if (!found)
		return;
	const [, level, i] = found, f = chart.items.function[level.longest[i]], name = model.functionName(f);
	const toFunction = h('button', { onclick: () => go('function', { function: name }) }, 'Function');

	about.replaceChildren(h('span', {}, chart.tell(...found).split('\n').join(' \u00b7 ')),
		h('button', { onclick: () => zoomToCall(chart, x, y), title: 'double click' }, 'Zoom'),
		f < 0 ? '' : toFunction);
	if (f >= 0)
		set({ function: name });
}

/* What a drawn chart does, beside what it draws. tools, about, foot: what stands above it and below. */
function connectTimeline(chart, container, { tools, about, foot }) {
	const { span } = chart, width = { left: () => 0, of: () => chart.box.width };
	const controls = new TimeControls(span, width, () => chart.changed());

	chart.controls = controls;
	chart.changed = () => {
		set({ span: span.address() });
		offerRange(tools, span);
		hideTip();
		chart.box.ask();
	};
	chart.told = text => about.replaceChildren(text);
	chart.onDrawn = () => { foot.textContent = timelineNote(chart); };
	chart.box = new CanvasBox(container, {
		label: 'Timeline',
		draw: (...of) => chart.draw(...of),
		hover: (x, y) => chart.hover(x, y),
		key: event => controls.key(event),
		wheel: (event, x) => controls.wheel(event, x),
		drag: controls.drag,
		click: (x, y, event) => clickTimeline(chart, x, y, event, about) });
}
