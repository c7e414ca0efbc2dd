/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * flame_graph.js - what view_flame.js shows: boxes of a tree (flame_trees.js) for what the address asks for, their
 * colours, what is told of them, moving and searching.
 */

const FLAME_ROW = 18, FLAME_LEAST_LABEL = 24, FLAME_EXTEND_MS = 10;
const FLAME_COLOURS = { module: 'Module', waiting: 'Waiting', change: 'Change' };

/* Those that boxes can be as wide as. */
function flameMeasures() {
	return model.measures().filter(one => one.inclusive ? model.functions.has(one.inclusive) : one.id === 'calls');
}

/* What the address asks for. */
function flameMeasure(state) {
	const list = flameMeasures();

	return list.find(one => one.id === state.get('measure')) ?? list.find(one => /elapsed|samples/.test(one.id)) ?? list[0];
}

class FlameGraph {
	constructor(trees, state) {
		this.trees = trees;
		this.measure = flameMeasure(state);
		this.isInverted = state.get('invert') === '1';
		this.isCollapsed = state.get('collapse') === '1';
		this.isFlame = state.get('shape') === 'flame';
		this.width = trees.after && state.get('width') === 'before' ? 'before' : 'after';
		this.colour = FLAME_COLOURS[state.get('colour')] ? state.get('colour') : trees.after ? 'change' : 'module';
		if (this.colour === (trees.after ? 'waiting' : 'change'))
			this.colour = 'module';
		this.tree = trees.tree(this);
		this.zoom = this.selected = this.placeOf(state);
		this.back = [];
		this.letters = new Letters('12px system-ui, sans-serif');
		this.wanted = null;
		this.boxes = null;
	}

	/* The node that the address says; -1: all of it. */
	placeOf(state) {
		const path = state.get('path'), chain = state.get('chain');

		if (path && !this.isInverted && !state.get('thread')) {
			const plain = this.trees.plain(this.measure, this.width), at = plain.from.indexOf(Number(path));

			return at < 0 ? -1 : this.isCollapsed ? this.tree.of[at] : at;
		}
		let at = -1;

		for (const label of (chain ?? '').split('.').filter(one => one).map(Number)) {
			let child = this.tree.first(at);

			while (child >= 0 && this.tree.label[child] !== label)
				child = this.tree.next(child);
			if (child < 0)
				break;
			at = child;
		}
		return at;
	}

	addressOf(node) {
		if (node < 0)
			return { path: null, chain: null };
		if (!this.isInverted && this.tree.from[node] >= 0 && !state.get('thread'))
			return { path: String(this.tree.from[node]), chain: null };
		const chain = this.tree.chain(node);

		return { path: null, chain: chain.length > 100 ? null : chain.map(i => this.tree.label[i]).join('.') };
	}

	place(width) {
		if (!this.boxes || this.boxes.width !== width || this.boxes.tree !== this.tree) {
			this.boxes = new Boxes(this.tree, this.zoom, width);
			this.restUntil = 0;
		}
		/* Callers below may be very many: what is not there in time comes with the next frame. A frame may draw several times. */
		if (performance.now() >= this.restUntil) {
			this.boxes.extend(this.isInverted ? this.rowsWished : Infinity, performance.now() + FLAME_EXTEND_MS);
			this.restUntil = performance.now() + FLAME_EXTEND_MS;
		}
		return this.boxes.isDone;
	}

	get rowsWished() {
		return Math.ceil(((this.box?.top ?? 0) + 2 * innerHeight) / FLAME_ROW) + this.boxes.base;
	}

	name(node) {
		return this.trees.names[this.tree.label[node]];
	}

	/* ---- colours ------------------------------------------------------------------- */

	prepareColours() {
		const dark = isDark();

		this.text = dark ? '#f2f4f7' : '#14171a';
		this.narrowColour = dark ? '#4a515a' : '#b4bcc5';
		this.line = colourOf('back');
		this.cool = dark ? [45, 96, 150] : [158, 200, 245];
		this.warm = dark ? [166, 96, 20] : [246, 172, 84];
		this.grey = dark ? [66, 72, 80] : [206, 211, 217];
		this.red = dark ? [178, 52, 44] : [240, 128, 116];
		this.blue = dark ? [48, 92, 178] : [124, 166, 240];
		this.modules = [];
	}

