/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * names.h - which function a cell stands for. A function is (module, name, file, line); the same
 * one in several threads and processes of a session is one entity. Compiler-made clones
 * (.constprop.0 and the like) count as the source function; a source line counts as its function.
 */
#ifndef REPORT_NAMES_H
#define REPORT_NAMES_H

#include "data.h"
#include "symbols.h"
#include "util.h"

#define NAMES_NONE UINT32_MAX
#define NAMES_UNKNOWN "[unknown]"
#define NAMES_MERGED "[calls beyond the budget of paths]"

struct entity {
	const char *name, *module;
	const char *file; /* NULL: not known */
	uint32_t line;
	uint32_t module_number; /* dense, for sums over modules */
	int is_function;	/* 0: stands for paths that were not kept */
	uint64_t address;	/* link address, for a look-up in the debug information; 0: not known */
};

struct names {
	struct map keys, modules, strings;
	struct entity *list; /* by number */
	size_t size;
	struct map cells; /* of the process at hand: what a cell says -> entity_of_cell */
	uint32_t *entity_of_cell;
	size_t n_entity_of_cell;
	struct map paths; /* files whose symbols were opened */
	struct symbols **symbols;
};

/* Entity of a node or of a FLAT cell. */
uint32_t names_of_cell(struct names *names, const struct data *data, const struct cinstr_cell *cell);
/* Entity of an instrumented function. */
uint32_t names_of_function(struct names *names, const struct module *module,
			   const struct module_function *function);
/* The path of a source file, kept; NULL: not known. */
const char *names_file(struct names *names, const char *comp_dir, const char *file);
/* Entity of each node of a thread; NAMES_NONE for the root. The caller frees it. */
uint32_t *names_of_thread(struct names *names, const struct data *data, const struct data_thread *thread);
/* Between two processes: what was learned about cells holds no longer. */
void names_next_process(struct names *names);
/* Looks file and line up in the module's debug information if the tables did not tell. */
void names_resolve(struct names *names, uint32_t entity);
void names_release(struct names *names);

/* The name with suffixes of clones cut off, and OpenMP's regions told in words, as a new string. */
char *names_plain(const char *assembler_name);

#endif
