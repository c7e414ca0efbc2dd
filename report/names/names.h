/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * names.h - finds the function (entity) that a cell stands for. A function is (module, name, file,
 * line); all threads and processes of a session share one entity for it. Compiler-made clones
 * (.constprop.0 and the like) count as the source function; a source line counts as its function.
 */
#ifndef REPORT_NAMES_H
#define REPORT_NAMES_H

#include "file/data.h"
#include "lib/options.h"
#include "lib/util.h"
#include "symbols/demangle.h"
#include "symbols/symbols.h"

#define NAMES_NONE UINT32_MAX
#define NAMES_EXTERNAL "[External Code]" /* all of the system's code, under --just-my-code */
#define NAMES_MERGED "[calls beyond the budget of paths]"

enum names_style { NAMES_AUTO, NAMES_SHORT, NAMES_FULL, NAMES_ASSEMBLER };

/* Options about names and source files. One setting holds for the whole command. */
struct names_options {
	int style;		  /* enum names_style */
	int is_full;		  /* nonzero: as style NAMES_FULL */
	const char *source_paths; /* list of FROM=TO, separated by commas */
	const char *debug_dirs;	  /* folders, separated by commas */
};

#define NAMES_OPTIONS(type, member) \
	{ "names", \
	  0, \
	  OPTION_CHOICE, \
	  "auto|short|full|assembler", \
	  offsetof(type, member.style), \
	  "functions of C++, Fortran and the like: short (as people write them: without parameters, " \
	  "inline namespaces and default template arguments), full, or as the assembler knows them", \
	  "short in a table, full in csv and json" }, \
		{ "full-names", \
		  0, \
		  OPTION_FLAG, \
		  NULL, \
		  offsetof(type, member.is_full), \
		  "functions with parameters and all template arguments: --names=full", \
		  NULL }, \
		{ "source-path", \
		  0, \
		  OPTION_TEXT, \
		  "FROM=TO,...", \
		  offsetof(type, member.source_paths), \
		  "source files recorded below FROM are below TO now", \
		  NULL }, \
	{ \
		"debug-dir", 0, OPTION_TEXT, "FOLDER,...", offsetof(type, member.debug_dirs), \
			"look for separate debug files there, too; else in /usr/lib/debug, beside the " \
			"module and at the servers of " \
			"DEBUGINFOD_URLS", \
			NULL \
	}

/* Adopts the options; `is_table`: names are for a table. Returns 0, or -1 after an error
 * message. */
int names_configure(const char *command, const struct names_options *options, int is_table);

/* Whether names are shown in full. Callers then do not shorten them. */
int names_are_full(void);

struct entity {
	const char *name;      /* the name shown */
	const char *assembler; /* the assembler name without suffixes of clones */
	const char *module;
	const char *file; /* path of the source file; NULL: not known */
	uint32_t line;
	uint32_t module_number; /* index of the module, from 0 without gaps */
	int is_function;	/* 0: stands for paths that were not kept */
	/* Link address of the entry, for look-ups in the debug information; 0: not known. */
	uint64_t address;
	const char *address_text; /* "0x..."; NULL: names_address() was not asked for it */
	const char *image;	  /* path of the module's file */
	const char *named;	  /* the name shown before it was changed; NULL: never changed */
	int is_resolved;	  /* names_resolve() has set file and line */
};

/* Source file and line according to the module's tables only, so that a row does not depend on what
 * names_resolve() has looked up for other rows. NULL, 0: not in the tables. */
static inline const char *entity_told_file(const struct entity *entity)
{
	return entity->is_resolved ? NULL : entity->file;
}

static inline uint32_t entity_told_line(const struct entity *entity)
{
	return entity->is_resolved ? 0 : entity->line;
}

struct names_build {
	uint8_t id[32];
	size_t n;
};

struct names {
	size_t users; /* users besides the first, if made by names_new() */
	struct map keys, modules, strings;
	struct entity *list; /* indexed by entity number */
	size_t size;
	struct map asked; /* module, assembler name and place -> entity_asked */
	uint32_t *entity_asked;
	size_t size_asked;
	struct map cells; /* of the current process: a cell's fields -> entity_of_cell */
	uint32_t *entity_of_cell;
	size_t n_entity_of_cell;
	struct map paths; /* files whose symbols were opened */
	struct symbols **symbols;
	struct map built; /* path of a module -> its build in `builds` */
	struct names_build *builds;
};