	colourOfNode(node) {
		const { tree } = this, label = tree.label[node];

		if (this.colour === 'waiting' && tree.right)
			return mixed(this.cool, this.warm, tree.right[node] > 0 ? Math.min(1, tree.left[node] / tree.right[node]) : 0);
		if (this.colour === 'change') {
			const change = this.changeOf(node);

			return mixed(this.grey, change > 0 ? this.red : this.blue, Math.abs(change));
		}
		return this.modules[label] ??= moduleColour(this.trees.module(label));
	}

	/* [in A, in B]; samples as shares of all: two runs take different numbers of them. */
	sidesOf(node) {
		const { left, right } = this.tree;

		return model.isSampled ? [left[node] / model.session.samples, right[node] / model.other.session.samples]
			: [left[node], right[node]];
	}

	/* -1: gone, 0: as it was, 1: new. */
	changeOf(node) {
		const [before, after] = this.sidesOf(node);

		return before === after || this.isUncertain(node) ? 0 : (after - before) / Math.max(after, before);
	}

	/* The change is no more than what both values may be off by. */
	isUncertain(node) {
		const name = this.measure.uncertainty?.[0], { from, fromAfter } = this.tree;

		if (model.isSampled)
			return this.isByChance(node);
		if (!name || !fromAfter || from[node] < 0 || fromAfter[node] < 0)
			return false;
		const off = this.trees.before.nodes.get(name)[from[node]] + this.trees.after.nodes.get(name)[fromAfter[node]];

		return Math.abs(this.tree.right[node] - this.tree.left[node]) <= off;
	}

	/* The intervals of both shares reach one another. */
	isByChance(node) {
		const [less, more] = [this.tree.left, this.tree.right].map((side, i) => {
			const all = (i ? model.other : model).session.samples, off = offOfSamples(side[node], all);

			return [(side[node] - off[0]) / all, (side[node] + off[1]) / all];
		}).sort((a, b) => a[0] - b[0]);

		return more[0] <= less[1];
	}

	/* ---- drawing ------------------------------------------------------------------- */

	/* Row of a place, and back: the flame's root is at the bottom. */
	rowAt(y) {
		const row = Math.floor(y / FLAME_ROW);

		return this.isFlame ? this.boxes.rows - 1 - row : row;
	}

	topOf(row) {
		return (this.isFlame ? this.boxes.rows - 1 - row : row) * FLAME_ROW;
	}

	draw(context, width, height, top) {
		const isDone = this.place(width), { boxes } = this;

		this.prepareColours();
		if (boxes.rows * FLAME_ROW !== this.box.contentHeight) {
			this.box.setHeight(boxes.rows * FLAME_ROW);
			top = this.box.top;
		}
		this.letters.begin(context);
		const one = this.rowAt(top), other = this.rowAt(top + height - 1);

		for (let row = Math.max(0, Math.min(one, other)); row <= Math.min(boxes.rows - 1, Math.max(one, other)); row++)
			this.drawRow(context, row, this.topOf(row) - top);
		this.onDrawn?.(isDone);
		if (!isDone && (!this.isInverted || boxes.rows < this.rowsWished))
			this.box.ask();
	}

	drawRow(context, row, y) {
		const { boxes, wanted, tree } = this;

		for (let k = boxes.begin(row); k < boxes.ends[row]; k++) {
			const node = boxes.node[k], x = boxes.x[k], w = boxes.w[k];

			if (node < 0) {
				if (w < 0.3)
					continue;
				context.fillStyle = this.narrowColour;
				context.fillRect(x, y + 4, Math.max(w - 0.5, 0.5), FLAME_ROW - 9);
				continue;
			}
			context.globalAlpha = wanted && !wanted[tree.label[node]] ? 0.3 : row < boxes.base ? 0.6 : 1;
			context.fillStyle = wanted && wanted[tree.label[node]] ? this.foundColour() : this.colourOfNode(node);
			context.fillRect(x, y, Math.max(w - 0.7, 0.6), FLAME_ROW - 1);
			if (node === this.selected)
				this.frame(context, x, y, w);
			if (w > FLAME_LEAST_LABEL) {
				context.fillStyle = this.text;
				this.letters.put(this.name(node), x + 4, y + FLAME_ROW / 2 - 0.5, w - 7);
			}
			context.globalAlpha = 1;
		}
	}

