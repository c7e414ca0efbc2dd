/* SPDX-License-Identifier: MIT */
/*
 * rules.c - the rules for which functions and which kinds of probe are recorded: from CINSTR_ONLY,
 * _NOT, _PROBES and _DEPTH at the start, and from switch.c later.
 *
 * There are two sets, the one in force and the next: a fork at any moment finds a complete one.
 * Written under the lock of switch.c (at the start: by the one thread that attaches); read under
 * it, and its numbers by any thread.
 */
#include "rules.h"

#include <errno.h>

#include "system/plain_name.h"

#define GLOBS_MAX 8192

struct globs {
	char only[GLOBS_MAX], except[GLOBS_MAX];
};

static struct choice choices[2], first;
static struct globs globs[3];

const struct choice *volatile rules_choice = &first;
uint32_t rules_depth; /* its depth, for any thread without the lock */

/* ---- matching -------------------------------------------------------------------------------- */

enum subject { SUBJECT_FUNCTION, SUBJECT_FILE, SUBJECT_MODULE, SUBJECT_UNKNOWN };

static int begins(const char *string, size_t n, const char *prefix)
{
	size_t length = string_length(prefix);

	if (n < length)
		return 0;
	for (size_t i = 0; i < length; i++)
		if (string[i] != prefix[i])
			return 0;
	return 1;
}

/* What a glob of n characters applies to: functions, source files or modules; *at is where the glob
 * itself begins. */
static enum subject subject_of(const char *glob, size_t n, size_t *at)
{
	static const char file[] = "file:", module[] = "module:";

	*at = 0;
	if (begins(glob, n, file)) {
		*at = sizeof(file) - 1;
		return SUBJECT_FILE;
	}
	if (begins(glob, n, module)) {
		*at = sizeof(module) - 1;
		return SUBJECT_MODULE;
	}
	/* a name has two colons, or one behind {lambda}; in brackets one may stand */
	for (size_t i = 0; i < n; i++)
		if (glob[i] == ':' && glob[0] != '[' && (i + 1 == n || glob[i + 1] != ':') &&
		    (!i || (glob[i - 1] != ':' && glob[i - 1] != '}')))
			return SUBJECT_UNKNOWN;
	return SUBJECT_FUNCTION;
}

/* The path as it is, or what is behind any of its slashes: a name, or the last folders and the
 * name. */
static int matches_path(const char *glob, size_t n, const char *path)
{
	if (glob_match(glob, n, path))
		return 1;
	for (; *path; path++)
		if (*path == '/' && glob_match(glob, n, path + 1))
			return 1;
	return 0;
}

/* A source file as the compiler was given it; a glob from the root is for its absolute path. */
static int matches_file(const char *glob, size_t n, const struct rules_subject *subject)
{
	struct text path = { .used = 0 };

	if (matches_path(glob, n, subject->file))
		return 1;
	if (*subject->file == '/' || !*subject->folder)
		return 0;
	text_add(&path, subject->folder);
	text_add(&path, "/");
	text_add(&path, subject->file);
	return matches_path(glob, n, path.data);
}

static int matches(const char *glob, size_t n, const struct rules_subject *subject)
{
	size_t at;

	switch (subject_of(glob, n, &at)) {
	case SUBJECT_FILE:
		return matches_file(glob + at, n - at, subject);
	case SUBJECT_MODULE:
		return matches_path(glob + at, n - at, subject->module);
	default:
		return plain_name_match(glob, n, subject->function);
	}
}

static int matches_any(const char *list, const struct rules_subject *subject)
{
	while (*list) {
		size_t n = plain_name_glob_length(list);

		if (n && matches(list, n, subject))
			return 1;
		list += n + (list[n] == ',');
	}
	return 0;
}

int rules_select(const struct choice *choice, const struct rules_subject *subject)
{
	if (*choice->only && !matches_any(choice->only, subject))
		return 0;
	return !*choice->except || !matches_any(choice->except, subject);
}

