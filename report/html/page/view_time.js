/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_time.js - each thread as a strip over the time of the session: what share it computed, and what it
 * waited for. In the summary the same of the threads with most time.
 */

{
	const IN_SUMMARY = 12;
	let strips = null;

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
		const made = new TimeStrips(course, order, span), width = { left: () => made.left, of: () => made.box.width - made.left };
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
	/* What a thread did in each stretch, by kind. */
	function prepare() {
		const kinds = model.index.course.kinds.map(({ key }) => `${key}_ns`);

		return model.has('course_bins') ? decodeColumns(kinds, () => model.load('course_bins')) : [];
	}

	register({ id: 'time', prepare, title: 'Over time', order: 37, needs: ['course'], render,
		available: () => model.has('course'),
		get strips() { return strips; },
		get inSummary() { return summaryStrips; },
		leave: () => strips?.box.end(),
		redraw: () => strips?.box.drawNow(),
		keys: { ...TIME_KEYS,
			'+': ['zoom in', () => strips.controls.key({ key: '+' })], '-': ['zoom out', () => strips.controls.key({ key: '-' })],
			0: ['all of the time', () => strips.controls.key({ key: '0' })] } });
}
