/* SPDX-License-Identifier: MIT */
/*
 * module.c - instrumented modules: finds their tables (abi.h), gives them codes, has their sleds
 * patched (switch.c), and writes them and every other loaded module into the data file.
 *
 * Runs in module constructors and destructors (the dynamic loader's lock is held) and in the exit
 * handler. cinstr.modules changes under the lock of patch.c.
 */
#include <errno.h>

#include "image.h"
#include "runtime.h"
#include "tables.h"

/* ---- a module's notes ------------------------------------------------------------------------ */

static uint32_t build_id(const struct image *image, uint8_t *out, uint32_t size)
{
	struct note_segments segments = { .image = image };

	while (image_next_notes(&segments)) {
		const char *at = segments.at;
		struct note note;

		for (; at < segments.end; at = note.end) {
			if (!note_read(at, segments.end, segments.align, &note)) {
				note.end = at + 4;
				continue;
			}
			if (note.type != NT_GNU_BUILD_ID || !note_is(&note, "GNU", 4))
				continue;
			size = min_of(note.bytes, size);
			arch_copy(out, note.descriptor, size);
			return size;
		}
	}
	return 0;
}

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

/* ---- the modules in the data file ------------------------------------------------------------ */

static uint32_t round8(uint64_t n)
{
	return (uint32_t)((n + 7) & ~7ull);
}

/* What a module's entry says of every object: where it is, and which. `bytes`: with its path. */
static void describe(struct cinstr_module *entry, const char *path, const struct image *image)
{
	image_text(image, &entry->text_start, &entry->text_end);
	entry->base = image->base;
	entry->build_id_bytes = build_id(image, entry->build_id, sizeof(entry->build_id));
	entry->path_offset = sizeof(*entry);
	entry->bytes = sizeof(*entry) + round8(string_length(path) + 1);
	arch_copy((char *)entry + entry->path_offset, path, string_length(path) + 1);
}

/* What it says of a module with tables besides. */
static void describe_module(struct cinstr_module *entry, const struct module *module,
			    const struct callees *callees)
{
	char *at = (char *)entry;

	entry->text_start = module->text_start;
	entry->text_end = module->text_end;
	entry->code_base = module->code_base;
	entry->code_bytes = module->code_bytes;
	/* where their references count from */
	entry->notes_address = (uint64_t)module->notes - (uint64_t)module->notes_moved - module->base;
	entry->notes_offset = (uint32_t)entry->bytes;
	entry->notes_bytes = (uint32_t)module->notes_bytes;
	arch_copy(at + entry->notes_offset, module->notes, module->notes_bytes);
	entry->strings_address = module->strings_start - module->base;
	entry->strings_offset = entry->notes_offset + round8(module->notes_bytes);
	entry->strings_bytes = (uint32_t)(module->strings_end - module->strings_start);
	arch_copy(at + entry->strings_offset, (const void *)module->strings_start, entry->strings_bytes);
	entry->callees_offset = entry->strings_offset + round8(entry->strings_bytes);
	entry->n_callees = callees->n;
	arch_copy(at + entry->callees_offset, callees->list, callees->n * sizeof(*callees->list));
	entry->sleds = module->sleds;
	entry->bytes = entry->callees_offset + callees->n * sizeof(*callees->list);
}

/* A MODULES segment with one entry, which begins as `start`; `more`: bytes that come behind it.
 * NULL: no room. */
static struct cinstr_module *new_entry(const struct cinstr_module *start, uint64_t more)
{
	struct cinstr_module *entry = store_segment(CINSTR_SEG_MODULES, start->bytes + more, 0);

	if (!entry)
		return NULL;
	arch_copy(entry, start, start->bytes);
	atomic_store_release(&store_segment_of(entry)->used, start->bytes + more); /* is_among */
	atomic_add(&cinstr.header->modules, 1);
	return entry;
}

static int is_among(const struct cinstr_segment *segment, uint64_t base, uint64_t text_start)
{
	const struct cinstr_module *entry = (const void *)(segment + 1);
	const char *end = (const char *)entry + atomic_load_acquire(&segment->used); /* new_entry */

	for (; (const char *)entry < end; entry = (const void *)((const char *)entry + entry->bytes)) {
		if (entry->base == base && (entry->text_start & ~7ull) == (text_start & ~7ull))
			return 1;
		if (entry->bytes < sizeof(*entry)) /* the program has written over it */
			break;
	}
	return 0;
}

/* Is a module with this base and text already in the file? */
static int is_written(uint64_t base, uint64_t text_start)
{
	/* Pairs with the stores in store.c. */
	uint64_t end = atomic_load_acquire(&cinstr.header->file_bytes);

	for (uint64_t at = CINSTR_PAGE; at < end;) {
		const struct cinstr_segment *segment = (const void *)(cinstr.store.file + at);

		if (segment->bytes < CINSTR_PAGE)
			break;
		if (atomic_load_acquire(&segment->type) == CINSTR_SEG_MODULES &&
		    is_among(segment, base, text_start))
			return 1;
		at += segment->bytes;
	}
	return 0;
}

