/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * modules.c - decodes the MODULES segment and the tables in it (modules.h). Every reference is
 * checked against the block it points into; a truncated table is used as far as it goes and
 * reported as a problem.
 */
#include "modules.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "data.h"
#include "lib/order.h"
#include "lib/search.h"
#include "lib/util.h"
#include "module_cache.h"
#include "module_notes.h"
#include "symbols/structors.h"

/* ---- one module's tables --------------------------------------------------------------------- */

/* Where decoding stands inside one note. */
struct table {
	struct module *module;
	uint64_t address; /* link address of the descriptor */
	const char *bytes;
	uint64_t anchor; /* link address of the text anchor */
	const char *comp_dir;
	uint32_t n_refs, n_records;
	uint64_t refs, records;		/* offsets in the descriptor */
	uint32_t function;		/* of the records that follow; UINT32_MAX: none */
	uint32_t last_site;		/* sled before; UINT32_MAX: none */
	uint32_t last_before;		/* BEFORE that waits for its AFTER's line */
	uint32_t name_ref, line, flags; /* of a FUNCTION record that waits for its ENTRY */
};

/* Grows *array by one element and returns it, zeroed. */
static void *append(void *array, size_t *n, size_t *size, size_t element)
{
	void **p = array;
	char *slot;

	if (*n == *size) {
		*size = *size ? *size * 2 : 64;
		*p = xrealloc(*p, *size, element);
	}
	slot = (char *)*p + (*n)++ * element;
	memset(slot, 0, element);
	return slot;
}

