/* SPDX-License-Identifier: MIT */
/*
 * module.c - instrumented modules: finds their tables (abi.h), gives them codes, has their sleds
 * patched (switch.c), and writes them and every other loaded module into the data file.
 *
 * Runs in module constructors and destructors (the dynamic loader's lock is held) and in the exit
 * handler. cinstr.modules changes under the lock of patch.c.
 */
#include <elf.h>
#include <link.h>

#include "runtime.h"
#include "tables.h"

/* ---- reading a module's ELF image ------------------------------------------------------------ */

static const ElfW(Phdr) * program_headers(const void *ehdr_address, int *n)
{
	const ElfW(Ehdr) *ehdr = ehdr_address;

	*n = ehdr->e_phnum;
	return (const void *)((const char *)ehdr + ehdr->e_phoff);
}

static void text_range(const ElfW(Phdr) * ph, int n, uint64_t base, uint64_t *start, uint64_t *end)
{
	*start = UINT64_MAX;
	*end = 0;
	for (; n > 0; n--, ph++) {
		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X))
			continue;
		*start = min_of(*start, base + ph->p_vaddr);
		if (base + ph->p_vaddr + ph->p_memsz > *end)
			*end = base + ph->p_vaddr + ph->p_memsz;
	}
	if (*start == UINT64_MAX)
		*start = 0;
}

static int has_our_note(const char *at, const char *end)
{
	while (at + sizeof(ElfW(Nhdr)) <= end) {
		const ElfW(Nhdr) *note = (const void *)at;

		if (note->n_type == CINSTR_NOTE_TABLE && note->n_namesz == sizeof(CINSTR_NOTE_NAME))
			return 1;
		at += sizeof(*note) + ((note->n_namesz + 3) & ~3u) + ((note->n_descsz + 3) & ~3u);
	}
	return 0;
}

static int read_image(struct module *module, const void *ehdr)
{
	int n;
	const ElfW(Phdr) *ph = program_headers(ehdr, &n);

	module->ehdr = ehdr;
	module->base = load_base(ehdr);
	text_range(ph, n, module->base, &module->text_start, &module->text_end);
	module->text_start &= ~7ull;
	for (; n > 0; n--, ph++) {
		const char *at = (const char *)module->base + ph->p_vaddr;

		if (ph->p_type == PT_NOTE && has_our_note(at, at + ph->p_memsz)) {
			module->notes = at;
			module->notes_bytes = ph->p_memsz;
		}
	}
	return module->notes && module->text_end > module->text_start ? 0 : -1;
}

static uint32_t build_id(const ElfW(Phdr) * ph, int n, uint64_t base, uint8_t *out, uint32_t size)
{
	for (; n > 0; n--, ph++) {
		const char *at = (const char *)base + ph->p_vaddr, *end = at + ph->p_memsz;

		if (ph->p_type != PT_NOTE)
			continue;
		while (at + sizeof(ElfW(Nhdr)) <= end) {
			const ElfW(Nhdr) *note = (const void *)at;
			const char *name = at + sizeof(*note);
			const char *descriptor = name + ((note->n_namesz + 3) & ~3u);
			uint32_t bytes = min_of(note->n_descsz, size);

			if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
			    string_equal(name, "GNU")) {
				for (uint32_t i = 0; i < bytes; i++)
					out[i] = (uint8_t)descriptor[i];
				return bytes;
			}
			at = descriptor + ((note->n_descsz + 3) & ~3u);
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

	(void)module;
	for (uint32_t i = 0; i < table->n_refs; i++)
		visit->visit(table_string(table, i), visit->data);
}

void module_each_string(const struct module *module, void (*visit)(const char *string, void *data),
			void *data)
{
	struct ref_visit refs = { .visit = visit, .data = data };

	each_table(module, visit_refs, &refs);
}

/* ---- codes ----------------------------------------------------------------------------------- */

static void widen_strings(struct module *module, const cinstr_abi_ref *field)
{
	uint64_t at = (uint64_t)field + (uint64_t)(int64_t)*field;

	if (!*field)
		return;
	if (at < module->strings_start)
		module->strings_start = at;
	if (at >= module->strings_end)
		module->strings_end = at + string_length((const char *)at) + 1;
}

/* Writes what each of the table's sleds means to the fold. */
static void index_table(struct module *module, const struct cinstr_abi_table *table, void *data)
{
	const struct cinstr_abi_record *record = table_records(table), *end = record + table->n_records;
	uint32_t *words = (uint32_t *)cinstr.sites.words;
	uint8_t *wrappers = (uint8_t *)cinstr.sites.wrappers;
	uint32_t function = 0, before = 0;

	(void)data;
	widen_strings(module, &table->unit);
	widen_strings(module, &table->comp_dir);
	for (uint32_t i = 0; i < table->n_refs; i++)
		widen_strings(module, table_refs(table) + i);
	for (; record < end; record++) {
		uint32_t kind = CINSTR_REC_KIND(record->info);
		uint32_t code;

		if (kind == CINSTR_REC_ENTRY)
			function = code_of(module, (const char *)&record->offset + (int32_t)record->offset) |
				   CINSTR_EV_ENTER;
		if (kind <= 8)
			continue;
		module->functions += kind == CINSTR_REC_ENTER;
		code = code_of(module, table_anchor(table) + (int32_t)record->offset);
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
		    CINSTR_REC_FLAGS(record->info) & CINSTR_SITE_SYSCALL)
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
	    place_grow(&cinstr.demoted_place, ((cinstr.next_code + bytes) >> 5) + 1))
		return -1;
	module->code_base = cinstr.next_code;
	module->code_bytes = (uint32_t)bytes;
	cinstr.next_code += (uint32_t)bytes;
	atomic_store_relaxed(&cinstr.sites.n_words, cinstr.next_code >> 3);
	return 0;
}

