/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * view_timeline.js - the calls of a timeline, each thread's in lanes by depth. What is narrower than a pixel is
 * drawn joined (lanes.js); calls as long as the finest cell are always there one by one.
 */

{
	const LANE = 15, HEAD = 20, LEAST_LABEL = 26;
	const FEW = 12, AROUND = 300; /* lanes of a thread that are shown at first, or more if the window has room: less what is around them */
	let chart = null, data = null;

	async function read() {
		if (!data) {
			const course = await Course.of(model), sites = await model.load('course_sites');
			const { list, items } = lanesOf(await model.load('lanes'), await model.load('items'), course.info.cell_ns);
			const names = (await model.load('items')).get('name'), threads = new Map();

			for (const lane of list) {
				if (!threads.has(lane.thread))
					threads.set(lane.thread, []);
				threads.get(lane.thread).push(lane);
			}
			data = { course, sites, list, items, names, threads, isWhole: new Set() };
		}
		return data;
	}

	class Chart {
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
			let y = this.top;

			this.few = Math.max(FEW, Math.floor(((innerHeight - AROUND) / Math.max(this.threads.size, 1) - HEAD) / LANE));
			this.rows = [];
			for (const t of this.course.order) {
				const lanes = this.threads.get(t);

				if (!lanes)
					continue;
				const shown = this.isWhole.has(t) ? lanes.length : Math.min(lanes.length, this.few);

				this.rows.push({ t, lanes, shown, y, end: y += HEAD + shown * LANE + 6 });
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
			const begin = Math.max(0, span.x(course.threads.get('begin_ns')[row.t], width)), end = Math.min(width, span.x(course.threads.get('end_ns')[row.t], width));

			context.fillStyle = colourOf('panel');
			this.letters.begin(context);
			context.globalAlpha = 0.6;
			if (end > begin)
				context.fillRect(begin, y + HEAD, end - begin, row.shown * LANE);
			context.globalAlpha = 1;
			for (let k = 0; k < row.shown; k++) {
				const at = y + HEAD + k * LANE;

				if (at + LANE > 0 && at < height)
					this.drawLane(context, row.lanes[k], at, width);
			}
			context.fillStyle = this.text;
			context.fillText(`${course.names[row.t]}${more > 0 ? `   \u25b8 ${count(more)} more levels` : row.lanes.length > this.few ? '   \u25be fewer levels' : ''}`, 3, y + HEAD / 2);
		}

		drawLane(context, lane, y, width) {
			const level = lane.level(this.least), { span, wanted } = this, scale = width / (span.to - span.from);
			const { begin, end, calls, busy, longest } = level;

			for (let i = level.search(span.from); i < level.n && begin[i] < span.to; i++) {
				const x = Math.max((begin[i] - span.from) * scale, -2), w = Math.min((end[i] - span.from) * scale, width + 2) - x, item = longest[i];

				context.globalAlpha = wanted && !wanted(item) ? 0.25 : 1;
				context.fillStyle = wanted && wanted(item) ? (this.dark ? '#9c3d9c' : '#e98be9') : this.colourOf(item);
				this.boxes++;
				if (calls[i] === 1) {
					context.fillRect(x, y, Math.max(w - 0.5, 0.8), LANE - 1);
				} else { /* as high as the part of the time that calls take */
					const part = Math.min(1, busy[i] / Math.max(end[i] - begin[i], 1)), h = Math.max(2, part * (LANE - 5));

					context.fillRect(x, y + LANE - 1 - h, Math.max(w, 0.8), h);
					context.fillRect(x, y + 2, Math.max(w, 0.8), 1);
				}
				if (w > LEAST_LABEL) {
					context.fillStyle = this.text;
					this.letters.put(calls[i] === 1 ? this.name(item) : `${count(calls[i])} calls`, Math.max(x, 0) + 3, y + LANE / 2, w - 5 + Math.min(x, 0));
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
			const row = this.rowAt(y), k = row ? Math.floor((y - row.y - HEAD) / LANE) : -1;

			if (!row || k < 0 || k >= row.shown)
				return null;
			const lane = row.lanes[k], level = lane.level(this.least), near = 1.5 * this.least, at = this.span.ns(x, this.box.width);
			let i = level.search(at - near);

			while (i + 1 < level.n && level.end[i] < at && level.begin[i + 1] <= at) /* that is right there, not beside */
				i++;
			return i < level.n && level.begin[i] <= at + near ? [lane, level, i] : null;
		}

		hover(x, y) {
			if (y - this.box.top < this.top)
				return null;
			const found = this.itemAt(x, y), row = this.rowAt(y);

			if (found)
				return this.tell(...found);
			return row && y < row.y + HEAD ? this.course.tellThread(row.t).join('\n') : null;
		}

		tell(lane, level, i) {
			const item = level.longest[i], thread = `${this.course.names[lane.thread]}, depth ${lane.depth + 1}`, cell = this.cell;

			if (level.calls[i] === 1)
				return [this.name(item), this.module(item), ...this.tellCall(item), thread].filter(line => line).join('\n');
			return [`${count(level.calls[i])} calls shorter than ${duration(cell)} each, joined`,
				`${count(level.begin[i])} to ${count(level.end[i])} ns; they take ${duration(level.busy[i])} of these ${duration(level.end[i] - level.begin[i])}`,
				`the longest: ${this.name(item)}`, ...this.tellCall(item), thread,
				cell > this.course.info.cell_ns ? 'zoom in to see more of them' : 'the page has no more of them; this has:', cell > this.course.info.cell_ns ? '' :
					`cinstr timeline --from=${Math.floor(level.begin[i])}ns --to=${Math.ceil(level.end[i]) + 1}ns --thread=${this.course.threads.get('tid')[lane.thread]}`]
				.filter(line => line).join('\n');
		}

		/* How uncertain that is: the probes' own time is in it. As much as of all calls of the function, with what they called. */
		tellProbes(item) {
			const { functions } = model, f = this.items.function[item], get = name => functions.get(name)[f];
			const probes = f >= 0 ? get('probe_overhead_inclusive_ns') : NaN, all = f >= 0 ? get('elapsed_inclusive_ns') + probes : NaN;

			return probes > 0 && all > 0 ? [`\u2264: the probes' time is in it, ${percent(100 * probes / all)} % of all its calls' time (R9)`] : [];
		}

		tellCall(item) {
			const { items, sites } = this, site = items.site[item], flags = items.flags[item];

			return [`time_ns ${asInCsv(items.begin[item])}`,
				Number.isNaN(items.duration[item]) ? 'duration_ns not known' : `duration_ns ${asInCsv(items.duration[item])}`,
				...this.tellProbes(item),
				site >= 0 ? `called at ${sites.text('file', site).replace(/.*\//, '')}:${sites.get('line')[site]}` : '',
				flags & 2 ? 'it was running already when the recording of it began' : '', flags & 1 ? 'it had not returned when the recording ended' : ''].filter(line => line);
		}

		/* ---- search -------------------------------------------------------------------- */

		search(text) {
			const wanted = text.trim().toLowerCase();

			this.found = this.wanted = null;
			this.box?.ask();
			if (!wanted)
				return '';
			const f = this.items.function, hits = this.lower(wanted), found = [];

			this.wanted = item => f[item] >= 0 ? hits[f[item]] === 1 : this.name(item).toLowerCase().includes(wanted);
			let calls = 0;

			for (let item = 0; item < this.items.n; item++)
				if (this.wanted(item) && this.items.calls[item] === 1)
					found.push(item);
				else if (this.wanted(item))
					calls++;
			found.sort((a, b) => this.items.begin[a] - this.items.begin[b]);
			this.found = found;
			this.at = -1;
			return `${count(found.length)} single call${found.length === 1 ? '' : 's'}` + (calls ? `, and the longest of ${count(calls)} joined boxes` : '');
		}

		lower(wanted) {
			const { functions } = model, hits = new Uint8Array(functions.n);

			this.lowerNames ??= Array.from({ length: functions.n }, (_, f) => model.functionName(f).toLowerCase());
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
			this.told?.(`${count(this.at + 1)} of ${count(this.found.length)}: ${[this.name(item), ...this.tellCall(item)].join(' \u00b7 ')}`);
		}

		show(lane) {
			const row = this.rows.find(one => one.t === lane.thread), k = row.lanes.indexOf(lane);

			if (k >= row.shown) {
				this.isWhole.add(lane.thread);
				this.placeRows();
				this.box.setHeight(this.height);
				return this.show(lane);
			}
			const y = row.y + HEAD + k * LANE, { element, height, top } = this.box;

			if (y < top + this.top || y + LANE > top + height)
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

	function note(element) {
		const { info } = chart.course, finest = info.cell_ns, parts = [];

		parts.push(`Here calls of ${duration(chart.cell)} and more are single boxes; shorter ones that begin in the same ${duration(chart.cell)}, with no longer one between, are one box, as high as their share of its time`);
		if (finest > 1)
			parts.push(`the page has ${count(info.calls)} calls, of which all of ${duration(finest)} and more are single`);
		if (info.short_ns)
			parts.push(`calls shorter than ${duration(info.short_ns)} were left out when it was recorded`);
		if (info.too_deep)
			parts.push(`${count(info.too_deep)} calls are deeper than ${count(info.deepest)} levels, and not here`);
		if (info.gaps)
			parts.push(`${count(info.gaps)} stretches of events were not kept`);
		parts.push('times are as the clock saw them, with the probes');
		element.textContent = parts.join(' \u00b7 ');
	}

	function zoomToCall(x, y) {
		const found = chart.itemAt(x, y);

		if (!found)
			return;
		const [, level, i] = found, length = level.end[i] - level.begin[i];

		chart.span.go(level.begin[i] - length * 0.1, level.end[i] + length * 0.1);
		chart.changed();
	}

	function clicked(x, y, event, about) {
		const row = chart.rowAt(y), found = chart.itemAt(x, y);

		if (row && y < row.y + HEAD && row.lanes.length > chart.few) {
			chart.toggle(row.t);
			return;
		}
		if (event.detail === 2) {
			zoomToCall(x, y);
			return;
		}
		if (!found)
			return;
		const [, level, i] = found, f = chart.items.function[level.longest[i]];

		about.replaceChildren(h('span', {}, chart.tell(...found).split('\n').join(' \u00b7 ')),
			h('button', { onclick: () => zoomToCall(x, y), title: 'double click' }, 'Zoom'),
			f >= 0 ? h('button', { onclick: () => go('function', { function: model.functionName(f) }) }, 'Function') : '');
		if (f >= 0)
			set({ function: model.functionName(f) });
	}

	async function render(container, state) {
		const all = await read(), span = new TimeWindow(all.course.end, state.get('span'));
		const found = h('span', { class: 'found', 'aria-live': 'polite', id: 'timeline-found' });
		const about = h('div', { class: 'about', 'aria-live': 'polite' }, h('span', { class: 'note' },
			'Drag, or Ctrl and the wheel, to move in time; a click tells of a call, a double click zooms to it.'));
		const foot = h('p', { class: 'note foot' }), tools = h('div', { class: 'tools' });

		chart = new Chart(all, span);
		const controls = timeControls(span, { left: () => 0, of: () => chart.box.width }, () => chart.changed());
		const input = h('input', { type: 'search', placeholder: 'Find a function', 'aria-label': 'Find', value: state.get('find'),
			oninput: event => { set({ find: event.target.value }); found.textContent = chart.search(event.target.value); },
			onkeydown: event => event.key === 'Enter' && chart.next(event.shiftKey ? -1 : 1) });

		tools.append(input, found, controls.buttons());
		container.append(tools, about);
		chart.controls = controls;
		chart.changed = () => { set({ span: span.address() }); hideTip(); chart.box.ask(); };
		chart.told = text => about.replaceChildren(text);
		chart.box = new CanvasBox(container, {
			label: 'Timeline', draw: (...of) => chart.draw(...of), hover: (x, y) => chart.hover(x, y),
			key: event => controls.key(event), wheel: (event, x) => controls.wheel(event, x), drag: controls.drag,
			click: (x, y, event) => clicked(x, y, event, about) });
		container.append(foot);
		chart.onDrawn = () => note(foot);
		chart.box.setHeight(chart.height);
		chart.box.resize();
		found.textContent = chart.search(input.value);
		if (state.get('lane'))
			chart.showThread(Number(state.get('lane')));
	}

	register({ id: 'timeline', title: 'Timeline', order: 38, needs: ['course'], render,
		available: () => model.has('lanes'),
		get chart() { return chart; },
		leave: () => chart?.box?.end(),
		redraw: () => chart?.box?.drawNow(),
		keys: { ...TIME_KEYS,
			'+': ['zoom in', () => chart.controls.key({ key: '+' })], '-': ['zoom out', () => chart.controls.key({ key: '-' })],
			0: ['all of the time', () => chart.controls.key({ key: '0' })],
			n: ['the next call found', () => chart.next(1)],
			N: ['the one before', () => chart.next(-1)] } });
}
