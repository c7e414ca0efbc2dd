/* SPDX-License-Identifier: MIT */
/*
 * module_file.c - writes modules to the data file (struct cinstr_module): instrumented ones with
 * their tables, and all others that are loaded.
 *
 * Called as module.c is, and by a forked child.
 */
#include "module_file.h"

#include "image.h"
#include "runtime.h"
#include "tables.h"

/* ---- one module ------------------------------------------------------------------------------ */

uint32_t module_build_id(const struct image *image, uint8_t *out, uint32_t size)
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

static uint32_t round8(uint64_t n)
{
	return (uint32_t)((n + 7) & ~7ull);
}

/* What a module's entry says of every object: where it is, and which. `bytes`: with its path. */
static void describe(struct cinstr_module *entry, const char *path, const struct image *image)
{
	image_text(image, &entry->text_start, &entry->text_end);
	entry->base = image->base;
	entry->build_id_bytes = module_build_id(image, entry->build_id, sizeof(entry->build_id));
	entry->path_offset = sizeof(*entry);
	entry->bytes = sizeof(*entry) + round8(string_length(path) + 1);
	arch_copy((char *)entry + entry->path_offset, path, string_length(path) + 1);
}

/* ---- its notes ------------------------------------------------------------------------------- */

/* Returns the bytes of the note that the table is in. */
static uint64_t note_bytes(const struct cinstr_abi_table *table)
{
	return (uint64_t)((const char *)(table_records(table) + table->n_records) - table_note(table));
}

/* Adds a distance to a reference that was copied to an address so much lower. */
static void move_ref(int32_t *field, uint64_t distance)
{
	if (*field)
		*field += (int32_t)distance;
}

struct tables_copy {
	char *to; /* NULL: only counts bytes */
	uint64_t bytes;
};

static void copy_table(struct module *module, const struct cinstr_abi_table *table, void *data)
{
	struct tables_copy *copy = data;
	uint64_t distance = (uint64_t)(table_note(table) - module->notes) - copy->bytes;
	struct cinstr_abi_table *moved;
	struct cinstr_abi_record *record;
	char *to;

	copy->bytes += note_bytes(table);
	if (!copy->to)
		return;
	to = copy->to + copy->bytes - note_bytes(table);
	arch_copy(to, table_note(table), note_bytes(table));
	moved = (void *)(to + ((const char *)table - table_note(table)));
	move_ref(&moved->text, distance);
	move_ref(&moved->unit, distance);
	move_ref(&moved->comp_dir, distance);
	for (uint32_t i = 0; i < moved->n_refs; i++)
		move_ref((cinstr_abi_ref *)(moved + 1) + i, distance);
	record = (void *)((cinstr_abi_ref *)(moved + 1) + moved->n_refs);
	for (uint32_t i = 0; i < moved->n_records; i++)
		if (CINSTR_REC_KIND(record[i].info) == CINSTR_REC_ENTRY)
			move_ref((int32_t *)&record[i].offset, distance);
}

static int has_segments(const struct module *module)
{
	const char *at = module->notes, *end = at + module->notes_bytes;
	struct note note;

	for (; at < end; at = note.end) {
		if (!note_read(at, end, 4, &note))
			note.end = at + 4;
		else if (note.type == CINSTR_NOTE_SEGMENTS || note.type == CINSTR_NOTE_SEGMENTS_SUM)
			return 1;
	}
	return 0;
}

/* Says whether the module's notes of segments are left to its file, which readers need for its code
 * as well, and recognize by its build-id. */
static int leaves_segments(const struct module *module)
{
	uint8_t id;

	return has_segments(module) && module_build_id(&module->image, &id, sizeof(id)) &&
	       module->text_end - module->base + module->notes_bytes <= INT32_MAX;
}

/* Copies what the file has of the module's notes, unless `to` is NULL: all, or its tables. Returns
 * the number of bytes. */
static uint64_t copy_notes(const struct module *module, const struct cinstr_module *entry, char *to)
{
	struct tables_copy copy = { .to = to };

	if (entry->flags & CINSTR_MODULE_SEGMENTS_APART) {
		each_table(module, copy_table, &copy);
		return copy.bytes;
	}
	if (to)
		arch_copy(to, module->notes, module->notes_bytes);
	return module->notes_bytes;
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
	entry->notes_bytes = (uint32_t)copy_notes(module, entry, at + entry->notes_offset);
	entry->strings_address = module->strings_start - module->base;
	entry->strings_offset = entry->notes_offset + round8(entry->notes_bytes);
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
int module_is_written(uint64_t base, uint64_t text_start)
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

/* Returns the path, made absolute; names without a file (the vdso) stay. */
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
	struct module module = { .image = image };

	*part = (struct first_part){ .entry = { .bytes = 0 } };
	describe(&part->entry, string_length(path) < sizeof(part->path) ? path : "[long path]", &image);
	if (libc_is_program(info))
		part->entry.flags |= CINSTR_MODULE_MAIN;
	/* also where its constructor was run before there was a session */
	if (tables_read_code(&module))
		part->entry.flags |= CINSTR_MODULE_READS_CODE;
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
	if (module_is_written(info->dlpi_addr, start))
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

		if (module_is_written(part->base, part->text_start))
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

static void find_part(struct finding *finding)
{
	libc_each_object(see_module, finding);
	if (!finding->part.entry.bytes)
		describe_unlisted(finding->image, &finding->part);
}

void module_name(const struct image *image, char *path, size_t size)
{
	struct finding finding = { .image = image };

	find_part(&finding);
	arch_copy(path, finding.part.path, min_of(size, sizeof(finding.part.path)));
}

const struct cinstr_module *module_write_entry(const struct image *image, struct module *module,
					       uint32_t flags)
{
	struct finding finding = { .image = image };
	struct callees *callees = &finding.callees;
	struct cinstr_module *entry;
	uint64_t more = 0;

	if (module)
		callees_collect(module, callees);
	find_part(&finding);
	finding.part.entry.flags |= flags;
	if (module && leaves_segments(module))
		finding.part.entry.flags |= CINSTR_MODULE_SEGMENTS_APART;
	if (module)
		more = round8(copy_notes(module, &finding.part.entry, NULL)) +
		       round8(module->strings_end - module->strings_start) +
		       callees->n * sizeof(*callees->list);
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

/* ---- what changes ---------------------------------------------------------------------------- */

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
