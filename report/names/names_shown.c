/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * names_shown.c - names of functions as shown, and as users write them (names.h): of clones that of
 * the source function, demangled as --names requests, with additions where several look the same.
 */
#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "lib/globs.h"
#include "lib/order.h"
#include "names.h"
#include "source_path.h"
#include "symbols/debug_files.h"

#define STUB_SUFFIX "@plt"
#define GROUP_MAX 256 /* functions of one name are compared with each other up to here */

/* What --names and --source-path say. */
static enum names_style shown_style = NAMES_SHORT;
static const char *source_paths;

/* ---- names of clones ------------------------------------------------------------------------- */

#define REGION "._omp_fn."
#define REGION_TOLD " [parallel region "
#define REGION_WRITTEN "::{parallel"

/* Length of the clone suffix at s ("." word or "." digits), 0 if it is something else. */
static size_t suffix_length(const char *s)
{
	static const char *const words[] = { ".constprop", ".isra",	  ".part",  ".cold",
					     ".lto_priv",  ".localalias", ".clone", ".nonlocalalias" };
	size_t n = 1;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t length = strlen(words[i]);

		if (!strncmp(s, words[i], length) && (!s[length] || s[length] == '.'))
			return length;
	}
	while (isdigit((unsigned char)s[n]))
		n++;
	return n > 1 && (!s[n] || s[n] == '.') ? n : 0;
}

static int is_only_suffixes(const char *s)
{
	size_t n;

	while (*s) {
		n = suffix_length(s);
		if (!n)
			return 0;
		s += n;
	}
	return 1;
}

/* What OpenMP makes of a parallel region of f is a function of its own, f._omp_fn.0. Cuts it off
 * and returns its number. */
static const char *region_cut(char *name)
{
	char *region = NULL, *number;

	for (char *at = strstr(name, REGION); at; at = strstr(at + 1, REGION))
		region = at;
	if (!region || region == name)
		return NULL;
	number = region + strlen(REGION);
	if (!isdigit((unsigned char)*number) || !is_only_suffixes(number - 1))
		return NULL;
	*region = '\0';
	number[strspn(number, "0123456789")] = '\0';
	return number;
}

/* Cuts off the last " [parallel region N]" of a plain name and returns N. */
static const char *told_cut(char *name)
{
	char *told = NULL, *number;

	for (char *at = strstr(name, REGION_TOLD); at; at = strstr(at + 1, REGION_TOLD))
		told = at;
	if (!told)
		return NULL;
	*told = '\0';
	number = told + strlen(REGION_TOLD);
	number[strspn(number, "0123456789")] = '\0';
	return number;
}

int names_is_region(const struct entity *entity)
{
	return strstr(entity->assembler, REGION) || strstr(entity->assembler, REGION_TOLD);
}

/* Where a function is defined; NULL, 0: not known. */
struct place {
	const char *file;
	uint32_t line;
};

/* Takes a plain name over and returns that of the source function. */
typedef char *name_maker(char *plain, struct place place);

static char *written(char *plain, struct place place);
static char *with_parameters(char *plain, struct place place);

/* Appends the parallel region of a number: as people write it, by its line. */
static void put_region(struct strbuf *text, const char *number, name_maker *namer, struct place place)
{
	if (namer != written && namer != with_parameters)
		strbuf_printf(text, REGION_TOLD "%s]", number);
	else if (place.line)
		strbuf_printf(text, REGION_WRITTEN "}:%u", place.line);
	else
		strbuf_printf(text, REGION_WRITTEN "#%s}", number);
}

/* The plain name, where `namer` tells that of the source function in words. */
static char *plain_name(const char *name, name_maker *namer, struct place place)
{
	char *plain = xstrdup(name + (name[0] == '*' && name[1]));
	const char *number = told_cut(plain);

	if (!number)
		number = region_cut(plain);
	if (number) {
		struct strbuf text = { 0 };
		FREED char *outer = plain_name(plain, namer, (struct place){ place.file, 0 });

		strbuf_puts(&text, outer);
		put_region(&text, number, namer, place);
		free(plain);
		return text.text;
	}
	for (char *dot = strchr(plain, '.'); dot; dot = strchr(dot + 1, '.'))
		if (dot != plain && is_only_suffixes(dot)) {
			*dot = '\0';
			break;
		}
	return namer(plain, place);
}

static char *as_it_is(char *plain, struct place place)
{
	(void)place;
	return plain;
}

/* Of a stub that leads to another module's function; NULL: it is none, or has no other name. */
static char *stub_demangled(const char *name, struct place place, enum demangle_detail detail)
{
	size_t n = strlen(name), suffix = strlen(STUB_SUFFIX);
	struct strbuf text = { 0 };
	char *function, *told;

	if (n <= suffix || strcmp(name + n - suffix, STUB_SUFFIX) != 0)
		return NULL;
	function = xstrdup(name);
	function[n - suffix] = '\0';
	told = demangle(function, place.file, place.line, detail);
	if (told)
		strbuf_printf(&text, "%s" STUB_SUFFIX, told);
	free(told);
	free(function);
	return text.text;
}

