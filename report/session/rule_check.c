/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rule_check.c - see rule_check.h. Matches as runtime/choice/rules.c and timeline_watch.c do. */
#include "rule_check.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "lib/globs.h"
#include "names/names.h"
#include "recorded_choice.h"
#include "runtime/system/plain_name.h"

#define SEEN_MAX 100000 /* names that are kept to tell the nearest of */
#define DEMANGLED_MAX 20000
#define TOLD_MAX 5

enum subject { ABOUT_FUNCTION, ABOUT_FILE, ABOUT_MODULE };

/* ---- rules ----------------------------------------------------------------------------------- */

/* The number of a glob, text[0 .. length), of which `name` characters are matched. */
static size_t glob_number(struct rule_check *check, const char *option, const char *text, size_t length,
			  size_t name)
{
	static const char *const prefixes[] = {
		[ABOUT_FUNCTION] = "", [ABOUT_FILE] = "file:", [ABOUT_MODULE] = "module:"
	};
	struct checked_glob glob = { .length = name };
	STRBUF(key);
	int is_new;
	size_t number;

	strbuf_puts(&key, option);
	strbuf_puts(&key, "=");
	strbuf_add(&key, text, length);
	number = map_add(&check->numbers, key.text, key.length, &is_new);
	if (is_new) {
		glob.option = map_keep(&check->texts, option);
		glob.glob = map_keep(&check->texts, key.text + strlen(option) + 1);
		for (int about = ABOUT_FILE; about <= ABOUT_MODULE; about++)
			if (name == length && !strncmp(glob.glob, prefixes[about], strlen(prefixes[about]))) {
				glob.about = about;
				glob.begin = strlen(prefixes[about]);
				glob.length -= glob.begin;
			}
		check->list = xrealloc(check->list, check->n + 1, sizeof(*check->list));
		check->list[check->n++] = glob;
	}
	return number;
}

/* FUNCTION:TIME */
static size_t watched_length(const char *text, size_t length)
{
	size_t name = length;

	while (name && text[name - 1] != ':') /* C++ names have colons, too */
		name--;
	return name ? name - 1 : 0;
}

/* Numbers of the globs in a list with commas between, added to numbers. Returns how many there are
 * then. */
static size_t list_read(struct rule_check *check, const char *option, const char *list, int is_watch,
			uint32_t **numbers, size_t n)
{
	while (*list) {
		size_t length = plain_name_glob_length(list);
		size_t name = is_watch ? watched_length(list, length) : length;

		if (name) {
			*numbers = xrealloc(*numbers, n + 1, sizeof(**numbers));
			(*numbers)[n++] = (uint32_t)glob_number(check, option, list, length, name);
		}
		list += length + (list[length] == ',');
	}
	return n;
}

/* ---- matching -------------------------------------------------------------------------------- */

/* The glob's own part as a string that the caller frees. */
static char *pattern_of(const struct checked_glob *glob)
{
	char *pattern = xstrdup(glob->glob + glob->begin);

	pattern[glob->length] = '\0';
	return pattern;
}

static int matches(const char *pattern, const char *name)
{
	return !fnmatch(pattern, name, FNM_NOESCAPE);
}

/* The path as it is, or what is behind any of its slashes. */
static int matches_path(const char *pattern, const char *path)
{
	if (matches(pattern, path))
		return 1;
	for (; *path; path++)
		if (*path == '/' && matches(pattern, path + 1))
			return 1;
	return 0;
}

static int matches_file(const char *pattern, const struct module_function *function)
{
	STRBUF(path);

	if (!function->file)
		return 0;
	if (matches_path(pattern, function->file))
		return 1;
	if (*function->file == '/' || !function->comp_dir || !*function->comp_dir)
		return 0;
	strbuf_printf(&path, "%s/%s", function->comp_dir, function->file);
	return matches_path(pattern, path.text);
}

static int matches_in(const struct checked_glob *glob, const char *pattern, const struct module *module)
{
	if (glob->about == ABOUT_MODULE)
		return matches_path(pattern, module->path);
	for (size_t i = 0; i < module->n_functions; i++)
		if (glob->about == ABOUT_FILE
			    ? matches_file(pattern, &module->functions[i])
			    : plain_name_match(pattern, glob->length, module->functions[i].name))
			return 1;
	return 0;
}