	foundColour() {
		return isDark() ? '#9c3d9c' : '#e98be9';
	}

	frame(context, x, y, w) {
		context.strokeStyle = this.text;
		context.lineWidth = 2;
		context.strokeRect(x + 1, y + 1, Math.max(w - 2.7, 1), FLAME_ROW - 3);
	}

	/* ---- what is there ------------------------------------------------------------- */

	boxAt(x, y) {
		return this.boxes ? this.boxes.at(this.rowAt(y), x) : -1;
	}

	hover(x, y) {
		const box = this.boxAt(x, y);

		if (box < 0)
			return null;
		const node = this.boxes.node[box];

		return node >= 0 ? this.tell(node) :
			`${count(-1 - node)} frame${node === -2 ? '' : 's'} narrower than a pixel, together ${this.amount(this.boxes.value[box])}\nzoom in to see them`;
	}

	amount(value) {
		return this.measure.unit === 'ns' ? duration(value) : `${count(value)} ${this.measure.id}`;
	}

	share(value) {
		return this.tree.total > 0 ? `${percent(100 * value / this.tree.total)} %` : '';
	}

	/* All that is known of a node, for its tooltip. */
	tell(node) {
		const { tree, trees } = this, label = tree.label[node], lines = [trees.names[label]];

		if (trees.module(label))
			lines.push(trees.module(label));
		if (SPECIAL_ROWS[trees.names[label]])
			lines.push(SPECIAL_ROWS[trees.names[label]]);
		lines.push(`${this.measure.title}: ${this.amount(tree.value[node])}, ${this.share(tree.value[node])}` +
			   (this.isInverted ? '' : `; own ${this.amount(tree.own[node])}`));
		if (this.isInverted)
			lines.push(tree.parent[node] < 0 ? 'own time of the function on all paths' : 'own time of the function at the root, called like this');
		else if (tree.paths?.[node] > 1)
			lines.push(`${count(tree.paths[node])} paths: recursion is one level`);
		if (trees.after)
			lines.push(...this.tellChange(node));
		const exact = this.isInverted || tree.paths?.[node] > 1 ? this.exactOfFunction(node) : this.exactOfPath(node);

		return [...lines, ...exact].join('\n');
	}

	tellChange(node) {
		const [before, after] = this.sidesOf(node), change = after - before;
		const text = value => model.isSampled ? `${(100 * value).toFixed(2)} %` : this.amount(value);
		const size = text(Math.abs(change)).replace('%', 'points');

		return [`A ${text(before)}, B ${text(after)}: ${change < 0 ? '\u2212' : '+'}${size}` +
			(this.isUncertain(node) ? ', within what is uncertain' : '')];
	}

	/* As csv has them. */
	exactOfPath(node) {
		const { from, fromAfter } = this.tree, { before, after } = this.trees;
		const of = (side, i, title) => i < 0 ? [`${title}: not there`] : [`${title}:`, ...this.exact(side.nodes, i)];

		if (!after)
			return from[node] < 0 ? [] : [...this.exact(before.nodes, from[node]), ...this.rules()];
		return [...of(before, from[node], 'A, before'), ...of(after, fromAfter ? fromAfter[node] : -1, 'B, after'), ...this.rules()];
	}

	exactOfFunction(node) {
		const label = this.tree.label[node];

		if (this.tree.parent[node] >= 0 || label >= model.functions.n || !this.isInverted)
			return [];
		return ['the function, on all paths:', ...this.exact(model.functions, label), ...this.rules()];
	}

	exact(section, i) {
		const { inclusive, exclusive, uncertainty } = this.measure, lines = [];

		[inclusive, exclusive].forEach((name, k) => {
			if (!name || !section.has(name) || name === 'calls')
				return;
			const off = uncertainty && section.has(uncertainty[k]) ? section.get(uncertainty[k])[i] : NaN;
			const marks = section.has(name + '.marks') ? section.get(name + '.marks')[i] : 0;

			lines.push(`${name} ${asInCsv(section.get(name)[i])}${off > 0 ? ` \u00b1 ${asInCsv(off)}` : ''}` +
				   (marks & MARK.estimated ? ' \u2248' : '') + (marks & MARK.rough ? ' ~' : ''));
		});
		if (section.has('calls'))
			lines.push(`calls ${asInCsv(section.get('calls')[i])}`);
		return lines;
	}

