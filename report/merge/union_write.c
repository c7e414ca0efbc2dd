/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * union_write.c - writes the union as a data file (doc/format.md, "Merged files"): modules,
 * contributors, and the children of a node in canonical orders, so that the same content gives the
 * same bytes.
 */
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "lib/order.h"
#include "union.h"

#define FIRST_CODE 4096u
#define FIRST_ADDRESS (1ull << 40)
#define GAP (1ull << 21) /* between the modules' text */
#define CLOCK_NS (1ull << 30)
#define TICKS_MAX ((wide)1 << 61)

struct writing {
	const struct union_tree *u;
	const struct union_tree *tree; /* whose nodes are written: u, or u->sums */
	FILE *out;
	uint32_t *modules;   /* in their order */
	uint32_t *code_base; /* of the file, by the union's number */
	uint64_t *base;
	uint32_t *who; /* the file's number of each contributor */
	uint32_t *contributors;
	uint32_t *order;	/* node numbers by parent and key */
	struct union_key *keys; /* of each node, in the file's codes */
	uint32_t *first, *n_children;
	uint32_t *number; /* of each node, in preorder */
	uint32_t n_numbered;
	int is_counted; /* the file is of version CINSTR_MERGED_VERSION_COUNTED */
	uint64_t sequence, at;
};

static void sort_numbers(uint32_t *list, size_t n, int (*compare)(const void *, const void *, void *),
			 void *arg)
{
	util_sort(list, n, sizeof(*list), compare, arg);
}

/* ---- modules --------------------------------------------------------------------------------- */

static int compare_modules(const void *a, const void *b, void *arg)
{
	const struct union_tree *u = arg;

	return union_module_compare(&u->modules[*(const uint32_t *)a], &u->modules[*(const uint32_t *)b]);
}

static const struct cinstr_module *raw_of(const struct union_module *m)
{
	return (const void *)m->bytes;
}

static void modules_place(struct writing *w)
{
	const struct union_tree *u = w->u;
	uint64_t next = FIRST_ADDRESS;
	uint32_t code = FIRST_CODE;

	w->modules = xcalloc(u->n_modules + 1, sizeof(*w->modules));
	w->code_base = xcalloc(u->n_modules + 1, sizeof(*w->code_base));
	w->base = xcalloc(u->n_modules + 1, sizeof(*w->base));
	for (uint32_t i = 0; i < u->n_modules; i++)
		w->modules[i] = i;
	sort_numbers(w->modules, u->n_modules, compare_modules, (void *)u);
	for (size_t i = 0; i < u->n_modules; i++) {
		const struct union_module *m = &u->modules[w->modules[i]];
		const struct cinstr_module *raw = raw_of(m);

		w->base[w->modules[i]] = next - (raw->text_start & ~(uint64_t)(CINSTR_PAGE - 1));
		next += (raw->text_end - raw->text_start + 2 * GAP) & ~(GAP - 1);
		if (!m->code_base)
			continue;
		w->code_base[w->modules[i]] = code;
		code += (raw->code_bytes + 15) & ~7u;
	}
}

static uint64_t address_of(const struct writing *w, uint64_t target)
{
	return target ? w->base[(target >> 48) - 1] + (target & UNION_LINK_MASK) : 0;
}

static uint32_t code_of(const struct writing *w, uint32_t code)
{
	for (size_t i = 0; code && i < w->u->n_modules; i++) {
		const struct union_module *m = &w->u->modules[i];

		if (m->code_base && code >= m->code_base && code - m->code_base < raw_of(m)->code_bytes)
			return code - m->code_base + w->code_base[i];
	}
	return 0;
}

static uint32_t put_block(struct strbuf *out, size_t from, const char *bytes, size_t n)
{
	uint32_t offset = (uint32_t)(out->length - from);

	strbuf_add(out, bytes, n);
	while ((out->length - from) % 8)
		strbuf_add(out, "", 1);
	return n ? offset : 0;
}

