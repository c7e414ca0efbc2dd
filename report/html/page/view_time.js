/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_time.js - each thread as a strip over the time of the session: what share it computed, and what it
 * waited for. In the summary the same of the threads with most time.
 */

{
	const IN_SUMMARY = 12;
	let strips = null, summaryStrips = null;

	function openThread(course, t) {
		if (model.has('lanes'))
			go('timeline', { lane: String(t) });
		else if (model.has('thread_nodes'))
			go('tree', { thread: threadKey(course, t) });
	}

	async function render(container, state) {
		const course = await Course.of(model), span = new TimeWindow(course.end, state.get('span'));
		const tools = h('div', { class: 'tools' });

		container.append(tools);
		strips = stripsIn(container, course, course.order, span, {
			tools, changed: () => {
				set({ span: span.address() });
				offerRange(tools, span);
			},
			open: t => openThread(course, t) });
		tools.append(h('span', { class: 'found' }, plural(course.threads.n, 'thread')));
		offerRange(tools, span);
		container.append(h('p', { class: 'note foot' }, timeAbout(course)), timeLegend(course));
		if (model.isSampled)
			return;
		container.classList.add('scrolls');
		kindTable(container, course);
	}

	/* Those with most time, in the order of the view. */
	function longest({ threads, order }) {
		const sums = order.map(t => threads.get('end_ns')[t] - threads.get('begin_ns')[t]);
		const least = sums.slice().sort((a, b) => b - a)[IN_SUMMARY - 1] ?? 0;

		return order.filter((_, i) => sums[i] >= least).slice(0, IN_SUMMARY);
	}

	summaryParts.push(async container => {
		if (!model.has('course')) /* of what was merged */
			return;
		const course = await Course.of(model), order = longest(course), { n } = course.threads;
		const section = h('section', { class: 'strips' }, h('h3', {}, 'Threads over time'));

		if (!n)
			return;
		container.append(section);
		const made = stripsIn(section, course, order, new TimeWindow(course.end), {
			open: () => go('time') });
		const some = n > order.length ? `The ${order.length} longest of ${count(n)} threads. ` : '';

		made.box.element.classList.add('fixed');
		section.append(timeLegend(course), h('p', { class: 'note' },
			some, timeAbout(course), ' ', h('a', { href: '#time' }, 'All threads, with zoom')));
		summaryStrips = made;
	});

	/* What a thread did in each stretch, by kind. */
	function prepare() {
		const kinds = model.index.course.kinds.map(({ key }) => `${key}_ns`);

		return model.has('course_bins') ? decodeColumns(kinds, () => model.load('course_bins')) : [];
	}

	register({ id: 'time', prepare, title: 'Over time', order: 37, needs: ['course'], render,
		available: of => of.has('course'),
		get strips() { return strips; },
		get inSummary() { return summaryStrips; },
		leave: () => strips?.box.end(),
		redraw: () => strips?.box.drawNow(),
		keys: timeKeys(() => strips.controls) });
}
