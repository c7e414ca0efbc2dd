'use strict';
/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * model.js - what the page knows: the data that html_sections.c has written, decoded when they are
 * first asked for (section.js). All scripts of the page are one script: names are shared, model.js is first,
 * page.js second, main.js last, views between.
 *
 * CONTRACT
 *
 * model (the session; model.other: the second one of a page of two, likewise, else null):
 *   model.index       what was written as JSON: model.index.data.session is `session` of
 *                     cinstr report --format=json; model.index.tables.NAME.columns: of each column
 *                     name, heading, group, form, family, value (EI EE AI AE), meaning;
 *                     .cpu, .full, .os: names of those that --view shows
 *   model.isSampled, model.isMixed
 *   await model.withInstructions()  the same session with executed instructions in the place of time, if
 *                     model.hasInstructions: a model of its own, with sections functions, modules, threads,
 *                     processes, nodes, thread_nodes, edges, source, lines, and isExecuted; its `times` is
 *                     this one. Views that are `ofInstructions` get either, as the address says (page.js)
 *   model.inclusive, .exclusive  the columns that stand for all others
 *   model.total(column)  what 100 % of a column is
 *   model.has(name)      whether there is such a section
 *   await model.load(name)  the section, decoded once; views get those they name in `needs`
 *   model.functions, .modules, .threads, .processes   sections that are there from the start
 *
 * A section: rows and columns.
 *   section.n              rows
 *   section.has(column)
 *   section.get(column)    Float64Array (NaN: csv has nothing there), of numbers; shares in percent
 *                          with csv's six decimals. Decoded on the first call.
 *                          "COLUMN.marks": Uint8Array, bits of MARK (as tables have them)
 *   section.text(column, row)   of names: a string, '' if there is none
 * Columns have the names of csv, so every number is csv's: elapsed_inclusive_ns,
 * elapsed_exclusive_ns, application_..., off_cpu_ns (waiting, inclusive), off_cpu_exclusive_ns,
 * cpu_inclusive_ns, cpu_exclusive_ns, calls, elapsed_inclusive_uncertainty_ns, ...; of sampled
 * sessions inclusive_samples, exclusive_samples. MEASURES names them by what they measure.
 *
 * functions: one row a function; its number in other sections ("function", or -1) is its row.
 *            full_name: with parameters. functionName(i), model.functionOf(name) -> number or -1.
 * nodes (await model.load('nodes')): call paths, parents before children, siblings by inclusive time.
 *   nodes.depth[i] (1: a root), nodes.parent[i] (-1: none), nodes.size[i] (paths in its subtree, it
 *   itself included, so the next sibling is i + size[i]), nodes.function[i], model.nodeName(nodes, i),
 *   nodes.get('hot') (1: on the hot path). nodes.hidden(column): Float64Array, what paths that are
 *   not in the page have of it, by the parent they are below of; index.paths_hidden: how many.
 * thread_nodes: the same below each thread (names: "[thread NAME TID]"), of sessions with several.
 * hot: of nodes, those on the hot path, outermost first: function, elapsed_inclusive_ns, ...
 * edges: who calls whom, what cinstr callers shows; "caller" (-1: [outside]) and "function" are functions,
 *   "recursion" 1 if over some of these calls a function was called that was running already.
 * nodes_more: the other columns of csv, of the same rows; not in pages of very many paths.
 *
 * To add data: a writer in C (html_sections.h: a row in html_sections.c) that writes columns with
 * pack_column(); `await model.load('its name')` finds it. If columns are not enough:
 * decoders['its name'] = (section, model) => section, or rawDecoders[...] = (bytes, model) => any.
 *
 * Of two sessions, changes.js tells what of A is what of B: await matches().
 *
 * A view is one file view_NAME.js that calls register() (page.js says with what).
 */

const MARK = { rough: 1, upperEnd: 2, estimated: 4, partial: 8, least: 16, open: 32 };

/* What there is to measure: inclusive and exclusive columns. */
const MEASURES = [
	{ id: 'cpu', title: 'On the processor',
	  inclusive: 'cpu_inclusive_ns', exclusive: 'cpu_exclusive_ns',
	  uncertainty: ['elapsed_inclusive_uncertainty_ns', 'elapsed_exclusive_uncertainty_ns'], unit: 'ns' },
	{ id: 'elapsed', title: 'Elapsed',
	  inclusive: 'elapsed_inclusive_ns', exclusive: 'elapsed_exclusive_ns',
	  uncertainty: ['elapsed_inclusive_uncertainty_ns', 'elapsed_exclusive_uncertainty_ns'], unit: 'ns' },
	{ id: 'application', title: 'Application',
	  inclusive: 'application_inclusive_ns', exclusive: 'application_exclusive_ns',
	  uncertainty: ['application_inclusive_uncertainty_ns', 'application_exclusive_uncertainty_ns'],
	  unit: 'ns' },
	{ id: 'waiting', title: 'Waiting',
	  inclusive: 'off_cpu_ns', exclusive: 'off_cpu_exclusive_ns', unit: 'ns' },
	{ id: 'samples', title: 'Samples',
	  inclusive: 'inclusive_samples', exclusive: 'exclusive_samples', unit: '' },
	{ id: 'instructions', title: 'Instructions',
	  inclusive: 'inclusive_instructions', exclusive: 'exclusive_instructions', unit: '' },
	{ id: 'calls', title: 'Calls', exclusive: 'calls', unit: '' },
];

/* ---- decoding ---------------------------------------------------------------------------------- */

/* What else is to be done comes first. */
function rest() {
	const { port1, port2 } = new MessageChannel();

	return new Promise(done => {
		port1.onmessage = done;
		port2.postMessage(0);
	});
}

