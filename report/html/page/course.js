/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * course.js - what threads did over time, from the sections course*: by kind, in bins (from a timeline) or in
 * parts (phases, or a thread as a whole). The window of time that is looked at, its axis, marks.
 */

const KIND_COLOURS = { computing: ['#3f86d9', '#4d8fdc'], lock: ['#d64b3f', '#d95f54'], others: ['#9a5cc6', '#a070cc'], sleep: ['#b7a6d9', '#7d6ba8'],
		       poll: ['#3aa6a0', '#3f9d98'], input: ['#5aa845', '#5f9e4e'], output: ['#a8b53a', '#94a03f'], disk: ['#9b6b43', '#a5774f'],
		       child: ['#e07fb0', '#c46d99'], page: ['#c98a2b', '#bd8733'], preempted: ['#f0c33c', '#c9a53a'], other: ['#8d97a3', '#77818d'],
		       paused: ['#dfe3e7', '#2b3037'], missing: ['#f3d9d6', '#4a2b29'] };

class Course {
	static async of(model) {
		return model.course ??= new Course(model, await model.load('course'), model.has('course_parts') ? await model.load('course_parts') : null,
			model.has('course_marks') ? await model.load('course_marks') : null, model.has('course_bins') ? await model.load('course_bins') : null);
	}

	constructor(model, threads, parts, marks, bins) {
		this.model = model;
		this.info = model.index.course;
		this.threads = threads;
		this.parts = parts;
		this.marks = marks;
		this.bins = bins;
		this.kinds = this.info.kinds;
		this.end = Math.max(this.info.end_ns, 1);
		this.hasBins = Boolean(bins);
		this.firstBin = new Int32Array(threads.n + 1);
		for (let t = 0; t < threads.n; t++)
			this.firstBin[t + 1] = this.firstBin[t] + (threads.get('bins')[t] || 0);
		this.partsOf = Array.from({ length: threads.n }, () => []);
		for (let p = 0; p < (parts?.n ?? 0); p++)
			if (parts.get('end_ns')[p] > parts.get('begin_ns')[p])
				this.partsOf[parts.get('thread')[p]].push(p);
		this.nameThreads();
		this.sortThreads();
	}

	/* Threads of one name are told apart by their numbers. */
	nameThreads() {
		const { threads } = this, seen = new Map(), pids = new Set(threads.get('pid')), hosts = new Set(threads.get('host'));
		const plain = t => threads.text('name', t) || threads.text('process', t);

		for (let t = 0; t < threads.n; t++)
			seen.set(plain(t), (seen.get(plain(t)) ?? 0) + 1);
		this.names = Array.from({ length: threads.n }, (_, t) => plain(t) + (seen.get(plain(t)) > 1 ? ` ${threads.get('tid')[t]}` : '') +
			(pids.size > 1 && seen.get(plain(t)) > 1 ? ` (${threads.text('process', t)} ${threads.get('pid')[t]}${hosts.size > 1 ? ' ' + threads.text('host', t) : ''})` : ''));
	}

	/* By process, in the order in which they began. */
	sortThreads() {
		const { threads } = this, begin = threads.get('begin_ns'), pid = threads.get('pid'), first = new Map();

		for (let t = 0; t < threads.n; t++)
			first.set(pid[t], Math.min(first.get(pid[t]) ?? Infinity, begin[t]));
		this.order = Array.from({ length: threads.n }, (_, t) => t)
			.sort((a, b) => first.get(pid[a]) - first.get(pid[b]) || pid[a] - pid[b] || begin[a] - begin[b] || a - b);
	}

	/* What a thread did in [from, to): ns by kind. */
	binned(t, from, to) {
		const { bin_ns: width } = this.info, sums = new Float64Array(this.kinds.length), first = this.firstBin[t], n = this.firstBin[t + 1] - first;

		for (let i = Math.max(0, Math.floor(from / width)); i < Math.min(n, Math.ceil(to / width)); i++) {
			const share = (Math.min(to, (i + 1) * width) - Math.max(from, i * width)) / width;

			for (let k = 0; k < sums.length; k++)
				sums[k] += share * (this.column(this.bins, k)[first + i] || 0);
		}
		return sums;
	}

	column(section, kind) {
		return section.get(this.kinds[kind].key + '_ns');
	}

	/* Stretches of a thread of which only sums are known: [begin, end, ns by kind, what it is, mark or -1]. */
	stretches(t) {
		const { threads, parts } = this, of = (section, i) => Float64Array.from(this.kinds, (_, k) => this.column(section, k)[i] || 0);

		if (!this.partsOf[t].length)
			return [[threads.get('begin_ns')[t], threads.get('end_ns')[t], of(threads, t), 'the thread as a whole', -1]];
		return this.partsOf[t].map(p => {
			const mark = parts.get('mark')[p];

			return [parts.get('begin_ns')[p], parts.get('end_ns')[p], of(parts, p),
				Number.isNaN(mark) ? 'before the first mark' : `from mark ${this.markName(mark)} on`, Number.isNaN(mark) ? -1 : mark];
		});
	}

	markName(mark) {
		const text = this.marks.text('text', mark), id = this.marks.get('id')[mark];

		return text || `${id}`;
	}

	/* Of the table of threads; -1: none. */
	rowOf(t) {
		const { threads, model: { threads: rows } } = this;

		return upTo(rows.n).find(row => rows.get('tid')[row] === threads.get('tid')[t] && rows.get('pid')[row] === threads.get('pid')[t]) ?? -1;
	}