static void put_module(const struct writing *w, struct strbuf *out, uint32_t number)
{
	const struct union_module *m = &w->u->modules[number];
	const struct cinstr_module *from = raw_of(m);
	struct cinstr_module raw = *from;
	size_t at = out->length;

	strbuf_add(out, (const char *)&raw, sizeof(raw));
	raw.base = w->base[number];
	raw.text_start = from->text_start + raw.base;
	raw.text_end = from->text_end + raw.base;
	raw.code_base = w->code_base[number];
	raw.path_offset = put_block(out, at, m->path, strlen(m->path) + 1);
	raw.notes_offset = put_block(out, at, m->bytes + from->notes_offset, from->notes_bytes);
	raw.strings_offset = put_block(out, at, m->bytes + from->strings_offset, from->strings_bytes);
	raw.n_callees = m->n_callees;
	raw.callees_offset = m->n_callees ? (uint32_t)(out->length - at) : 0;
	for (uint32_t i = 0; i < m->n_callees; i++) {
		const struct cinstr_callee callee = { m->callees[i].string_address,
						      address_of(w, m->callees[i].target) };

		strbuf_add(out, (const char *)&callee, sizeof(callee));
	}
	raw.bytes = out->length - at;
	memcpy(out->text + at, &raw, sizeof(raw));
}

/* ---- contributors ---------------------------------------------------------------------------- */

static int compare_contributors(const void *a, const void *b, void *arg)
{
	const struct union_tree *u = arg;

	return union_contributor_compare(&u->contributors[*(const uint32_t *)a],
					 &u->contributors[*(const uint32_t *)b]);
}

/* Two that are the same have the number of the first. */
static void contributors_place(struct writing *w)
{
	const struct union_tree *u = w->u;
	uint32_t *order = xcalloc(u->n_contributors + 1, sizeof(*order));

	w->who = xcalloc(u->n_contributors + 1, sizeof(*w->who));
	for (uint32_t i = 0; i < u->n_contributors; i++)
		order[i] = i;
	sort_numbers(order, u->n_contributors, compare_contributors, (void *)u);
	for (uint32_t i = 0; i < u->n_contributors; i++)
		w->who[order[i]] = i && !compare_contributors(&order[i - 1], &order[i], (void *)u)
					   ? w->who[order[i - 1]]
					   : i;
	w->contributors = order;
}

static void put_string(struct strbuf *out, const char *string)
{
	varint_put(out, strlen(string));
	strbuf_puts(out, string);
}

static void put_contributors(const struct writing *w, struct strbuf *out)
{
	for (size_t i = 0; i < w->u->n_contributors; i++) {
		const struct merged_contributor *c = &w->u->contributors[w->contributors[i]];

		put_string(out, c->host);
		put_string(out, c->job);
		put_string(out, c->program);
		varint_put(out, c->rank_after);
		varint_put(out, c->pid);
		varint_put(out, c->start_realtime_ns);
#define PUT(name) varint_put(out, c->name);
		CINSTR_MERGED_OF_CONTRIBUTOR(PUT)
#undef PUT
		if (w->is_counted)
			varint_put(out, c->are_calls_least != 0);
	}
}

/* ---- counters -------------------------------------------------------------------------------- */

ORDER_ITEMS(compare_counters, struct merged_counter, ORDER(x->code, y->code))

/* In the order of the file's codes. */
static void put_counters(const struct writing *w, struct strbuf *out)
{
	size_t n = w->u->counter_codes.n;
	struct merged_counter *list = xcalloc(n + 1, sizeof(*list));
	uint32_t before = 0;

	for (size_t i = 0; i < n; i++) {
		list[i] = w->u->counters[i];
		list[i].code = code_of(w, list[i].code);
	}
	util_sort(list, n, sizeof(*list), compare_counters, NULL);
	varint_put(out, n);
	for (size_t i = 0; i < n; i++) {
		varint_put(out, list[i].code - before);
		varint_put(out, list[i].n);
		varint_put(out, list[i].untimed);
		before = list[i].code;
	}
	free(list);
}

static int is_counted(const struct union_tree *u)
{
	if (u->counter_codes.n || u->totals.calls_least)
		return 1;
	for (size_t i = 0; i < u->n_nodes; i++) {
		const struct merged_item *item = &union_node(u, i)->item;

		if (item->bounds || item->is_estimate || item->mixed)
			return 1;
	}
	return 0;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static int compare_keys(const struct union_key *a, const struct union_key *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->func != b->func)
		return a->func < b->func ? -1 : 1;
	if (a->site != b->site)
		return a->site < b->site ? -1 : 1;
	return a->target < b->target ? -1 : a->target > b->target;
}