/* A table is looked through once for a glob: it is that of a thousand processes. */
static int was_seen(struct rule_check *check, size_t number, const struct module *module)
{
	const void *table = module->is_shared ? (const void *)module->functions : NULL;
	uint64_t key[2] = { number, (uintptr_t)table };
	int is_new = 1;

	if (table)
		map_add(&check->tables, key, sizeof(key), &is_new);
	return !is_new;
}

/* ---- what was meant -------------------------------------------------------------------------- */

static void keep_seen(struct map *seen, const char *name)
{
	if (name && *name && seen->n < SEEN_MAX)
		map_keep(seen, name);
}

/* The last part of a name such as a::b::c. */
static const char *behind_scopes(const char *name)
{
	const char *last = name;

	for (const char *at = name; *at && *at != '(' && *at != '<'; at++)
		if (at[0] == ':' && at[1] == ':')
			last = at + 2;
	return last;
}

/* Whether the glob is another name of the function: rules take assembler names. */
static int is_another_name(const char *pattern, const struct module_function *function)
{
	char *forms[NAMES_FORMS];
	int does = 0;

	if (function->name[0] != '_')
		return 0;
	names_forms(function->name, function->file, function->line, forms);
	for (size_t i = 0; i < NAMES_FORMS; i++) {
		does |= matches(pattern, forms[i]) || matches(pattern, behind_scopes(forms[i]));
		free(forms[i]);
	}
	return does;
}

/* What a glob that matched nothing in the module may have meant there. */
static void see_meant(struct rule_check *check, struct checked_glob *glob, const char *pattern,
		      const struct module *module)
{
	if (glob->about == ABOUT_MODULE) {
		keep_seen(&check->modules, util_basename(module->path));
		return;
	}
	for (size_t i = 0; i < module->n_functions; i++) {
		if (glob->about == ABOUT_FILE) {
			keep_seen(&check->files, util_basename(module->functions[i].file ?: ""));
			continue;
		}
		keep_seen(&check->functions, module->functions[i].name);
		if (!glob->meant && is_another_name(pattern, &module->functions[i]))
			glob->meant = map_keep(&check->texts, module->functions[i].name);
	}
	for (size_t i = 0; glob->about == ABOUT_FUNCTION && i < module->n_left_out && !glob->was_left_out;
	     i++)
		glob->was_left_out = plain_name_match(pattern, glob->length, module->left_out[i].name);
}

static void check_glob(struct rule_check *check, size_t number, const struct data *data)
{
	struct checked_glob *glob = &check->list[number];
	FREED char *pattern = pattern_of(glob);

	for (size_t i = 0; i < data->modules.n && !glob->has_matched; i++) {
		const struct module *module = &data->modules.list[i];

		if (!module->raw->code_base || was_seen(check, number, module))
			continue;
		glob->has_matched = matches_in(glob, pattern, module);
		if (!glob->has_matched)
			see_meant(check, glob, pattern, module);
	}
}

void rule_check_add(struct rule_check *check, const struct data *data)
{
	static const struct {
		enum cinstr_option option;
		const char *name;
	} options[] = { { CINSTR_OPTION_ONLY, "CINSTR_ONLY" },
			{ CINSTR_OPTION_NOT, "CINSTR_NOT" },
			{ CINSTR_OPTION_KEEP_SLOWEST, "CINSTR_KEEP_SLOWEST" } };
	uint32_t *numbers = NULL;
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(options) && !data->sampled; i++) {
		FREED char *list = choice_option(data, options[i].option);

		if (list)
			n = list_read(check, options[i].name, list,
				      options[i].option == CINSTR_OPTION_KEEP_SLOWEST, &numbers, n);
	}
	for (size_t i = 0; i < n; i++)
		check_glob(check, numbers[i], data);
	free(numbers);
}

void rule_check_choice(struct rule_check *check, const struct data *data, const char *rules)
{
	FREED char *copy = xstrdup(rules);
	char *rest = copy;
	uint32_t *numbers = NULL;
	size_t n = 0;

	for (char *rule = strsep(&rest, " "); rule; rule = strsep(&rest, " ")) {
		if (!strncmp(rule, "only=", 5))
			n = list_read(check, "only", rule + 5, 0, &numbers, n);
		if (!strncmp(rule, "not=", 4))
			n = list_read(check, "not", rule + 4, 0, &numbers, n);
	}
	for (size_t i = 0; i < n; i++)
		check_glob(check, numbers[i], data);
	free(numbers);
}

