/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "builds.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/order.h"

struct build {
	size_t name;	 /* its number in `names` */
	const char *run; /* kept */
	struct built built;
};

/* Options that differ from place to place, and change no code. */
static int is_left_out(const char *word)
{
	return !strncmp(word, "-fplugin", strlen("-fplugin")) || strstr(word, "-prefix-map=") ||
	       !strncmp(word, "-frandom-seed", strlen("-frandom-seed"));
}

static char *without_places(const char *text, size_t n)
{
	FREED char *copy = strndup(text, n);
	char *rest = copy, *word;
	struct strbuf kept = { 0 };

	while ((word = strsep(&rest, " ")))
		if (*word && !is_left_out(word))
			strbuf_printf(&kept, "%s%s", kept.length ? " " : "", word);
	return kept.text ? kept.text : xstrdup("");
}

ORDER_ITEMS(compare, char *const, strcmp(*x, *y))

static char *lines_of(struct symbols *symbols, enum symbols_builders which)
{
	struct map builders = { 0 };
	struct strbuf lines = { 0 };
	FREED char **list = NULL;

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
	map_release(&builders);
	return lines.text ? lines.text : xstrdup("");
}

/* The first line of `lines` that `others` has not; to be freed. */
static char *only_in(const char *lines, const char *others)
{
	FREED char *copy = xstrdup(lines);
	char *rest = copy, *line, *found = NULL;

	while (!found && (line = strsep(&rest, "\n"))) {
		STRBUF(whole);
		STRBUF(all);

		strbuf_printf(&whole, "\n%s\n", line);
		strbuf_printf(&all, "\n%s", others);
		if (*line && !strstr(all.text, whole.text))
			found = util_visible(line);
	}
	return found ? found : xstrdup("nothing else");
}

void built_read(struct built *built, struct symbols *symbols)
{
	for (int k = 0; k < BUILT_KINDS; k++)
		built->lines[k] = lines_of(symbols, (enum symbols_builders)k);
}

void built_release(struct built *built)
{
	for (int k = 0; k < BUILT_KINDS; k++)
		free(built->lines[k]);
}

int built_is_other(const struct built *a, const struct built *b, int *kind)
{
	*kind = *a->lines[SYMBOLS_BUILT_WITH_OPTIONS] && *b->lines[SYMBOLS_BUILT_WITH_OPTIONS]
			? SYMBOLS_BUILT_WITH_OPTIONS
			: SYMBOLS_BUILT_BY;
	return *a->lines[*kind] && *b->lines[*kind] && strcmp(a->lines[*kind], b->lines[*kind]) != 0;
}

void built_put_difference(struct strbuf *text, const char *run_a, const struct built *a, const char *run_b,
			  const struct built *b, int kind)
{
	FREED char *in_a = only_in(a->lines[kind], b->lines[kind]),
		   *in_b = only_in(b->lines[kind], a->lines[kind]);

	strbuf_visible(text, run_a);
	strbuf_printf(text, " by %s; ", in_a);
	strbuf_visible(text, run_b);
	strbuf_printf(text, " by %s", in_b);
}

static void say_other(const char *name, const struct build *a, const struct build *b, int kind)
{
	STRBUF(text);

	strbuf_visible(&text, name);
	strbuf_puts(&text, " was built by another compiler or with other options: ");
	built_put_difference(&text, a->run, &a->built, b->run, &b->built, kind);
	error("diff: %s. --any-build compares executed instructions all the same", text.text);
}

/* A merged run may have several builds of one name: it is enough if one of them is known. */
int builds_add(struct builds *builds, const char *name, const struct executed_image *image, const char *run)
{
	struct build fresh = { .run = map_keep(&builds->strings, run) };
	const struct build *other = NULL;
	int is_new, kind, other_kind = 0, is_known = 0;

	fresh.name = map_add(&builds->names, name, strlen(name), &is_new);
	built_read(&fresh.built, image->symbols);
	for (size_t i = 0; i < builds->n && !is_known; i++) {
		const struct build *build = &builds->list[i];

		if (build->name != fresh.name || build->run == fresh.run)
			continue;
		if (!built_is_other(&build->built, &fresh.built, &kind)) {
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
		built_release(&builds->list[i].built);
	free(builds->list);
	map_release(&builds->names);
	map_release(&builds->strings);
}