	rules() {
		const rules = { application: ['R12', 'R9'], waiting: ['R13'], samples: ['S3'], calls: ['R6'] }[this.measure.id] ?? ['R5', 'R9'];

		return rules.map(rule => `${rule}: ${RULES[rule]}`);
	}

	/* ---- moving -------------------------------------------------------------------- */

	zoomTo(node, isBack) {
		if (node === this.zoom)
			return;
		if (!isBack)
			this.back.push(this.zoom);
		this.zoom = this.selected = node;
		this.boxes = null;
		this.box.element.scrollTop = 0;
		this.box.isAtEnd = true;
		this.onMove?.();
		this.box.drawNow();
	}

	select(node) {
		this.selected = node;
		this.onMove?.();
		this.show(node);
		this.box.ask();
	}

	rowOf(node) {
		return this.tree.chain(node).length - 1;
	}

	/* Scrolls to where the node is. */
	show(node) {
		if (node < 0 || !this.boxes)
			return;
		const row = this.rowOf(node), { element, height } = this.box;

		if (this.isInverted)
			this.boxes.extend(row + 2);
		const y = this.topOf(row);

		if (y < element.scrollTop || y + FLAME_ROW > element.scrollTop + height)
			element.scrollTop = Math.max(0, y - height / 2);
	}

	/* The nodes of a row that are shown, from left to right. */
	shownBeside(node, step) {
		const row = this.rowOf(node), list = [];

		for (let k = this.boxes.begin(row); k < this.boxes.ends[row]; k++)
			if (this.boxes.node[k] >= 0)
				list.push(this.boxes.node[k]);
		return list[list.indexOf(node) + step] ?? node;
	}

	firstShown(node) {
		let child = this.tree.first(node), most = -1;

		for (; child >= 0; child = this.tree.next(child))
			if (most < 0 || this.tree.value[child] > this.tree.value[most])
				most = child;
		return most;
	}

	key(event) {
		const down = this.isFlame ? 'ArrowUp' : 'ArrowDown', up = this.isFlame ? 'ArrowDown' : 'ArrowUp', at = this.selected;
		let to = at;

		if (event.key === down)
			to = this.firstShown(at);
		else if (event.key === up)
			to = at < 0 ? at : this.tree.parent[at];
		else if (event.key === 'ArrowRight' || event.key === 'ArrowLeft')
			to = at < 0 ? this.firstShown(-1) : this.shownBeside(at, event.key === 'ArrowRight' ? 1 : -1);
		else if (event.key === 'Enter')
			this.zoomTo(at);
		else
			return false;
		if (to >= 0 && to !== at)
			this.select(to);
		return true;
	}

	goBack() {
		if (this.back.length)
			this.zoomTo(this.back.pop(), true);
		else
			this.zoomTo(this.zoom < 0 ? -1 : this.tree.parent[this.zoom], true);
	}

	/* ---- search -------------------------------------------------------------------- */

	search(text) {
		const wanted = text.trim().toLowerCase(), lower = this.trees.lower();

		this.wanted = null;
		if (wanted) {
			this.wanted = new Uint8Array(this.trees.labels);
			for (let label = 0; label < lower.length; label++)
				this.wanted[label] = lower[label].includes(wanted) ? 1 : 0;
		}
		this.box?.ask();
		if (!wanted)
			return '';
		const plain = this.trees.plain(this.measure, this.width), { sum, nodes } = shareOf(plain, this.wanted);

		return nodes ? `${percent(100 * sum / plain.total)} % in ${count(nodes)} path${nodes === 1 ? '' : 's'}: ${this.amount(sum)}` : 'none';
	}

	/* The next box that is found, behind the selected one. */
	next(step) {
		const { boxes, wanted, tree } = this, list = [];

		if (!wanted)
			return;
		for (const node of boxes.node)
			if (node >= 0 && wanted[tree.label[node]])
				list.push(node);
		const at = list.indexOf(this.selected);

		if (list.length)
			this.select(list[at < 0 ? 0 : (at + step + list.length) % list.length]);
	}
}
