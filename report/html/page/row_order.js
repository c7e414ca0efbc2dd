/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * row_order.js - in which order rows are: by numbers, by strings; made once of all rows of a section.
 */

/*
 * The rows in the order of their values, which are Float64Array by row: from the largest, or the smallest
 * (up); those without a value last; equal ones as they were. A radix sort: 100,000 rows take milliseconds.
 */
function sortRows(rows, values, up) {
	const n = rows.length, keys = new Float64Array(n), halves = new Uint32Array(keys.buffer);
	const low = new Uint32Array(n), high = new Uint32Array(n);

	for (let i = 0; i < n; i++)
		keys[i] = values[rows[i]] + 0; /* -0 is 0 */
	for (let i = 0; i < n; i++) {
		const negative = halves[2 * i + 1] >>> 31;

		if (Number.isNaN(keys[i])) {
			low[i] = high[i] = 0xffffffff;
			continue;
		}
		low[i] = negative ? ~halves[2 * i] : halves[2 * i];
		high[i] = negative ? ~halves[2 * i + 1] : halves[2 * i + 1] | 0x80000000;
		if (!up) {
			low[i] = ~low[i];
			high[i] = ~high[i];
		}
	}
	return sortByDigits(rows, low, high);
}

/* By keys of 64 bits, of which these are the lower and the upper 32; 16 bits at a time. */
function sortByDigits(rows, low, high) {
	const n = rows.length;
	let from = Int32Array.from(rows), to = new Int32Array(n);
	let low2 = new Uint32Array(n), high2 = new Uint32Array(n);
	const counts = new Uint32Array(65537);

	for (let pass = 0; pass < 4; pass++) {
		const shift = pass % 2 * 16, digits = pass < 2 ? low : high;

		counts.fill(0);
		for (let i = 0; i < n; i++)
			counts[(digits[i] >>> shift & 0xffff) + 1]++;
		if (counts.includes(n))
			continue;
		for (let i = 0; i < 65536; i++)
			counts[i + 1] += counts[i];
		for (let i = 0; i < n; i++) {
			const at = counts[digits[i] >>> shift & 0xffff]++;

			to[at] = from[i];
			low2[at] = low[i];
			high2[at] = high[i];
		}
		[from, to] = [to, from];
		[low, low2] = [low2, low];
		[high, high2] = [high2, high];
	}
	return from;
}

/* 0, 1, ..., n - 1 */
function upTo(n) {
	const rows = new Int32Array(n);

	for (let i = 0; i < n; i++)
		rows[i] = i;
	return rows;
}

/* Of each string of the model, its place among all of them, from A: a merge sort, a part of it at a time. */
class StringRanks {
	constructor(strings) {
		this.strings = strings;
		this.order = upTo(strings.length);
		this.merged = new Int32Array(strings.length);
		this.length = 1; /* of the parts that are in order; those before `at` are twice as long */
		this.at = this.to = 0;
		this.left = this.right = 0;
	}

	/* So many steps more. Whether all is in order. */
	work(steps) {
		const n = this.strings.length;

		while (this.length < n && steps > 0) {
			const { at, to, length } = this, middle = Math.min(at + length, n);
			const end = Math.min(middle + length, n);
			const until = Math.min(end, to + steps);

			steps -= until - to;
			this.merge(at, middle, end, until);
			if (until < end)
				break;
			this.at = end;
			this.left = this.right = 0;
			if (end < n)
				continue;
			[this.order, this.merged] = [this.merged, this.order];
			this.length *= 2;
			this.at = this.to = 0;
		}
		return this.length >= n;
	}

	/* Of the parts [at, middle) and [middle, end) what comes before `until`. */
	merge(at, middle, end, until) {
		const { strings, order, merged } = this;
		let left = at + this.left, right = middle + this.right, { to } = this;

		while (to < until) {
			const isLeft = left < middle &&
				(right >= end || strings[order[left]] <= strings[order[right]]);

			merged[to++] = isLeft ? order[left++] : order[right++];
		}
		Object.assign(this, { left: left - at, right: right - middle, to });
	}

	ranks() {
		const ranks = new Float64Array(this.order.length);

		this.work(Infinity);
		this.order.forEach((string, rank) => ranks[string] = rank);
		return ranks;
	}
}

const sorterOf = owner => owner.sorter ??= new StringRanks(owner.strings);
const ranksOfStrings = owner => owner.ranks ??= sorterOf(owner).ranks();

/* What a column is sorted by, by row. */
function sortKeys(section, name) {
	if (section.columns.get(name)?.kind !== 's')
		return section.get(name);
	const ranks = ranksOfStrings(section.model);

	const strings = section.get(name), keys = new Float64Array(strings.length);

	for (let i = 0; i < keys.length; i++)
		keys[i] = strings[i] < 0 ? NaN : ranks[strings[i]];
	return keys;
}

/* All rows of a section in such an order, made once. */
function orderOf(section, name, up) {
	const orders = section.orders ??= new Map(), key = `${name} ${up}`;

	if (!orders.has(key))
		orders.set(key, sortRows(upTo(section.n), sortKeys(section, name), up));
	return orders.get(key);
}
