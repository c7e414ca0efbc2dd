/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * timeline_chart.js - what view_timeline.js shows: each thread's calls in lanes by depth; drawing, what is
 * where, what is told of it, search.
 */

const LANE_HEIGHT = 15, LANES_HEAD = 20, LANES_LEAST_LABEL = 26;
/* Lanes of a thread that are shown at first, or more if the window has room, less what is around them. */
const LANES_FEW = 12, LANES_AROUND = 300;

class TimelineChart {
	constructor(all, span) {
		Object.assign(this, all);
		this.span = span;
		this.top = AXIS + (this.course.marks?.n ? MARKS : 4);
		this.letters = new Letters('11.5px system-ui, sans-serif');
		this.labels = [];
		this.wanted = null;
		this.placeRows();
	}

	/* Where each thread's lanes are. */
	placeRows() {
		/* of a thread */
		const height = (innerHeight - LANES_AROUND) / Math.max(this.threads.size, 1) - LANES_HEAD;
		let y = this.top;

		this.few = Math.max(LANES_FEW, Math.floor(height / LANE_HEIGHT));
		this.rows = [];
		for (const t of this.course.order) {
			const lanes = this.threads.get(t);

			if (!lanes)
				continue;
			const shown = this.isWhole.has(t) ? lanes.length : Math.min(lanes.length, this.few);
			const end = y + LANES_HEAD + shown * LANE_HEIGHT + 6;

			this.rows.push({ t, lanes, shown, y, end });
			y = end;
		}
		this.height = y;
	}

	name(item) {
		const f = this.items.function[item];

		return f >= 0 ? model.functionName(f) : model.strings[this.names[item]] ?? '[unknown]';
	}

	module(item) {
		const f = this.items.function[item];

		return f >= 0 ? model.functions.text('module_name', f) : '';
	}

	/* ---- drawing ------------------------------------------------------------------- */

	draw(context, width, height, top) {
		if (this.box.contentHeight !== this.height)
			this.box.setHeight(this.height);
		this.least = (this.span.to - this.span.from) / width;
		this.cell = cellFor(this.course.info.cell_ns, this.least);
		this.text = isDark() ? '#f2f4f7' : '#14171a';
		this.back = colourOf('back');
		if (this.dark !== isDark())
			this.modules = new Map();
		this.dark = isDark();
		this.boxes = 0;
		drawAxisLines(context, this.span, 0, width, height);
		for (const row of this.rows)
			if (row.end > top && row.y < top + height)
				this.drawThread(context, row, width, height, top);
		context.fillStyle = this.back;
		context.fillRect(0, 0, width, this.top);
		drawAxis(context, this.course, this.span, 0, width, height);
		this.onDrawn?.();
	}

	drawThread(context, row, width, height, top) {
		const { course, span } = this, y = row.y - top, more = row.lanes.length - row.shown;
		const [begin, end] = ['begin_ns', 'end_ns'].map(name =>
			Math.min(width, Math.max(0, span.x(course.threads.get(name)[row.t], width))));
		const levels = more > 0 ? `   \u25b8 ${count(more)} more levels`
			: row.lanes.length > this.few ? '   \u25be fewer levels' : '';

		context.fillStyle = colourOf('panel');
		this.letters.begin(context);
		context.globalAlpha = 0.6;
		if (end > begin)
			context.fillRect(begin, y + LANES_HEAD, end - begin, row.shown * LANE_HEIGHT);
		context.globalAlpha = 1;
		for (let k = 0; k < row.shown; k++) {
			const at = y + LANES_HEAD + k * LANE_HEIGHT;

			if (at + LANE_HEIGHT > 0 && at < height)
				this.drawLane(context, row.lanes[k], at, width);
		}
		context.fillStyle = this.text;
		context.fillText(`${course.names[row.t]}${levels}`, 3, y + LANES_HEAD / 2);
	}

