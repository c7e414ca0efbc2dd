/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * timeline_parts.js - what view_timeline.js puts together: the calls of a timeline, read; what is said of
 * them.
 */

/* Columns of `items`, as lanesOf() needs them. */
const ITEM_COLUMNS = ['gap', 'length', 'calls', 'busy', 'at', 'longest', 'own_work', 'function', 'site',
		      'flags', 'name'];

/* What a TimelineChart shows: made once. */
async function timelineData() {
	if (model.timelineData)
		return model.timelineData;
	const course = await Course.of(model), sites = await model.load('course_sites'), threads = new Map();
	const section = await model.load('items'), names = section.get('name');
	const { list, items } = lanesOf(await model.load('lanes'), section, course.info.cell_ns);

	for (const lane of list) {
		if (!threads.has(lane.thread))
			threads.set(lane.thread, []);
		threads.get(lane.thread).push(lane);
	}
	model.timelineData = { course, sites, list, items, names, threads, isWhole: new Set() };
	return model.timelineData;
}

/* What boxes are, and what is not there. */
function timelineNote({ course: { info }, cell }) {
	const finest = info.cell_ns, least = duration(cell), parts = [];

	parts.push(`Here calls of ${least} and more are single boxes; shorter ones that begin in the same ` +
		`${least}, with no longer one between, are one box, as high as their share of its time`);
	if (finest > 1)
		parts.push(`the page has ${count(info.calls)} calls, of which all of ${duration(finest)} ` +
			'and more are single');
	if (info.short_ns)
		parts.push(`calls shorter than ${duration(info.short_ns)} were left out when it was ` +
			'recorded');
	if (info.too_deep)
		parts.push(`${count(info.too_deep)} calls are deeper than ${count(info.deepest)} levels, ` +
			'and not here');
	if (info.gaps)
		parts.push(`${count(info.gaps)} stretches of events were not kept`);
	parts.push('times are as the clock saw them, with the probes');
	return parts.join(' \u00b7 ');
}
