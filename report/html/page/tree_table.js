/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * tree_table.js - the table of view_tree.js: a row is a path that is shown; opening, closing, searching,
 * keys.
 */

/* Levels, and pixels of each; deeper ones say which they are. */
const treeIndent = () => innerWidth <= 600 ? [10, 5] : [30, 14];

class TreeTable {
	constructor(paths) {
		this.paths = paths;
		this.found = h('span', { class: 'found', 'aria-live': 'polite' });
	}

	/* set: of columns */
	show(container, set) {
		const hot = this.paths.nodes.get('hot');

		this.list = this.paths.visible();
		this.grid = table(container, {
			columns: this.columns(set), rows: this.list, label: 'Call tree',
			rowClass: i => hot[i] ? 'hot' : '',
			open: i => this.choose(i),
			key: (event, i) => this.key(event, i) });
	}

	update(at) {
		this.list = this.paths.visible();
		this.grid.show(this.list);
		if (at !== undefined)
			this.scrollTo(at);
	}

	scrollTo(i) {
		this.grid.scrollTo(this.list.indexOf(i));
	}

	openHot() {
		this.update(this.paths.openHot());
	}

	openTo(i) {
		this.paths.openTo(i);
		this.update(i);
	}

	toggle(i) {
		this.paths.set(i, !this.paths.opened[i]);
		this.update();
	}

	search(text, again) {
		const { path, told } = text ? this.paths.find(text, again) : { path: -1, told: '' };

		this.found.textContent = told;
		if (path >= 0)
			this.update(path);
	}

	/* ---- cells ----------------------------------------------------------------------------- */

	columns(set) {
		const { nodes } = this.paths, width = Math.min(520, Math.max(220, innerWidth * 0.45));
		const list = columnsOf(nodes.name, nodes, set === 'all' ? 'full' : set)
			.filter(column => nodes.has(column.name) && !column.isLeft);

		for (const column of list)
			column.hasBar = column.form !== 'percent' && /inclusive/.test(column.name) &&
				/^(total|cpu|samples|instructions)$/.test(column.family);
		return [{ heading: 'Call path', isLeft: true, width, cell: i => this.nameCell(i) }, ...list];
	}

	nameCell(i) {
		const { nodes, from, to } = this.paths, [levels, pixels] = treeIndent();
		const depth = nodes.depth[i] - (from < to ? nodes.depth[from] : 1);
		const name = model.nodeName(nodes, i), f = nodes.function[i];
		const title = SPECIAL_ROWS[name] ?? (f >= 0 ? model.functions.text('full_name', f) : name);
		const style = { 'padding-left': `${Math.min(depth, levels) * pixels}px` };

		return h('span', { class: 'path' + (nodes.get('hot')[i] ? ' hot' : ''), title, style },
			this.twig(i), depth > levels ? h('small', {}, `(${nodes.depth[i]}) `) : null,
			cutName(name), this.jumpNote(i));
	}

	/* Of tail calls. */
	jumpNote(i) {
		const { nodes } = this.paths, jumps = nodes.get('tail_calls')[i];

		if (!(jumps > 0))
			return null;
		return h('small', {}, jumps < nodes.get('calls')[i] ? ' (part jump)' : ' (jump)');
	}

	twig(i) {
		const { nodes, opened } = this.paths, hasMore = nodes.size[i] > 1;
		const onclick = event => {
			event.stopPropagation();
			this.toggle(i);
		};

		const [label, sign] = opened[i] ? ['close', '\u25be'] : ['open', '\u25b8'];

		return h('button', {
			class: 'twig', tabindex: '-1', 'aria-label': label, disabled: !hasMore, onclick },
		hasMore ? sign : '');
	}

	/* ---- keys, and what other views show, too ------------------------------------------------ */

	key(event, i) {
		const { nodes, opened } = this.paths;

		if (i === undefined)
			return false;
		switch (event.key) {
		case 'ArrowRight':
			if (!opened[i])
				this.toggle(i);
			else if (nodes.size[i] > 1)
				this.grid.scrollTo(this.list.indexOf(i) + 1);
			return true;
		case 'ArrowLeft':
			if (opened[i])
				this.toggle(i);
			else if (nodes.parent[i] >= this.paths.from)
				this.scrollTo(nodes.parent[i]);
			return true;
		case '*':
			this.paths.toggleBelow(i);
			this.update(i);
			return true;
		case 'f':
			if (nodes.function[i] >= 0)
				go('function', { function: model.functionName(nodes.function[i]) });
			return true;
		case 'g':
			this.choose(i);
			go('flame');
			return true;
		}
		return false;
	}

	/* Other views show it, too. */
	choose(i) {
		const { nodes } = this.paths;

		set({ path: nodes.name === 'nodes' ? String(i) : null });
		if (nodes.function[i] >= 0)
			set({ function: model.functionName(nodes.function[i]) });
	}

	/* ---- another edition --------------------------------------------------------------------- */

	/* What was open before, by names; else the hot path. Returns where the cursor was. */
	openFirst(kept) {
		let last = -1;

		if (kept?.section !== this.paths.nodes.name)
			return this.paths.openHot();
		findNodes(model, this.paths.nodes, kept.opened, (i, flag) => {
			this.paths.opened[i] = flag & 1;
			last = flag & 2 ? i : last;
		});
		return last;
	}

	/* What is open, and where the cursor is. */
	keep() {
		const { nodes } = this.paths, flags = this.paths.opened.slice(), cursor = this.grid.cursor();

		if (cursor !== undefined)
			flags[cursor] |= 2;
		return { section: nodes.name, opened: keepNodes(model, nodes, flags) };
	}
}