/* ---- in words -------------------------------------------------------------------------------- */

static char *in_short(const char *assembler)
{
	char *forms[NAMES_FORMS];

	names_forms(assembler, NULL, 0, forms);
	for (size_t i = 0; i < NAMES_FORMS; i++)
		if (i != NAMES_FORM_WRITTEN)
			free(forms[i]);
	return forms[NAMES_FORM_WRITTEN];
}

static void put_function(struct strbuf *text, const char *assembler)
{
	FREED char *shown = in_short(assembler);

	if (plain_name_match(shown, strlen(shown), assembler)) {
		strbuf_visible(text, shown);
	} else {
		strbuf_visible(text, assembler);
		strbuf_puts(text, " (");
		strbuf_visible(text, shown);
		strbuf_puts(text, ")");
	}
}

/* The function whose name without parameters and the like looks most like the pattern, by its
 * assembler name; NULL: none does. */
static const char *closest_demangled(const struct map *functions, const char *pattern)
{
	struct map shown = { 0 };
	FREED uint32_t *of = xcalloc(functions->n + 1, sizeof(*of));
	const char *found;

	for (size_t i = 0; i < functions->n && i < DEMANGLED_MAX; i++) {
		FREED char *name = functions->keys[i][0] == '_' ? in_short(functions->keys[i]) : NULL;
		int is_new;
		size_t number = name ? map_add(&shown, name, strlen(name), &is_new) : 0;

		if (name && is_new)
			of[number] = (uint32_t)i;
	}
	found = globs_closest(pattern, &shown);
	if (found)
		found = functions->keys[of[map_find(&shown, found, strlen(found))]];
	map_release(&shown);
	return found;
}

static void put_meant(struct strbuf *text, const struct rule_check *check, const struct checked_glob *glob)
{
	const struct map *seen[] = { [ABOUT_FUNCTION] = &check->functions,
				     [ABOUT_FILE] = &check->files,
				     [ABOUT_MODULE] = &check->modules };
	FREED char *pattern = pattern_of(glob);
	const char *name =
		glob->meant ? glob->meant : globs_closest(util_basename(pattern), seen[glob->about]);

	if (!name && glob->about == ABOUT_FUNCTION)
		name = closest_demangled(&check->functions, pattern);
	if (!glob->meant && glob->was_left_out) {
		strbuf_puts(text, " with probes: it was left out when it was compiled (cinstr info)");
	} else if (name) {
		strbuf_puts(text, "; nearest: ");
		if (glob->about == ABOUT_FUNCTION)
			put_function(text, name);
		else
			strbuf_visible(text, name);
	} else {
		globs_put_some(text, seen[glob->about]);
	}
}

static void tell(const struct rule_check *check, const struct checked_glob *glob)
{
	static const char *const nouns[] = {
		[ABOUT_FUNCTION] = "function", [ABOUT_FILE] = "file", [ABOUT_MODULE] = "module with probes"
	};
	STRBUF(text);

	strbuf_printf(&text, "%s=", glob->option);
	strbuf_visible(&text, glob->glob);
	strbuf_printf(&text, " matches no %s", nouns[glob->about]);
	put_meant(&text, check, glob);
	warning("%s", text.text);
}

void rule_check_drop(struct rule_check *check)
{
	free(check->list);
	map_release(&check->numbers);
	map_release(&check->tables);
	map_release(&check->texts);
	map_release(&check->functions);
	map_release(&check->files);
	map_release(&check->modules);
	*check = (struct rule_check){ 0 };
}

void rule_check_end(struct rule_check *check)
{
	size_t told = 0;

	for (size_t i = 0; i < check->n; i++)
		if (!check->list[i].has_matched && told++ < TOLD_MAX)
			tell(check, &check->list[i]);
	if (told > TOLD_MAX)
		warning("and %zu more globs that match nothing", told - TOLD_MAX);
	rule_check_drop(check);
}