static const char *main_path(char *buffer, size_t size)
{
	long n = SYS4(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", buffer, size - 1);

	if (n <= 0)
		return "[main]";
	buffer[n] = '\0';
	return buffer;
}

/* A path that is relative to the current folder, made absolute; names without a file (the vdso)
 * stay. */
static const char *absolute_path(const char *path, char *buffer, size_t size)
{
	size_t n = string_length(path), cwd;
	long got;

	if (*path == '/' || *path != '.')
		return path;
	got = SYS2(SYS_getcwd, buffer, size);
	cwd = got > 0 ? (size_t)got - 1 : 0;
	if (!cwd || cwd + n + 2 > size)
		return path;
	buffer[cwd] = '/';
	arch_copy(buffer + cwd + 1, path, n + 1);
	return buffer;
}

/* An entry with its path: the largest that there is room for. */
struct first_part {
	struct cinstr_module entry;
	char path[1024];
};

static const char *path_of(const struct dl_phdr_info *info, char *buffer, size_t size)
{
	if (libc_is_program(info))
		return main_path(buffer, size);
	/* musl has no name for the vDSO */
	return info->dlpi_name && *info->dlpi_name ? absolute_path(info->dlpi_name, buffer, size)
						   : "linux-vdso.so.1";
}

static void describe_loaded(struct first_part *part, const struct dl_phdr_info *info)
{
	char buffer[sizeof(part->path)];
	const char *path = path_of(info, buffer, sizeof(buffer));
	struct image image = image_of_loaded(info);

	*part = (struct first_part){ .entry = { .bytes = 0 } };
	describe(&part->entry, string_length(path) < sizeof(part->path) ? path : "[long path]", &image);
	if (libc_is_program(info))
		part->entry.flags |= CINSTR_MODULE_MAIN;
}

/* Objects that are loaded, and not in the file yet: as many as there is room for. */
#define FOUND_MAX 64
struct found {
	struct first_part parts[FOUND_MAX];
	unsigned n;
};

/* The loader's lock is held: the object stays meanwhile, and nobody must be waited for. */
static int see_loaded(struct dl_phdr_info *info, size_t size, void *data)
{
	struct found *found = data;
	struct image image = image_of_loaded(info);
	uint64_t start, end;

	(void)size;
	api_offer(&image);
	image_text(&image, &start, &end);
	if (is_written(info->dlpi_addr, start))
		return 0;
	describe_loaded(&found->parts[found->n++], info);
	return found->n == FOUND_MAX;
}

/* Gives those that another thread has written 0 bytes. Returns the bytes of the others. */
static uint64_t drop_written(struct found *found)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < found->n; i++) {
		struct cinstr_module *part = &found->parts[i].entry;

		if (is_written(part->base, part->text_start))
			part->bytes = 0;
		bytes += part->bytes;
	}
	return bytes;
}

/* In one segment. 0; -1: no room. */
static int write_found(struct found *found)
{
	uint64_t bytes = drop_written(found), used = 0;
	char *entries = bytes ? store_segment(CINSTR_SEG_MODULES, bytes, 0) : NULL;

	if (!entries)
		return bytes ? -1 : 0;
	for (unsigned i = 0; i < found->n; i++) {
		const struct cinstr_module *part = &found->parts[i].entry;

		arch_copy(entries + used, part, part->bytes);
		used += part->bytes;
		if (part->bytes)
			atomic_add(&cinstr.header->modules, 1);
	}
	atomic_store_release(&store_segment_of(entries)->used, used); /* is_among */
	store_seal(entries, used);
	return 0;
}

/* The runtime's own library, where the loader does not know it. */
static void see_own(struct found *found)
{
	struct dl_phdr_info info = { .dlpi_name = cinstr.own_path };
	struct image image;

	if (!cinstr.own_image || image_find(&image, cinstr.own_image, cinstr.own_image))
		return;
	info.dlpi_addr = image.base;
	info.dlpi_phdr = image.headers;
	info.dlpi_phnum = (uint16_t)image.n;
	see_loaded(&info, sizeof(info), found);
}

/* Writes every loaded module that is not in the file yet. */
void modules_scan(void)
{
	struct found *found = sys_memory(sizeof(*found));
	int failed;
	uint64_t old;

	if (sys_failed(found))
		return;
	do {
		found->n = 0;
		libc_each_object(see_loaded, found);
		if (found->n < FOUND_MAX)
			see_own(found);
		patch_lock(&old);
		failed = write_found(found);
		patch_unlock(old);
	} while (found->n == FOUND_MAX && !failed);
	sys_munmap(found, sizeof(*found));
}

/* A module of another name space of the loader's than the program's, or a static program. */
static void describe_unlisted(const struct image *image, struct first_part *part)
{
	const char *name = libc_unlisted_name(image->base);
	struct dl_phdr_info info = { .dlpi_addr = image->base,
				     .dlpi_name = name ? name : "[dlmopen]",
				     .dlpi_phdr = image->headers,
				     .dlpi_phnum = (uint16_t)image->n };

	describe_loaded(part, &info);
}

