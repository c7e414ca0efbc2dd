/* SPDX-License-Identifier: MIT */
/*
 * module.c - instrumented modules: finds their tables (abi.h), gives them codes, has their sleds
 * patched (switch.c), and has them written into the data file (module_file.c).
 *
 * Runs in module constructors and destructors (the dynamic loader's lock is held) and in the exit
 * handler. cinstr.modules changes under the lock of patch.c.
 */
#include <errno.h>

#include "image.h"
#include "module_file.h"
#include "runtime.h"
#include "tables.h"

/* ---- a module's notes ------------------------------------------------------------------------ */

struct ref_visit {
	void (*visit)(const char *string, void *data);
	void *data;
};

static void visit_refs(struct module *module, const struct cinstr_abi_table *table, void *data)
{
	const struct ref_visit *visit = data;

	for (uint32_t i = 0; i < table->n_refs; i++)
		visit->visit(table_string(module, table, i), visit->data);
}

void module_each_string(const struct module *module, void (*visit)(const char *string, void *data),
			void *data)
{
	struct ref_visit refs = { .visit = visit, .data = data };

	each_table(module, visit_refs, &refs);
}

/* ---- codes ----------------------------------------------------------------------------------- */

/* Writes what each of the table's sleds means to the fold. */
static void index_table(struct module *module, const struct cinstr_abi_table *table, void *data)
{
	const struct cinstr_abi_record *record = table_records(table), *end = record + table->n_records;
	uint32_t *words = (uint32_t *)cinstr.sites.words;
	uint8_t *wrappers = (uint8_t *)cinstr.sites.wrappers;
	uint32_t function = 0, before = 0;

	(void)data;
	for (; record < end; record++) {
		uint32_t kind = CINSTR_REC_KIND(record->info);
		uint32_t code;

		if (kind == CINSTR_REC_ENTRY)
			function = code_of(module, table_entry(module, record)) | CINSTR_EV_ENTER;
		if (kind <= 8)
			continue;
		module->functions += kind == CINSTR_REC_ENTER;
		code = code_of(module, table_sled(module, table, record));
		if (code - module->code_base >= module->code_bytes)
			continue;
		module->sleds++;
		if (kind == CINSTR_REC_SOURCE_LINE)
			atomic_store_relaxed(&cinstr.has_lines, 1);
		words[code >> 3] = kind == CINSTR_REC_AFTER ? before : function;
		if (kind == CINSTR_REC_BEFORE)
			before = code | CINSTR_EV_BEFORE;
		if ((kind == CINSTR_REC_BEFORE || kind == CINSTR_REC_TAIL) &&
		    CINSTR_REC_PAYLOAD(record->info) == CINSTR_REC_NO_REF) {
			module->indirect_calls++;
			cinstr.indirect[code >> 6] |= (uint8_t)(1u << (code >> 3 & 7));
		}
		if ((kind == CINSTR_REC_BEFORE || kind == CINSTR_REC_TAIL) &&
		    CINSTR_SITE_CALLEE(CINSTR_REC_FLAGS(record->info)) == CINSTR_SITE_SYSCALL)
			wrappers[code >> 6] |= (uint8_t)(1u << (code >> 3 & 7));
	}
}

/* A free range of codes for the module's text. */
static int give_codes(struct module *module)
{
	uint64_t bytes = (module->text_end - module->text_start + 15) & ~7ull;

	if (cinstr.next_code + bytes > (uint64_t)cinstr.sites_reserved * 8) {
		cinstr_say("not recorded: too much text in all modules together", NULL, 0);
		return -1;
	}
	if (place_grow(&cinstr.words_place, ((cinstr.next_code + bytes) >> 1) + 1) ||
	    place_grow(&cinstr.indirect_place, ((cinstr.next_code + bytes) >> 6) + 1) ||
	    place_grow(&cinstr.wrappers_place, ((cinstr.next_code + bytes) >> 6) + 1) ||
	    place_grow(&cinstr.counted_place, ((cinstr.next_code + bytes) >> 6) + 1) ||
	    place_grow(&cinstr.demoted_place, ((cinstr.next_code + bytes) >> 5) + 1) ||
	    place_grow(&cinstr.lost_place, ((cinstr.next_code + bytes) >> 1) + 1) ||
	    place_grow(&cinstr.names_place, ((cinstr.next_code + bytes) >> 2) + 1))
		return -1;
	module->code_base = cinstr.next_code;
	module->code_bytes = (uint32_t)bytes;
	cinstr.next_code += (uint32_t)bytes;
	atomic_store_relaxed(&cinstr.sites.n_words, cinstr.next_code >> 3);
	return 0;
}

/* ---- sleds ----------------------------------------------------------------------------------- */