static uint32_t get32(const char *p)
{
	uint32_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

/* The string at a link address; NULL if it lies outside the strings or does not end there. */
static const char *string_at(const struct module *module, uint64_t address)
{
	uint64_t offset = address - module->raw->strings_address;

	if (offset >= module->strings_bytes)
		return NULL;
	if (!memchr(module->strings + offset, '\0', module->strings_bytes - offset))
		return NULL;
	return module->strings + offset;
}

/*
 * The string that the reference field at offset `field` of the descriptor means; *key: its link
 * address.
 */
static const char *ref_at(const struct table *table, uint64_t field, uint64_t *key)
{
	int32_t value = (int32_t)get32(table->bytes + field);

	*key = table->address + field + (uint64_t)(int64_t)value;
	return value ? string_at(table->module, *key) : NULL;
}

static const char *ref_string(const struct table *table, uint32_t ref, uint64_t *key)
{
	*key = 0;
	return ref < table->n_refs ? ref_at(table, table->refs + 4ull * ref, key) : NULL;
}

/* The code of a sled at a link address; 0: outside the module's text. */
static uint32_t code_of(const struct module *module, uint64_t link_address, uint32_t kind)
{
	uint64_t offset = link_address + module->raw->base - module->raw->text_start;

	if (offset >= module->raw->text_end - module->raw->text_start || offset >= module->raw->code_bytes)
		return 0;
	return ((module->raw->code_base + (uint32_t)offset) & ~7u) | kind;
}

static uint32_t function_add(struct table *table, uint64_t enter_address, const char *file)
{
	struct module *module = table->module;
	struct module_function *f;
	uint64_t key;

	f = append(&module->functions, &module->n_functions, &module->size_functions, sizeof(*f));
	f->code = code_of(module, enter_address, CINSTR_EV_ENTER);
	f->line = table->line;
	f->flags = table->flags;
	f->name = ref_string(table, table->name_ref, &key);
	if (!f->name)
		f->name = "[unnamed]";
	f->file = file;
	f->comp_dir = table->comp_dir;
	return (uint32_t)module->n_functions - 1;
}

static void on_sled(struct table *table, uint32_t offset, uint32_t info)
{
	struct module *module = table->module;
	uint32_t kind = CINSTR_REC_KIND(info) - 8, payload = CINSTR_REC_PAYLOAD(info);
	uint64_t address = table->anchor + (uint64_t)(int64_t)(int32_t)offset;
	uint32_t code = code_of(module, address, kind);
	struct module_site *s;

	table->last_site = UINT32_MAX;
	if (!code || table->function == UINT32_MAX)
		return;
	s = append(&module->sites, &module->n_sites, &module->size_sites, sizeof(*s));
	table->last_site = (uint32_t)module->n_sites - 1;
	s->code = code;
	s->function = table->function;
	s->flags = CINSTR_REC_FLAGS(info);
	s->address = address;
	if (kind == CINSTR_EV_BEFORE || kind == CINSTR_EV_TAIL)
		s->callee = ref_string(table, payload, &s->callee_key);
	else
		s->line = payload;
	if (kind == CINSTR_EV_AFTER && table->last_before != UINT32_MAX) {
		module->sites[table->last_before].line = payload;
		/* for the fold: code of its BEFORE */
		s->callee_key = module->sites[table->last_before].code;
	}
	table->last_before = kind == CINSTR_EV_BEFORE ? table->last_site : UINT32_MAX;
}

static void on_line(struct table *table, uint32_t line, uint32_t payload)
{
	struct module_site *s;
	uint64_t key;

	if (table->last_site == UINT32_MAX)
		return;
	s = &table->module->sites[table->last_site];
	s->line = line;
	if (payload != CINSTR_REC_NO_REF)
		s->file = ref_string(table, payload, &key);
}

static void on_inlined(struct table *table, uint32_t payload)
{
	struct module *module = table->module;
	const char **level, *text;
	uint64_t key;

	text = ref_string(table, payload, &key);
	if (table->last_site == UINT32_MAX || !text)
		return;
	level = append(&module->levels, &module->n_levels, &module->size_levels, sizeof(*level));
	*level = text;
	if (!module->sites[table->last_site].n_levels++)
		module->sites[table->last_site].first_level = module->n_levels - 1;
}

static void on_left_out(struct table *table, uint32_t reason, uint32_t flags, uint32_t payload)
{
	struct module *module = table->module;
	struct module_left_out *l;
	uint64_t key;

	if (flags & CINSTR_FUNCTION_ALIAS)
		return; /* its function is there */
	l = append(&module->left_out, &module->n_left_out, &module->size_left_out, sizeof(*l));
	l->reason = reason;
	l->flags = flags;
	l->name = ref_string(table, payload, &key);
	if (!l->name)
		l->name = "[unnamed]";
}

static void on_record(struct table *table, uint64_t at)
{
	uint32_t offset = get32(table->bytes + at), info = get32(table->bytes + at + 4);
	uint32_t payload = CINSTR_REC_PAYLOAD(info);
	uint64_t key;

	switch (CINSTR_REC_KIND(info)) {
	case CINSTR_REC_FUNCTION:
		table->name_ref = payload;
		table->line = offset;
		table->flags = CINSTR_REC_FLAGS(info);
		table->function = table->last_site = table->last_before = UINT32_MAX;
		break;
	case CINSTR_REC_ENTRY:
		table->function =
			function_add(table, table->address + at + (uint64_t)(int64_t)(int32_t)offset,
				     ref_string(table, payload, &key));
		break;
	case CINSTR_REC_LINE:
		on_line(table, offset, payload);
		break;
	case CINSTR_REC_LEFT_OUT:
		on_left_out(table, offset, CINSTR_REC_FLAGS(info), payload);
		break;
	case CINSTR_REC_INLINED:
		on_inlined(table, payload);
		break;
	case CINSTR_REC_ACTION:
		if (offset == CINSTR_ACTION_START || offset == CINSTR_ACTION_REGION_BEGIN)
			table->module->waits_for_start = 1;
		break;
	default: /* what is not known is skipped */
		if (CINSTR_REC_KIND(info) >= CINSTR_REC_ENTER)
			on_sled(table, offset, info);
	}
}

/* One note's descriptor of `bytes` bytes. Returns -1 if it is not sound. */
static int table_decode(struct module *module, uint64_t offset, uint64_t bytes)
{
	struct cinstr_abi_table header;
	struct table table = { .module = module, .bytes = module->notes + offset };
	uint64_t key;

	if (bytes < sizeof(header))
		return -1;
	memcpy(&header, table.bytes, sizeof(header));
	table.address = module->raw->notes_address + offset;
	table.refs = sizeof(header);
	table.records = table.refs + 4ull * header.n_refs;
	if (header.abi != CINSTR_ABI_VERSION ||
	    table.records + (uint64_t)header.n_records * sizeof(struct cinstr_abi_record) > bytes)
		return -1;
	table.n_refs = header.n_refs;
	table.n_records = header.n_records;
	table.anchor =
		table.address + offsetof(struct cinstr_abi_table, text) + (uint64_t)(int64_t)header.text;
	table.comp_dir = ref_at(&table, offsetof(struct cinstr_abi_table, comp_dir), &key);
	table.function = table.last_site = table.last_before = UINT32_MAX;
	for (uint32_t i = 0; i < header.n_records; i++)
		on_record(&table, table.records + (uint64_t)i * sizeof(struct cinstr_abi_record));
	return 0;
}

static void notes_decode(struct module *module, struct data *data)
{
	struct module_note note;
	uint64_t at = 0;
	int is_there;

	while ((is_there = module_note_next(module, &at, &note)) > 0) {
		if (note.type == CINSTR_NOTE_TABLE && table_decode(module, note.descriptor, note.bytes)) {
			at = note.begin;
			is_there = -1;
			break;
		}
	}
	if (is_there < 0)
		data_problem(data, module->offset + module->raw->notes_offset + at, "table of %s is damaged",
			     module->path);
}

/* ---- order ----------------------------------------------------------------------------------- */

/* The hot group of a function comes first: it names the function. */
ORDER_ITEMS(compare_functions, struct module_function, ORDER(x->code, y->code),
	    !!(x->flags & CINSTR_FUNCTION_COLD) - !!(y->flags & CINSTR_FUNCTION_COLD))

ORDER_ITEMS(compare_sites, struct module_site, ORDER(x->code, y->code))

static int compare_names(const void *a, const void *b, void *arg)
{
	const struct module *m = arg;

	return strcmp(m->functions[*(const uint32_t *)a].name, m->functions[*(const uint32_t *)b].name);
}

ORDER_ITEMS(compare_left_out, struct module_left_out, ORDER(x->reason, y->reason), strcmp(x->name, y->name),
	    (int)x->flags - (int)y->flags)

/* Inline functions of headers are left out in each translation unit, but they are one function. */
static void left_out_sort(struct module *module)
{
	size_t n = 0;

	util_sort(module->left_out, module->n_left_out, sizeof(*module->left_out), compare_left_out, NULL);
	for (size_t i = 0; i < module->n_left_out; i++) {
		const struct module_left_out *l = &module->left_out[i];

		if (!n || l->flags & CINSTR_FUNCTION_LOCAL ||
		    compare_left_out(l, &module->left_out[n - 1], NULL))
			module->left_out[n++] = *l;
	}
	module->n_left_out = n;
}

/* Sorts functions by code, with one entry a function; sites follow to the new numbers. */
static void functions_sort(struct module *module)
{
	uint32_t *codes = xcalloc(module->n_functions, sizeof(*codes));
	size_t n = 0;

	for (size_t i = 0; i < module->n_functions; i++)
		codes[i] = module->functions[i].code;
	util_sort(module->functions, module->n_functions, sizeof(*module->functions), compare_functions,
		  NULL);
	for (size_t i = 0; i < module->n_functions; i++)
		if (!n || module->functions[n - 1].code != module->functions[i].code)
			module->functions[n++] = module->functions[i];
	module->n_functions = n;
	for (size_t i = 0; i < module->n_sites; i++) {
		const struct module_function *f = module_function(module, codes[module->sites[i].function]);

		module->sites[i].function = (uint32_t)(f - module->functions);
	}
	free(codes);
	util_sort(module->sites, module->n_sites, sizeof(*module->sites), compare_sites, NULL);
	module->by_name = xcalloc(n, sizeof(*module->by_name));
	for (size_t i = 0; i < n; i++)
		module->by_name[i] = (uint32_t)i;
	util_sort(module->by_name, n, sizeof(*module->by_name), compare_names, module);
}

/* ---- the segment ----------------------------------------------------------------------------- */

/*
 * The block [offset, offset + bytes) of the entry; NULL and *sound = 0 if it does not lie inside.
 */
static const char *block(const struct cinstr_module *raw, uint64_t offset, uint64_t bytes, int *sound)
{
	if (!bytes)
		return "";
	if (offset < sizeof(*raw) || offset > raw->bytes || bytes > raw->bytes - offset) {
		*sound = 0;
		return NULL;
	}
	return (const char *)raw + offset;
}

static void blocks_find(struct module *module, int *sound)
{
	const struct cinstr_module *raw = module->raw;
	uint64_t path = raw->path_offset;

	module->path = "";
	if (path >= sizeof(*raw) && path < raw->bytes &&
	    memchr((const char *)raw + path, '\0', raw->bytes - path))
		module->path = (const char *)raw + path;
	module->notes = block(raw, raw->notes_offset, raw->notes_bytes, sound);
	module->notes_bytes = module->notes ? raw->notes_bytes : 0;
	module->strings = block(raw, raw->strings_offset, raw->strings_bytes, sound);
	module->strings_bytes = module->strings ? raw->strings_bytes : 0;
	if (raw->callees_offset % 8 == 0)
		module->callees =
			(const void *)block(raw, raw->callees_offset,
					    (uint64_t)raw->n_callees * sizeof(struct cinstr_callee), sound);
	module->n_callees = module->callees ? raw->n_callees : 0;
	if (raw->text_end < raw->text_start || raw->build_id_bytes > sizeof(raw->build_id) ||
	    raw->code_base % 8 || (uint64_t)raw->code_base + raw->code_bytes > 1ull << 32)
		*sound = 0;
}

static void functions_place(struct module *module)
{
	for (size_t i = 0; i < module->n_functions; i++) {
		const struct module_site *enter = module_site(module, module->functions[i].code);

		module->functions[i].address = enter ? enter->address : 0;
	}
}

/* What its tables say, decoded or as decoded before. */
static void tables_decode(struct module *module, struct data *data)
{
	size_t n_problems = data->n_problems;

	if (module->raw->code_base && module_cache_find(data->tables, module))
		return;
	if (module->raw->code_base)
		notes_decode(module, data);
	functions_sort(module);
	functions_place(module);
	left_out_sort(module);
	if (module->raw->code_base && n_problems == data->n_problems)
		module_cache_keep(data->tables, module);
}

void modules_add(struct modules *modules, struct data *data, uint64_t offset, uint64_t bytes)
{
	uint64_t at = 0;

	while (at + sizeof(struct cinstr_module) <= bytes) {
		const struct cinstr_module *raw = (const void *)(data->memory + offset + at);
		struct module *module;
		int sound = 1;

		if (!raw->bytes) /* being made when the process stopped */
			return;
		if (raw->bytes < sizeof(*raw) || raw->bytes % 8 || raw->bytes > bytes - at) {
			data_problem(data, offset + at, "entry of a module is damaged");
			return;
		}
		modules->list = xrealloc(modules->list, modules->n + 1, sizeof(*modules->list));
		module = &modules->list[modules->n];
		*module = (struct module){ .raw = raw, .offset = offset + at };
		at += raw->bytes;
		blocks_find(module, &sound);
		if (!sound) {
			data_problem(data, module->offset, "entry of module '%s' is damaged", module->path);
			if (data->header->method != CINSTR_METHOD_SAMPLING)
				continue;
			/* Stacks count modules: it keeps its number. */
			*module = (struct module){ .raw = raw, .offset = module->offset, .path = "" };
			modules->n++;
			continue;
		}
		modules->n++;
		tables_decode(module, data);
	}
}

/* What a sled's code means to the fold: fold.h, struct fold_sites. */
static uint32_t fold_word(const struct module *module, const struct module_site *site)
{
	if (CINSTR_CODE_KIND(site->code) == CINSTR_EV_AFTER)
		return (uint32_t)site->callee_key;
	return module->functions[site->function].code;
}

static uint16_t name_number(const struct module *module, const struct module_site *site)
{
	uint32_t kind = CINSTR_CODE_KIND(site->code);
	const char *name = kind == CINSTR_EV_ENTER  ? module->functions[site->function].name
			   : kind == CINSTR_EV_TAIL ? site->callee
						    : NULL;

	return name ? fold_name(name) : 0;
}

void modules_finish(struct modules *modules, struct data *data)
{
	uint32_t *words;
	uint8_t *wrappers, *counted;
	uint16_t *names;
	uint32_t n = 0;

	for (size_t i = 0; i < modules->n; i++) {
		const struct module *m = &modules->list[i];

		if (m->n_sites && (m->sites[m->n_sites - 1].code >> 3) + 1 > n)
			n = (m->sites[m->n_sites - 1].code >> 3) + 1;
	}
	if (!n)
		return;
	modules->words_bytes = (size_t)n * (sizeof(*words) + sizeof(*names)) + 2 * (n / 8 + 1);
	words = mmap(NULL, modules->words_bytes, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (words == MAP_FAILED) {
		modules->words_bytes = 0;
		data_problem(data, 0, "no memory for the table of %u sleds", n);
		return;
	}
	names = (uint16_t *)&words[n];
	wrappers = (uint8_t *)&names[n];
	counted = wrappers + n / 8 + 1; /* counters.c */
	for (size_t i = 0; i < modules->n; i++) {
		const struct module *m = &modules->list[i];

		for (size_t k = 0; k < m->n_sites; k++) {
			uint32_t word = m->sites[k].code >> 3;

			words[word] = fold_word(m, &m->sites[k]);
			names[word] = name_number(m, &m->sites[k]);
			if (CINSTR_SITE_CALLEE(m->sites[k].flags) == CINSTR_SITE_SYSCALL)
				wrappers[word >> 3] |= (uint8_t)(1u << (word & 7));
		}
	}
	modules->fold_sites = (struct fold_sites){ words, n, wrappers, counted, names };
}

void module_release(struct module *module)
{
	free(module->functions);
	free(module->sites);
	free(module->levels);
	free(module->left_out);
	free(module->by_name);
}

void modules_release(struct modules *modules)
{
	for (size_t i = 0; i < modules->n; i++)
		if (!modules->list[i].is_shared)
			module_release(&modules->list[i]);
	free(modules->list);
	if (modules->words_bytes)
		munmap((void *)(uintptr_t)modules->fold_sites.words, modules->words_bytes);
	*modules = (struct modules){ 0 };
}

/* ---- look-up --------------------------------------------------------------------------------- */

const struct module *modules_by_code(const struct modules *modules, uint32_t code)
{
	for (size_t i = 0; i < modules->n; i++) {
		const struct cinstr_module *raw = modules->list[i].raw;

		if (raw->code_base && code >= raw->code_base && code - raw->code_base < raw->code_bytes)
			return &modules->list[i];
	}
	return NULL;
}

const struct module *modules_by_address(const struct modules *modules, uint64_t address)
{
	const struct module *found = NULL;

	for (size_t i = 0; i < modules->n; i++) {
		const struct cinstr_module *raw = modules->list[i].raw;

		/* If two have the same code, one that is still loaded is preferred to one that was
		 * unloaded. */
		if (address >= raw->text_start && address < raw->text_end &&
		    (!found || found->raw->flags & CINSTR_MODULE_UNLOADED))
			found = &modules->list[i];
	}
	return found;
}

const char *module_why_refused(const struct module *module)
{
	uint32_t flags = module->raw->flags;

	if (flags & CINSTR_MODULE_NO_TABLES)
		return "its tables (.cinstr.note) were removed (strip -R, gold's --gc-sections)";
	if (flags & CINSTR_MODULE_DAMAGED)
		return "its tables (.cinstr.note) are damaged";
	if (flags & CINSTR_MODULE_CODE_MOVED)
		return "its code was changed after it was linked, so its tables do not fit (BOLT?)";
	if (flags & CINSTR_MODULE_OTHER_ABI)
		return "it was built by another version of the plugin";
	if (flags & CINSTR_MODULE_READS_CODE)
		return "it looks at its own code, which probes would change (--checked-code=change: all "
		       "the same)";
	return NULL;
}

/* bsearch over structs that begin with their code */
static const void *by_code(const void *array, size_t n, size_t element, uint32_t code)
{
	size_t i;

#define CODE_OF(i) (*(const uint32_t *)(const void *)((const char *)array + (i)*element))
	SEARCH(i, n, CODE_OF(i) >= code);
	return i < n && CODE_OF(i) == code ? &CODE_OF(i) : NULL;
#undef CODE_OF
}

const struct module_function *module_function(const struct module *module, uint32_t code)
{
	return by_code(module->functions, module->n_functions, sizeof(*module->functions), code);
}

const struct module_site *module_site(const struct module *module, uint32_t code)
{
	return by_code(module->sites, module->n_sites, sizeof(*module->sites), code);
}

const struct module_site *module_site_of_word(const struct module *module, uint32_t code)
{
	const struct module_site *site = NULL;

	for (uint32_t kind = CINSTR_EV_ENTER; !site && kind <= CINSTR_EV_LINE; kind++)
		site = module_site(module, CINSTR_CODE_WORD(code) | kind);
	return site;
}

static const struct module_function *named(const struct module *module, size_t i)
{
	return &module->functions[module->by_name[i]];
}

/* Tells whether both are copies of one function, as of a header's static one in several units. */
static int is_copy(const struct module_function *a, const struct module_function *b)
{
	return a->file && b->file && !strcmp(a->file, b->file) && a->line == b->line;
}

static const struct module_function *function_of_name(const struct module *module, const char *name,
						      const char *file)
{
	const struct module_function *found = NULL, *in_file = NULL;
	size_t i, n_unlike = 0;

	SEARCH(i, module->n_functions, strcmp(named(module, i)->name, name) >= 0);
	for (; i < module->n_functions && !strcmp(named(module, i)->name, name); i++) {
		n_unlike += !found || !is_copy(found, named(module, i));
		found = named(module, i);
		if (file && found->file && !strcmp(found->file, file))
			in_file = found;
	}
	return n_unlike == 1 ? found : in_file;
}

const struct module_function *module_function_named(const struct module *module, const char *name,
						    const char *file)
{
	const struct module_function *found = function_of_name(module, name, file);
	FREED char *other = found ? NULL : structor_other_name(name);

	if (other)
		found = function_of_name(module, other, file);
	return found;
}

/*
 * The ENTER sled stands at the function's first instruction, behind an endbr64 (4 bytes) and
 * alignment (4) at most. What lies further before it is another function. What lies less far may be
 * one, too: thunks can be as short as that.
 */
#define ENTRY_BYTES_MAX 8u

const struct module_function *module_function_at(const struct module *module, uint64_t address)
{
	uint64_t link_address = address - module->raw->base;
	uint32_t code = code_of(module, link_address, 0);
	size_t i;

	SEARCH(i, module->n_functions, module->functions[i].code >= code);
	/* The first one may have its sled in the same word, but before the address. */
	for (size_t end = i + 2; code && i < end && i < module->n_functions; i++) {
		const struct module_site *enter = module_site(module, module->functions[i].code);

		if (enter && enter->address - link_address <= ENTRY_BYTES_MAX)
			return &module->functions[i];
	}
	return NULL;
}

uint64_t module_callee_address(const struct module *module, const struct module_site *site)
{
	size_t i;

	SEARCH(i, module->n_callees, module->callees[i].string_address >= site->callee_key);
	if (i == module->n_callees || module->callees[i].string_address != site->callee_key)
		return 0;
	return module->callees[i].address;
}

int module_site_is_timed(const struct module_site *site)
{
	return CINSTR_CODE_KIND(site->code) == CINSTR_EV_BEFORE && CINSTR_SITE_CALLEE(site->flags) &&
	       !(site->flags & CINSTR_SITE_NORETURN);
}

uint64_t module_site_instruction(const struct module_site *site)
{
	return site->address + CINSTR_SLED_BYTES;
}

int module_left_out_by_choice(const struct module_left_out *left_out)
{
	return left_out->reason >= CINSTR_LEFT_OUT_SMALL && left_out->reason <= CINSTR_LEFT_OUT_SYSTEM;
}
