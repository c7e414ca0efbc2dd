/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * symbols.c - see symbols.h. Reads symbol tables at once; debug information, stubs and the unwind
 * information when needed.
 */
#include "symbols.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "code_calls.h"
#include "debug_files.h"
#include "dwarf.h"
#include "internal.h"
#include "lib/search.h"

#define VDSO_PAGES 16 /* it has fewer */

struct symbols {
	struct elf elf, debug; /* bytes NULL: there is none */
	struct elf packed;     /* .gnu_debugdata */
	struct elf_functions functions;
	pthread_mutex_t lock; /* of what follows; above, nothing changes */
	struct map strings;
	int has_debug_info, has_parts; /* was looked for */
	struct debug_info *debug_info; /* NULL: there is none */
	struct elf_stubs stubs;
	struct address_ranges bounds;
	struct code_calls calls;
	int has_calls; /* were looked for */
};

/* Where debug files are looked for, files are unpacked by libraries: one at a time. */
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

/* ---- files ----------------------------------------------------------------------------------- */

/* From the best table there is; what is missing in that of a packed one is in the dynamic one. */
static void functions_read(struct symbols *s)
{
	struct elf_functions *functions = &s->functions;

	elf_functions_read(functions, &s->elf, SHT_DYNSYM, 1, &s->strings);
	if (elf_functions_read(functions, &s->debug, SHT_SYMTAB, 0, &s->strings) &&
	    elf_functions_read(functions, &s->elf, SHT_SYMTAB, 0, &s->strings)) {
		elf_functions_read(functions, &s->elf, SHT_DYNSYM, 0, &s->strings);
		if (!debug_file_unpack(&s->packed, &s->elf))
			elf_functions_read(functions, &s->packed, SHT_SYMTAB, 0, &s->strings);
	}
	elf_functions_sort(functions);
}

/* The kernel's part of every process has no file, but is in this process, too: the same if the
 * build-id is. */
