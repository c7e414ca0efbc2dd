/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "export_delta.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "export_tree.h"

static void put_text(struct strbuf *to, const char *text)
{
	strbuf_puts(to, text ? text : "");
	strbuf_add(to, "\n", 1);
}

static void put_place(struct strbuf *to, const struct export_tree *tree, uint32_t place)
{
	if (!place)
		return;
	put_text(to, tree->places[place].file);
	strbuf_printf(to, "%u\n", tree->places[place].line);
	put_text(to, tree->places[place].inlined);
}

/* Names of threads may come late: they are not in it. */
static void put_item(struct strbuf *to, const struct export_tree *tree, const struct tree_item *item)
{
	const struct entity *e;

	strbuf_printf(to, "%d\n", (int)item->kind);
	if (item->kind == TREE_ORIGIN) {
		const struct tree_origin *origin = &tree->origins[item->entity];

		strbuf_printf(to, "%u\n%u\n%llu\n", origin->pid, origin->tid,
			      (unsigned long long)origin->start_realtime_ns);
		put_text(to, origin->phase);
	} else if (item->kind == TREE_FUNCTION) {
		e = &tree->profile.names->list[item->entity];
		put_text(to, e->assembler ? e->assembler : e->name);
		put_text(to, e->module);
		put_text(to, e->file);
		put_place(to, tree, item->place);
	} else if (item->kind == TREE_LINE) {
		put_place(to, tree, item->place);
	}
}

static void set_hash(struct sample_key *key, const struct strbuf *text)
{
	XXH128_hash_t hash = XXH3_128bits(text->text, text->length);

	key->half[0] = hash.low64;
	key->half[1] = hash.high64;
}

struct sample_key *sample_keys_make(const struct export_tree *tree)
{
	struct sample_key *keys = xcalloc(tree->n + 1, sizeof(*keys));
	STRBUF(text);
	struct map seen = { 0 };
	int is_new = 0;

	for (size_t i = 1; i < tree->n; i++) {
		const struct tree_item *item = tree_item(tree, i);
		const struct sample_key *parent = &keys[tree->nodes[i].parent];

		keys[i].pid = item->kind == TREE_ORIGIN ? tree->origins[item->entity].pid : parent->pid;
		strbuf_clear(&text);
		strbuf_add(&text, (const char *)parent->half, sizeof(parent->half));
		put_item(&text, tree, item);
		do {
			set_hash(&keys[i], &text);
			map_add(&seen, keys[i].half, sizeof(keys[i].half), &is_new);
			strbuf_add(&text, "+", 1);
		} while (!is_new);
	}
	map_release(&seen);
	return keys;
}