static char *demangled(char *plain, struct place place, enum demangle_detail detail)
{
	char *text = stub_demangled(plain, place, detail);

	if (!text)
		text = demangle(plain, place.file, place.line, detail);
	if (!text)
		return plain;
	free(plain);
	return text;
}

static char *in_full(char *plain, struct place place)
{
	return demangled(plain, place, DEMANGLE_FULL);
}

static char *as_path(char *plain, struct place place)
{
	return demangled(plain, place, DEMANGLE_PATH);
}

static char *written(char *plain, struct place place)
{
	return demangled(plain, place, DEMANGLE_WRITTEN);
}

/* The number of a lambda tells more than its line, where there are several of them. */
static char *with_parameters(char *plain, struct place place)
{
	return demangled(plain, (struct place){ place.file, 0 }, DEMANGLE_PARAMETERS);
}

static char *as_plain_path(char *plain, struct place place)
{
	return demangled(plain, place, DEMANGLE_PLAIN);
}

char *names_plain(const char *name)
{
	return plain_name(name, as_it_is, (struct place){ 0 });
}

char *names_full(const char *name, const char *file)
{
	return plain_name(name, in_full, (struct place){ file, 0 });
}

char *names_shown(const char *name, const char *file, uint32_t line)
{
	return plain_name(name,
			  shown_style == NAMES_ASSEMBLER ? as_it_is
			  : shown_style == NAMES_FULL	 ? in_full
							 : written,
			  (struct place){ file, line });
}

/* ---- the command line ------------------------------------------------------------------------ */

int names_configure(const char *command, const struct names_options *options, int is_table)
{
	const char *wrong;
	size_t n;

	shown_style = options->is_full ? NAMES_FULL : options->style;
	if (shown_style == NAMES_AUTO)
		shown_style = is_table ? NAMES_SHORT : NAMES_FULL;
	source_paths = options->source_paths;
	debug_files_configure(options->debug_dirs);
	if (!source_path_check(source_paths, &wrong, &n))
		return 0;
	return error("%s: --source-path needs FROM=TO, not '%.*s'", command, (int)n, wrong);
}

int names_are_full(void)
{
	return shown_style == NAMES_FULL;
}

char *names_source_path(const char *recorded, const char *session)
{
	return source_path_find(recorded, source_paths, session);
}

/* ---- names that look the same ---------------------------------------------------------------- */

static int compare_shown(const void *a, const void *b, void *arg)
{
	const struct names *names = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = strcmp(names->list[x].name, names->list[y].name);

	return order ? order : (x > y) - (x < y);
}

static const char *file_of(const struct names *names, uint32_t entity)
{
	return names->list[entity].file ? names->list[entity].file : "";
}

static const char *file_base(const struct names *names, uint32_t entity)
{
	return util_basename(file_of(names, entity));
}

static const char *module_base(const struct names *names, uint32_t entity)
{
	return util_basename(names->list[entity].module);
}

/* Whether what `part` says of the entity is said of no other of these. */
static int is_alone(const struct names *names, const uint32_t *group, size_t n, size_t which,
		    const char *(*part)(const struct names *names, uint32_t entity))
{
	for (size_t i = 0; i < n; i++)
		if (i != which && !strcmp(part(names, group[i]), part(names, group[which])))
			return 0;
	return part(names, group[which])[0] != '\0';
}

static char *name_apart(const struct names *names, const uint32_t *group, size_t n, size_t which)
{
	static const char *(*const parts[])(const struct names *names,
					    uint32_t entity) = { file_base, module_base, file_of };
	const struct entity *entity = &names->list[group[which]];
	struct strbuf text = { 0 };

	strbuf_puts(&text, entity->name);
	for (size_t i = 0; i < ARRAY_SIZE(parts) && n <= GROUP_MAX; i++)
		if (is_alone(names, group, n, which, parts[i])) {
			strbuf_printf(&text, " (%s)", parts[i](names, group[which]));
			return text.text;
		}
	if (entity->file)
		strbuf_printf(&text, " (%s:%u)", util_basename(entity->file), entity->line);
	return text.text;
}

static char *name_of(const struct entity *entity, name_maker *namer)
{
	return plain_name(entity->assembler, namer, (struct place){ entity->file, entity->line });
}

static char *name_with_parameters(const struct names *names, const uint32_t *group, size_t n, size_t which)
{
	(void)n;
	return name_of(&names->list[group[which]], with_parameters);
}

static char *name_with_arguments(const struct names *names, const uint32_t *group, size_t n, size_t which)
{
	(void)n;
	return name_of(&names->list[group[which]], as_path);
}

