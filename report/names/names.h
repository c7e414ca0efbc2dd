/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * names.h - which function a cell stands for. A function is (module, name, file, line); the same
 * one in several threads and processes of a session is one entity. Compiler-made clones
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
#define NAMES_EXTERNAL "[External Code]" /* of the system, where only one's own code is looked at */
#define NAMES_MERGED "[calls beyond the budget of paths]"

enum names_style { NAMES_AUTO, NAMES_SHORT, NAMES_FULL, NAMES_ASSEMBLER };

/* What the command line says about names and files; one for the whole command. */
struct names_options {
	int style;		  /* enum names_style */
	int is_full;		  /* as NAMES_FULL */
	const char *source_paths; /* FROM=TO, separated by commas */
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

/* Takes them over; `is_table`: names are for a table. 0, or -1 after an error message. */
int names_configure(const char *command, const struct names_options *options, int is_table);

/* Whether names are shown in full: then texts are as long as they are. */
int names_are_full(void);

struct entity {
	const char *name;      /* as it is shown */
	const char *assembler; /* without suffixes of clones */
	const char *module;
	const char *file; /* NULL: not known */
	uint32_t line;
	uint32_t module_number; /* dense, for sums over modules */
	int is_function;	/* 0: stands for paths that were not kept */
	/* link address, for a look-up in the debug information; 0: not known */
	uint64_t address;
	const char *image; /* path of the build that it is in */
	const char *named; /* as it was shown before it was named anew; NULL: it was not */
	int is_resolved;   /* file and line are names_resolve()'s */
};

/* What a row begins with, whatever was looked up since for other rows: what the tables tell. */
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
	size_t users; /* beside the first, of what names_new() has made */
	struct map keys, modules, strings;
	struct entity *list; /* by number */
	size_t size;
	struct map asked; /* module, assembler name and place -> entity_asked */
	uint32_t *entity_asked;
	size_t size_asked;
	struct map cells; /* of the process at hand: what a cell says -> entity_of_cell */
	uint32_t *entity_of_cell;
	size_t n_entity_of_cell;
	struct map paths; /* files whose symbols were opened */
	struct symbols **symbols;
	struct map built; /* path of a module -> its build */
	struct names_build *builds;
};

/* For several who look at the same session: the last one to drop them releases them. */
struct names *names_new(void);
struct names *names_share(struct names *names);
void names_drop(struct names *names);
/* Entity of a node or of a FLAT cell. */
uint32_t names_of_cell(struct names *names, const struct data *data, const struct cinstr_cell *cell);
/* Entity of an instrumented function. */
/* Of the module's file; NULL: it is not there. They stay the names'. */
struct symbols *names_symbols(struct names *names, const struct module *module);
/* Which build of the module it is, so that its symbols can be read when the session is closed. */
void names_know_build(struct names *names, const struct module *module);
/* Of the module of a function, if its build is known or its symbols were read; else NULL. */
struct symbols *names_symbols_later(struct names *names, uint32_t entity);
uint32_t names_of_function(struct names *names, const struct module *module,
			   const struct module_function *function);
/* Entity of a function that symbols tell of, in the file of that path. module: its tables may know
 * the function; NULL: not at hand. */
uint32_t names_of_frame(struct names *names, const char *path, const struct symbol_frame *frame,
			const struct module *module);
/* The path of a source file, kept; NULL: not known. */
const char *names_file(struct names *names, const char *comp_dir, const char *file);
/* One that is no function, of this name: for rows that stand for something else. */
uint32_t names_made_up(struct names *names, const char *name);
/* Entity of each node of a thread; NAMES_NONE for the root. The caller frees it. */
uint32_t *names_of_thread(struct names *names, const struct data *data, const struct data_thread *thread);
/* Between two processes: what was learned about cells holds no longer. */
void names_next_process(struct names *names);
/* Looks file and line up in the module's debug information if the tables did not tell. */
void names_resolve(struct names *names, uint32_t entity);
/*
 * Of these functions, those that would look the same get names that do not: with parameters, or
 * with the file, the module, the line behind them. Numbers may be NAMES_NONE, and there more than
 * once. Those who hold names fetch them anew.
 */
void names_tell_apart(struct names *names, const uint32_t *entities, size_t n);
/* Whether the function is what the compiler made of a parallel region of OpenMP. */
int names_is_region(const struct entity *entity);
/* All that a user may call a function by, as new strings; some may be equal. */
#define NAMES_FORMS 6
#define NAMES_FORM_WRITTEN 3 /* as in tables */
#define NAMES_FORM_PLAIN 5   /* without parameters and template arguments */
void names_forms(const char *assembler_name, const char *file, uint32_t line, char *forms[NAMES_FORMS]);
/* Whether a glob, or a name, means this function: as shown, with or without parameters and template
 * arguments, or as assembler name. */
int names_matches(const struct entity *entity, const char *pattern);
/* Whether `wanted` is the shown name without its arguments or some of its scopes. */
int names_is_short(const struct entity *entity, const char *wanted);
void names_release(struct names *names);

/* The name with suffixes of clones cut off, and OpenMP's regions told in words, as a new string. */
char *names_plain(const char *assembler_name);
/* Demangled, with parameters, as a new string. file: NULL, or where it is defined. */
char *names_full(const char *assembler_name, const char *file);
/* The name as it is to be shown, likewise. line: 0, or that of its definition. */
char *names_shown(const char *assembler_name, const char *file, uint32_t line);
/*
 * Where a source file is now: where --source-path says, where it was, or by as many of its folders
 * as there are below the working folder or the session's. A new string; NULL: not found.
 */
char *names_source_path(const char *recorded, const char *session);

#endif
