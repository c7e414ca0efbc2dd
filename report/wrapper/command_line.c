/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "command_line.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/files.h"
#include "lib/util.h"
#include "machine.h"

#define RESPONSE_DEPTH 10
#define RESPONSE_BYTES (4 << 20)

struct reading {
	struct invocation *to;
	const char *folder;
	const char *language; /* of -x; NULL: by the name's end */
	const char *takes;    /* the option that the next argument belongs to; NULL */
	size_t inputs, assembled;
	int query, text, probe, compile_only, no_runtime;
};

static int starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static int one_of(const char *word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(word, list[i]))
			return 1;
	return 0;
}

#define ONE_OF(word, list) one_of(word, list, ARRAY_SIZE(list))

/* ---- inputs ---------------------------------------------------------------------------------- */

static const char *const compiled_ends[] = {
	"c",   "i",   "ii",  "cc", "cp",  "cxx", "cpp", "CPP", "c++", "C",   "m",   "mi",   "mm",
	"M",   "mii", "h",   "H",  "hh",  "hp",	 "hxx", "hpp", "HPP", "h++", "tcc", "f",    "for",
	"ftn", "fpp", "fii", "F",  "FOR", "FTN", "FPP", "f90", "f95", "f03", "f08", "F90",  "F95",
	"F03", "F08", "go",  "d",  "di",  "dd",	 "ads", "adb", "mod", "m2i", "rs",  "cppm", "ixx",
};
static const char *const assembled_ends[] = { "s", "S", "sx" };

/* Sources that configure scripts and CMake, Meson, SCons and waf write to see what the compiler
 * makes of them. */
static int is_probe(const char *path)
{
	const char *name = util_basename(path);

	return starts(name, "conftest.") || strstr(path, "/meson-private/") ||
	       starts(path, "meson-private/") || starts(name, "CMakeCCompilerId.") ||
	       starts(name, "CMakeCXXCompilerId.");
}

static int is_probe_folder(const char *path)
{
	return strstr(path, "/CMakeFiles/") || strstr(path, "/meson-private") ||
	       strstr(path, "/.conf_check_") || strstr(path, "/.sconf_temp");
}

static void read_input(struct reading *r, const char *path)
{
	const char *name = util_basename(path), *dot = strrchr(name, '.'), *end = dot ? dot + 1 : "";
	const char *language = r->language;

	r->inputs++;
	r->probe |= is_probe(path);
	if (language ? starts(language, "assembler") : ONE_OF(end, assembled_ends))
		r->assembled++;
	else if (language || ONE_OF(end, compiled_ends))
		r->to->sources++;
}

/* ---- options --------------------------------------------------------------------------------- */

/* Options whose value may be the next argument. */
static const char *const with_value[] = {
	"-o",
	"-I",
	"-L",
	"-l",
	"-D",
	"-U",
	"-x",
	"-include",
	"-imacros",
	"-isystem",
	"-iquote",
	"-idirafter",
	"-iprefix",
	"-iwithprefix",
	"-iwithprefixbefore",
	"-isysroot",
	"-imultilib",
	"-imultiarch",
	"-iplugindir",
	"-MF",
	"-MT",
	"-MQ",
	"-Xlinker",
	"-Xassembler",
	"-Xpreprocessor",
	"-aux-info",
	"-u",
	"-T",
	"-e",
	"-z",
	"-A",
	"-B",
	"-J",
	"-wrapper",
	"-specs",
	"-dumpbase",
	"-dumpdir",
	"-dumpbase-ext",
	"--param",
	"--sysroot",
	"-Tbss",
	"-Tdata",
	"-Ttext",
	"-h",
	"-fintrinsic-modules-path",
	"--include",
	"--output",
	"--language",
	"--entry",
	"--undefined",
};
static const char *const queries[] = {
	"--version",	    "-###",	  "--help",	  "--target-help", "-dumpversion",
	"-dumpfullversion", "-dumpspecs", "-dumpmachine", "-dumpmultilib", "--dump-version",
};
static const char *const texts[] = { "-E", "-M", "-MM", "-fsyntax-only", "--preprocess" };
static const char *const foreign[] = { MACHINE_FOREIGN_OPTIONS };
static const char *const domestic[] = { MACHINE_OWN_OPTIONS };

/* What they link is no program, or one without a C library. */
static const char *const without_runtime[] = { "-shared",	"-r",
					       "-nostdlib",	"-nodefaultlibs",
					       "-nostartfiles", "-ffreestanding" };

static void read_language(struct reading *r, const char *language)
{
	r->language = strcmp(language, "none") ? language : NULL;
}

static void read_plugin(struct reading *r, const char *argument)
{
	static const char load[] = "-fplugin=", filter[] = "-fplugin-arg-cinstr-filter=";

	if (starts(argument, load) && starts(util_basename(argument + strlen(load)), "cinstr"))
		r->to->has_plugin = 1;
	else if (starts(argument, filter))
		r->to->filter = argument + strlen(filter);
}