/* path: of each depth the last one before. */
function parentsOfDepths(depth, parent, path, from, end) {
	for (let i = from; i < end; i++) {
		parent[i] = depth[i] > 1 ? path[depth[i] - 1] : -1;
		path[depth[i]] = i;
	}
}

function sizesOfParents(parent, size, from, end) {
	for (let i = end - 1; i >= from; i--)
		if (parent[i] >= 0)
			size[parent[i]] += size[i];
}

/* What a section becomes, and what others than series of columns do. */
const decoders = {
	/* Others get on between the parts. */
	async nodes(section) {
		const n = section.n, path = [], parent = new Int32Array(n), size = new Int32Array(n).fill(1);

		for (const name of ['depth', 'function'])
			while (!section.decode(name, DECODED_AT_ONCE))
				await rest();
		const depth = section.get('depth');

		for (let from = 0; from < n; from += DECODED_AT_ONCE) {
			parentsOfDepths(depth, parent, path, from, Math.min(from + DECODED_AT_ONCE, n));
			await rest();
		}
		for (let end = n; end > 0; end -= DECODED_AT_ONCE) {
			sizesOfParents(parent, size, Math.max(end - DECODED_AT_ONCE, 0), end);
			await rest();
		}
		return Object.assign(section, {
			depth, parent, size, function: section.get('function'), hidden: hiddenOf });
	},
};
decoders.thread_nodes = decoders.nodes;

const rawDecoders = {
	index: bytes => JSON.parse(new TextDecoder().decode(bytes)),
	strings: bytes => new TextDecoder().decode(bytes).split('\0'),
};

/* Of nodes: what their children that are not in the page have. */
function hiddenOf(inclusive) {
	const measure = MEASURES.find(one => one.inclusive === inclusive), values = this.get(inclusive);
	const left = values.slice(), own = this.get(measure.exclusive);

	for (let i = 0; i < this.n; i++) {
		left[i] -= own[i];
		if (this.parent[i] >= 0)
			left[this.parent[i]] -= values[i];
	}
	return left;
}

class Model {
	/* times: of a model of executed instructions, the one of time. */
	constructor(prefix, source, times = null) {
		this.prefix = prefix;
		this.source = source;
		this.times = times;
		this.loaded = new Map();
		this.sums = new Map();
		this.other = null;
	}

	has(name) {
		return this.source.has(this.prefix + name);
	}

	load(name) {
		if (!this.loaded.has(name))
			this.loaded.set(name, this.read(name));
		return this.loaded.get(name);
	}

	async read(name) {
		if (!this.has(name))
			throw new Error(`The page has no section '${this.prefix}${name}'.`);
		const bytes = await inflate(await this.source.bytes(this.prefix + name));

		if (rawDecoders[name])
			return rawDecoders[name](bytes, this);
		const section = new Section(name, bytes, this);

		return decoders[name] ? decoders[name](section, this) : section;
	}

	async begin() {
		const names = ['index', 'functions', 'modules', 'threads', 'processes'];

		this.strings = this.times?.strings ?? await this.load('strings');
		for (const [i, part] of (await Promise.all(names.map(name => this.load(name)))).entries())
			this[names[i]] = part;
		this.session = this.index.data.session;
		this.isSampled = this.session.method === 'sampling';
		this.isMixed = this.session.counted_functions !== undefined;
		this.isExecuted = this.times !== null;
		this.hasInstructions = !this.prefix && this.source.has('i.index');
		this.inclusive = this.isExecuted ? 'inclusive_instructions'
			: this.isSampled ? 'inclusive_samples' : 'elapsed_inclusive_ns';
		this.exclusive = this.isExecuted ? 'exclusive_instructions'
			: this.isSampled ? 'exclusive_samples' : 'elapsed_exclusive_ns';
		this.numbers = new Map();
		for (let i = this.functions.n - 1; i >= 0; i--)
			this.numbers.set(this.functionName(i), i);
		if (!this.prefix && this.source.has('b.index'))
			this.other = await new Model('b.', this.source).begin();
		return this;
	}

	withInstructions() {
		return this.executed ??= new Model('i.', this.source, this).begin();
	}

	functionName(number) {
		return number < 0 ? '' : this.functions.text('name', number);
	}

	functionOf(name) {
		return this.numbers.get(name) ?? -1;
	}

	nodeName(nodes, i) {
		return nodes.function[i] < 0 ? nodes.text('name', i) : this.functionName(nodes.function[i]);
	}

	/* What 100 % of a column is, in its unit; NaN: there is no such whole. */
	total(column) {
		const session = this.session;

		if (column.startsWith('application_'))
			return session.application_inclusive_ns ?? NaN;
		if (/samples$/.test(column))
			return session.samples;
		if (/instructions$/.test(column))
			return session.instructions;
		if (column.startsWith('cpu_'))
			return this.sum('cpu_exclusive_ns');
		if (column.startsWith('off_cpu'))
			return this.sum('off_cpu_exclusive_ns');
		return session.elapsed_inclusive_ns ?? NaN;
	}

	/* Each is made once: cells ask for it. */
	sum(column) {
		if (!this.sums.has(column)) {
			let sum = 0;

			for (const value of this.functions.get(column))
				sum += value > 0 ? value : 0;
			this.sums.set(column, sum);
		}
		return this.sums.get(column);
	}

	/* Those that the session has. */
	measures() {
		return MEASURES.filter(one => !this.functions.isEmpty(one.exclusive));
	}
}

/* Another one, when a served page takes another edition (served.js). */
let model = null;
