/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * section.js - a section of the data (model.js): bytes as pack.h has made them, columns decoded when they are
 * first asked for.
 */

/* ---- bytes ----------------------------------------------------------------------------------- */

function bytesOfBase64(text) {
	const binary = atob(text.replace(/\s+/g, '')), n = binary.length, bytes = new Uint8Array(n);

	for (let i = 0; i < n; i++)
		bytes[i] = binary.charCodeAt(i);
	return bytes;
}

async function inflate(bytes) {
	if (typeof DecompressionStream === 'undefined')
		throw new Error('This browser is too old for the page: it needs Chromium 103, Firefox 113 ' +
			'or Safari 16.4.');
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));

	return new Uint8Array(await new Response(stream).arrayBuffer());
}

class Reader {
	constructor(bytes, at = 0) {
		this.bytes = bytes;
		this.at = at;
	}

	varint() {
		const bytes = this.bytes;
		let byte = bytes[this.at++], value = byte & 127, scale = 128;

		for (; byte & 128; scale *= 128) {
			byte = bytes[this.at++];
			value += (byte & 127) * scale;
		}
		return value;
	}

	signed() {
		const value = this.varint();

		return value % 2 ? -(value + 1) / 2 : value / 2;
	}

	name() {
		const n = this.varint(), from = this.at;

		this.at += n;
		return new TextDecoder().decode(this.bytes.subarray(from, this.at));
	}
}

/* ---- sections -------------------------------------------------------------------------------- */

const DECODED_AT_ONCE = 131072; /* rows: milliseconds */

/* By kind of pack.h: what it becomes, and how rows [from, to) are read, of which the reader is before the
 * first. */
const kinds = {
	n: { array: Float64Array, read(reader, values, from, to) {
		for (let i = from; i < to; i++) {
			const value = reader.varint() - 1;

			values[i] = value < 0 ? NaN : value % 2 ? -(value + 1) / 2 : value / 2;
		}
	} },
	m: { array: Float64Array, read(reader, values, from, to) {
		kinds.n.read(reader, values, from, to);
		for (let i = from; i < to; i++)
			values[i] /= 1e6;
	} },
	d: { array: Int32Array, read(reader, values, from, to) {
		for (let i = from, before = from ? values[from - 1] : 0; i < to; i++)
			values[i] = before += reader.signed();
	} },
	s: { array: Int32Array, read(reader, values, from, to) {
		for (let i = from, before = from ? values[from - 1] + 1 : 0; i < to; i++)
			values[i] = (before += reader.signed()) - 1;
	} },
	x: { array: Float64Array, read(reader, values, from, to) {
		for (let i = from, before = from ? values[from - 1] : 0; i < to; i++)
			values[i] = before += reader.signed();
	} },
	b: { array: Uint8Array, read(reader, values, from, to) {
		values.set(reader.bytes.subarray(reader.at, reader.at += to - from), from);
	} },
	f: { array: Float64Array, read(reader, values, from, to) {
		const bytes = reader.bytes.slice(reader.at, reader.at += (to - from) * 8);

		values.set(new Float64Array(bytes.buffer), from);
	} },
	z: { array: Float64Array, read(reader, values, from, to) {
		values.fill(NaN, from, to);
	} },
	t: { array: Float64Array, read(reader, values, from, to, section, column) {
		const own = section.get(column.of);

		for (let i = from; i < to; i++)
			values[i] = reader.signed() + own[i];
	}, finish(values, { parent }) {
		for (let i = values.length - 1; i >= 0; i--)
			if (parent[i] >= 0)
				values[parent[i]] += values[i];
	} },
};

class Section {
	constructor(name, bytes, model) {
		const reader = new Reader(bytes);

		this.name = name;
		this.model = model;
		this.columns = new Map();
		this.decoded = new Map();
		this.n = 0;
		while (reader.at < bytes.length) {
			const column = { name: reader.name(), kind: String.fromCharCode(bytes[reader.at++]) };

			column.of = reader.name();
			column.n = reader.varint();
			column.length = reader.varint();
			column.at = reader.at;
			reader.at += column.length;
			this.columns.set(column.name, column);
			this.n = Math.max(this.n, column.n);
		}
		this.bytes = bytes;
	}

	has(name) {
		return this.columns.has(name);
	}

	/* No value of it is known. */
	isEmpty(name) {
		const column = this.columns.get(name);

		return !column || column.kind === 'z';
	}

	get(name) {
		if (!this.decoded.has(name))
			this.decode(name, Infinity);
		return this.decoded.get(name);
	}

	/* So many rows more of a column. Whether all are there. */
	decode(name, rows) {
		const column = this.columns.get(name), kind = kinds[column?.kind];

		if (this.decoded.has(name))
			return true;
		if (!column || (column.kind === 'z' && name.endsWith('.marks'))) {
			this.decoded.set(name, column ? new Uint8Array(column.n)
				: new Float64Array(this.n).fill(NaN));
			return true;
		}
		if (column.kind === 't' && rows < column.n && !this.decode(column.of, rows))
			return false;
		column.reader ??= new Reader(this.bytes, column.at);
		column.values ??= new kind.array(column.n);
		const from = column.row ?? 0, to = column.row = Math.min(from + rows, column.n);

		kind.read(column.reader, column.values, from, to, this, column);
		if (to < column.n)
			return false;
		kind.finish?.(column.values, this);
		this.decoded.set(name, column.values);
		column.values = column.reader = null;
		return true;
	}

	isText(name) {
		return /[sx]/.test(this.columns.get(name)?.kind ?? '');
	}

	text(name, row) {
		switch (this.columns.get(name)?.kind) {
		case 's':
			return this.model.strings[this.get(name)[row]] ?? '';
		case 'x':
			return this.get(name)[row] ? `0x${this.get(name)[row].toString(16)}` : '';
		}
		return '';
	}
}