/* Which of -m32 and -m64, and of the code models, is the last one. */
static void read_abi(struct reading *r, const char *argument)
{
	int model = starts(argument, "-mcmodel");

	if (ONE_OF(argument, foreign))
		r->to->abi = argument;
	else if (ONE_OF(argument, domestic) && r->to->abi && starts(r->to->abi, "-mcmodel") == model)
		r->to->abi = NULL;
}

static void read_option(struct reading *r, const char *argument)
{
	if (ONE_OF(argument, with_value)) {
		r->takes = argument;
		return;
	}
	r->query |= ONE_OF(argument, queries) || starts(argument, "-print-") ||
		    starts(argument, "--print-") || starts(argument, "--help=");
	r->text |= ONE_OF(argument, texts);
	r->compile_only |= !strcmp(argument, "-c") || !strcmp(argument, "-S");
	r->no_runtime |= ONE_OF(argument, without_runtime);
	r->to->is_static |= !strcmp(argument, "-static") || !strcmp(argument, "--static") ||
			    !strcmp(argument, "-static-pie");
	if (starts(argument, "-x"))
		read_language(r, argument + 2);
	else if (starts(argument, "-fplugin"))
		read_plugin(r, argument);
	else if (starts(argument, "-m"))
		read_abi(r, argument);
	else if (starts(argument, "-l"))
		r->inputs++;
}

static void read_value(struct reading *r, const char *value)
{
	const char *option = r->takes;

	r->takes = NULL;
	if (!strcmp(option, "-x") || !strcmp(option, "--language"))
		read_language(r, value);
	else if (!strcmp(option, "-l"))
		r->inputs++;
	else if (!strcmp(option, "-o") && !strcmp(value, "/dev/null"))
		r->probe = 1;
}

/* ---- response files -------------------------------------------------------------------------- */

static void read_argument(struct reading *r, const char *argument, int depth);

/* The next word of *at in its place, unquoted as GCC does it; NULL at the end. */
static char *next_word(char **at)
{
	char *from = *at, *to, *word, quote = 0;

	while (isspace((unsigned char)*from))
		from++;
	if (!*from)
		return NULL;
	for (word = to = from; *from && (quote || !isspace((unsigned char)*from)); from++) {
		if (*from == '\\' && from[1])
			*to++ = *++from;
		else if (quote ? *from == quote : *from == '"' || *from == '\'')
			quote = quote ? 0 : *from;
		else
			*to++ = *from;
	}
	*at = from + (*from != '\0');
	*to = '\0';
	return word;
}

/* What was read points into the text, and lives as long as the program: until it becomes the
 * compiler. */
static void responses_keep(char *text)
{
	static char **responses;
	static size_t n;

	if (!text)
		return;
	responses = xrealloc(responses, n + 1, sizeof(*responses));
	responses[n++] = text;
}

/* 0, or -1: it cannot be read, and is an input of that name. */
static int read_response(struct reading *r, const char *path, int depth)
{
	FILE *file = depth < RESPONSE_DEPTH ? files_read(path, FILES_LINKED) : NULL;
	struct strbuf text = { 0 };
	char piece[4096], *at, *word;
	size_t n;

	if (!file)
		return -1;
	while ((n = fread(piece, 1, sizeof(piece), file)) > 0 && text.length < RESPONSE_BYTES)
		strbuf_add(&text, piece, n);
	fclose(file);
	for (at = text.text; at && (word = next_word(&at));)
		read_argument(r, word, depth + 1);
	responses_keep(text.text);
	return 0;
}

static void read_argument(struct reading *r, const char *argument, int depth)
{
	if (argument[0] == '@' && !read_response(r, argument + 1, depth))
		return;
	if (r->takes)
		read_value(r, argument);
	else if (argument[0] == '-' && argument[1])
		read_option(r, argument);
	else
		read_input(r, argument);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static enum invocation_kind kind_of(const struct reading *r)
{
	if (r->query || !r->inputs)
		return INVOCATION_QUERY;
	if (r->text)
		return INVOCATION_TEXT;
	if (r->probe || is_probe_folder(r->folder))
		return INVOCATION_PROBE;
	if (r->to->abi)
		return INVOCATION_ABI;
	if (r->to->sources)
		return INVOCATION_COMPILE;
	return r->compile_only && r->assembled ? INVOCATION_ASSEMBLE : INVOCATION_LINK;
}

struct invocation command_line_read(int argc, char **argv, const char *folder)
{
	struct invocation invocation = { 0 };
	struct reading r = { .to = &invocation, .folder = folder };

	for (int i = 1; i < argc; i++)
		read_argument(&r, argv[i], 0);
	invocation.kind = kind_of(&r);
	invocation.is_static &= !r.compile_only && !r.no_runtime;
	return invocation;
}
