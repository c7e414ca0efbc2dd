/* SPDX-License-Identifier: GPL-3.0-or-later */
/* build_summary.c - the report of `cinstr build` at the end (build.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build.h"
#include "lib/files.h"
#include "lib/util.h"
#include "wrapper/shims.h"

#define LINE_WIDTH 80

/* Compilations that are alike: by the same compiler, with the same reason. */
struct group {
	enum shims_event event;
	char *who, *why;
	uint64_t count;
};

struct counts {
	struct group *groups; /* n */
	size_t n;
	uint64_t compiled, left, probes, others;
};

/* ---- the log --------------------------------------------------------------------------------- */

static void add(struct counts *counts, enum shims_event event, uint64_t count, const char *who,
		const char *why)
{
	struct group *group = counts->groups;

	for (; group < counts->groups + counts->n; group++)
		if (group->event == event && !strcmp(group->who, who) && !strcmp(group->why, why))
			break;
	if (group == counts->groups + counts->n) {
		counts->groups = xrealloc(counts->groups, counts->n + 1, sizeof(*group));
		group = &counts->groups[counts->n++];
		*group = (struct group){ event, xstrdup(who), xstrdup(why), 0 };
	}
	group->count += count;
}

static void add_line(struct counts *counts, char *line)
{
	char *rest = line, *event = strsep(&rest, "\t"), *count = strsep(&rest, "\t"),
	     *who = strsep(&rest, "\t");
	uint64_t n = count ? strtoull(count, NULL, 10) : 0;

	if (!who || !rest)
		return;
	counts->compiled += event[0] == SHIMS_COMPILED ? n : 0;
	counts->left += event[0] == SHIMS_LEFT ? n : 0;
	counts->probes += event[0] == SHIMS_PROBE ? n : 0;
	counts->others += event[0] == SHIMS_OTHER ? n : 0;
	if (event[0] == SHIMS_COMPILED || event[0] == SHIMS_LEFT)
		add(counts, (enum shims_event)event[0], n, who, rest);
}

static struct counts counts_read(const char *log)
{
	struct counts counts = { 0 };
	FILE *file = files_read(log, 0);
	FREED char *line = NULL;
	size_t size = 0;

