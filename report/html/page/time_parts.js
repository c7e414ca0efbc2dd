/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * time_parts.js - what view_time.js puts together: strips in a box, what the colours mean, where the times
 * are from, and a table of who waits for what.
 */

function timeLegend(course) {
	const entry = k => h('li', { title: course.kinds[k].meaning },
		h('i', { style: { background: course.colour(k) } }), course.title(k));

	return h('ul', { class: 'legend' }, course.present().map(entry));
}

/* Where the strips are from, and what their height says. */
function timeAbout(course) {
	const { info } = course;

	if (model.isSampled)
		return aboutSamples(info);
	if (course.hasBins)
		return `From the timeline, in stretches of ${duration(info.bin_ns)}: the height is the ` +
			'share of each kind. Between two events of a thread it is not known when it ' +
			'waited: there the shares are even. Times are as the clock saw them, with the ' +
			'probes.' +
			(info.gaps ? ` ${count(info.gaps)} stretches of events were not kept.` : '');
	return aboutBlocks(course, info);
}

/* Without a timeline. */
function aboutBlocks(course, info) {
	const why = info.has_timeline ? 'The timeline is not in this page (cinstr html --no-timeline)'
		: 'No timeline was recorded';
	const block = course.parts
		? 'a phase of a thread, divided by the shares of what it did there; when in the phase that ' +
		  'was'
		: 'the whole life of a thread, divided by the shares of what it did; when that was';

	return `${why}: a block is ${block} is not known.` +
		(info.has_timeline ? '' : ' cinstr record --timeline=unlimited tells.');
}

function aboutSamples(info) {
	const { samples, interval, interval_unit: unit } = model.session;
	const height = unit === 'ns'
		? `the share of it on a processor, as far as one sample every ${duration(interval)} tells`
		: 'the number of samples, of the most in any stretch';

	return `From ${count(samples)} samples, in stretches of ${duration(info.bin_ns)}. The height is ` +
		`${height}. Elsewhere the thread waited, for what samples do not tell.`;
}

/*
 * Strips of these threads in a box of their own. more.tools: gets buttons, and the box can be moved and
 * zoomed; more.changed(): the window of time is another one; more.open(t): a click on a thread.
 */
function stripsIn(container, course, order, span, more) {
	const made = new TimeStrips(course, order, span);
	const width = { left: () => made.left, of: () => made.box.width - made.left };
	const controls = new TimeControls(span, width, () => {
		more.changed?.();
		hideTip();
		made.box.ask();
	});
	const click = (x, y, event) => {
		const text = made.hover(x, y);

		if (event.pointerType === 'touch' && text)
			showTip(text, event.clientX, event.clientY);
		else if (y > made.top && made.threadAt(y) >= 0)
			more.open?.(made.threadAt(y));
	};

	if (more.tools)
		more.tools.append(controls.buttons());
	made.box = new CanvasBox(container, {
		label: 'Threads over time', click,
		draw: (...all) => made.draw(...all),
		hover: (x, y) => made.hover(x, y),
		key: event => controls.key(event),
		wheel: more.tools ? (event, x) => controls.wheel(event, x) : null,
		drag: more.tools ? controls.drag : null });
	made.controls = controls;
	made.box.setHeight(made.height);
	made.box.resize();
	return made;
}

/* A thread in the address of its tree. */
function threadKey(course, t) {
	const rows = model.threads, row = course.rowOf(t);

	return row < 0 ? null : `[thread ${rows.text('name', row)} ${rows.get('tid')[row]}]`;
}

/* Who waits for what: each thread's time by kind, as cinstr report has it. */
function kindTable(container, course) {
	const value = (t, k) => course.column(course.threads, k)[t] || 0;
	const kinds = course.kinds.map((_, k) => k).filter(k => course.order.some(t => value(t, k) >= 0.5));
	const whole = t => kinds.reduce((sum, k) => sum + value(t, k), 0);
	const text = ns => exactly() ? count(ns) : duration(ns);

	function cell(t, k) {
		const ns = value(t, k), off = course.offOfKind(t, k), all = whole(t), part = 100 * ns / all;
		const title = `${course.title(k)}: ${ns} ns${offText(ns, off, ' ns')}, ${percent(part)} %`;

		const style = { width: `${part}%`, background: course.colour(k) };

		return ns < 0.5 ? '' : [
			h('span', { class: 'bar', 'aria-hidden': 'true' },
				h('i', { style }), whisker(ns, off, all)),
			h('span', { title }, withMarks(ns, off, text))];
	}

	const part = h('div', { class: 'part kinds' }), label = 'Who waits for what';
	const nameCell = t => h('span', { class: 'mono', title: course.names[t] },
		cutName(course.names[t]));
	const name = { heading: 'Thread', isLeft: true, width: 200, cell: nameCell };

	container.append(h('h3', {}, label), part);
	table(part, {
		label, rows: Int32Array.from(course.order),
		open: t => model.has('thread_nodes') && go('tree', { thread: threadKey(course, t) }),
		columns: [name, ...kinds.map(k => ({
			heading: course.title(k), width: 110, meaning: course.kinds[k].meaning,
			name: course.kinds[k].key, cell: t => cell(t, k) }))] });
	if (model.isMixed && kinds.some(k => course.kinds[k].key === 'other'))
		container.append(h('p', { class: 'note' },
			'In a mixed session short calls are only counted. What was waited for in them, as ' +
			'for a lock, is "something else" here; cinstr record --full tells.'));
}