/* ---- sleds ----------------------------------------------------------------------------------- */

void module_each_sled(struct module *module, void (*visit)(const struct module *, char *sled, uint32_t info))
{
	const char *at = module->notes, *end = at + module->notes_bytes;

	while (at + sizeof(ElfW(Nhdr)) <= end) {
		const ElfW(Nhdr) *note = (const void *)at;
		const struct cinstr_abi_table *table =
			(const void *)(at + sizeof(*note) + ((note->n_namesz + 3) & ~3u));

		at = (const char *)table + ((note->n_descsz + 3) & ~3u);
		if (note->n_type != CINSTR_NOTE_TABLE)
			continue;
		for (uint32_t i = 0; i < table->n_records; i++) {
			const struct cinstr_abi_record *record = table_records(table) + i;

			if (CINSTR_REC_KIND(record->info) > 8)
				visit(module, table_anchor(table) + (int32_t)record->offset, record->info);
		}
	}
}

/* ---- the modules in the data file ------------------------------------------------------------ */

static uint32_t round8(uint64_t n)
{
	return (uint32_t)((n + 7) & ~7ull);
}

/* What a module's entry says of every object: where it is, and which. `bytes`: with its path. */
static void describe(struct cinstr_module *entry, const char *path, const struct dl_phdr_info *info)
{
	const ElfW(Phdr) *ph = info->dlpi_phdr;

	text_range(ph, info->dlpi_phnum, info->dlpi_addr, &entry->text_start, &entry->text_end);
	entry->base = info->dlpi_addr;
	entry->build_id_bytes =
		build_id(ph, info->dlpi_phnum, info->dlpi_addr, entry->build_id, sizeof(entry->build_id));
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
	entry->notes_address = (uint64_t)module->notes - module->base;
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
	store_segment_of(entry)->used = start->bytes + more;
	atomic_add(&cinstr.header->modules, 1);
	return entry;
}

