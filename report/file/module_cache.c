/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "module_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util.h"
#include "modules.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* What the decoded tables depend on, besides the bytes of notes and strings. */
struct key {
	uint64_t notes_address, strings_address;
	uint64_t notes_bytes, strings_bytes;
	uint64_t text, text_bytes; /* text: link address */
	uint64_t code_base, code_bytes;
};

/* A module whose notes and strings are copies of its own. */
struct entry {
	struct key key;
	uint64_t hash;
	struct module module;
};

struct module_cache {
	pthread_mutex_t lock;
	struct entry *list;
	size_t n;
};

static struct key key_of(const struct module *module)
{
	const struct cinstr_module *raw = module->raw;

	return (struct key){ raw->notes_address,
			     raw->strings_address,
			     module->notes_bytes,
			     module->strings_bytes,
			     raw->text_start - raw->base,
			     raw->text_end - raw->text_start,
			     raw->code_base,
			     raw->code_bytes };
}

static uint64_t hash_of(const struct module *module)
{
	return XXH3_64bits(module->notes, module->notes_bytes) ^
	       XXH3_64bits(module->strings, module->strings_bytes);
}

static int is_same(const struct entry *entry, const struct module *module, const struct key *key,
		   uint64_t hash)
{
	return entry->hash == hash && !memcmp(&entry->key, key, sizeof(*key)) &&
	       !memcmp(entry->module.notes, module->notes, module->notes_bytes) &&
	       !memcmp(entry->module.strings, module->strings, module->strings_bytes);
}

/* Gives the module what the entry has decoded. */
static void share(struct module *module, const struct module *from)
{
	module->functions = from->functions;
	module->n_functions = from->n_functions;
	module->sites = from->sites;
	module->n_sites = from->n_sites;
	module->levels = from->levels;
	module->n_levels = from->n_levels;
	module->left_out = from->left_out;
	module->n_left_out = from->n_left_out;
	module->by_name = from->by_name;
	module->waits_for_start = from->waits_for_start;
	module->is_shared = 1;
}

struct module_cache *module_cache_new(void)
{
	struct module_cache *tables = xcalloc(1, sizeof(*tables));

	pthread_mutex_init(&tables->lock, NULL);
	return tables;
}

int module_cache_find(struct module_cache *tables, struct module *module)
{
	struct key key = key_of(module);
	uint64_t hash;
	int found = 0;

	if (!tables || !module->notes_bytes)
		return 0;
	hash = hash_of(module);
	pthread_mutex_lock(&tables->lock);
	for (size_t i = 0; i < tables->n && !found; i++)
		if (is_same(&tables->list[i], module, &key, hash)) {
			share(module, &tables->list[i].module);
			found = 1;
		}
	pthread_mutex_unlock(&tables->lock);
	return found;
}

/* ---- keeping --------------------------------------------------------------------------------- */

/* A pointer into the module's strings, made one into their copy. */
static const char *moved(const struct module *module, const char *text, const char *copy)
{
	uintptr_t offset = (uintptr_t)text - (uintptr_t)module->strings;

	return text && offset < module->strings_bytes ? copy + offset
						      : text; /* else a constant of this program */
}

static void texts_move(const struct module *m, const char *copy)
{
	for (size_t i = 0; i < m->n_functions; i++) {
		m->functions[i].name = moved(m, m->functions[i].name, copy);
		m->functions[i].file = moved(m, m->functions[i].file, copy);
		m->functions[i].comp_dir = moved(m, m->functions[i].comp_dir, copy);
	}
	for (size_t i = 0; i < m->n_sites; i++) {
		m->sites[i].file = moved(m, m->sites[i].file, copy);
		m->sites[i].callee = moved(m, m->sites[i].callee, copy);
	}
	for (size_t i = 0; i < m->n_levels; i++)
		m->levels[i] = moved(m, m->levels[i], copy);
	for (size_t i = 0; i < m->n_left_out; i++)
		m->left_out[i].name = moved(m, m->left_out[i].name, copy);
}

static char *copy_of(const char *bytes, uint64_t n)
{
	char *copy = xcalloc(n + 1, 1);

	memcpy(copy, bytes, n);
	return copy;
}

void module_cache_keep(struct module_cache *tables, struct module *module)
{
	struct entry entry = { .key = key_of(module) };

	if (!tables || !module->notes_bytes)
		return;
	entry.hash = hash_of(module);
	entry.module = *module;
	entry.module.notes = copy_of(module->notes, module->notes_bytes);
	entry.module.strings = copy_of(module->strings, module->strings_bytes);
	texts_move(module, entry.module.strings);
	module->is_shared = 1;
	pthread_mutex_lock(&tables->lock);
	tables->list = xrealloc(tables->list, tables->n + 1, sizeof(*tables->list));
	/* another thread may just have added the same: having it twice does no harm */
	tables->list[tables->n++] = entry;
	pthread_mutex_unlock(&tables->lock);
}

void module_cache_release(struct module_cache *tables)
{
	if (!tables)
		return;
	for (size_t i = 0; i < tables->n; i++) {
		struct module *module = &tables->list[i].module;

		free((char *)(uintptr_t)module->notes);
		free((char *)(uintptr_t)module->strings);
		module_release(module);
	}
	pthread_mutex_destroy(&tables->lock);
	free(tables->list);
	free(tables);
}