static char *name_in_full(const struct names *names, const uint32_t *group, size_t n, size_t which)
{
	const struct entity *entity = &names->list[group[which]];

	(void)n;
	return names_full(entity->assembler, entity->file);
}

/* Names anew what is not alone with its name. */
static void groups_rename(struct names *names, uint32_t *numbers, size_t n,
			  char *(*rename)(const struct names *names, const uint32_t *group, size_t n,
					  size_t which))
{
	size_t end;

	util_sort(numbers, n, sizeof(*numbers), compare_shown, names);
	for (size_t first = 0; first < n; first = end) {
		FREED char **shown = NULL;

		end = first + 1;
		while (end < n && !strcmp(names->list[numbers[end]].name, names->list[numbers[first]].name))
			end++;
		if (end - first < 2)
			continue;
		shown = xcalloc(end - first, sizeof(*shown));
		for (size_t i = first; i < end; i++)
			shown[i - first] = rename(names, numbers + first, end - first, i - first);
		for (size_t i = first; i < end; i++) {
			struct entity *entity = &names->list[numbers[i]];

			entity->named = entity->name;
			entity->name = map_keep(&names->strings, shown[i - first]);
		}
		for (size_t i = first; i < end; i++)
			free(shown[i - first]);
	}
}

/* Where they are defined is what tells them apart. */
static void groups_resolve(struct names *names, uint32_t *numbers, size_t n)
{
	size_t end;

	util_sort(numbers, n, sizeof(*numbers), compare_shown, names);
	for (size_t first = 0; first < n; first = end) {
		end = first + 1;
		while (end < n && !strcmp(names->list[numbers[end]].name, names->list[numbers[first]].name))
			end++;
		for (size_t i = first; end - first > 1 && end - first <= GROUP_MAX && i < end; i++)
			names_resolve(names, numbers[i]);
	}
}

ORDER_ITEMS(compare_numbers, uint32_t, ORDER(*x, *y))

void names_tell_apart(struct names *names, const uint32_t *entities, size_t n)
{
	uint32_t *numbers = xcalloc(n, sizeof(*numbers));
	size_t n_numbers = 0;

	memcpy(numbers, entities, n * sizeof(*numbers));
	util_sort(numbers, n, sizeof(*numbers), compare_numbers, NULL);
	for (size_t i = 0; i < n && numbers[i] != NAMES_NONE; i++)
		if (!n_numbers || numbers[n_numbers - 1] != numbers[i])
			numbers[n_numbers++] = numbers[i];
	if (shown_style == NAMES_SHORT) {
		groups_rename(names, numbers, n_numbers, name_with_parameters);
		groups_rename(names, numbers, n_numbers, name_with_arguments);
		groups_rename(names, numbers, n_numbers, name_in_full);
	}
	groups_resolve(names, numbers, n_numbers);
	groups_rename(names, numbers, n_numbers, name_apart);
	free(numbers);
}

/* ---- patterns -------------------------------------------------------------------------------- */

static int glob_takes(const char *pattern, const char *name)
{
	return !strcmp(pattern, name) || !fnmatch(pattern, name, 0);
}

void names_forms(const char *name, const char *file, uint32_t line, char *forms[NAMES_FORMS])
{
	static name_maker *const namers[NAMES_FORMS] = {
		as_it_is,	 in_full,
		as_path,	 [NAMES_FORM_WRITTEN] = written,
		with_parameters, [NAMES_FORM_PLAIN] = as_plain_path
	};

	for (size_t i = 0; i < NAMES_FORMS; i++)
		forms[i] = plain_name(name, namers[i], (struct place){ file, line });
}

int names_matches(const struct entity *entity, const char *pattern)
{
	char *forms[NAMES_FORMS];
	int takes = glob_takes(pattern, entity->name);

	if (takes || glob_takes(pattern, entity->assembler))
		return 1;
	names_forms(entity->assembler, entity->file, entity->line, forms);
	for (size_t i = 0; i < NAMES_FORMS; i++) {
		takes |= glob_takes(pattern, forms[i]);
		free(forms[i]);
	}
	return takes;
}

/* "ns::Class::f(int)": up to its own name's end. */
static size_t name_end(const char *name)
{
	size_t n = strcspn(name, "(<");

	return n ? n : strlen(name);
}

/* The name's first `end` bytes are `wanted`, behind some scopes or none. */
static int ends_in(const char *name, size_t end, const char *wanted)
{
	size_t n = strlen(wanted);

	if (!n || n > end || strncmp(name + end - n, wanted, n))
		return 0;
	return n == end || (end - n >= 2 && !strncmp(name + end - n - 2, "::", 2));
}

int names_is_short(const struct entity *entity, const char *wanted)
{
	size_t n;
	const char *last = globs_last_part(entity->name, &n);

	return (strlen(wanted) == n && !strncmp(last, wanted, n)) ||
	       ends_in(entity->name, name_end(entity->name), wanted) ||
	       ends_in(entity->name, strlen(entity->name), wanted);
}