	while (file && getline(&line, &size, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		add_line(&counts, line);
	}
	if (file)
		fclose(file);
	return counts;
}

static void counts_release(struct counts *counts)
{
	for (size_t i = 0; i < counts->n; i++) {
		free(counts->groups[i].who);
		free(counts->groups[i].why);
	}
	free(counts->groups);
}

/* ---- why nothing was compiled ---------------------------------------------------------------- */

/* CMakeCache.txt of this folder, or of one that the command names. The caller frees it. */
static char *cmake_cache(char **argv)
{
	struct strbuf path = { 0 };

	strbuf_puts(&path, "CMakeCache.txt");
	while (access(path.text, R_OK) && *argv) {
		strbuf_clear(&path);
		strbuf_printf(&path, "%s/CMakeCache.txt", *argv++);
	}
	if (!access(path.text, R_OK))
		return path.text;
	strbuf_release(&path);
	return NULL;
}

/* The compiler that CMake keeps, if that is not a shim. The caller frees it. */
static char *cmake_compiler(const char *cache)
{
	static const char *const keys[] = { "CMAKE_C_COMPILER:", "CMAKE_CXX_COMPILER:",
					    "CMAKE_Fortran_COMPILER:" };
	FILE *file = files_read(cache, 0);
	char *line = NULL, *found = NULL;
	size_t size = 0;

	while (file && !found && getline(&line, &size, file) > 0)
		for (size_t i = 0; i < ARRAY_SIZE(keys) && !found; i++)
			if (!strncmp(line, keys[i], strlen(keys[i])) && strchr(line, '=')) {
				line[strcspn(line, "\n")] = '\0';
				found = xstrdup(strchr(line, '=') + 1);
			}
	free(line);
	if (file)
		fclose(file);
	if (found && found[0] == '/') {
		char *slash = strrchr(found, '/');
		int is_shim;

		*slash = '\0';
		is_shim = shims_here(found);
		*slash = '/';
		if (!is_shim)
			return found;
	}
	free(found);
	return NULL;
}

static void say_why_nothing(const struct counts *counts, char **argv)
{
	FREED char *cache = cmake_cache(argv);
	FREED char *compiler = cache ? cmake_compiler(cache) : NULL;

	fprintf(stderr, "cinstr: nothing was instrumented: %s\n",
		counts->others ? "the build compiled no sources" : "no compiler was called through cinstr");
	if (compiler) {
		fprintf(stderr,
			"cinstr: %s keeps %s:\n"
			"cinstr:   configure a new folder: cinstr build -- cmake -B FOLDER ...\n",
			cache, compiler);
	} else {
		fprintf(stderr,
			"cinstr:   was all up to date? make clean (ninja -t clean), then build again\n"
			"cinstr:   does the build name its compiler by its path? cinstr build -- ./configure "
			"...\n");
	}
}

static void say_nothing(const struct counts *counts, char **argv)
{
	if (counts->probes) {
		fprintf(stderr,
			"cinstr: configured; its test programs are plain. Next: cinstr build -- make\n");
		return;
	}
	say_why_nothing(counts, argv);
}

/* ---- what is said ---------------------------------------------------------------------------- */

static void put_count(struct strbuf *line, uint64_t n)
{
	strbuf_thousands(line, n);
	strbuf_puts(line, n == 1 ? " compilation" : " compilations");
}

/* All of one kind; those that were left out with a line for each reason. */
static void say_compiled(const struct counts *counts)
{
	STRBUF(line);
	int first = 1;

	strbuf_puts(&line, "cinstr: instrumented ");
	put_count(&line, counts->compiled);
	for (size_t i = 0; i < counts->n; i++) {
		if (counts->groups[i].event != SHIMS_COMPILED)
			continue;
		strbuf_puts(&line, first ? " by " : ", ");
		strbuf_visible(&line, counts->groups[i].who);
		first = 0;
	}
	fprintf(stderr, "%s\n", line.text);
}

void build_say(const char *head, const char *why)
{
	struct strbuf shown = { 0 };
	size_t column;

	strbuf_visible(&shown, why);
	column = (size_t)fprintf(stderr, "cinstr: %s:", head);
	if (column + 1 + shown.length > LINE_WIDTH)
		column = (size_t)fprintf(stderr, "\ncinstr:  ") - 1;
	for (const char *word = shown.text; *word;) {
		size_t n = strcspn(word, " ");

		if (column + 1 + n > LINE_WIDTH && column > strlen("cinstr:  "))
			column = (size_t)fprintf(stderr, "\ncinstr:  ") - 1;
		column += (size_t)fprintf(stderr, " %.*s", (int)n, word);
		word += n + strspn(word + n, " ");
	}
	fputc('\n', stderr);
	strbuf_release(&shown);
}

static void say_left(const struct counts *counts)
{
	for (size_t i = 0; i < counts->n; i++) {
		const struct group *group = &counts->groups[i];
		STRBUF(head);

		if (group->event != SHIMS_LEFT)
			continue;
		strbuf_puts(&head, "not instrumented: ");
		put_count(&head, group->count);
		strbuf_puts(&head, group->who[0] == '-' ? " with " : " by ");
		strbuf_visible(&head, group->who);
		build_say(head.text, group->why);
	}
}

void build_summary(const char *log, char **argv, int failed)
{
	struct counts counts = counts_read(log);

	if (counts.compiled)
		say_compiled(&counts);
	say_left(&counts);
	if (counts.compiled && !failed)
		fprintf(stderr, "cinstr: run the program as always, then: cinstr summary\n");
	else if (!counts.compiled && !counts.left && !failed)
		say_nothing(&counts, argv);
	counts_release(&counts);
}
