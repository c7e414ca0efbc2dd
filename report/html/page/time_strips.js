/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * time_strips.js - what view_time.js shows: a strip a thread, divided by what it did; what is told of a
 * place.
 */

const STRIP_HEIGHT = 26, STRIP_ROW = 34, STRIPS_NARROW = 560;

class TimeStrips {
	constructor(course, order, span) {
		this.course = course;
		this.order = order;
		this.span = span;
		this.kinds = course.present();
		this.top = AXIS + (course.marks?.n ? MARKS : 4);
		this.most = course.model.isSampled && course.hasBins ? this.mostSamples() : 0;
	}

	/* Samples of a ns: of a thread that was on a processor all the time, if they were taken by the clock,
	 * else the most. */
	mostSamples() {
		const { course } = this, { interval, interval_unit: unit } = course.model.session;

		if (unit === 'ns' && interval > 0)
			return 1 / interval;
		const samples = course.column(course.bins, 0);

		return samples.reduce((most, n) => Math.max(most, n || 0), 1) / course.info.bin_ns;
	}

	get left() {
		return this.isNarrow ? 0 : Math.min(220, Math.max(90, this.box.width * 0.2));
	}

	get isNarrow() {
		return this.box.width < STRIPS_NARROW;
	}

	get row() {
		return this.isNarrow ? STRIP_ROW + 16 : STRIP_ROW;
	}

	get height() {
		return this.top + this.order.length * this.row + 2;
	}

	draw(context, width, height, top) {
		if (this.box.contentHeight !== this.height)
			this.box.setHeight(this.height);
		const { left, row } = this, first = Math.max(0, Math.floor((top - this.top) / row));
		const of = width - left;

		this.shades = this.course.kinds.map((_, k) => this.course.colour(k));
		drawAxisLines(context, this.span, left, of, height);
		context.font = '12px system-ui, sans-serif';
		context.textBaseline = 'middle';
		for (let i = first; i < this.order.length && this.top + i * row < top + height; i++) {
			const y = this.top + i * row - top, t = this.order[i];

			if (y + row < this.top)
				continue;
			this.drawName(context, this.course.names[t], y, width);
			this.drawStrip(context, t, left, of, y + (this.isNarrow ? 16 : 2));
		}
		context.fillStyle = colourOf('back');
		context.fillRect(0, 0, width, this.top);
		drawAxis(context, this.course, this.span, left, of, height);
	}

	/* Above its strip, if it is narrow; else beside it. */
	drawName(context, name, y, width) {
		const { isNarrow, left, row } = this;

		context.fillStyle = colourOf('text');
		context.save();
		context.beginPath();
		context.rect(0, Math.max(y, this.top), isNarrow ? width : left - 6, row);
		context.clip();
		if (isNarrow)
			context.fillText(name, 2, y + 8);
		else
			context.fillText(cutToFit(context, name, left - 10), 4, y + STRIP_HEIGHT / 2 + 2);
		context.restore();
	}

	drawStrip(context, t, left, width, y) {
		const { course, span } = this;
		const begin = Math.max(span.x(course.threads.get('begin_ns')[t], width), 0);
		const end = Math.min(span.x(course.threads.get('end_ns')[t], width), width);
		const room = end - begin;

		if (end < 0 || begin > width)
			return;
		context.fillStyle = colourOf('panel');
		context.fillRect(left + begin, y, Math.max(room, 1), STRIP_HEIGHT);
		if (course.binsOf(t))
			this.drawBins(context, t, left, width, y, begin, end);
		else if (!course.model.isSampled)
			this.drawStretches(context, t, left, width, y);
		context.strokeStyle = colourOf('other');
		context.lineWidth = 1;
		context.strokeRect(left + begin + 0.5, y + 0.5, Math.max(room - 1, 0.5), STRIP_HEIGHT - 1);
	}

	drawStretches(context, t, left, width, y) {
		const { course, span } = this;

		for (const [from, to, sums] of course.stretches(t)) {
			const a = Math.max(span.x(from, width), 0), b = Math.min(span.x(to, width), width);
			const whole = sums.reduce((sum, one) => sum + one, 0);

			if (b > a)
				this.stack(context, sums, left + a, Math.max(b - a - 0.5, 0.5), y, whole);
		}
	}