int rules_want(const struct choice *choice, uint32_t kind)
{
	if (kind == CINSTR_EV_LINE)
		return choice->lines;
	if (!choice->functions_only)
		return 1;
	return kind == CINSTR_EV_ENTER || kind == CINSTR_EV_EXIT || kind == CINSTR_EV_TAIL ||
	       kind == CINSTR_EV_LANDING;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Whether the n characters are a list of globs that can be used. */
static int is_list(const char *list, size_t n)
{
	size_t at;

	if (n >= GLOBS_MAX)
		return 0;
	for (const char *end = list + n; list < end;) {
		size_t length = min_of(plain_name_glob_length(list), (size_t)(end - list));
		enum subject subject = subject_of(list, length, &at);

		if (subject == SUBJECT_UNKNOWN || (subject != SUBJECT_FUNCTION && at == length))
			return 0;
		list += length + 1;
	}
	return 1;
}

static int set_list(const char **list, char *copy, const char *value, size_t n)
{
	if (!is_list(value, n))
		return -EINVAL;
	arch_copy(copy, value, n);
	copy[n] = '\0';
	*list = copy;
	return 0;
}

static int is_word(const char *value, size_t n, const char *word)
{
	return n == string_length(word) && begins(value, n, word);
}

static int set_probes(struct choice *choice, const char *value, size_t n)
{
	int functions = is_word(value, n, "functions"), lines = is_word(value, n, "lines");

	if (!functions && !lines && !is_word(value, n, "calls"))
		return -EINVAL;
	choice->functions_only = functions;
	choice->lines = lines;
	return 0;
}

static int set_depth(struct choice *choice, const char *value, size_t n)
{
	uint32_t depth = 0;

	for (size_t i = 0; i < n; i++) {
		if (value[i] < '0' || value[i] > '9' || depth > DEPTH_MAX)
			return -EINVAL;
		depth = depth * 10 + (uint32_t)(value[i] - '0');
	}
	if (!n || depth > DEPTH_MAX)
		return -EINVAL;
	choice->depth = depth;
	return 0;
}

static void copy_choice(struct choice *to, struct globs *own, const struct choice *from)
{
	*to = *from;
	arch_copy(own->only, from->only, string_length(from->only) + 1);
	arch_copy(own->except, from->except, string_length(from->except) + 1);
	to->only = own->only;
	to->except = own->except;
}

/* One word of the rules. 0 or -EINVAL. */
static int read_rule(struct choice *choice, struct globs *own, const char *rule, size_t n)
{
	if (is_word(rule, n, "all"))
		copy_choice(choice, own, &first);
	else if (begins(rule, n, "only="))
		return set_list(&choice->only, own->only, rule + 5, n - 5);
	else if (begins(rule, n, "not="))
		return set_list(&choice->except, own->except, rule + 4, n - 4);
	else if (begins(rule, n, "probes="))
		return set_probes(choice, rule + 7, n - 7);
	else if (begins(rule, n, "depth="))
		return set_depth(choice, rule + 6, n - 6);
	else
		return -EINVAL;
	return 0;
}

/* The rules, applied to the choice in force. NULL: not understood. rules_take() puts it in
 * force. */
const struct choice *rules_read(const char *rules)
{
	unsigned next = rules_choice == &choices[0];

	copy_choice(&choices[next], &globs[next], rules_choice);
	while (*rules) {
		size_t n = 0;

		while (rules[n] && rules[n] != ' ')
			n++;
		if (n && read_rule(&choices[next], &globs[next], rules, n))
			return NULL;
		rules += n + (rules[n] == ' ');
	}
	return &choices[next];
}

void rules_take(const struct choice *choice)
{
	rules_choice = choice;
	atomic_store_relaxed(&rules_depth, choice->depth);
}

static void read_list(enum cinstr_option option, const char **list, char *copy)
{
	if (set_list(list, copy, option_value(option), string_length(option_value(option))))
		option_complain(option);
}

/* At attach, before any module is patched. */
void rules_begin(void)
{
	static const char *const probes[] = { "calls", "functions", "lines", NULL };
	const char *depth;
	int kinds = option_word(CINSTR_OPTION_PROBES, probes);

	first = (struct choice){
		.only = "", .except = "", .functions_only = kinds == 1, .lines = kinds == 2
	};
	read_list(CINSTR_OPTION_ONLY, &first.only, globs[2].only);
	read_list(CINSTR_OPTION_NOT, &first.except, globs[2].except);
	depth = option_value(CINSTR_OPTION_DEPTH);
	if (set_depth(&first, depth, string_length(depth)))
		option_complain(CINSTR_OPTION_DEPTH);
	rules_depth = first.depth;
}
