/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_time.js - each thread as a strip over the time of the session: what share it computed, and what it
 * waited for. In the summary the same of the threads with most time.
 */

{
	const STRIP = 26, ROW = 34, NARROW = 560, IN_SUMMARY = 12;
	let strips = null;

	/* What tells threads of one name apart is at the end. */
	function fitted(context, name, room) {
		let n = name.length;

		if (context.measureText(name).width <= room)
			return name;
		while (n > 10 && context.measureText(`${name.slice(0, n - 8)}\u2026${name.slice(-7)}`).width > room)
			n--;
		return `${name.slice(0, n - 8)}\u2026${name.slice(-7)}`;
	}

	class Strips {
		constructor(course, order, span) {
			this.course = course;
			this.order = order;
			this.span = span;
			this.kinds = course.present();
			this.top = AXIS + (course.marks?.n ? MARKS : 4);
			this.most = course.model.isSampled && course.hasBins ? this.mostSamples() : 0;
		}

		/* Samples of a ns: of a thread that was on a processor all the time, if they were taken by the clock, else the most. */
		mostSamples() {
			const { interval, interval_unit: unit } = this.course.model.session;

			return unit === 'ns' && interval > 0 ? 1 / interval : this.course.column(this.course.bins, 0).reduce((most, n) => Math.max(most, n || 0), 1) / this.course.info.bin_ns;
		}

		get left() {
			return this.isNarrow ? 0 : Math.min(220, Math.max(90, this.box.width * 0.2));
		}

		get isNarrow() {
			return this.box.width < NARROW;
		}

		get row() {
			return this.isNarrow ? ROW + 16 : ROW;
		}

		get height() {
			return this.top + this.order.length * this.row + 2;
		}

		draw(context, width, height, top) {
			if (this.box.contentHeight !== this.height)
				this.box.setHeight(this.height);
			const { left, row } = this, first = Math.max(0, Math.floor((top - this.top) / row)), of = width - left;

			drawAxisLines(context, this.span, left, of, height);
			context.font = '12px system-ui, sans-serif';
			context.textBaseline = 'middle';
			for (let i = first; i < this.order.length && this.top + i * row < top + height; i++) {
				const y = this.top + i * row - top, t = this.order[i];

				if (y + row < this.top)
					continue;
				context.fillStyle = colourOf('text');
				context.save();
				context.beginPath();
				context.rect(0, Math.max(y, this.top), this.isNarrow ? width : left - 6, row);
				context.clip();
				context.fillText(this.isNarrow ? this.course.names[t] : fitted(context, this.course.names[t], left - 10), this.isNarrow ? 2 : 0, y + (this.isNarrow ? 8 : STRIP / 2 + 2));
				context.restore();
				this.drawStrip(context, t, left, of, y + (this.isNarrow ? 16 : 2));
			}
			context.fillStyle = colourOf('back');
			context.fillRect(0, 0, width, this.top);
			drawAxis(context, this.course, this.span, left, of, height);
		}

		drawStrip(context, t, left, width, y) {
			const { course, span } = this, begin = Math.max(span.x(course.threads.get('begin_ns')[t], width), 0);
			const end = Math.min(span.x(course.threads.get('end_ns')[t], width), width);

			if (end < 0 || begin > width)
				return;
			context.fillStyle = colourOf('panel');
			context.fillRect(left + begin, y, Math.max(end - begin, 1), STRIP);
			if (course.hasBins && course.firstBin[t + 1] > course.firstBin[t])
				this.drawBins(context, t, left, width, y, begin, end);
			else if (!course.model.isSampled)
				for (const [from, to, sums] of course.stretches(t)) {
					const a = Math.max(span.x(from, width), 0), b = Math.min(span.x(to, width), width);

					if (b > a)
						this.stack(context, sums, left + a, Math.max(b - a - 0.5, 0.5), y, sums.reduce((x, one) => x + one, 0));
				}
			context.strokeStyle = colourOf('other');
			context.lineWidth = 1;
			context.strokeRect(left + begin + 0.5, y + 0.5, Math.max(end - begin - 1, 0.5), STRIP - 1);
		}

		drawBins(context, t, left, width, y, begin, end) {
			const { course, span } = this, step = Math.max(1, course.info.bin_ns / (span.to - span.from) * width);

			/* Whole bins, or as many as are in a pixel. */
			const first = step > 1 ? Math.floor(span.ns(begin, width) / course.info.bin_ns) * course.info.bin_ns : span.ns(Math.floor(begin), width);
			const by = step > 1 ? course.info.bin_ns : (span.to - span.from) / width;

			for (let at = first; at < span.ns(end, width); at += by) {
				const sums = course.binned(t, at, at + by), x = Math.max(span.x(at, width), begin), to = Math.min(span.x(at + by, width), end);

				if (to > x)
					this.stack(context, sums, left + x, to - x + (step > 1 ? 0 : 0.6), y, this.most ? this.most * by : this.wholeOf(t, at, at + by));
			}
		}

		/* How much of [from, to) the thread was there. */
		wholeOf(t, from, to) {
			const { threads } = this.course;

			return Math.min(to, threads.get('end_ns')[t]) - Math.max(from, threads.get('begin_ns')[t]);
		}

		stack(context, sums, x, w, y, whole) {
			let bottom = y + STRIP;

			if (!(whole > 0))
				return;
			for (const k of this.kinds) {
				const part = Math.min(sums[k] / whole * STRIP, bottom - y);

				if (part <= 0)
					continue;
				context.fillStyle = this.colours[k];
				context.fillRect(x, bottom - part, w, part);
				bottom -= part;
			}
		}

		get colours() {
			const dark = isDark();

			if (this.dark !== dark)
				this.made = this.course.kinds.map((_, k) => this.course.colour(k));
			this.dark = dark;
			return this.made;
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
			const { course, span } = this, { bin_ns: bin } = course.info;

			if (course.hasBins && course.firstBin[t + 1] > course.firstBin[t]) {
				const by = Math.max(bin, (span.to - span.from) / width), from = Math.floor(at / by) * by;

				return [`${duration(from)} to ${duration(from + by)}`, ...course.tellSums(course.binned(t, from, from + by), this.wholeOf(t, from, from + by)),
					model.isSampled ? '' : 'as the clock saw it, with the probes'].filter(line => line);
			}
			if (model.isSampled)
				return ['no samples'];
			const [from, to, sums, what] = course.stretches(t).find(([a, b]) => at >= a && at <= b) ?? [0, 0, [], 'nothing recorded'];

			return [`${what}: ${duration(from)} to ${duration(to)}`, ...course.tellSums(sums, sums.reduce((a, b) => a + b, 0)),
				'when in this stretch it was is not known: there is no timeline here'];
		}

		markAt(x) {
			const { course, span } = this, width = this.box.width - this.left, lines = [];

			for (let m = 0; m < (course.marks?.n ?? 0); m++)
				if (Math.abs(this.left + span.x(course.marks.get('at_ns')[m], width) - x) < 4)
					lines.push(`mark ${course.marks.get('id')[m]} ${course.marks.text('text', m)} at ${thousands(String(course.marks.get('at_ns')[m]))} ns`);
			return lines.length ? lines.slice(0, 12).join('\n') : null;
		}
	}

	function legend(course) {
		return h('ul', { class: 'legend' }, course.present().map(k => h('li', { title: course.kinds[k].meaning },
			h('i', { style: { background: KIND_COLOURS[course.kinds[k].key][isDark() ? 1 : 0] } }), course.title(k))));
	}

	function about(course) {
		const { info } = course;

		if (model.isSampled)
			return `From ${count(model.session.samples)} samples, in stretches of ${duration(info.bin_ns)}. ` + (model.session.interval_unit === 'ns' ?
				`The height is the share of it on a processor, as far as one sample every ${duration(model.session.interval)} tells.` :
				'The height is the number of samples, of the most in any stretch.') + ' Elsewhere the thread waited, for what samples do not tell.';
		if (course.hasBins)
			return `From the timeline, in stretches of ${duration(info.bin_ns)}: the height is the share of each kind. Waiting is spread over the interval between two events that it is in. Times are as the clock saw them, with the probes.` +
				(info.gaps ? ` ${count(info.gaps)} stretches of events were not kept.` : '');
		const why = info.has_timeline ? 'The timeline is not in this page (cinstr html --no-timeline)' : 'No timeline was recorded';

		return course.parts ? `${why}: a block is a phase of a thread, divided by the shares of what it did there; when in the phase that was is not known.${info.has_timeline ? '' : ' cinstr record --timeline=unlimited tells.'}`
			: `${why}: a block is the whole life of a thread, divided by the shares of what it did; when that was is not known.${info.has_timeline ? '' : ' cinstr record --timeline=unlimited tells.'}`;
	}

	function put(container, course, order, span, more) {
		const made = new Strips(course, order, span), width = { left: () => made.left, of: () => made.box.width - made.left };
		const controls = timeControls(span, width, () => { more.changed?.(); hideTip(); made.box.ask(); });

		if (more.tools)
			more.tools.append(controls.buttons());
		made.box = new CanvasBox(container, {
			label: 'Threads over time',
			draw: (...all) => made.draw(...all),
			hover: (x, y) => made.hover(x, y),
			key: event => controls.key(event),
			wheel: more.tools ? (event, x) => controls.wheel(event, x) : null,
			drag: more.tools ? controls.drag : null,
			click(x, y, event) {
				const text = made.hover(x, y);

				if (event.pointerType === 'touch' && text)
					showTip(text, event.clientX, event.clientY);
				else if (y > made.top && made.threadAt(y) >= 0)
					more.open?.(made.threadAt(y));
			} });
		made.controls = controls;
		made.box.setHeight(made.height);
		made.box.resize();
		return made;
	}

	async function render(container, state) {
		const course = await Course.of(model), span = new TimeWindow(course.end, state.get('span')), tools = h('div', { class: 'tools' });

		container.append(tools);
		strips = put(container, course, course.order, span, {
			tools, changed: () => set({ span: span.address() }),
			open: t => model.has('lanes') ? go('timeline', { lane: String(t) }) : model.has('thread_nodes') && go('tree', { thread: threadKey(course, t) }) });
		tools.append(h('span', { class: 'found' }, plural(course.threads.n, 'thread')));
		container.append(h('p', { class: 'note foot' }, about(course)), legend(course));
		if (!model.isSampled)
			kindTable(container, course);
	}

	/* Who waits for what: each thread's time by kind, as cinstr report has it. */
	function kindTable(container, course) {
		const { threads } = course, value = (t, k) => course.column(threads, k)[t] || 0;
		const kinds = course.kinds.map((_, k) => k).filter(k => course.order.some(t => value(t, k) >= 0.5));
		const whole = t => kinds.reduce((sum, k) => sum + value(t, k), 0), open = t => go('tree', { thread: threadKey(course, t) });
		const text = ns => exactly() ? count(ns) : duration(ns);
		const cell = k => t => {
			const ns = value(t, k), off = course.offOfKind(t, k);

			return ns < 0.5 ? '' : [h('span', { class: 'bar', 'aria-hidden': 'true' }, h('i', { style: { width: `${100 * ns / whole(t)}%`, background: course.colour(k) } }), whisker(ns, off, whole(t))),
				h('span', { title: `${course.title(k)}: ${ns} ns${offText(ns, off, ' ns')}, ${percent(100 * ns / whole(t))} %` }, withMarks(ns, off, text))];
		};

		container.classList.add('scrolls');
		const part = h('div', { class: 'part kinds' });

		container.append(h('h3', {}, 'Who waits for what'), part);
		table(part, { label: 'Who waits for what', rows: Int32Array.from(course.order), open: t => model.has('thread_nodes') && open(t), columns: [
			{ heading: 'Thread', isLeft: true, width: 200, cell: t => h('span', { class: 'mono', title: course.names[t] }, course.names[t]) },
			...kinds.map(k => ({ heading: course.title(k), width: 110, meaning: course.kinds[k].meaning, name: course.kinds[k].key, cell: cell(k) }))] });
	}

	function threadKey(course, t) {
		const rows = model.threads, row = course.rowOf(t);

		return row < 0 ? null : `[thread ${rows.text('name', row)} ${rows.get('tid')[row]}]`;
	}

	/* Those with most time, in the order of the view. */
	async function inSummary(container) {
		const course = await Course.of(model), sums = course.order.map(t => course.threads.get('end_ns')[t] - course.threads.get('begin_ns')[t]);
		const least = sums.slice().sort((a, b) => b - a)[IN_SUMMARY - 1] ?? 0;
		const order = course.order.filter((_, i) => sums[i] >= least).slice(0, IN_SUMMARY);

		if (!course.threads.n)
			return;
		const section = h('section', { class: 'strips' }, h('h3', {}, 'Threads over time'));

		container.append(section);
		const made = put(section, course, order, new TimeWindow(course.end), { open: () => go('time') });

		made.box.element.classList.add('fixed');
		section.append(legend(course), h('p', { class: 'note' },
			course.threads.n > order.length ? `The ${order.length} longest of ${count(course.threads.n)} threads. ` : '', about(course), ' ',
			h('a', { href: '#time' }, 'All threads, with zoom')));
		summaryStrips = made;
	}

	let summaryStrips = null;

	summaryParts.push(inSummary);
	register({ id: 'time', title: 'Over time', order: 37, needs: ['course'], render,
		available: () => model.has('course'),
		get strips() { return strips; },
		get inSummary() { return summaryStrips; },
		leave: () => strips?.box.end(),
		redraw: () => strips?.box.drawNow(),
		keys: { ...TIME_KEYS,
			'+': ['zoom in', () => strips.controls.key({ key: '+' })], '-': ['zoom out', () => strips.controls.key({ key: '-' })],
			0: ['all of the time', () => strips.controls.key({ key: '0' })] } });
}