	drawBins(context, t, left, width, y, begin, end) {
		const { course, span } = this, bin = course.info.bin_ns;

		/* Whole bins, or as many as are in a pixel. */
		const pixel = (span.to - span.from) / width, isWhole = bin > pixel;
		const by = isWhole ? bin : pixel;
		const first = isWhole ? Math.floor(span.ns(begin, width) / bin) * bin
			: span.ns(Math.floor(begin), width);

		for (let at = first; at < span.ns(end, width); at += by) {
			/* From pixel to pixel: what is behind would shine through between two bins. */
			const x = Math.round(left + Math.max(span.x(at, width), begin));
			const to = Math.round(left + Math.min(span.x(at + by, width), end));
			const sums = course.binned(t, at, at + by);
			const whole = this.most ? this.most * by : this.wholeOf(t, at, at + by);

			if (to > x)
				this.stack(context, sums, x, to - x, y, whole);
		}
	}

	/* How much of [from, to) the thread was there. */
	wholeOf(t, from, to) {
		const { threads } = this.course;

		return Math.min(to, threads.get('end_ns')[t]) - Math.max(from, threads.get('begin_ns')[t]);
	}

	stack(context, sums, x, w, y, whole) {
		let bottom = y + STRIP_HEIGHT;

		if (!(whole > 0))
			return;
		for (const k of this.kinds) {
			const part = Math.min(sums[k] / whole * STRIP_HEIGHT, bottom - y);

			if (part <= 0)
				continue;
			context.fillStyle = this.shades[k];
			context.fillRect(x, bottom - part, w, part);
			bottom -= part;
		}
	}

	threadAt(y) {
		return this.order[Math.floor((y - this.top) / this.row)] ?? -1;
	}

	hover(x, y) {
		const { course, span } = this, t = this.threadAt(y), width = this.box.width - this.left;

		if (t < 0 || y < this.top + this.box.top)
			return this.markAt(x);
		if (x < this.left)
			return course.tellThread(t).join('\n');
		const at = span.ns(x - this.left, width);

		if (!(at >= course.threads.get('begin_ns')[t] && at <= course.threads.get('end_ns')[t]))
			return `${course.names[t]}\nnot there at ${duration(at)}`;
		return [course.names[t], ...this.tellAt(t, at, width)].join('\n');
	}

	tellAt(t, at, width) {
		const { course } = this;

		if (course.binsOf(t))
			return this.tellBins(t, at, width);
		if (model.isSampled)
			return ['no samples'];
		const found = course.stretches(t).find(([a, b]) => at >= a && at <= b);
		const [from, to, sums, what] = found ?? [0, 0, [], 'nothing recorded'];

		return [`${what}: ${duration(from)} to ${duration(to)}`,
			...course.tellSums(sums, sums.reduce((a, b) => a + b, 0)),
			'when in this stretch it was is not known: there is no timeline here'];
	}

	/* As much as a pixel shows. */
	tellBins(t, at, width) {
		const { course, span } = this, pixel = (span.to - span.from) / width;
		const by = Math.max(course.info.bin_ns, pixel);
		const from = Math.floor(at / by) * by, to = from + by;

		return [`${duration(from)} to ${duration(to)}`,
			...course.tellSums(course.binned(t, from, to), this.wholeOf(t, from, to)),
			...(model.isSampled ? [] : ['as the clock saw it, with the probes'])];
	}

	markAt(x) {
		const { span, course: { marks } } = this, width = this.box.width - this.left, lines = [];

		for (let m = 0; m < (marks?.n ?? 0); m++) {
			const at = marks.get('at_ns')[m];
			const name = `${marks.get('id')[m]} ${marks.text('text', m)}`;

			if (Math.abs(this.left + span.x(at, width) - x) < 4)
				lines.push(`mark ${name} at ${thousands(String(at))} ns`);
		}
		return lines.length ? lines.slice(0, 12).join('\n') : null;
	}
}