static int compare_nodes(const void *a, const void *b, void *arg)
{
	const struct writing *w = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint32_t above_x = union_key(w->tree, x)->parent, above_y = union_key(w->tree, y)->parent;

	if (above_x != above_y)
		return above_x < above_y ? -1 : 1;
	return compare_keys(&w->keys[x], &w->keys[y]);
}

static void nodes_place(struct writing *w)
{
	size_t n = w->tree->n_nodes;

	w->keys = xcalloc(n, sizeof(*w->keys));
	w->order = xcalloc(n, sizeof(*w->order));
	w->first = xcalloc(n + 1, sizeof(*w->first));
	w->n_children = xcalloc(n + 1, sizeof(*w->n_children));
	for (uint32_t i = 0; i < n; i++) {
		const struct union_key *key = union_key(w->tree, i);

		w->keys[i] = (struct union_key){ .parent = key->parent,
						 .kind = key->kind,
						 .func = code_of(w, key->func),
						 .site = code_of(w, key->site),
						 .target = address_of(w, key->target) };
		w->order[i] = i;
	}
	sort_numbers(w->order, n, compare_nodes, w);
	/* those without a parent, the root and FLAT items, stand at the end */
	for (uint32_t i = 0; i < n; i++) {
		uint32_t parent = union_key(w->tree, w->order[i])->parent;

		parent = parent == UNION_NONE ? (uint32_t)n : parent;
		if (!w->n_children[parent]++)
			w->first[parent] = i;
	}
}

ORDER_ITEMS(compare_shares, struct merged_share, ORDER(x->owner, y->owner))

/* Copies the item's part, with its owners numbered as in the file, in that order. */
static void shares_place(const struct writing *w, const struct merged_mixed *from, struct merged_mixed *to)
{
	*to = *from;
	to->shares = xcalloc(from->n_shares + 1, sizeof(*to->shares));
	for (uint32_t i = 0; i < from->n_shares; i++)
		to->shares[i] = (struct merged_share){ w->number[from->shares[i].owner], from->shares[i].n };
	util_sort(to->shares, to->n_shares, sizeof(*to->shares), compare_shares, NULL);
}

static void put_node(const struct writing *w, struct strbuf *out, uint32_t number, uint32_t up)
{
	struct merged_item item = union_node(w->tree, number)->item;
	struct merged_mixed mixed = { 0 };

	item.up = up;
	item.func = w->keys[number].func;
	item.site = w->keys[number].site;
	item.target = w->keys[number].target;
	for (int i = 0; item.n_contributors && i < CINSTR_MERGED_VALUES; i++) {
		item.of[i].who_least = w->who[item.of[i].who_least];
		item.of[i].who_most = w->who[item.of[i].who_most];
	}
	if (item.mixed && item.is_estimate) {
		shares_place(w, item.mixed, &mixed);
		item.mixed = &mixed;
	}
	merged_put_item(out, &item);
	free(mixed.shares);
}

/* Visits the tree in preorder. */
static void tree_walk(struct writing *w,
		      void (*visit)(struct writing *w, struct strbuf *out, uint32_t node, uint32_t up),
		      struct strbuf *out)
{
	uint32_t *way = xcalloc(w->tree->n_nodes + 1, sizeof(*way)), depth = 0, up = 0;
	uint32_t *done = xcalloc(w->tree->n_nodes + 1, sizeof(*done));

	visit(w, out, 0, 0);
	way[0] = 0;
	for (;;) {
		uint32_t node = way[depth];

		if (done[node] == w->n_children[node]) {
			if (!depth)
				break;
			depth--;
			up++;
			continue;
		}
		way[depth + 1] = w->order[w->first[node] + done[node]++];
		visit(w, out, way[++depth], up);
		up = 0;
	}
	free(way);
	free(done);
}

static void visit_number(struct writing *w, struct strbuf *out, uint32_t node, uint32_t up)
{
	(void)out;
	(void)up;
	w->number[node] = w->n_numbered++;
}

static void visit_put(struct writing *w, struct strbuf *out, uint32_t node, uint32_t up)
{
	put_node(w, out, node, up);
}

/* Estimates name nodes by their numbers, which must be known before; so do union_moved_put()
 * and union_tags_put(). */