struct sled_visit {
	void (*visit)(const struct module *, char *sled, uint32_t info);
};

static void visit_sleds(struct module *module, const struct cinstr_abi_table *table, void *data)
{
	const struct sled_visit *visit = data;
	const struct cinstr_abi_record *record = table_records(table), *end = record + table->n_records;

	for (; record < end; record++)
		if (CINSTR_REC_KIND(record->info) > 8)
			visit->visit(module, table_sled(module, table, record), record->info);
}

void module_each_sled(struct module *module, void (*visit)(const struct module *, char *sled, uint32_t info))
{
	struct sled_visit visits = { visit };

	each_table(module, visit_sleds, &visits);
}

/* ---- adding and removing --------------------------------------------------------------------- */

/* The library was loaded before, at whatever address: it gets the same codes again. */
static struct module *known_module(const struct module *fresh)
{
	for (unsigned i = 0; i < cinstr.n_modules; i++) {
		struct module *old = &cinstr.modules[i];
		const struct cinstr_module *entry = (const void *)(cinstr.store.file + old->entry_offset);
		uint8_t id[sizeof(entry->build_id)];
		int same = 1;
		uint32_t id_bytes = module_build_id(&fresh->image, id, sizeof(id));

		if (old->loaded || !old->entry_offset || old->notes_bytes != fresh->notes_bytes ||
		    old->text_end - old->text_start != fresh->text_end - fresh->text_start ||
		    id_bytes != entry->build_id_bytes)
			continue;
		for (uint32_t b = 0; b < id_bytes; b++)
			same &= id[b] == entry->build_id[b];
		if (id_bytes ? same : old->ehdr == fresh->ehdr)
			return old;
	}
	return NULL;
}

static struct module *find_module(const void *ehdr)
{
	for (unsigned i = 0; i < cinstr.n_modules; i++)
		if (cinstr.modules[i].loaded && cinstr.modules[i].ehdr == ehdr)
			return &cinstr.modules[i];
	return NULL;
}

/* Codes for the module, and its place in cinstr.modules. NULL: it cannot be recorded. */
static struct module *place_module(struct module *fresh)
{
	struct module *module = known_module(fresh);

	if (module) {
		uint64_t moved = fresh->base - module->base;

		fresh->code_base = module->code_base;
		fresh->code_bytes = module->code_bytes;
		fresh->entry_offset = module->entry_offset;
		fresh->sleds = module->sleds;
		fresh->functions = module->functions;
		fresh->indirect_calls = module->indirect_calls;
		fresh->small = module->small;
		fresh->counted = module->counted;
		fresh->named_calls = module->named_calls;
		fresh->actions = module->actions;
		fresh->n_actions = module->n_actions;
		for (uint32_t i = 0; i < fresh->n_actions; i++)
			fresh->actions[i].text += moved;
		*module = *fresh;
		return module;
	}
	if (cinstr.n_modules == MODULES_MAX) {
		cinstr_say("not recorded: too many instrumented modules", NULL, 0);
		return NULL;
	}
	if (give_codes(fresh))
		return NULL;
	each_table(fresh, index_table, NULL);
	choices_find(fresh);
	timeline_watch_module(fresh);
	module = &cinstr.modules[cinstr.n_modules];
	*module = *fresh;
	atomic_store_release(&cinstr.n_modules, cinstr.n_modules + 1); /* choices.c */
	return module;
}

/* Of the module's room for probes' code the whole pages. */
static void find_room(struct module *module, const struct cinstr_abi_hook *hook)
{
	uint64_t from = (uint64_t)&hook->room + (uint64_t)(int64_t)hook->room;
	uint64_t to = (uint64_t)&hook->room_end + (uint64_t)(int64_t)hook->room_end;

	from = (from + CINSTR_PAGE - 1) & ~(uint64_t)(CINSTR_PAGE - 1);
	module->stays = hook == cinstr.carrier;
	if (module->stays) /* thunk.c */
		from += CINSTR_ROOM_ABORTS;
	to &= ~(uint64_t)(CINSTR_PAGE - 1);
	if (hook->room_end && from < to) {
		module->room = (char *)from;
		module->room_bytes = to - from;
	}
}

