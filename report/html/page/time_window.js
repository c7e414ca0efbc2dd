/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * time_window.js - the window of time that is looked at in view_time.js and view_timeline.js: its axis,
 * marks, and how it is moved.
 */

class TimeWindow {
	constructor(end, text) {
		const [from, to] = (text ?? '').split('-').map(Number);

		this.end = end;
		this.from = 0;
		this.to = end;
		if (to > from)
			this.go(from, to);
	}

	go(from, to) {
		const length = Math.min(Math.max(to - from, 20), this.end);

		this.from = Math.min(Math.max(from, 0), this.end - length);
		this.to = this.from + length;
	}

	zoom(factor, at = (this.from + this.to) / 2) {
		this.go(at - (at - this.from) * factor, at + (this.to - at) * factor);
	}

	pan(share) {
		const length = this.to - this.from;

		this.go(this.from + share * length, this.to + share * length);
	}

	get isAll() {
		return this.from <= 0 && this.to >= this.end;
	}

	address() {
		return this.isAll ? null : `${Math.round(this.from)}-${Math.round(this.to)}`;
	}

	x(ns, width) {
		return (ns - this.from) / (this.to - this.from) * width;
	}

	ns(x, width) {
		return this.from + x / width * (this.to - this.from);
	}
}

/* Round moments for an axis, in a unit that fits: [ns, text]. */
function ticksOf(from, to, most) {
	const raw = (to - from) / Math.max(most, 1), scale = 10 ** Math.floor(Math.log10(raw));
	const step = Math.max(1, [1, 2, 5, 10].map(one => one * scale).find(one => one >= raw));
	const units = [[1e9, 's'], [1e6, 'ms'], [1e3, 'us'], [1, 'ns']];
	const [ns, unit] = units.find(([one]) => to >= one) ?? [1, 'ns'], list = [];
	const decimals = Math.max(0, Math.round(-Math.log10(step / ns) + 0.4));

	for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
		const [digits, rest] = (at / ns).toFixed(decimals).split('.');

		list.push([at, `${thousands(digits)}${rest ? '.' + rest : ''} ${unit}`]);
	}
	return list;
}

const AXIS = 20, MARKS = 16;

/* What is behind all else: lines of the axis. */
function drawAxisLines(context, span, left, width, height) {
	context.fillStyle = colourOf('line');
	for (const [ns] of ticksOf(span.from, span.to, width / 110))
		context.fillRect(Math.round(left + span.x(ns, width)), 0, 1, height);
}

/* In front of it: the axis and the marks' names at the top; lines of marks over all of the height. */
function drawAxis(context, course, span, left, width, height) {
	context.font = '11px system-ui, sans-serif';
	context.textBaseline = 'middle';
	context.fillStyle = colourOf('soft');
	for (const [ns, text] of ticksOf(span.from, span.to, width / 110))
		if (span.x(ns, width) + 3 + context.measureText(text).width <= width)
			context.fillText(text, left + span.x(ns, width) + 3, AXIS / 2);
	drawMarks(context, course, span, left, width, height);
}

function drawMarks(context, course, span, left, width, height) {
	let free = -Infinity; /* from there on there is room for a name */

	context.fillStyle = colourOf('hot');
	for (let m = 0; m < (course.marks?.n ?? 0); m++) {
		const x = left + span.x(course.marks.get('at_ns')[m], width);

		if (!course.marks.get('is_of_program')[m] || x < left || x > left + width)
			continue;
		context.globalAlpha = course.marks.get('begins_phase')[m] ? 0.9 : 0.4;
		context.fillRect(Math.round(x), AXIS, 1, height - AXIS);
		context.globalAlpha = 1;
		if (x > free) {
			const name = course.markName(m);
			const text = name.length > 24 ? name.slice(0, 23) + '\u2026' : name;

			context.fillText(text, x + 3, AXIS + MARKS / 2);
			free = x + 8 + context.measureText(name.slice(0, 24)).width;
		}
	}
}

const TIME_MOVES = {
	'+': span => span.zoom(0.5),
	'=': span => span.zoom(0.5),
	'-': span => span.zoom(2),
	ArrowLeft: span => span.pan(-0.2),
	ArrowRight: span => span.pan(0.2),
	0: span => span.go(0, span.end),
};
const TIME_BUTTONS = [
	['+', 'zoom in (+, Ctrl and the wheel)', span => span.zoom(0.5)],
	['\u2212', 'zoom out (-)', span => span.zoom(2)],
	['\u2190', 'earlier (\u2190, dragging)', span => span.pan(-0.4)],
	['\u2192', 'later (\u2192)', span => span.pan(0.4)],
	['All', 'all of it (0)', span => span.go(0, span.end)],
];

/* What both views of time do with keys, wheel, drags and buttons. */
class TimeControls {
	/* width: { left(), of() }: where the window is in a picture; changed(): the window is another */
	constructor(span, width, changed) {
		Object.assign(this, { span, width, changed, dragFrom: null });
		this.drag = this.drag.bind(this);
	}

	/* So that it can be the last of what an event does: it was meant. */
	act(move) {
		move(this.span);
		this.changed();
		return true;
	}

	key({ key }) {
		return Object.hasOwn(TIME_MOVES, key) && this.act(TIME_MOVES[key]);
	}

	wheel(event, x) {
		const { span, width } = this;

		if (event.ctrlKey || event.metaKey) {
			const at = span.ns(x - width.left(), width.of());

			return this.act(() => span.zoom(event.deltaY > 0 ? 1.25 : 0.8, at));
		}
		if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
			return this.act(() => span.pan((event.deltaX || event.deltaY) / width.of()));
		return false;
	}

	/* Of places: where it began, and now. */
	drag(begin, now, isOver) {
		const { from, to } = this.dragFrom ??= { from: this.span.from, to: this.span.to };
		const by = (begin[0] - now[0]) / this.width.of() * (to - from);

		this.act(span => span.go(from + by, to + by));
		if (isOver)
			this.dragFrom = null;
	}

	buttons() {
		const button = ([text, title, move]) =>
			h('button', { title, onclick: () => this.act(move) }, text);

		return h('span', { class: 'choice', role: 'group', 'aria-label': 'Time' },
			TIME_BUTTONS.map(button));
	}
}

/* So that all views are of the window's time alone. A served page is made anew; of a file the command is
 * told that writes such a page. null: there is no timeline, without which ranges are not known. */
function rangeOffer(span) {
	if (!model.index.course.has_timeline)
		return null;
	const [from, to] = [Math.round(span.from), Math.round(span.to)];
	const title = 'functions, tree, flame graph, ...: of this time only';
	const command = `cinstr html --from=${from}ns --to=${to}ns`;
	const onclick = () => askRange(from, to);
	const offer = served.is ? h('button', { title, onclick }, 'All views: this time')
		: h('span', { class: 'note' }, 'All views of this time: ', h('code', {}, command));

	return h('span', { class: 'range' }, span.isAll ? null : offer);
}

/* Anew, when the window is another. */
function offerRange(tools, span) {
	const old = tools.querySelector('.range'), offer = rangeOffer(span);

	if (offer && old)
		old.replaceWith(offer);
	else if (offer)
		tools.append(offer);
}

/* Of a view (register()); controls(): its TimeControls. */
function timeKeys(controls) {
	const press = key => () => controls().key({ key });

	return {
		'\u2190 \u2192': ['earlier, later', null],
		'+': ['zoom in', press('+')],
		'-': ['zoom out', press('-')],
		0: ['all of the time', press('0')],
	};
}