static void put_tree(struct writing *w, struct strbuf *out)
{
	if (w->is_counted || w->u->n_moved || w->u->n_tags) {
		w->number = xcalloc(w->tree->n_nodes, sizeof(*w->number));
		tree_walk(w, visit_number, NULL);
	}
	tree_walk(w, visit_put, out);
}

static uint32_t put_flats(struct writing *w, struct strbuf *out)
{
	size_t none = w->tree->n_nodes;
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->n_children[none]; i++) {
		uint32_t number = w->order[w->first[none] + i];

		if (!number)
			continue;
		if (w->number)
			w->number[number] = w->n_numbered++;
		put_node(w, out, number, 0);
		n++;
	}
	return n;
}

ORDER_ITEMS(compare_functions, struct merged_function,
	    compare_keys(&(struct union_key){ 0, x->func, x->site, x->kind, x->target },
			 &(struct union_key){ 0, y->func, y->site, y->kind, y->target }))

static void put_functions(const struct writing *w, struct strbuf *out)
{
	const struct union_tree *u = w->u;
	struct merged_function *list = xcalloc(u->n_functions + 1, sizeof(*list));

	for (size_t i = 0; i < u->n_functions; i++) {
		struct merged_function *f = &list[i];

		*f = u->functions[i].known;
		f->func = code_of(w, f->func);
		f->site = code_of(w, f->site);
		f->target = address_of(w, f->target);
		for (int k = 0; f->n_contributors && k < MERGED_OWN_VALUES; k++) {
			f->of[k].who_least = w->who[f->of[k].who_least];
			f->of[k].who_most = w->who[f->of[k].who_most];
		}
	}
	util_sort(list, u->n_functions, sizeof(*list), compare_functions, NULL);
	if (!u->lacks_functions)
		merged_put_functions(out, list, u->n_functions);
	free(list);
}

static uint64_t count_buckets(const struct union_tree *u)
{
	uint64_t n = 0;

	for (size_t i = 0; i < u->n_nodes; i++)
		n += union_node(u, i)->item.n_buckets + union_node(u, i)->item.n_after_buckets;
	return n;
}

static void release_nodes(struct writing *w)
{
	free(w->order);
	free(w->keys);
	free(w->first);
	free(w->n_children);
	free(w->number);
}

static void put_merged(struct writing *w, struct strbuf *out)
{
	struct cinstr_merged head = { .version = w->is_counted ? CINSTR_MERGED_VERSION_COUNTED
							       : CINSTR_MERGED_VERSION,
				      .n_contributors = (uint32_t)w->u->n_contributors,
				      .n_buckets = count_buckets(w->u),
				      .n_totals = sizeof(w->u->totals) / sizeof(wide) };

	strbuf_add(out, (const char *)&head, sizeof(head));
#define PUT_TOTAL(name) varint_put(out, w->u->totals.name);
	CINSTR_MERGED_TOTALS(PUT_TOTAL)
#undef PUT_TOTAL
	put_contributors(w, out);
	if (w->is_counted)
		put_counters(w, out);
	put_tree(w, out);
	head.n_flats = put_flats(w, out);
	put_functions(w, out);
	head.n_nodes = (uint32_t)w->u->n_nodes - head.n_flats;
	memcpy(out->text, &head, sizeof(head));
}

/* Puts executed instructions by call path, if they are known of all processes. */
static void put_sums(const struct writing *of, struct strbuf *out)
{
	struct writing w = { .u = of->u,
			     .tree = of->u->sums,
			     .modules = of->modules,
			     .code_base = of->code_base,
			     .base = of->base };
	struct cinstr_merged head = { .version = CINSTR_MERGED_VERSION, .n_totals = 1 };

	if (!union_has_sums(of->u))
		return;
	nodes_place(&w);
	head.n_nodes = (uint32_t)w.tree->n_nodes;
	head.n_buckets = union_sums_details(w.tree);
	strbuf_add(out, (const char *)&head, sizeof(head));
	varint_put(out, of->u->sums_flags);
	put_tree(&w, out);
	release_nodes(&w);
}

/* ---- properties ------------------------------------------------------------------------------ */

static int compare_properties(const void *a, const void *b, void *arg)
{
	const struct union_tree *u = arg;

	return strcmp(u->properties[*(const uint32_t *)a].key, u->properties[*(const uint32_t *)b].key);
}

