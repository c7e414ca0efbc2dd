/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * canvas.js - a picture as large as what is seen of it: it scrolls over any height. Tooltips, colours.
 */

const LEAST_HEIGHT = 180; /* however little room there is */

/*
 * new CanvasBox(container, {
 *   label       for those who cannot see it
 *   draw(context, width, height, top)   what is at [top, top + height)
 *   hover(x, y) -> text or null    of the place in all of it
 *   click(x, y, event), double(x, y), key(event) -> whether it was meant, wheel(event, x, y) -> likewise
 *   drag(begin, now, isOver)       of places; without it, nothing can be dragged
 *   fromEnd() -> whether it is to be seen from its end, as long as nobody has scrolled away from there
 * })
 */
class CanvasBox {
	constructor(container, options) {
		this.options = options;
		const label = { 'aria-label': options.label };

		this.canvas = h('canvas', { role: 'img', ...label });
		this.space = h('div', { class: 'space' }, this.canvas);
		this.element = h('div', { class: 'canvas', tabindex: '0', role: 'application', ...label },
			this.space);
		this.context = this.canvas.getContext('2d');
		this.asked = 0;
		this.contentHeight = 0;
		this.isAtEnd = true;
		container.append(this.element);
		CanvasBox.all.add(this);
		this.listen();
		this.watch = new ResizeObserver(() => this.resize());
		this.watch.observe(this.element);
	}

	listen() {
		const { element, options } = this;

		element.addEventListener('scroll', () => this.scrolled(), { passive: true });
		this.listenToPointer();
		element.addEventListener('keydown', event => {
			if (event.ctrlKey || event.altKey || event.metaKey || !options.key?.(event))
				return;
			event.preventDefault();
			event.stopPropagation();
		});
		element.addEventListener('wheel', event => {
			if (options.wheel?.(event, ...this.place(event)))
				event.preventDefault();
		}, { passive: false });
	}

	listenToPointer() {
		const { element, options } = this;
		let begin = null;

		element.addEventListener('pointermove', event => {
			if (begin && options.drag && event.buttons)
				options.drag(begin, this.place(event), false);
			else if (event.pointerType === 'mouse')
				this.point(event);
		});
		element.addEventListener('pointerdown', event => {
			begin = event.button ? null : this.place(event);
		});
		element.addEventListener('pointerup', event => {
			const now = this.place(event), moved = begin && Math.abs(now[0] - begin[0]) > 4;

			if (moved && options.drag)
				options.drag(begin, now, true);
			this.isDragged = moved && Boolean(options.drag);
			begin = null;
		});
		element.addEventListener('pointerleave', hideTip);
		element.addEventListener('click', event => {
			if (!this.isDragged)
				options.click?.(...this.place(event), event);
		});
	}

	scrolled() {
		hideTip();
		if (this.height === this.lastHeight) /* else it is not somebody who scrolls */
			this.isAtEnd = this.top + this.height >= this.contentHeight - 2;
		this.ask();
	}

	place(event) {
		const rect = this.canvas.getBoundingClientRect();

		return [event.clientX - rect.left, event.clientY - rect.top + this.top];
	}

	point(event) {
		const text = this.options.hover?.(...this.place(event));

		if (text)
			showTip(text, event.clientX, event.clientY);
		else
			hideTip();
	}

	get top() {
		return this.element.scrollTop;
	}

	get width() {
		return this.element.clientWidth;
	}

	get height() {
		return this.element.clientHeight;
	}

	/* What there is to scroll over. A short picture is no higher than that. */
	setHeight(height) {
		this.contentHeight = height;
		this.space.style.setProperty('height', `${height}px`);
		this.element.style.setProperty('height', `${height + 2}px`);
		this.element.style.setProperty('min-height', `${Math.min(height + 2, LEAST_HEIGHT)}px`);
		this.toEnd();
	}

	toEnd() {
		if (this.isAtEnd && this.options.fromEnd?.())
			this.element.scrollTop = this.contentHeight;
	}

	resize() {
		const { canvas, width, contentHeight } = this;
		const height = Math.min(this.height, Math.max(contentHeight, 1));
		const size = [width, height].map(one => Math.round(one * (devicePixelRatio || 1)));

		if (canvas.width !== size[0] || canvas.height !== size[1]) { /* setting them clears it */
			[canvas.width, canvas.height] = size;
			this.canvas.style.setProperty('width', `${width}px`);
			this.canvas.style.setProperty('height', `${height}px`);
		}
		this.toEnd();
		this.lastHeight = this.height;
		this.drawNow();
	}

	ask() {
		if (!this.asked)
			this.asked = requestAnimationFrame(() => this.drawNow());
	}

