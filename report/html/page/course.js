/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * course.js - what threads did over time, from the sections course*: by kind, in bins (from a timeline) or in
 * parts (phases, or a thread as a whole).
 */

/* Light, dark: no two of them are near each other (testsuite/html). */
const KIND_COLOURS = {
	computing: ['#3f86d9', '#4d8fdc'], lock: ['#d64b3f', '#e2483b'], others: ['#9a5cc6', '#a868d8'],
	sleep: ['#a5dcea', '#a5dcea'], poll: ['#1f9690', '#2aa8a0'], input: ['#4f9a38', '#4f9a38'],
	output: ['#b9c634', '#c3d13e'], disk: ['#7d5230', '#8f6238'], child: ['#ee9cc6', '#f0a6cc'],
	page: ['#b0306a', '#b8447c'], preempted: ['#f0c33c', '#f0b429'], other: ['#8d97a3', '#77818d'],
	paused: ['#dfe3e7', '#2b3037'], missing: ['#f3d9d6', '#4a2b29'],
};
/* Kinds that are not waiting; null: by their titles. */
const KIND_WORDS = { computing: 'computing', sleep: 'sleeping', paused: null, missing: null };

class Course {
	static async of(model) {
		const part = async name => model.has(name) ? await model.load(name) : null;

		return model.course ??= new Course(model, await model.load('course'),
			await part('course_parts'), await part('course_marks'), await part('course_bins'));
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
		const { threads } = this, seen = new Map();
		const [hasPids, hasHosts] = ['process_number', 'host'].map(name =>
			new Set(threads.get(name)).size > 1);
		const plain = t => threads.text('name', t) || threads.text('process', t);
		const host = t => hasHosts ? ` ${threads.text('host', t)}` : '';
		const number = t => threads.text('shown_number', t);
		const process = t =>
			hasPids ? ` (${threads.text('process', t)} ${number(t)}${host(t)})` : '';

		for (let t = 0; t < threads.n; t++)
			seen.set(plain(t), (seen.get(plain(t)) ?? 0) + 1);
		this.names = Array.from({ length: threads.n }, (_, t) => seen.get(plain(t)) > 1
			? `${plain(t)} ${threads.get('tid')[t]}${process(t)}` : plain(t));
	}

	/* By process, in the order in which they began. */
	sortThreads() {
		const { threads, threads: { n } } = this, first = new Map();
		const begin = threads.get('begin_ns'), number = threads.get('process_number');

		for (let t = 0; t < n; t++)
			first.set(number[t], Math.min(first.get(number[t]) ?? Infinity, begin[t]));
		const byProcess = (a, b) =>
			first.get(number[a]) - first.get(number[b]) || number[a] - number[b];

		this.order = Array.from({ length: n }, (_, t) => t)
			.sort((a, b) => byProcess(a, b) || begin[a] - begin[b] || a - b);
	}

	/* How many bins a thread has. */
	binsOf(t) {
		return this.hasBins ? this.firstBin[t + 1] - this.firstBin[t] : 0;
	}

	/* What a thread did in [from, to): ns by kind. */
	binned(t, from, to) {
		const columns = this.binColumns ??= this.kinds.map((_, k) => this.column(this.bins, k));
		const { bin_ns: width } = this.info, first = this.firstBin[t];
		const end = Math.min(this.binsOf(t), Math.ceil(to / width));
		const sums = new Float64Array(this.kinds.length);

		for (let i = Math.max(0, Math.floor(from / width)); i < end; i++) {
			const share = (Math.min(to, (i + 1) * width) - Math.max(from, i * width)) / width;

			for (let k = 0; k < sums.length; k++)
				sums[k] += share * (columns[k][first + i] || 0);
		}
		return sums;
	}

	column(section, kind) {
		return section.get(this.kinds[kind].key + '_ns');
	}

	/* ns by kind, of row i of a section. */
	sumsOf(section, i) {
		return Float64Array.from(this.kinds, (_, k) => this.column(section, k)[i] || 0);
	}

	/* Stretches of a thread of which only sums are known: [begin, end, ns by kind, what it is]. */
	stretches(t) {
		const { threads, parts } = this;
		const stretch = (section, i, what) => [section.get('begin_ns')[i], section.get('end_ns')[i],
			this.sumsOf(section, i), what];

		if (!this.partsOf[t].length)
			return [stretch(threads, t, 'the thread as a whole')];
		return this.partsOf[t].map(p => {
			const mark = parts.get('mark')[p];

			return stretch(parts, p, Number.isNaN(mark) ? 'before the first mark'
				: `from mark ${this.markName(mark)} on`);
		});
	}

	markName(mark) {
		const text = this.marks.text('text', mark), id = this.marks.get('id')[mark];

		return text || `${id}`;
	}

	/* Of the table of threads; -1: none. */
	rowOf(t) {
		const { threads, model: { threads: rows } } = this;
		const isSame = (name, row) => rows.get(name)[row] === threads.get(name)[t];

		return upTo(rows.n).find(row => isSame('tid', row) && isSame('process_number', row)) ?? -1;
	}

	/* What its time of a kind may be off by, as offOf(): only what it computes has probes. */
	offOfKind(t, k) {
		const row = this.kinds[k].key === 'computing' && !this.model.isSampled ? this.rowOf(t) : -1;

		return row < 0 ? null : shownOff('threads', this.model.threads, 'cpu_inclusive_ns', row);
	}

	/* Its time by `cinstr report`, exactly. */
	tellThread(t) {
		const sums = this.sumsOf(this.threads, t), all = sums.reduce((sum, one) => sum + one, 0);
		const [tid, begin, end] = ['tid', 'begin_ns', 'end_ns'].map(name =>
			this.threads.get(name)[t]);
		const pid = this.threads.text('shown_number', t);

		return [`${this.names[t]}: process ${pid}, thread ${tid}`,
			`${duration(begin)} to ${duration(end)}; in all:`,
			...this.tellSums(sums, all, k => this.offOfKind(t, k))];
	}

	tellSums(sums, whole, offOf = () => null) {
		const text = ns => exactly() ? `${count(ns)} ns` : duration(ns);
		const share = ns => whole > 0 ? `, ${percent(100 * ns / whole)} %` : '';
		const range = (ns, k) => offText(ns, offOf(k), '', text);
		const time = (ns, k) => `${this.title(k)} ${text(ns)}${range(ns, k)}${share(ns)}`;
		const lines = Array.from(sums, (ns, k) => [ns, k]).filter(([ns]) => ns >= 0.5)
			.sort((a, b) => b[0] - a[0])
			.map(([ns, k]) => this.model.isSampled ? `${count(ns)} samples` : time(ns, k));

		return lines.length ? lines : ['nothing'];
	}

	title(k) {
		const { key, title } = this.kinds[k];

		return key in KIND_WORDS ? KIND_WORDS[key] ?? title : `waiting for ${title}`;
	}

	colour(k) {
		return KIND_COLOURS[this.kinds[k].key][isDark() ? 1 : 0];
	}

	/* Kinds that some thread has, those that are drawn. */
	present() {
		const sections = this.hasBins ? [this.threads, this.bins] : [this.threads];
		const isThere = k => sections.some(section => this.column(section, k).some(ns => ns > 0));

		return this.kinds.map((_, k) => k)
			.filter(k => (this.kinds[k].key !== 'paused' || this.hasBins) && isThere(k));
	}
}