	drawLane(context, lane, y, width) {
		const { span, wanted } = this, scale = width / (span.to - span.from);
		const level = lane.level(this.least), { begin, end, calls, busy, longest } = level;

		for (let i = level.search(span.from); i < level.n && begin[i] < span.to; i++) {
			const x = Math.max((begin[i] - span.from) * scale, -2), item = longest[i];
			const w = Math.min((end[i] - span.from) * scale, width + 2) - x;

			const isFound = wanted && wanted(item);

			context.globalAlpha = wanted && !isFound ? 0.25 : 1;
			context.fillStyle = isFound ? foundColour(this.dark) : this.colourOf(item);
			this.boxes++;
			if (calls[i] === 1) {
				context.fillRect(x, y, Math.max(w - 0.5, 0.8), LANE_HEIGHT - 1);
			} else { /* as high as the part of the time that calls take */
				const part = Math.min(1, busy[i] / Math.max(end[i] - begin[i], 1));
				const h = Math.max(2, part * (LANE_HEIGHT - 5));

				context.fillRect(x, y + LANE_HEIGHT - 1 - h, Math.max(w, 0.8), h);
				context.fillRect(x, y + 2, Math.max(w, 0.8), 1);
			}
			if (w > LANES_LEAST_LABEL) {
				const label = calls[i] === 1 ? this.name(item) : `${count(calls[i])} calls`;

				const from = Math.max(x, 0) + 3, room = w - 5 + Math.min(x, 0);

				context.fillStyle = this.text;
				this.letters.put(label, from, y + LANE_HEIGHT / 2, room);
			}
		}
		context.globalAlpha = 1;
	}

	colourOf(item) {
		const f = this.items.function[item];
		let colour = this.modules.get(f);

		if (!colour)
			this.modules.set(f, colour = this.shadeOf(item));
		return colour;
	}

	/* Functions of one module side by side differ a little. */
	shadeOf(item) {
		const hue = hueOf(this.module(item)) % 360, shade = hueOf(this.name(item)) % 12;

		return this.dark ? `hsl(${hue} 42% ${28 + shade}%)` : `hsl(${hue} 55% ${70 + shade}%)`;
	}

	/* ---- what is there ------------------------------------------------------------- */

	rowAt(y) {
		return this.rows.find(row => y >= row.y && y < row.end);
	}

	/* [lane, level, index] of a place; null: none. */
	itemAt(x, y) {
		const row = this.rowAt(y), k = row ? Math.floor((y - row.y - LANES_HEAD) / LANE_HEIGHT) : -1;

		if (!row || k < 0 || k >= row.shown)
			return null;
		const lane = row.lanes[k], level = lane.level(this.least), near = 1.5 * this.least;
		const at = this.span.ns(x, this.box.width);
		let i = level.search(at - near);

		/* that is right there, not beside */
		while (i + 1 < level.n && level.end[i] < at && level.begin[i + 1] <= at)
			i++;
		return i < level.n && level.begin[i] <= at + near ? [lane, level, i] : null;
	}

	hover(x, y) {
		if (y - this.box.top < this.top)
			return null;
		const found = this.itemAt(x, y), row = this.rowAt(y);

		if (found)
			return this.tell(...found);
		return row && y < row.y + LANES_HEAD ? this.course.tellThread(row.t).join('\n') : null;
	}

	tell(lane, level, i) {
		const item = level.longest[i], call = this.tellCall(item), name = this.name(item);
		const thread = `${this.course.names[lane.thread]}, depth ${lane.depth + 1}`;
		const lines = level.calls[i] === 1 ? [name, this.module(item), ...call, thread]
			: [...this.tellJoined(level, i), `the longest: ${name}`, ...call, thread,
			   ...this.tellMore(lane, level, i)];

		return lines.filter(line => line).join('\n');
	}

	tellJoined(level, i) {
		const begin = level.begin[i], end = level.end[i], all = duration(end - begin);
		const busy = duration(level.busy[i]);

		return [`${count(level.calls[i])} calls shorter than ${duration(this.cell)} each, joined`,
			`${count(begin)} to ${count(end)} ns; they take ${busy} of these ${all}`];
	}

	/* Where the calls that are joined are told of. */
	tellMore(lane, level, i) {
		const from = Math.floor(level.begin[i]), to = Math.ceil(level.end[i]) + 1;
		const thread = this.course.threads.get('tid')[lane.thread];

		return this.cell > this.course.info.cell_ns ? ['zoom in to see more of them']
			: ['the page has no more of them; this has:',
			   `cinstr timeline --from=${from}ns --to=${to}ns --thread=${thread}`];
	}