	/* What its time of a kind may be off by, as offOf(): only what it computes has probes. */
	offOfKind(t, k) {
		const row = this.kinds[k].key === 'computing' && !this.model.isSampled ? this.rowOf(t) : -1;

		return row < 0 ? null : shownOff('threads', this.model.threads, 'cpu_inclusive_ns', row);
	}

	/* Its time by `cinstr report`, exactly. */
	tellThread(t) {
		const { threads } = this, all = this.kinds.reduce((sum, _, k) => sum + (this.column(threads, k)[t] || 0), 0);

		return [`${this.names[t]}: process ${threads.get('pid')[t]}, thread ${threads.get('tid')[t]}`,
			`${duration(threads.get('begin_ns')[t])} to ${duration(threads.get('end_ns')[t])}; in all:`,
			...this.tellSums(this.kinds.map((_, k) => this.column(threads, k)[t] || 0), all, k => this.offOfKind(t, k))];
	}

	tellSums(sums, whole, offOf = () => null) {
		const text = ns => exactly() ? `${count(ns)} ns` : duration(ns);
		const lines = [], list = Array.from(sums, (ns, k) => [ns, k]).filter(([ns]) => ns >= 0.5).sort((a, b) => b[0] - a[0]);

		for (const [ns, k] of list)
			lines.push(this.model.isSampled ? `${count(ns)} samples` :
				`${this.title(k)} ${text(ns)}${offText(ns, offOf(k), '', text)}${whole > 0 ? `, ${percent(100 * ns / whole)} %` : ''}`);
		return lines.length ? lines : ['nothing'];
	}

	title(k) {
		const { key, title } = this.kinds[k];

		return /^(computing|paused|missing|sleep)$/.test(key) ? { computing: 'computing', sleep: 'sleeping' }[key] ?? title : `waiting for ${title}`;
	}

	colour(k) {
		return KIND_COLOURS[this.kinds[k].key][isDark() ? 1 : 0];
	}

	/* Kinds that some thread has, those that are drawn. */
	present() {
		return this.kinds.map((_, k) => k).filter(k => this.kinds[k].key !== 'paused' || this.hasBins).filter(k => {
			const sections = [this.threads, this.hasBins ? this.bins : null].filter(one => one);

			return sections.some(section => this.column(section, k).some(ns => ns > 0));
		});
	}
}

/* ---- the window of time ---------------------------------------------------------------------- */

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
	const [ns, unit] = [[1e9, 's'], [1e6, 'ms'], [1e3, 'us'], [1, 'ns']].find(([one]) => to >= one) ?? [1, 'ns'], list = [];
	const decimals = Math.max(0, Math.round(-Math.log10(step / ns) + 0.4));

	for (let at = Math.ceil(from / step) * step; at <= to; at += step)
		list.push([at, `${thousands((at / ns).toFixed(decimals).split('.')[0])}${decimals ? '.' + (at / ns).toFixed(decimals).split('.')[1] : ''} ${unit}`]);
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
	let free = -Infinity;

	context.fillStyle = colourOf('hot');
	for (let m = 0; m < (course.marks?.n ?? 0); m++) {
		const x = left + span.x(course.marks.get('at_ns')[m], width);

		if (!course.marks.get('is_of_program')[m] || x < left || x > left + width)
			continue;
		context.globalAlpha = course.marks.get('begins_phase')[m] ? 0.9 : 0.4;
		context.fillRect(Math.round(x), AXIS, 1, height - AXIS);
		context.globalAlpha = 1;
		if (x > free) {
			const text = course.markName(m);

			context.fillText(text.length > 24 ? text.slice(0, 23) + '\u2026' : text, x + 3, AXIS + MARKS / 2);
			free = x + 8 + context.measureText(text.slice(0, 24)).width;
		}
	}
}

/* What both views of time do with keys, wheel and drags. changed(): the window is another. */
function timeControls(span, width, changed) {
	let dragFrom = null;

	const act = what => { what(); changed(); return true; };

	return {
		key(event) {
			switch (event.key) {
			case '+': case '=': return act(() => span.zoom(0.5));
			case '-': return act(() => span.zoom(2));
			case 'ArrowLeft': return act(() => span.pan(-0.2));
			case 'ArrowRight': return act(() => span.pan(0.2));
			case '0': return act(() => span.go(0, span.end));
			}
			return false;
		},
		wheel(event, x) {
			if (event.ctrlKey || event.metaKey)
				return act(() => span.zoom(event.deltaY > 0 ? 1.25 : 0.8, span.ns(x - width.left(), width.of())));
			if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
				return act(() => span.pan((event.deltaX || event.deltaY) / width.of()));
			return false;
		},
		drag(begin, now, isOver) {
			dragFrom ??= { from: span.from, to: span.to };
			const by = (begin[0] - now[0]) / width.of() * (dragFrom.to - dragFrom.from);

			act(() => span.go(dragFrom.from + by, dragFrom.to + by));
			if (isOver)
				dragFrom = null;
		},
		buttons: () => h('span', { class: 'choice', role: 'group', 'aria-label': 'Time' },
			h('button', { title: 'zoom in (+, Ctrl and the wheel)', onclick: () => act(() => span.zoom(0.5)) }, '+'),
			h('button', { title: 'zoom out (-)', onclick: () => act(() => span.zoom(2)) }, '\u2212'),
			h('button', { title: 'earlier (\u2190, dragging)', onclick: () => act(() => span.pan(-0.4)) }, '\u2190'),
			h('button', { title: 'later (\u2192)', onclick: () => act(() => span.pan(0.4)) }, '\u2192'),
			h('button', { title: 'all of it (0)', onclick: () => act(() => span.go(0, span.end)) }, 'All')),
	};
}

const TIME_KEYS = {
	'\u2190 \u2192': ['earlier, later', null],
};
