/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lanes.js - calls of a timeline by thread and depth: pure functions over arrays. Items are as report/course/
 * lanes.h has made them for the finest cell; here they are joined by the same rule for longer cells, when
 * somebody looks from further away.
 */

/* Items of one lane for one cell: from .. to in begin, end, calls, busy (sums of lengths), longest (a number
 * of the items of the finest cell, which tell of its function). */
class Level {
	constructor(n) {
		this.n = 0;
		this.begin = new Float64Array(n);
		this.end = new Float64Array(n);
		this.calls = new Float64Array(n);
		this.busy = new Float64Array(n);
		this.longest = new Int32Array(n);
	}

	put(begin, end, calls, busy, longest) {
		const at = this.n++;

		this.begin[at] = begin;
		this.end[at] = end;
		this.calls[at] = calls;
		this.busy[at] = busy;
		this.longest[at] = longest;
	}

	/* The first item that ends behind a moment. */
	search(moment) {
		let low = 0, high = this.n;

		while (low < high) {
			const middle = low + high >> 1;

			if (this.end[middle] <= moment)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	}
}

/* For cells twice as long. lengths: of the longest of each item of the finest cell. */
function joined(level, cell, lengths) {
	const next = new Level(level.n);

	for (let i = 0; i < level.n; i++) {
		const at = next.n - 1, longest = level.longest[i], length = lengths[longest];

		if (at >= 0 && length < cell && lengths[next.longest[at]] < cell &&
		    Math.floor(next.begin[at] / cell) === Math.floor(level.begin[i] / cell)) {
			next.end[at] = Math.max(next.end[at], level.end[i]);
			next.calls[at] += level.calls[i];
			next.busy[at] += level.busy[i];
			if (length > lengths[next.longest[at]])
				next.longest[at] = longest;
		} else {
			next.put(level.begin[i], level.end[i], level.calls[i], level.busy[i], longest);
		}
	}
	return next;
}

class Lane {
	constructor(thread, depth, finest, cell, lengths) {
		this.thread = thread;
		this.depth = depth;
		this.cell = cell;
		this.lengths = lengths;
		this.levels = [finest];
	}

	/* For boxes of one pixel and more: items of a cell no shorter than this. */
	level(least) {
		let k = 0;

		for (let cell = this.cell; cell < least && k < 60; cell *= 2, k++)
			if (!this.levels[k + 1])
				this.levels.push(joined(this.levels[k], cell * 2, this.lengths));
		return this.levels[k];
	}
}

/* The cell that Lane.level(least) is of. */
function cellFor(finest, least) {
	let cell = finest;

	while (cell < least)
		cell *= 2;
	return cell;
}

/* Lanes of sections `lanes` and `items`; items: what is known of the longest of each. */
function lanesOf(lanes, section, cell) {
	const n = section.n, get = name => section.get(name), list = [];
	const [gap, length, calls, lack] = ['gap', 'length', 'calls', 'busy'].map(get);
	const [at, of, work] = ['at', 'longest', 'own_work'].map(get);
	const [threads, depths, counts] = ['thread', 'depth', 'items'].map(name => lanes.get(name));
	const items = {
		n, calls, function: get('function'), site: get('site'), flags: get('flags'),
		begin: new Float64Array(n), length: new Float64Array(n), duration: new Float64Array(n),
		lane: new Int32Array(n),
	};
	const none = values => values.every(Number.isNaN) ? null : values;
	const known = none(work);
	let i = 0;

	for (let lane = 0; lane < lanes.n; lane++) {
		const level = new Level(counts[lane]);

		for (let k = 0, before = 0; k < counts[lane]; k++, i++) {
			const begin = before + gap[i], end = begin + length[i];

			before = end;
			items.begin[i] = begin + (at[i] || 0);
			items.length[i] = calls[i] > 1 ? of[i] : length[i];
			items.duration[i] = known ? items.length[i] - work[i] : NaN;
			items.lane[i] = lane;
			level.put(begin, end, calls[i], length[i] - (lack[i] || 0), i);
		}
		list.push(new Lane(threads[lane], depths[lane], level, cell, items.length));
	}
	return { list, items };
}