/* Is a module with this base and text already in the file? */
static int is_written(uint64_t base, uint64_t text_start)
{
	/* Pairs with the stores in store.c. */
	uint64_t end = atomic_load_acquire(&cinstr.header->file_bytes);

	for (uint64_t at = CINSTR_PAGE; at < end;) {
		const struct cinstr_segment *segment = (const void *)(cinstr.store.file + at);
		const struct cinstr_module *entry = (const void *)(segment + 1);

		if (segment->bytes < CINSTR_PAGE)
			break;
		if (atomic_load_acquire(&segment->type) == CINSTR_SEG_MODULES && entry->base == base &&
		    (entry->text_start & ~7ull) == (text_start & ~7ull))
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

	*part = (struct first_part){ .entry = { .bytes = 0 } };
	describe(&part->entry, string_length(path) < sizeof(part->path) ? path : "[long path]", info);
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
	uint64_t start, end;

	(void)size;
	api_offer(info->dlpi_phdr, info->dlpi_phnum, info->dlpi_addr);
	text_range(info->dlpi_phdr, info->dlpi_phnum, info->dlpi_addr, &start, &end);
	if (is_written(info->dlpi_addr, start))
		return 0;
	describe_loaded(&found->parts[found->n++], info);
	return found->n == FOUND_MAX;
}

/* Under the lock of patch.c: two threads may have seen the same objects. 0; -1: no room. */
static int write_found(const struct found *found)
{
	for (unsigned i = 0; i < found->n; i++) {
		const struct cinstr_module *part = &found->parts[i].entry;
		struct cinstr_module *entry;

		if (is_written(part->base, part->text_start))
			continue;
		entry = new_entry(part, 0);
		if (!entry)
			return -1;
		store_seal(entry, entry->bytes);
	}
	return 0;
}

/* The runtime's own library, where the loader does not know it. */
static void see_own(struct found *found)
{
	struct dl_phdr_info info = { .dlpi_addr = (uint64_t)cinstr.own_image, .dlpi_name = cinstr.own_path };
	int n;

	if (!cinstr.own_image)
		return;
	info.dlpi_phdr = program_headers(cinstr.own_image, &n);
	info.dlpi_phnum = (uint16_t)n;
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

/* A module of another name space of the loader's than the program's. */
static void describe_unlisted(const struct module *module, struct first_part *part)
{
	int n;
	const ElfW(Phdr) *ph = program_headers(module->ehdr, &n);
	const char *name = libc_unlisted_name(module->base);
	struct dl_phdr_info info = { .dlpi_addr = module->base,
				     .dlpi_name = name ? name : "[dlmopen]",
				     .dlpi_phdr = ph,
				     .dlpi_phnum = (uint16_t)n };

	describe_loaded(part, &info);
}

/* What the loader knows of a module with tables, and of its callees. */
struct finding {
	const struct module *module;
	struct callees callees;
	struct first_part part; /* entry.bytes 0: the module has not been met */
};

static int see_module(struct dl_phdr_info *info, size_t size, void *data)
{
	struct finding *finding = data;
	uint64_t start, end;

	(void)size;
	text_range(info->dlpi_phdr, info->dlpi_phnum, info->dlpi_addr, &start, &end);
	if (info->dlpi_addr == finding->module->base && (start & ~7ull) == finding->module->text_start)
		describe_loaded(&finding->part, info);
	callees_look(&finding->callees, info);
	return finding->part.entry.bytes && !finding->callees.n_missing;
}

static void write_entry(struct module *module)
{
	struct finding finding = { .module = module };
	struct callees *callees = &finding.callees;
	struct cinstr_module *entry;

	callees_collect(module, callees);
	libc_each_object(see_module, &finding);
	if (!finding.part.entry.bytes) /* loaded by dlmopen() */
		describe_unlisted(module, &finding.part);
	entry = new_entry(&finding.part.entry, round8(module->notes_bytes) +
						       round8(module->strings_end - module->strings_start) +
						       callees->n * sizeof(*callees->list));
	if (entry) {
		describe_module(entry, module, callees);
		atomic_store_release(&module->entry_offset, store_offset(entry)); /* switch.c */
	}
	callees_release(callees);
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
		int n, same = 1;
		const ElfW(Phdr) *ph = program_headers(fresh->ehdr, &n);
		uint32_t id_bytes = build_id(ph, n, fresh->base, id, sizeof(id));

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
		fresh->strings_start = module->strings_start + moved;
		fresh->strings_end = module->strings_end + moved;
		fresh->sleds = module->sleds;
		fresh->functions = module->functions;
		fresh->indirect_calls = module->indirect_calls;
		fresh->small = module->small;
		fresh->counted = module->counted;
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
	fresh->strings_start = UINT64_MAX;
	each_table(fresh, index_table, NULL);
	if (fresh->strings_start == UINT64_MAX)
		fresh->strings_start = fresh->strings_end = fresh->base;
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

/* Under the lock. A new module with thunks; NULL: there is nothing to be recorded. */
static struct module *take_in(const void *ehdr, const struct cinstr_abi_hook *hook)
{
	struct module fresh = { .loaded = 1 }, *module;
	int n;
	const ElfW(Phdr) *ph = program_headers(ehdr, &n);

	api_offer(ph, n, load_base(ehdr));
	if (find_module(ehdr) || read_image(&fresh, ehdr))
		return NULL;
	find_room(&fresh, hook);
	module = place_module(&fresh);
	if (!module)
		return NULL;
	if (!cinstr.any_thunks) {
		cinstr.any_thunks = thunks_make_own();
		cinstr.idle_descriptor = thunks_idle_descriptor();
	}
	module->thunks = thunks_make(module);
	if (!module->thunks) {
		cinstr_say("not recorded: no free memory near the program's text", NULL, 0);
		return NULL;
	}
	return module;
}

/* The lock is not held where the loader's own is asked for. */
void module_add(const void *ehdr, const struct cinstr_abi_hook *hook)
{
	struct module *module;
	uint64_t old;

	patch_lock(&old);
	module = take_in(ehdr, hook);
	patch_unlock(old);
	if (!module)
		return;
	if (!module->entry_offset)
		write_entry(module);
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