/* What the loader knows of a module with tables, and of its callees. */
struct finding {
	const struct image *image;
	struct callees callees; /* none of a module that is not recorded */
	struct first_part part; /* entry.bytes 0: the module has not been met */
};

static int see_module(struct dl_phdr_info *info, size_t size, void *data)
{
	struct finding *finding = data;

	(void)size;
	if (info->dlpi_addr == finding->image->base && info->dlpi_phdr == finding->image->headers)
		describe_loaded(&finding->part, info);
	callees_look(&finding->callees, info);
	return finding->part.entry.bytes && !finding->callees.n_missing;
}

static const struct cinstr_module *write_entry(const struct image *image, struct module *module,
					       uint32_t flags)
{
	struct finding finding = { .image = image };
	struct callees *callees = &finding.callees;
	struct cinstr_module *entry;
	uint64_t more = 0;

	if (module)
		callees_collect(module, callees);
	libc_each_object(see_module, &finding);
	if (!finding.part.entry.bytes)
		describe_unlisted(image, &finding.part);
	if (module)
		more = round8(module->notes_bytes) + round8(module->strings_end - module->strings_start) +
		       callees->n * sizeof(*callees->list);
	finding.part.entry.flags |= flags;
	entry = new_entry(&finding.part.entry, more);
	if (entry && module) {
		describe_module(entry, module, callees);
		atomic_store_release(&module->entry_offset, store_offset(entry)); /* switch.c */
	} else if (entry) {
		store_seal(entry, entry->bytes);
	}
	callees_release(callees);
	return entry;
}

/* What the parent wrote about modules and about itself holds for a forked child too. */
void modules_copy(const char *parent_file, uint64_t parent_bytes)
{
	const struct cinstr_header *parent = (const void *)parent_file;

	for (uint64_t at = CINSTR_PAGE; at < min_of(parent->file_bytes, parent_bytes);) {
		const struct cinstr_segment *segment = (const void *)(parent_file + at);
		void *copy;

		at += segment->bytes;
		if (at > parent_bytes)
			return;
		if (segment->type != CINSTR_SEG_MODULES && segment->type != CINSTR_SEG_PROPERTIES)
			continue;
		copy = store_segment(segment->type, segment->used, 0);
		if (!copy)
			return;
		arch_copy(copy, segment + 1, segment->used);
		store_seal(copy, segment->used);
		for (unsigned i = 0; i < cinstr.n_modules; i++)
			if (cinstr.modules[i].entry_offset ==
			    (uint64_t)((const char *)(segment + 1) - parent_file))
				cinstr.modules[i].entry_offset = store_offset(copy);
	}
	cinstr.header->modules = parent->modules;
}

/* ---- adding and removing --------------------------------------------------------------------- */

/* sealed (with a checksum), as it is not expected to change soon */
void module_tell(struct module *module, int seal)
{
	struct cinstr_module *entry = (void *)(cinstr.store.file + module->entry_offset);

	if (!module->entry_offset)
		return;
	if (!seal || entry->patched != module->patched || entry->refused != module->refused)
		store_segment_of(entry)->sealed = 0;
	entry->patched = module->patched;
	entry->refused = module->refused;
	if (seal && !store_segment_of(entry)->sealed)
		store_seal(entry, entry->bytes);
}

const char *module_path(const struct module *module)
{
	const struct cinstr_module *entry = (const void *)(cinstr.store.file + module->entry_offset);

	return module->entry_offset ? (const char *)entry + entry->path_offset : "";
}

/* The library was loaded before, at whatever address: it gets the same codes again. */
static struct module *known_module(const struct module *fresh)
{
	for (unsigned i = 0; i < cinstr.n_modules; i++) {
		struct module *old = &cinstr.modules[i];
		const struct cinstr_module *entry = (const void *)(cinstr.store.file + old->entry_offset);
		uint8_t id[sizeof(entry->build_id)];
		int same = 1;
		uint32_t id_bytes = build_id(&fresh->image, id, sizeof(id));

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
		fresh->probed = module->probed;
		fresh->library_calls = module->library_calls;
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
};

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
	uint64_t start, end;

	image_text(image, &start, &end);
	if (!is_written(image->base, start))
		entry = write_entry(image, NULL, faults[fault].flag);
	cinstr_say(faults[fault].text, entry ? (const char *)entry + entry->path_offset : NULL, 0);
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
		write_entry(&module->image, module, 0);
	if (cinstr.state != RUNTIME_ON)
		return;
	choices_heed(module);
	patch_lock(&old);
	if (cinstr.state == RUNTIME_ON) {
		switch_module(module);
		module_tell(module, 1);
	}
	patch_unlock(old);
}

int module_try(const void *ehdr, const void *code)
{
	struct module module = { .ehdr = ehdr };

	if (image_find(&module.image, code, ehdr))
		return 0; /* module_add says why that is not recorded */
	module.base = module.image.base;
	image_text(&module.image, &module.text_start, &module.text_end);
	return patch_try(&module);
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
