/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * modules.h - the modules of one process with the contents of their tables (cinstr/abi.h):
 * functions, call sites, and the meaning of each sled's code to the fold. Names, files and strings
 * point into the data's memory.
 */
#ifndef REPORT_MODULES_H
#define REPORT_MODULES_H

#include <stddef.h>
#include <stdint.h>

#include "cinstr/abi.h"
#include "cinstr/format.h"
#include "runtime/fold/fold.h"

struct data;

/* An instrumented function. */
struct module_function {
	uint32_t code; /* of its ENTER sled */
	uint32_t line;
	const char *name; /* assembler name; never NULL */
	const char *file; /* NULL: unknown */
	const char *comp_dir;
	uint32_t flags;	  /* CINSTR_FUNCTION_* */
	uint64_t address; /* link address of that sled; 0: none */
};

/* A sled. */
struct module_site {
	uint32_t code;
	uint32_t function;   /* index in the module's functions */
	uint32_t line;	     /* 0: unknown */
	uint32_t flags;	     /* CINSTR_SITE_* */
	const char *file;    /* NULL: the function's */
	const char *callee;  /* BEFORE, TAIL: name of the callee; NULL: indirect */
	uint64_t callee_key; /* link address of the callee's name */
	uint64_t address;    /* link address of the sled */
	uint32_t n_levels;   /* LINE: number of levels of inlining */
	size_t first_level;  /* index of the innermost level in the module's levels */
};

struct module_left_out {
	const char *name;
	uint32_t reason; /* enum cinstr_abi_reason */
	uint32_t flags;	 /* CINSTR_FUNCTION_LOCAL */
};

struct module {
	const struct cinstr_module *raw;
	uint64_t offset;  /* of `raw` in the file */
	const char *path; /* "" if none */
	/* Path shown; NULL: `path`. In merged files: one path for all builds of that name, whose
	 * functions are identified by name and place in the source. */
	const char *known_as;
	const char *notes, *strings; /* copies from the image, as far as they are intact */
	uint64_t notes_bytes, strings_bytes;
	const struct cinstr_callee *callees;
	size_t n_callees;
	struct module_function *functions; /* sorted by code */
	size_t n_functions, size_functions;
	struct module_site *sites; /* sorted by code */
	size_t n_sites, size_sites;
	const char **levels; /* levels of inlining: "function\tfile\tline\n" */
	size_t n_levels, size_levels;
	struct module_left_out *left_out; /* sorted by reason and name */
	size_t n_left_out, size_left_out;
	int waits_for_start; /* has a START or a region: threads begin with recording off */
	uint32_t *by_name;   /* functions sorted by name */
	int is_shared;	     /* the arrays belong to module_cache.h, not to this module */
};

struct modules {
	struct module *list;
	size_t n;
	struct fold_sites fold_sites;
	size_t words_bytes; /* size of the mapping of fold_sites */
};

/* Decodes one MODULES payload. Call modules_finish() after the last. */
void modules_add(struct modules *modules, struct data *data, uint64_t offset, uint64_t bytes);
void modules_finish(struct modules *modules, struct data *data);
void modules_release(struct modules *modules);
/* Releases what was decoded. */
void module_release(struct module *module);

const struct module *modules_by_code(const struct modules *modules, uint32_t code);
const struct module *modules_by_address(const struct modules *modules, uint64_t address);
/* Returns why a module built with the plugin is not recorded: "its tables were removed ..."; NULL:
 * it is recorded, or was not built with the plugin. */
const char *module_why_refused(const struct module *module);
/* Return the function of an ENTER sled and the site of a sled by code; NULL: not in the table. */
const struct module_function *module_function(const struct module *module, uint32_t code);
const struct module_site *module_site(const struct module *module, uint32_t code);
/* Returns the site of a sled by its code's word, whatever its kind: sleds do not share words. */
const struct module_site *module_site_of_word(const struct module *module, uint32_t code);
/* Returns the function of that name (or of the other one of a constructor's two names); if there
 * are several, the one in `file`; of copies of one (a header's static function) any. NULL: none, or
 * ambiguous. */
const struct module_function *module_function_named(const struct module *module, const char *name,
						    const char *file);
/* Returns the function whose first instruction is at this absolute address, found by its ENTER
 * sled; NULL: none. */
const struct module_function *module_function_at(const struct module *module, uint64_t address);
/* Returns the address of a site's callee if it lies outside the module; 0: not known. */
uint64_t module_callee_address(const struct module *module, const struct module_site *site);

/* Returns the link address of a site's call instruction, which follows the sled. */
uint64_t module_site_instruction(const struct module_site *site);
/* Whether the site is of a call, or of a jump that stands for one. */
static inline int module_site_is_call(const struct module_site *site)
{
	return CINSTR_CODE_KIND(site->code) == CINSTR_EV_BEFORE ||
	       CINSTR_CODE_KIND(site->code) == CINSTR_EV_TAIL;
}
/* Whether the site calls a waiting function. Such calls are timed in counted functions, too, and
 * have no counter. Tail calls are not. */
int module_site_is_timed(const struct module_site *site);

/* Whether the function was left out by choice or cannot have probes, according to its reason. */
int module_left_out_by_choice(const struct module_left_out *left_out);

#endif
