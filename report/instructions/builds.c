/* SPDX-License-Identifier: GPL-3.0-or-later */
/* builds.c - see builds.h. */
#include "builds.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

#define KINDS 2 /* enum symbols_builders */

struct build {
	size_t name;	    /* its number in `names` */
	const char *run;    /* kept */
	char *lines[KINDS]; /* each compiler a line, in order; empty: not known */
};

/* Options that differ from place to place, and change no code. */
static int is_left_out(const char *word)
{
	return !strncmp(word, "-fplugin", strlen("-fplugin")) || strstr(word, "-prefix-map=") ||
	       !strncmp(word, "-frandom-seed", strlen("-frandom-seed"));
}

static char *without_places(const char *text, size_t n)
{
	char *copy = strndup(text, n), *rest = copy, *word;
	struct strbuf kept = { 0 };

	while ((word = strsep(&rest, " ")))
		if (*word && !is_left_out(word))
			strbuf_printf(&kept, "%s%s", kept.length ? " " : "", word);
	free(copy);
	return kept.text ? kept.text : xstrdup("");
}

static int compare(const void *a, const void *b, void *arg)
{
	(void)arg;
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *lines_of(struct symbols *symbols, enum symbols_builders which)
{
	struct map builders = { 0 };
	struct strbuf lines = { 0 };
	char **list;

	if (symbols)
		symbols_builders(symbols, which, &builders);
	list = xcalloc(builders.n + 1, sizeof(*list));
	for (size_t i = 0; i < builders.n; i++)
		list[i] = without_places(builders.keys[i], builders.lengths[i]);
	util_sort(list, builders.n, sizeof(*list), compare, NULL);
	for (size_t i = 0; i < builders.n; i++)
		if (!i || strcmp(list[i], list[i - 1]) != 0)
			strbuf_printf(&lines, "%s\n", list[i]);
	for (size_t i = 0; i < builders.n; i++)
		free(list[i]);
	free(list);
	map_release(&builders);
	return lines.text ? lines.text : xstrdup("");
}

/* The first line of `lines` that `others` has not; to be freed. */
static char *only_in(const char *lines, const char *others)
{
	char *copy = xstrdup(lines), *rest = copy, *line, *found = NULL;

	while (!found && (line = strsep(&rest, "\n"))) {
		struct strbuf whole = { 0 };
		struct strbuf all = { 0 };

		strbuf_printf(&whole, "\n%s\n", line);
		strbuf_printf(&all, "\n%s", others);
		if (*line && !strstr(all.text, whole.text))
			found = util_visible(line);
		strbuf_release(&whole);
		strbuf_release(&all);
	}
	free(copy);
	return found ? found : xstrdup("nothing else");
}

static void say_other(const char *name, const struct build *a, const struct build *b, int kind)
{
	char *in_a = only_in(a->lines[kind], b->lines[kind]), *in_b = only_in(b->lines[kind], a->lines[kind]);
	char *shown = util_visible(name), *run_a = util_visible(a->run), *run_b = util_visible(b->run);

	error("diff: %s was built by another compiler or with other options: %s by %s; %s by %s. --any-build "
	      "compares executed instructions all the same",
	      shown, run_a, in_a, run_b, in_b);
	free(in_a);
	free(in_b);
	free(shown);
	free(run_a);
	free(run_b);
}

static void build_release(struct build *build)
{
	for (int k = 0; k < KINDS; k++)
		free(build->lines[k]);
}

/* Whether both are known, and differ; *kind: what was compared: options, where both tell them. */
static int is_other(const struct build *a, const struct build *b, int *kind)
{
	*kind = *a->lines[SYMBOLS_BUILT_WITH_OPTIONS] && *b->lines[SYMBOLS_BUILT_WITH_OPTIONS]
			? SYMBOLS_BUILT_WITH_OPTIONS
			: SYMBOLS_BUILT_BY;
	return *a->lines[*kind] && *b->lines[*kind] && strcmp(a->lines[*kind], b->lines[*kind]) != 0;
}

/* A merged run may have several builds of one name: it is enough if one of them is known. */
int builds_add(struct builds *builds, const char *name, const struct executed_image *image, const char *run)
{
	struct build fresh = { .run = map_keep(&builds->strings, run) };
	const struct build *other = NULL;
	int is_new, kind, other_kind = 0, is_known = 0;

	fresh.name = map_add(&builds->names, name, strlen(name), &is_new);
	for (int k = 0; k < KINDS; k++)
		fresh.lines[k] = lines_of(image->symbols, (enum symbols_builders)k);
	for (size_t i = 0; i < builds->n && !is_known; i++) {
		const struct build *build = &builds->list[i];

		if (build->name != fresh.name || build->run == fresh.run)
			continue;
		if (!is_other(build, &fresh, &kind)) {
			is_known = 1;
		} else if (!other) {
			other = build;
			other_kind = kind;
		}
	}
	if (other && !is_known)
		say_other(*name ? name : util_basename(image->path), other, &fresh, other_kind);
	ARRAY_ROOM(builds->list, builds->n, builds->size, 8);
	builds->list[builds->n++] = fresh;
	return other && !is_known ? -1 : 0;
}

void builds_release(struct builds *builds)
{
	for (size_t i = 0; i < builds->n; i++)
		build_release(&builds->list[i]);
	free(builds->list);
	map_release(&builds->names);
	map_release(&builds->strings);
}