static void put_properties(const struct writing *w, struct strbuf *out)
{
	const struct union_tree *u = w->u;
	uint32_t *order = xcalloc(u->n_properties + 1, sizeof(*order));
	struct strbuf different = { 0 };

	for (uint32_t i = 0; i < u->n_properties; i++)
		order[i] = i;
	sort_numbers(order, u->n_properties, compare_properties, (void *)u);
	for (size_t i = 0; i < u->n_properties; i++) {
		const struct union_property *p = &u->properties[order[i]];

		if (p->value) {
			strbuf_add(out, p->key, strlen(p->key) + 1);
			strbuf_add(out, p->value, strlen(p->value) + 1);
		} else {
			strbuf_printf(&different, "%s\n", p->key);
		}
	}
	if (different.length) {
		strbuf_add(out, "different", sizeof("different"));
		strbuf_add(out, different.text, different.length + 1);
	}
	strbuf_release(&different);
	free(order);
}

/* ---- the file -------------------------------------------------------------------------------- */

static uint64_t padded(uint64_t bytes)
{
	return (bytes + CINSTR_PAGE - 1) & ~(uint64_t)(CINSTR_PAGE - 1);
}

static void put_segment(struct writing *w, uint32_t type, uint32_t owner, const struct strbuf *payload)
{
	static const char zeros[CINSTR_PAGE];
	struct cinstr_segment s = { .magic = CINSTR_SEGMENT_MAGIC,
				    .type = type,
				    .bytes = padded(payload->length + sizeof(s)),
				    .used = payload->length,
				    .owner = owner,
				    .sealed = 1,
				    .checksum =
					    XXH3_64bits(payload->text ? payload->text : "", payload->length),
				    .sequence = ++w->sequence };

	fwrite(&s, sizeof(s), 1, w->out);
	if (payload->length)
		fwrite(payload->text, payload->length, 1, w->out);
	fwrite(zeros, s.bytes - sizeof(s) - payload->length, 1, w->out);
}

/* The finest clock in which all times have room. */
static int shift_of(const struct union_tree *u)
{
	wide sum = u->totals.runtime + u->totals.paused + u->totals.between;
	int shift = CINSTR_MERGED_FRACTION;

	for (size_t i = 0; i < u->n_nodes; i++)
		sum += union_node(u, i)->item.elapsed + union_node(u, i)->item.overhead[0];
	for (; shift > 0 && sum >= TICKS_MAX; shift--)
		sum >>= 1;
	return shift;
}

static void put_header(const struct writing *w, uint64_t file_bytes)
{
	const struct union_header *h = &w->u->header;
	int shift = shift_of(w->u);
	union {
		struct cinstr_header header;
		char bytes[CINSTR_PAGE];
	} page = { .header = { .version = CINSTR_FORMAT_VERSION,
			       .header_bytes = CINSTR_PAGE,
			       .start_realtime_ns = h->begin_realtime_ns,
			       .clock = CINSTR_CLOCK_TSC,
			       .probes = h->probes,
			       .threshold_ticks = h->threshold_ns << shift,
			       .restartable = h->restartable,
			       .file_bytes = file_bytes,
			       .clock_ticks = { 0, 0, CLOCK_NS << shift },
			       .clock_ns = { 0, 0, CLOCK_NS },
			       .end = h->end,
			       .end_status = h->end_status,
			       .end_realtime_ns = h->end_realtime_ns,
			       .stop = h->stop,
			       .stop_errno = h->stop_errno,
			       .lost_events = h->lost_events,
			       .lost_threads = h->lost_threads,
			       .attach_ns = h->attach_ns,
			       .marks_lost = h->marks_lost,
			       .switches = h->switches,
			       .self_errno = h->self_errno,
			       .streams = h->streams } };
	const char *from = (const char *)&page.header.pid, *to = (const char *)&page.header.file_bytes;

	memcpy(page.header.magic, CINSTR_FILE_MAGIC, sizeof(page.header.magic));
	page.header.calibration.rounds = h->is_calibrated;
	page.header.identity_checksum = XXH3_64bits(from, (size_t)(to - from));
	fwrite(&page, sizeof(page), 1, w->out);
}

static void release(struct writing *w)
{
	free(w->modules);
	free(w->code_base);
	free(w->base);
	free(w->who);
	free(w->contributors);
	release_nodes(w);
}

