// SPDX-License-Identifier: GPL-3.0-or-later
// What must hold for a page at any moment. Each function returns sentences of what is wrong. Put into a page
// by browser.py.

function nameOf(element) {
	const id = element.id ? "#" + element.id : "";
	const { className } = element, hasClass = typeof className === "string" && className;
	const cls = hasClass ? "." + className.trim().replace(/\s+/g, ".") : "";
	const text = (element.textContent || "").trim().slice(0, 30);
	return `${element.localName}${id}${cls} ${JSON.stringify(text)}`;
}

function shown(element) {
	return element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
		element.getClientRects().length > 0;
}

// What code writes where it has nothing to write.
function words() {
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
	for (let text = texts.nextNode(); text; text = texts.nextNode())
		if (/^\s*(null|undefined|NaN|\[object .*)\s*$/.test(text.data) && shown(text.parentElement))
			found.push(`${nameOf(text.parentElement)} is ${text.data}`);
	return found.slice(0, 8);
}

// The page itself is no wider than the window. Boxes inside may scroll on their own.
function overflow() {
	const root = document.documentElement, wide = root.clientWidth;
	if (root.scrollWidth <= wide && document.body.scrollWidth <= wide)
		return [];
	const width = Math.max(root.scrollWidth, document.body.scrollWidth);
	const found = [`the page is ${width} wide in a window of ${wide}`];
	for (const element of document.body.querySelectorAll("*")) {
		const box = element.getBoundingClientRect();
		let clipped = false, outer = element.parentElement;
		for (; outer && outer !== document.body; outer = outer.parentElement)
			clipped = clipped || getComputedStyle(outer).overflowX !== "visible";
		if (!clipped && shown(element) && box.right > wide + 1 && box.width > 0)
			found.push(`${nameOf(element)} ends at ${Math.round(box.right)}`);
	}
	return found.slice(0, 8);
}

function colourOf(text) {
	const make = () => document.createElement("canvas").getContext("2d", { willReadFrequently: true });
	const canvas = colourOf.canvas || (colourOf.canvas = make());
	canvas.clearRect(0, 0, 1, 1);
	canvas.fillStyle = text;
	canvas.fillRect(0, 0, 1, 1);
	const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
	return [r, g, b, a / 255];
}

function over(top, below) {
	return [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
}

// What is behind an element's text: background colours, laid on one another.
function ground(element) {
	const layers = [];
	for (let at = element; at; at = at.parentElement) {
		const style = getComputedStyle(at), colour = colourOf(style.backgroundColor);
		if (style.backgroundImage !== "none" && style.backgroundImage.startsWith("url"))
			return null;
		layers.push(colour);
		if (colour[3] === 1)
			break;
	}
	const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
	let colour = isDark ? [18, 18, 18, 1] : [255, 255, 255, 1];
	for (const layer of layers.reverse())
		colour = over(layer, colour);
	return colour;
}

function luminance(colour) {
	const linear = v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
	const [r, g, b] = colour.slice(0, 3).map(v => linear(v / 255));
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function ratio(one, other) {
	const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
	return (high + 0.05) / (low + 0.05);
}

// WCAG 2.1 AA: 4.5 to 1, 3 to 1 for large text. What is switched off (disabled) is left out, as there.
function contrast() {
	const found = new Map(), walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let node; (node = walker.nextNode());) {
		const element = node.parentElement;
		const isLeftOut = element.closest("[disabled], script, style, option");
		if (!node.data.trim() || !shown(element) || isLeftOut)
			continue;
		const style = getComputedStyle(element), back = ground(element);
		if (!back)
			continue;
		let opacity = 1;
		for (let at = element; at; at = at.parentElement)
			opacity *= +getComputedStyle(at).opacity;
		const ink = colourOf(style.color);
		const text = over([ink[0], ink[1], ink[2], ink[3] * opacity], back);
		const size = parseFloat(style.fontSize);
		const large = size >= 24 || (size >= 18.66 && +style.fontWeight >= 700);
		const got = ratio(text, back);
		if (got < (large ? 3 : 4.5) - 0.005)
			found.set(`${style.color} on ${back.map(Math.round)}`,
				`contrast ${got.toFixed(2)}: ${nameOf(element)}, ${style.color} on ` +
				`rgb(${back.slice(0, 3).map(Math.round)})`);
	}
	return [...found.values()].slice(0, 8);
}

// What can be used has a name, which also who does not see it is told.
function names() {
	const found = [], used = "a[href], button, input, select, textarea, [role=button], [role=tab], " +
		"[tabindex='0'], canvas";
	const hasText = one => Boolean(one?.textContent?.trim());
	for (const element of document.querySelectorAll(used)) {
		if (!shown(element))
			continue;
		const ids = (element.getAttribute("aria-labelledby") || "").split(/\s+/);
		const isNamed = ids.some(id => id && hasText(document.getElementById(id))) ||
			[...(element.labels || [])].some(hasText) || element.getAttribute("aria-label") ||
			element.title || hasText(element);
		if (!isNamed && !(element.localName === "input" && element.type === "submit"))
			found.push(`no name: ${nameOf(element)} ${element.outerHTML.slice(0, 80)}`);
	}
	return found.slice(0, 8);
}

// Where the keyboard is must be seen: an outline, a shadow, or another ground or border than without.
function focusSeen() {
	const element = document.activeElement;
	if (!element || element === document.body)
		return ["nothing has the focus"];
	const look = () => {
		const s = getComputedStyle(element);
		const outline = s.outlineStyle === "none" ? "" : s.outlineWidth + s.outlineColor;
		return [outline, s.boxShadow, s.backgroundColor, s.borderColor].join("|");
	};
	const focused = look(), before = element.style.transition;
	element.style.transition = "none";
	element.blur();
	const plain = look();
	element.focus({ focusVisible: true, preventScroll: true });
	element.style.transition = before;
	return focused === plain ? [`the focus is not seen on ${nameOf(element)}`] : [];
}