	/* How uncertain that is: the probes' own time is in it. As much as of all calls of the function, with
	 * what they called. */
	tellProbes(item) {
		const f = this.items.function[item];
		const get = name => f >= 0 ? model.functions.get(name)[f] : NaN;
		const probes = get('probe_overhead_inclusive_ns'), all = get('elapsed_inclusive_ns') + probes;
		const part = percent(100 * probes / all);

		return probes > 0 && all > 0
			? [`\u2264: the probes' time is in it, ${part} % of all its calls' time (R9)`] : [];
	}

	tellCall(item) {
		const { items, sites } = this, site = items.site[item], flags = items.flags[item];
		const length = items.duration[item];
		const place = () =>
			`${sites.text('file', site).replace(/.*\//, '')}:${sites.get('line')[site]}`;

		return [`time_ns ${asInCsv(items.begin[item])}`,
			Number.isNaN(length) ? 'duration_ns not known' : `duration_ns ${asInCsv(length)}`,
			...this.tellProbes(item),
			site >= 0 ? `called at ${place()}` : '',
			flags & 2 ? 'it was running already when the recording of it began' : '',
			flags & 1 ? 'it had not returned when the recording ended' : ''].filter(line => line);
	}

	/* ---- search -------------------------------------------------------------------- */

	search(text) {
		const wanted = text.trim().toLowerCase();

		this.found = this.wanted = null;
		this.box?.ask();
		if (!wanted)
			return '';
		const f = this.items.function, hits = this.lower(wanted), found = [];
		const hasText = item => this.name(item).toLowerCase().includes(wanted);

		this.wanted = item => f[item] >= 0 ? hits[f[item]] === 1 : hasText(item);
		let calls = 0;

		for (let item = 0; item < this.items.n; item++)
			if (this.wanted(item) && this.items.calls[item] === 1)
				found.push(item);
			else if (this.wanted(item))
				calls++;
		found.sort((a, b) => this.items.begin[a] - this.items.begin[b]);
		this.found = found;
		this.at = -1;
		return plural(found.length, 'single call') +
			(calls ? `, and the longest of ${count(calls)} joined boxes` : '');
	}

	lower(wanted) {
		const { functions } = model, hits = new Uint8Array(functions.n);

		this.lowerNames ??= Array.from(hits, (_, f) => model.functionName(f).toLowerCase());
		for (let f = 0; f < functions.n; f++)
			hits[f] = this.lowerNames[f].includes(wanted) ? 1 : 0;
		return hits;
	}

	next(step) {
		if (!this.found?.length)
			return;
		this.at = (this.at + step + this.found.length) % this.found.length;
		const item = this.found[this.at], length = Math.max(this.items.length[item], 100);

		this.span.go(this.items.begin[item] - 2 * length, this.items.begin[item] + 3 * length);
		this.show(this.list[this.items.lane[item]]);
		this.changed();
		const words = [this.name(item), ...this.tellCall(item)].join(' \u00b7 ');

		this.told?.(`${count(this.at + 1)} of ${count(this.found.length)}: ${words}`);
	}

	show(lane) {
		const row = this.rows.find(one => one.t === lane.thread), k = row.lanes.indexOf(lane);

		if (k >= row.shown) {
			this.isWhole.add(lane.thread);
			this.placeRows();
			this.box.setHeight(this.height);
			return this.show(lane);
		}
		const y = row.y + LANES_HEAD + k * LANE_HEIGHT, { element, height, top } = this.box;

		if (y < top + this.top || y + LANE_HEIGHT > top + height)
			element.scrollTop = Math.max(0, y - height / 2);
	}

	showThread(t) {
		const row = this.rows.find(one => one.t === t);

		if (row)
			this.box.element.scrollTop = row.y - this.top;
	}

	toggle(t) {
		if (!this.isWhole.delete(t))
			this.isWhole.add(t);
		this.placeRows();
		this.box.setHeight(this.height);
		this.box.ask();
	}
}