static int vdso_open(struct elf *elf, const char *path)
{
	const char *image = (const char *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	size_t n_bytes = VDSO_PAGES * (size_t)sysconf(_SC_PAGESIZE);
	const Elf64_Ehdr *header = (const void *)image;
	size_t end = image ? header->e_shoff + (size_t)header->e_shnum * header->e_shentsize : 0;
	char *copy;

	if (!strstr(path, "vdso") || strchr(path, '/') || !end || end > n_bytes)
		return -1;
	copy = xcalloc(end, 1);
	memcpy(copy, image, end);
	return elf_open_bytes(elf, copy, end);
}

/* The file that is read is at `opened`, the module is known by `path`. */
static struct symbols *open_at(const char *opened, const char *path, const uint8_t *build_id,
			       size_t build_id_bytes)
{
	struct symbols *s = xcalloc(1, sizeof(*s));

	pthread_mutex_init(&s->lock, NULL);
	if ((!elf_open(&s->elf, opened) || (build_id_bytes && !vdso_open(&s->elf, path))) &&
	    !elf_build_id_is(&s->elf, build_id, build_id_bytes))
		elf_close(&s->elf);
	if (!build_id_bytes && s->elf.bytes)
		build_id = elf_build_id(&s->elf, &build_id_bytes);
	if (debug_file_open(&s->debug, &s->elf, path, build_id, build_id_bytes) && !s->elf.bytes) {
		symbols_release(s);
		return NULL;
	}
	functions_read(s);
	return s;
}

struct symbols *symbols_open(const char *path, const uint8_t *build_id, size_t build_id_bytes)
{
	struct symbols *s;

	pthread_mutex_lock(&opening);
	s = open_at(path, path, build_id, build_id_bytes);
	pthread_mutex_unlock(&opening);
	return s;
}

struct symbols *symbols_open_fd(int fd, const char *path, const uint8_t *build_id, size_t build_id_bytes)
{
	struct symbols *s;
	char opened[64];

	snprintf(opened, sizeof(opened), "/proc/self/fd/%d", fd);
	pthread_mutex_lock(&opening);
	s = open_at(opened, path, build_id, build_id_bytes);
	pthread_mutex_unlock(&opening);
	return s;
}

static void debug_info_find(struct symbols *s)
{
	const struct elf *elf = s->debug.bytes ? &s->debug : &s->elf;
	FREED char *shared = NULL;

	if (s->has_debug_info)
		return;
	s->has_debug_info = 1;
	if (!elf->path || !elf_debug_info_is_sound(elf))
		return;
	shared = debug_file_shared(elf);
	s->debug_info = debug_info_open(elf->path, shared, &s->strings);
}

static void parts_find(struct symbols *s)
{
	if (!s->has_parts && s->elf.bytes) {
		elf_stubs_read(&s->stubs, &s->elf, &s->functions, &s->strings);
		elf_bounds_read(&s->bounds, &s->elf);
	}
	s->has_parts = 1;
}

void symbols_release(struct symbols *s)
{
	if (!s)
		return;
	debug_info_release(s->debug_info);
	elf_functions_release(&s->functions);
	elf_stubs_release(&s->stubs);
	code_calls_release(&s->calls);
	ranges_release(&s->bounds);
	elf_close(&s->elf);
	elf_close(&s->debug);
	elf_close(&s->packed);
	map_release(&s->strings);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* ---- names ----------------------------------------------------------------------------------- */

const char *symbols_name(const struct symbols *s, uint64_t address, int *is_import)
{
	const struct elf_function *f = elf_functions_find(&s->functions, address);

	if (f && is_import)
		*is_import = f->is_import;
	return f ? f->name : NULL;
}

uint64_t symbols_address(const struct symbols *s, const char *name)
{
	for (size_t i = 0; i < s->functions.n; i++)
		if (!s->functions.list[i].is_import && !strcmp(s->functions.list[i].name, name))
			return s->functions.list[i].address;
	return 0;
}

const char *symbols_name_at(const struct symbols *s, uint64_t address, size_t i)
{
	const struct elf_function *list = s->functions.list;
	size_t at;

	SEARCH(at, s->functions.n, list[at].address >= address);
	for (; at < s->functions.n && list[at].address == address; at++)
		if (!list[at].is_import && !list[at].is_label && !i--)
			return list[at].name;
	return NULL;
}

const struct code_calls *symbols_calls(struct symbols *s)
{
	pthread_mutex_lock(&s->lock);
	parts_find(s);
	if (!s->has_calls && s->elf.bytes)
		code_calls_read(&s->calls, &s->elf, &s->bounds, &s->stubs, &s->functions);
	s->has_calls = 1;
	pthread_mutex_unlock(&s->lock);
	return &s->calls;
}

const char *symbols_object(const struct symbols *s, uint64_t address, uint64_t *offset)
{
	const struct elf *const elves[] = { &s->debug, &s->elf };
	const char *name = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(elves) && !name; i++)
		name = elf_object(elves[i], SHT_SYMTAB, address, offset);
	return name ? name : elf_object(&s->elf, SHT_DYNSYM, address, offset);
}

int symbols_line(struct symbols *s, uint64_t address, const char **file, uint32_t *line)
{
	int status;

	pthread_mutex_lock(&s->lock);
	debug_info_find(s);
	status = s->debug_info ? debug_info_line(s->debug_info, address, DEBUG_LINE_FIRST, file, line) : -1;
	pthread_mutex_unlock(&s->lock);
	return status;
}

/* ---- frames ---------------------------------------------------------------------------------- */

/*
 * The function whose symbol covers the address. One without a size is asked for its unwind
 * information: what has some of its own that begins later, is another function.
 */
static const struct elf_function *function_at(const struct symbols *s, uint64_t address)
{
	const struct elf_function *f = elf_functions_find(&s->functions, address);
	const struct address_range *bound, *own;

	if (!f || f->is_import || !f->is_unsized)
		return f && !f->is_import ? f : NULL;
	bound = ranges_find(&s->bounds, address);
	own = ranges_find(&s->bounds, f->address);
	return bound == own || (bound && bound->begin <= f->address) ? f : NULL;
}

const uint8_t *symbols_code_bytes(const struct symbols *s, uint64_t address, uint64_t n)
{
	if (!s->elf.bytes)
		return NULL;
	for (size_t i = 0; i < s->elf.n_sections; i++) {
		const Elf64_Shdr *section = &s->elf.sections[i];
		uint64_t at = address - section->sh_addr;

		if (section->sh_type == SHT_PROGBITS && section->sh_flags & SHF_EXECINSTR &&
		    address >= section->sh_addr && at < section->sh_size && n <= section->sh_size - at &&
		    elf_has(&s->elf, section->sh_offset, section->sh_size))
			return (const uint8_t *)s->elf.bytes + section->sh_offset + at;
	}
	return NULL;
}

const char *symbols_notes(const struct symbols *s, size_t i, size_t *n)
{
	return s->elf.bytes ? elf_notes(&s->elf, i, n) : NULL;
}

int symbols_code(const struct symbols *s, uint64_t address, uint64_t *begin, const uint8_t **code, size_t *n)
{
	const struct elf_function *f = elf_functions_find(&s->functions, address);

	if (!f || f->is_import || f->is_unsized || !f->size)
		return -1;
	*begin = f->address;
	*code = symbols_code_bytes(s, f->address, f->size);
	*n = f->size;
	return *code ? 0 : -1;
}

/* f for f.cold, which may be somewhere else: both are one function. */
static void name_function(struct symbols *s, const struct elf_function *f, struct symbol_frame *frame)
{
	const struct elf_function *whole = elf_functions_whole(&s->functions, f);
	size_t n = elf_cold_length(f->name);
	char *name;

	frame->name = whole ? whole->name : f->name;
	frame->entry = whole ? whole->address : f->address;
	if (whole || !n)
		return;
	name = xstrdup(f->name);
	name[n] = '\0';
	frame->name = map_keep(&s->strings, name);
	free(name);
}

/* A function without any symbol. */
static int name_guessed(struct symbols *s, uint64_t address, struct symbol_frame *frame)
{
	const struct address_range *span = ranges_find(&s->stubs.spans, address);
	char name[32];

	if (span) {
		frame->name = s->stubs.names[span->value];
		frame->entry = span->begin;
		return 0;
	}
	span = ranges_find(&s->bounds, address);
	if (!span)
		return -1;
	snprintf(name, sizeof(name), "0x%llx", (unsigned long long)span->begin);
	frame->name = map_keep(&s->strings, name);
	frame->entry = span->begin;
	frame->is_guessed = 1;
	return 0;
}

/* Name of a function of which debug information tells: the symbol's, where it has one somewhere. */
static const char *scope_name(const struct symbols *s, const struct debug_scope *scope)
{
	const struct elf_function *f = scope->instance ? function_at(s, scope->instance) : NULL;

	if (scope->name.linkage)
		return scope->name.linkage;
	return f ? f->name : scope->name.qualified;
}

/* The function that is not inlined; scope NULL: debug information does not know it. */
static int holder_find(struct symbols *s, uint64_t address, const struct debug_scope *scope,
		       struct symbol_frame *frame)
{
	const struct elf_function *f = scope ? function_at(s, scope->entry) : NULL;

	*frame = (struct symbol_frame){ 0 };
	if (scope) {
		frame->entry = scope->entry;
		frame->name = scope_name(s, scope);
		frame->decl_file = scope->name.decl_file;
		frame->decl_line = scope->name.decl_line;
		/* what the compiler has made of a part of a function: its first line */
		if (!frame->decl_line && scope->entry)
			debug_info_line(s->debug_info, scope->entry, DEBUG_LINE_LAST, &frame->decl_file,
					&frame->decl_line);
	}
	if (!f)
		f = function_at(s, address);
	if (f)
		name_function(s, f, frame);
	return frame->name ? 0 : name_guessed(s, address, frame);
}

static size_t frames_find(struct symbols *s, uint64_t address, struct symbol_frame *frames, size_t max)
{
	struct debug_scope scopes[SYMBOL_FRAMES_MAX];
	size_t n_scopes = 0, n = 0;
	const char *file = NULL;
	uint32_t line = 0;

	debug_info_find(s);
	parts_find(s);
	if (s->debug_info) {
		n_scopes = debug_info_scopes(s->debug_info, address, scopes,
					     max < SYMBOL_FRAMES_MAX ? max : SYMBOL_FRAMES_MAX);
		debug_info_line(s->debug_info, address, DEBUG_LINE_LAST, &file, &line);
	}
	for (size_t i = 0; i + 1 < n_scopes; i++) {
		frames[n] = (struct symbol_frame){ .name = scope_name(s, &scopes[i]),
						   .entry = scopes[i].entry,
						   .file = file,
						   .line = line,
						   .decl_file = scopes[i].name.decl_file,
						   .decl_line = scopes[i].name.decl_line,
						   .is_inlined = 1 };
		n += frames[n].name != NULL; /* what has no name, is left out */
		file = scopes[i].call_file;
		line = scopes[i].call_line;
	}
	if (n == max || holder_find(s, address, n_scopes ? &scopes[n_scopes - 1] : NULL, &frames[n]))
		return 0;
	frames[n].file = file;
	frames[n].line = line;
	return n + 1;
}

size_t symbols_frames(struct symbols *s, uint64_t address, struct symbol_frame *frames, size_t max)
{
	size_t n;

	pthread_mutex_lock(&s->lock);
	n = frames_find(s, address, frames, max);
	pthread_mutex_unlock(&s->lock);
	return n;
}

/* ---- compilers ------------------------------------------------------------------------------- */

static void comments_read(const struct elf *elf, struct map *builders)
{
	const Elf64_Shdr *section = elf->bytes ? elf_section_named(elf, ".comment") : NULL;
	const char *at = section ? elf->bytes + section->sh_offset : NULL;
	const char *end = section ? at + section->sh_size : NULL;

	while (at < end) {
		size_t n = strnlen(at, (size_t)(end - at));
		int is_new;

		if (n)
			map_add(builders, at, n, &is_new);
		at += n + 1;
	}
}

void symbols_builders(struct symbols *s, enum symbols_builders which, struct map *builders)
{
	pthread_mutex_lock(&s->lock);
	if (which == SYMBOLS_BUILT_BY) {
		comments_read(&s->elf, builders);
	} else {
		debug_info_find(s);
		if (s->debug_info)
			debug_info_producers(s->debug_info, builders);
	}
	pthread_mutex_unlock(&s->lock);
}