/* Executed segments: at most three segments of the file. */
struct executed_segments {
	struct strbuf modules, counts[UNION_COUNTS_KINDS];
	int has_counts[UNION_COUNTS_KINDS];
};

/* Returns how many bytes of the file they take. */
static uint64_t executed_make(const struct writing *w, struct executed_segments *e)
{
	uint64_t bytes = 0;

	union_segments_put_modules(w->u, w->modules, w->base, &e->modules);
	if (e->modules.length)
		bytes += padded(e->modules.length + sizeof(struct cinstr_segment));
	for (int k = 0; k < UNION_COUNTS_KINDS; k++) {
		e->has_counts[k] =
			union_segments_put_counts(w->u, w->modules, (enum union_counts)k, &e->counts[k]);
		if (e->has_counts[k])
			bytes += padded(e->counts[k].length + sizeof(struct cinstr_segment));
	}
	return bytes;
}

static void put_executed(struct writing *w, struct executed_segments *e)
{
	if (e->modules.length)
		put_segment(w, CINSTR_SEG_SEGMENT_MODULES, 0, &e->modules);
	for (int k = 0; k < UNION_COUNTS_KINDS; k++) {
		if (e->has_counts[k])
			put_segment(w, CINSTR_SEG_SEGMENT_COUNTS, k == UNION_COUNTS_SHARED ? UINT32_MAX : 0,
				    &e->counts[k]);
		strbuf_release(&e->counts[k]);
	}
	strbuf_release(&e->modules);
}

static uint32_t wait_code(const void *writing, uint32_t code)
{
	return code ? code_of(writing, code) : 0;
}

int union_write(struct union_tree *u, FILE *out)
{
	struct executed_segments executed = { .has_counts = { 0 } };
	struct writing w = { .u = u, .tree = u, .out = out, .is_counted = is_counted(u) };
	struct strbuf properties = { 0 }, modules = { 0 }, merged = { 0 }, waits = { 0 }, moved = { 0 };
	struct strbuf sums = { 0 }, tags = { 0 };
	uint64_t bytes;

	modules_place(&w);
	contributors_place(&w);
	nodes_place(&w);
	put_properties(&w, &properties);
	for (size_t i = 0; i < u->n_modules; i++)
		put_module(&w, &modules, w.modules[i]);
	put_merged(&w, &merged);
	union_waits_put(u, wait_code, &w, &waits);
	union_moved_put(u, w.number, &moved);
	union_tags_put(u, w.number, w.who, &tags);
	put_sums(&w, &sums);
	bytes = CINSTR_PAGE + padded(properties.length + sizeof(struct cinstr_segment)) +
		padded(modules.length + sizeof(struct cinstr_segment)) +
		padded(merged.length + sizeof(struct cinstr_segment)) + executed_make(&w, &executed) +
		(waits.length ? padded(waits.length + sizeof(struct cinstr_segment)) : 0) +
		(moved.length ? padded(moved.length + sizeof(struct cinstr_segment)) : 0) +
		(tags.length ? padded(tags.length + sizeof(struct cinstr_segment)) : 0) +
		(sums.length ? padded(sums.length + sizeof(struct cinstr_segment)) : 0);
	put_header(&w, bytes);
	put_segment(&w, CINSTR_SEG_PROPERTIES, 0, &properties);
	put_segment(&w, CINSTR_SEG_MODULES, 0, &modules);
	put_segment(&w, CINSTR_SEG_MERGED, 0, &merged);
	put_executed(&w, &executed);
	if (waits.length)
		put_segment(&w, CINSTR_SEG_WAITS, 0, &waits);
	if (moved.length)
		put_segment(&w, CINSTR_SEG_FILES, 0, &moved);
	if (tags.length)
		put_segment(&w, CINSTR_SEG_MERGED_TAGS, 0, &tags);
	if (sums.length)
		put_segment(&w, CINSTR_SEG_MERGED_SUMS, 0, &sums);
	strbuf_release(&properties);
	strbuf_release(&modules);
	strbuf_release(&merged);
	strbuf_release(&waits);
	strbuf_release(&moved);
	strbuf_release(&tags);
	strbuf_release(&sums);
	release(&w);
	return ferror(out) ? -1 : 0;
}