/* Why the module is not recorded, as people are told, and as its entry has it. */
static const struct {
	const char *text;
	uint32_t flag;
} faults[] = {
	[TABLES_REMOVED] = { "not recorded: its tables (.cinstr.note) were removed (strip -R, gold's "
			     "--gc-sections)",
			     CINSTR_MODULE_NO_TABLES },
	[TABLES_DAMAGED] = { "not recorded: its tables (.cinstr.note) are damaged", CINSTR_MODULE_DAMAGED },
	[TABLES_CODE_MOVED] = { "not recorded: its code is not where its tables say: it was changed after it "
				"was linked (BOLT?)",
				CINSTR_MODULE_CODE_MOVED },
	[TABLES_OTHER_ABI] = { "not recorded: built by another version of the plugin",
			       CINSTR_MODULE_OTHER_ABI },
	[TABLES_TOO_LARGE] = { "not recorded: there is no memory to check its tables",
			       CINSTR_MODULE_DAMAGED },
	[TABLES_READ_CODE] = { NULL, CINSTR_MODULE_READS_CODE },
};

/* What probes would change is left to the program that looks at it. */
static void say_code_is_read(const char *path)
{
	int is_sampled = cinstr.is_mixed && !cinstr.is_self_sampled;
	struct text text = text_of(is_sampled ? "only sampled" : "not recorded",
				   ": it looks at its own code, which probes would change "
				   "(CINSTR_CHECKED_CODE=change: all the same",
				   is_sampled ? ")" : "; samples: cinstr record)");

	cinstr_say(text.data, path, 0);
}

/* Under the lock. A new module with thunks; NULL: there is nothing to be recorded. */
static struct module *take_in(struct module *fresh)
{
	struct module *module = place_module(fresh);
	int error;

	if (!module)
		return NULL;
	if (!cinstr.any_thunks) {
		cinstr.any_thunks = thunks_make_own();
		cinstr.idle_descriptor = thunks_idle_descriptor();
	}
	segments_expect(module); /* its thunks depend on it */
	module->thunks = thunks_make(module, &error);
	if (module->thunks)
		return module;
	if (error == -ENOMEM)
		cinstr_say("not recorded: no free memory near the program's text", NULL, 0);
	else
		patch_say_refused(-error);
	return NULL;
}

/* Says why, and has it in the file as a module without tables. */
static void refuse(const struct image *image, enum tables_fault fault)
{
	const struct cinstr_module *entry = NULL;
	const char *path;
	uint64_t start, end;

	image_text(image, &start, &end);
	if (!module_is_written(image->base, start))
		entry = module_write_entry(image, NULL, faults[fault].flag);
	path = entry ? (const char *)entry + entry->path_offset : NULL;
	if (fault == TABLES_READ_CODE)
		say_code_is_read(path);
	else
		cinstr_say(faults[fault].text, path, 0);
}

/* The lock is not held where the loader's own is asked for. */
void module_add(const void *ehdr, const struct cinstr_abi_hook *hook, const void *code)
{
	struct module fresh = { .ehdr = ehdr, .loaded = 1 }, *module = NULL;
	enum tables_fault fault = TABLES_ABSENT;
	uint64_t old;

	if (image_find(&fresh.image, code, ehdr))
		return;
	fresh.base = fresh.image.base;
	api_offer(&fresh.image);
	patch_lock(&old);
	if (!find_module(ehdr))
		fault = tables_check(&fresh, hook, code);
	if (!fault && tables_read_code(&fresh))
		fault = TABLES_READ_CODE;
	if (!fault)
		find_room(&fresh, hook);
	if (!fault)
		module = take_in(&fresh);
	patch_unlock(old);
	if (fault && fault != TABLES_ABSENT)
		refuse(&fresh.image, fault);
	if (!module)
		return;
	if (!module->entry_offset)
		module_write_entry(&module->image, module, 0);
	if (cinstr.state != RUNTIME_ON)
		return;
	choices_heed(module);
	patch_lock(&old);
	if (cinstr.state == RUNTIME_ON) {
		switch_module(module);
		segments_module(module);
		segments_expected(module);
		module_tell(module, 1);
	}
	patch_unlock(old);
}

int module_try(const void *ehdr, const void *code)
{
	struct module module = { .ehdr = ehdr };

	if (image_find(&module.image, code, ehdr))
		return 0; /* module_add says why that is not recorded */
	if (tables_read_code(&module))
		return 1;
	module.base = module.image.base;
	image_text(&module.image, &module.text_start, &module.text_end);
	return patch_try(&module);
}

void module_say_left(const void *ehdr, const void *code)
{
	char path[1024];
	struct image image;

	if (image_find(&image, code, ehdr))
		return;
	module_name(&image, path, sizeof(path));
	say_code_is_read(path);
}

/* Nobody patches it any more when this returns: the loader may unmap it. */
void module_remove(const void *ehdr)
{
	struct module *module;
	uint64_t old;

	if (!cinstr.n_modules)
		return;
	patch_lock(&old);
	module = find_module(ehdr);
	if (module) {
		module->loaded = 0;
		if (module->thunks)
			thunks_release(module->thunks);
		module->thunks = NULL;
	}
	patch_unlock(old);
}