/* A table of names shared by several users of one session: the last names_drop() releases it. */
struct names *names_new(void);
struct names *names_share(struct names *names);
void names_drop(struct names *names);
/* Returns the entity of a node or of a FLAT cell; NAMES_NONE for a cell without a function. */
uint32_t names_of_cell(struct names *names, const struct data *data, const struct cinstr_cell *cell);
/* Returns the symbols of the module's file, or NULL if they cannot be read. Owned by `names`. */
struct symbols *names_symbols(struct names *names, const struct module *module);
/* Stores the module's build ID, so that names_symbols_later() works after the session is closed. */
void names_know_build(struct names *names, const struct module *module);
/* Returns the symbols of the function's module, or NULL. The module's build ID must be known, or
 * its symbols have been read before. Owned by `names`. */
struct symbols *names_symbols_later(struct names *names, uint32_t entity);
/* Returns the entity of an instrumented function. */
uint32_t names_of_function(struct names *names, const struct module *module,
			   const struct module_function *function);
/* Returns the entity of a function found in the symbols of the file `path`. If `module` is not
 * NULL, its tables are searched first. */
uint32_t names_of_frame(struct names *names, const char *path, const struct symbol_frame *frame,
			const struct module *module);
/* Returns the path of a source file, or NULL if `file` is NULL. Owned by `names`. */
const char *names_file(struct names *names, const char *comp_dir, const char *file);
/* Returns an entity of this name that is not a function, for rows that stand for something else. */
uint32_t names_made_up(struct names *names, const char *name);
/* Returns the entity of each node of a thread, NAMES_NONE for the root. The caller frees the
 * array. */
uint32_t *names_of_thread(struct names *names, const struct data *data, const struct data_thread *thread);
/* Forgets the cells of a process. To be called before the first cell of the next one. */
void names_next_process(struct names *names);
/* If the function's source file is unknown, looks up file and line in the module's symbols,
 * provided that these have been read, and adapts the name to the language of the file. */
void names_resolve(struct names *names, uint32_t entity);
/* Returns the function's link address as text, "0x...", or NULL if it is not known. */
const char *names_address(struct names *names, uint32_t entity);
/* Renames those of the entities whose names look alike: adds parameters, or the file, module or
 * line. `entities` may contain NAMES_NONE and duplicates. Pointers to names must be fetched again
 * afterwards. */
void names_tell_apart(struct names *names, const uint32_t *entities, size_t n);
/* Whether the function was outlined by the compiler from a parallel region of OpenMP. */
int names_is_region(const struct entity *entity);
/* Sets `forms` to all names that a user may call a function by. Some may be equal; the caller frees
 * each of them. */
#define NAMES_FORMS 6
#define NAMES_FORM_WRITTEN 3 /* the form shown in tables */
#define NAMES_FORM_PLAIN 5   /* without parameters and template arguments */
void names_forms(const char *assembler_name, const char *file, uint32_t line, char *forms[NAMES_FORMS]);
/* Whether a glob or a name matches the function: as shown, with or without parameters and template
 * arguments, or as assembler name. */
int names_matches(const struct entity *entity, const char *pattern);
/* Whether `wanted` is the shown name without its arguments or without some of its outer scopes. */
int names_is_short(const struct entity *entity, const char *wanted);
void names_release(struct names *names);

/* Returns a new string: the name without suffixes of clones, with OpenMP's regions in words. */
char *names_plain(const char *assembler_name);
/* Returns a new string: the demangled name with parameters. file: its source file, or NULL. */
char *names_full(const char *assembler_name, const char *file);
/* Returns a new string: the name in the style that is set. file, line: its definition; NULL, 0: not
 * known. */
char *names_shown(const char *assembler_name, const char *file, uint32_t line);
/* Returns the present path of a source file as a new string, or NULL if it is not found: as
 * --source-path maps it, as recorded, or by the end of its path below the working folder or the
 * session's. */
char *names_source_path(const char *recorded, const char *session);

#endif