	drawNow() {
		const ratio = devicePixelRatio || 1, begin = performance.now();

		cancelAnimationFrame(this.asked);
		this.asked = 0;
		if (!this.width || !this.element.isConnected)
			return;
		this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
		this.context.clearRect(0, 0, this.width, this.height);
		const height = Math.min(this.height, this.canvas.height / ratio);

		this.options.draw(this.context, this.width, height, this.top);
		this.took = performance.now() - begin;
	}

	/* All of it that fits on a page, as wide as paper; null: as it was. */
	print(width) {
		if (!this.element.isConnected) {
			CanvasBox.all.delete(this);
			return;
		}
		this.element.style.setProperty('width', width ? `${width}px` : '');
		this.element.style.setProperty('flex', width ? 'none' : '');
		this.resize();
	}

	end() {
		CanvasBox.all.delete(this);
		this.watch.disconnect();
		cancelAnimationFrame(this.asked);
		hideTip();
	}
}

CanvasBox.all = new Set();

/* ---- tooltips -------------------------------------------------------------------------------- */

function tip() {
	const made = () => document.body.appendChild(h('div', { id: 'tip', role: 'tooltip', hidden: true }));

	return document.getElementById('tip') ?? made();
}

function showTip(text, x, y) {
	const element = tip();

	element.textContent = text;
	element.hidden = false;
	const { width, height } = element.getBoundingClientRect();
	const left = Math.max(4, Math.min(x + 14, innerWidth - width - 6));
	const top = y + 18 + height < innerHeight ? y + 18 : Math.max(4, y - height - 10);

	element.style.setProperty('left', `${left}px`);
	element.style.setProperty('top', `${top}px`);
}

function hideTip() {
	const element = document.getElementById('tip');

	if (element)
		element.hidden = true;
}

/* ---- paper ----------------------------------------------------------------------------------- */

const PAPER_WIDTH = 700; /* A4 between its margins */
const PAPER_COLOURS = {
	back: '#ffffff', text: '#1c1f23', soft: '#5b636d', line: '#d9dde2', panel: '#f4f6f8', hot: '#b3261e',
	other: '#9aa3ad', accent: '#1f5fbf',
};
let isPrinting = false;

/* Tables and pictures become as large as paper, in its colours; behind, as they were. */
function print(isOn) {
	isPrinting = isOn;
	for (const box of CanvasBox.all)
		box.print(isOn ? PAPER_WIDTH : null);
	for (const one of tablesShown)
		one.print(isOn ? PAPER_WIDTH : null);
}

/* ---- colours and text ------------------------------------------------------------------------ */

const isDark = () => matchMedia('(prefers-color-scheme: dark)').matches && !isPrinting;

function colourOf(name) {
	return isPrinting ? PAPER_COLOURS[name]
		: getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/* The same text has the same hue in every page. */
function hueOf(text) {
	let hash = 2166136261;

	for (let i = 0; i < text.length; i++)
		hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
	return (hash ^ hash >>> 15) >>> 0;
}

function moduleColour(module) {
	if (!module)
		return isDark() ? 'hsl(0 0% 34%)' : 'hsl(0 0% 80%)';
	const hash = hueOf(module), hue = hash % 360, shade = (hash >>> 10) % 8;

	return isDark() ? `hsl(${hue} 42% ${30 + shade}%)` : `hsl(${hue} 55% ${74 + shade}%)`;
}

/* What a search has found. */
const foundColour = dark => dark ? '#9c3d9c' : '#e98be9';

/* Names that begin alike are told apart by their ends: of n characters the middle is left out. */
function cutTo(text, n) {
	const end = n < 10 ? 0 : Math.floor(n * 0.45);

	return `${text.slice(0, n - end - 1)}\u2026${text.slice(text.length - end)}`;
}

/* '': not even two letters fit. */
function cutToFit(context, text, room) {
	const width = one => context.measureText(one).width, whole = width(text);
	let n = Math.min(text.length - 1, Math.ceil(room / whole * text.length));

	if (whole <= room)
		return text;
	while (n > 2 && width(cutTo(text, n)) > room)
		n--;
	return n > 2 ? cutTo(text, n) : '';
}

/* Between two colours, each [r, g, b]. */
function mixed(a, b, share) {
	return `rgb(${a.map((one, i) => Math.round(one + (b[i] - one) * share)).join(' ')})`;
}

/* Writes as much of a text as there is room for. */
class Letters {
	constructor(font) {
		this.font = font;
		this.widths = new Map();
	}

	begin(context) {
		context.font = this.font;
		context.textBaseline = 'middle';
		this.context = context;
	}

	width(text) {
		let width = this.widths.get(text);

		if (width === undefined)
			this.widths.set(text, width = this.context.measureText(text).width);
		return width;
	}

	put(text, x, y, room) {
		const fits = this.width(text) <= room;

		this.context.fillText(fits ? text : cutToFit(this.context, text, room), x, y);
	}
}

addEventListener('beforeprint', () => print(true));
addEventListener('afterprint', () => print(false));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => current?.redraw?.());
