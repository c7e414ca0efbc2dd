/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * flame_graph.js - what view_flame.js shows: boxes of a tree (flame_trees.js) for what the address asks for,
 * drawing, moving and searching. What is told of them: flame_facts.js; their colours: flame_colours.js.
 */

const FLAME_ROW = 18, FLAME_LEAST_LABEL = 24, FLAME_EXTEND_MS = 10;
const CHAIN_MOST = 100; /* levels that are in an address */

/* Those that boxes can be as wide as. */
function flameMeasures(of = model) {
	const has = ({ id, inclusive }) => inclusive ? of.functions.has(inclusive) : id === 'calls';

	return of.measures().filter(has);
}

/* What the address asks for. */
function flameMeasure(state) {
	const list = flameMeasures(), wanted = list.find(({ id }) => id === state.get('measure'));

	return wanted ?? list.find(({ id }) => /elapsed|samples|instructions/.test(id)) ?? list[0];
}

class FlameGraph extends FlameFacts {
	constructor(trees, state) {
		super(trees, {
			measure: flameMeasure(state),
			isInverted: state.get('invert') === '1',
			isCollapsed: trees.isRecursive && state.get('collapse') !== '0',
			width: trees.after && state.get('width') === 'before' ? 'before' : 'after' });
		this.isFlame = state.get('shape') === 'flame';
		this.colour = flameColourOf(trees, state);
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
			const plain = this.trees.plain(this.measure, this.width);
			const at = plain.from.indexOf(Number(path));

			return at < 0 ? -1 : this.isCollapsed ? this.tree.of[at] : at;
		}
		return this.endOf((chain ?? '').split('.').filter(one => one).map(Number));
	}

	/* The node where a chain of labels ends, as far as it is in the tree. */
	endOf(labels) {
		let at = -1;

		for (const label of labels) {
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
		const chain = this.tree.chain(node), labels = chain.map(i => this.tree.label[i]);

		return { path: null, chain: chain.length > CHAIN_MOST ? null : labels.join('.') };
	}

	place(width) {
		if (!this.boxes || this.boxes.width !== width || this.boxes.tree !== this.tree) {
			this.boxes = new Boxes(this.tree, this.zoom, width);
			this.restUntil = 0;
		}
		/* Callers below may be very many: what is not there in time comes with the next frame. A
		 * frame may draw several times. */
		if (performance.now() >= this.restUntil) {
			const rows = this.isInverted ? this.rowsWished : Infinity;

			this.boxes.extend(rows, performance.now() + FLAME_EXTEND_MS);
			this.restUntil = performance.now() + FLAME_EXTEND_MS;
		}
		return this.boxes.isDone;
	}

	get rowsWished() {
		return Math.ceil(((this.box?.top ?? 0) + 2 * innerHeight) / FLAME_ROW) + this.boxes.base;
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

		this.colours = new FlameColours(this);
		if (boxes.rows * FLAME_ROW !== this.box.contentHeight) {
			this.box.setHeight(boxes.rows * FLAME_ROW);
			top = this.box.top;
		}
		this.letters.begin(context);
		const [from, to] = [this.rowAt(top), this.rowAt(top + height - 1)].sort((a, b) => a - b);

		for (let row = Math.max(0, from); row <= Math.min(boxes.rows - 1, to); row++)
			this.drawRow(context, row, this.topOf(row) - top);
		this.onDrawn?.(isDone);
		if (!isDone && (!this.isInverted || boxes.rows < this.rowsWished))
			this.box.ask();
	}

	drawRow(context, row, y) {
		const { boxes } = this, alpha = row < boxes.base ? 0.6 : 1;

		for (let k = boxes.begin(row); k < boxes.ends[row]; k++) {
			const node = boxes.node[k], x = boxes.x[k], w = boxes.w[k];

			if (node >= 0)
				this.drawBox(context, node, x, y, w, alpha);
			else if (w >= 0.3) {
				context.fillStyle = this.colours.narrow;
				context.fillRect(x, y + 4, Math.max(w - 0.5, 0.5), FLAME_ROW - 9);
			}
		}
	}

	/* alpha: where nothing is searched for. */
	drawBox(context, node, x, y, w, alpha) {
		const { wanted, tree, colours } = this, isFound = wanted && wanted[tree.label[node]];

		context.globalAlpha = wanted && !isFound ? 0.3 : alpha;
		context.fillStyle = isFound ? colours.found : this.colourOfNode(node);
		context.fillRect(x, y, Math.max(w - 0.7, 0.6), FLAME_ROW - 1);
		if (node === this.selected)
			this.frame(context, x, y, w);
		if (w > FLAME_LEAST_LABEL) {
			context.fillStyle = colours.text;
			this.letters.put(this.name(node), x + 4, y + FLAME_ROW / 2 - 0.5, w - 7);
		}
		context.globalAlpha = 1;
	}

	colourOfNode(node) {
		return this.colours.of(node);
	}

	frame(context, x, y, w) {
		context.strokeStyle = this.colours.text;
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

		if (node >= 0)
			return this.tell(node);
		return `${plural(-1 - node, 'frame')} narrower than a pixel, together ` +
			`${this.amount(this.boxes.value[box])}\nzoom in to see them`;
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

	/* Where an arrow leads from the selected box; undefined: it is no arrow. */
	besideSelected(key) {
		const { selected: at, isFlame, tree } = this;

		switch (key) {
		case 'ArrowLeft':
		case 'ArrowRight':
			return at < 0 ? this.firstShown(-1)
				: this.shownBeside(at, key === 'ArrowRight' ? 1 : -1);
		case isFlame ? 'ArrowUp' : 'ArrowDown':
			return this.firstShown(at);
		case isFlame ? 'ArrowDown' : 'ArrowUp':
			return at < 0 ? at : tree.parent[at];
		}
		return undefined;
	}

	key(event) {
		const to = this.besideSelected(event.key);

		if (event.key === 'Enter')
			this.zoomTo(this.selected);
		else if (to >= 0 && to !== this.selected)
			this.select(to);
		return event.key === 'Enter' || to !== undefined;
	}

	goBack() {
		if (this.back.length)
			this.zoomTo(this.back.pop(), true);
		else
			this.zoomTo(this.zoom < 0 ? -1 : this.tree.parent[this.zoom], true);
	}

	/* ---- search -------------------------------------------------------------------- */

	search(text) {
		const wanted = text.trim().toLowerCase();

		this.wanted = wanted ? this.labelsWith(wanted) : null;
		this.box?.ask();
		if (!wanted)
			return '';
		const plain = this.trees.plain(this.measure, this.width);
		const { sum, nodes } = shareOf(plain, this.wanted), share = percent(100 * sum / plain.total);

		return nodes ? `${share} % in ${plural(nodes, 'path')}: ${this.amount(sum)}` : 'none';
	}

	/* By label: 1 for those that have the text. */
	labelsWith(text) {
		const lower = this.trees.lower(), wanted = new Uint8Array(lower.length);

		for (let label = 0; label < lower.length; label++)
			wanted[label] = lower[label].includes(text) ? 1 : 0;
		return wanted;
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
