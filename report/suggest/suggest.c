/* SPDX-License-Identifier: GPL-3.0-or-later */
/* suggest.c - see suggest.h: chooses the functions. */
#include "suggest.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "rows/call_path_walk.h"
#include "rows/mixed_rows.h"
#include "selection/just_my_code.h"

#define OTHERS_MAX 10
#define REGION " [parallel region " /* names_plain() */

enum kind { KIND_UNKNOWN, KIND_OWN, KIND_SYSTEM, KIND_UNNAMED };

/* What rows tell of a function. */
struct counted {
	uint64_t calls;
	int are_least, is_estimate[2]; /* inclusive, exclusive */
};

/* Of an entity. */
struct tally {
	double inclusive, exclusive;
	double own; /* it is the innermost function of the program's own */
	struct counted counted;
	uint32_t best; /* the path where it has most */
	uint32_t on_stack;
	enum kind kind;
	int has_callee, is_taken;
};

struct making {
	struct suggest *suggest;
	const struct profile *profile;
	const struct suggest_choice *choice;
	struct tally *tallies; /* by entity */
	size_t n;
	/* of each path: the innermost function of the program's own; UNNAMED; NAMES_NONE: none is
	 * on it */
	uint32_t *owner;
	double unnamed; /* of the program's own: the innermost function has no name */
};
#define UNNAMED (NAMES_NONE - 1)

/* ---- what can be instrumented ---------------------------------------------------------------- */

/* Of stripped code the name is made of the module and an address, or of that alone. */
static int is_made_up(const struct entity *entity)
{
	const char *name = entity->assembler, *base = util_basename(entity->module);
	size_t n = strlen(base);

	if (!strncmp(name, "0x", 2) || name[0] == '[' || !name[0])
		return 1;
	return n && !strncmp(name, base, n) && !strncmp(name + n, "+0x", 3);
}

/* Whether a function comes with the compiler, the C library or the plugin and is linked into every
 * program, or is a stub of an import. */
static int is_of_startup(const char *name)
{
	static const char *const names[] = { "_start",
					     "_init",
					     "_fini",
					     "frame_dummy",
					     "deregister_tm_clones",
					     "register_tm_clones",
					     "__do_global_dtors_aux",
					     "__libc_csu_init" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return 1;
	return !strncmp(name, "__libc_start", strlen("__libc_start")) ||
	       !strncmp(name, "__cinstr_", strlen("__cinstr_")) || strstr(name, "@plt") != NULL;
}

/* Wherever they are: in containers, and where a distribution has folders of its own. */
static int is_runtime_library(const char *module)
{
	static const char *const names[] = { "libc.so",	     "libm.so",	    "ld-linux",	   "libpthread.so",
					     "libstdc++.so", "libgcc_s.so", "libcinstr.so" };
	const char *base = util_basename(module);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strncmp(base, names[i], strlen(names[i])))
			return 1;
	return 0;
}

static int is_own_module(const struct making *m, const struct entity *entity)
{
	const struct selection *selection = m->choice->selection;
	const char *exe = m->profile->totals.exe;

	if (entity->module[0] != '/')
		return 0;
	/* the user has named it, and selection_of_entity() knows */
	if (selection && selection->modules)
		return 1;
	return (!is_runtime_library(entity->module) && !system_code_is_library(entity->module)) ||
	       (exe && !strcmp(entity->module, exe));
}

static enum kind kind_of(const struct making *m, const struct entity *entity)
{
	const struct selection *selection = m->choice->selection;

	if (!entity->is_function || !is_own_module(m, entity))
		return KIND_SYSTEM;
	if (selection && (selection->functions || selection->modules) &&
	    selection_of_entity(selection, entity) != GLOBS_TAKEN)
		return KIND_SYSTEM;
	if (is_of_startup(entity->assembler))
		return KIND_SYSTEM;
	return is_made_up(entity) ? KIND_UNNAMED : KIND_OWN;
}

/* ---- what each function has ------------------------------------------------------------------ */

/* The kernel works for whoever it interrupted. */
static int is_call(const struct making *m, uint32_t entity)
{
	return strcmp(m->profile->names->list[entity].assembler, "[kernel]") != 0;
}

static void add_own(struct making *m, uint32_t owner, double exclusive)
{
	if (owner == NAMES_NONE)
		return;
	m->suggest->own += exclusive;
	if (owner == UNNAMED)
		m->unnamed += exclusive;
	else
		m->tallies[owner].own += exclusive;
}

/* Time that a function waited for others is not its own work: of an instrumented session
 * Application time counts, where it is known. */
static double inclusive_of(const struct making *m, const struct path *path)
{
	return m->suggest->is_application ? path->application_inclusive : path->elapsed_inclusive;
}

static double exclusive_of(const struct making *m, const struct path *path)
{
	return m->suggest->is_application ? path->application_exclusive : path->elapsed_exclusive;
}

static void enter(void *arg, uint32_t number)
{
	struct making *m = arg;
	const struct path *path = &m->profile->paths.list[number];
	struct tally *t = &m->tallies[path->entity];
	uint32_t caller = m->profile->paths.list[path->parent].entity;

	if (t->kind == KIND_UNKNOWN)
		t->kind = kind_of(m, &m->profile->names->list[path->entity]);
	t->exclusive += exclusive_of(m, path);
	if (!t->on_stack++) {
		t->inclusive += inclusive_of(m, path);
		if (t->best == PATH_NONE ||
		    inclusive_of(m, path) > inclusive_of(m, &m->profile->paths.list[t->best]))
			t->best = number;
	}
	if (path->parent && is_call(m, path->entity))
		m->tallies[caller].has_callee = 1;
	m->owner[number] = t->kind == KIND_OWN	     ? path->entity
			   : t->kind == KIND_UNNAMED ? UNNAMED
			   : path->parent	     ? m->owner[path->parent]
						     : NAMES_NONE;
	add_own(m, m->owner[number], exclusive_of(m, path));
}

static void leave(void *arg, uint32_t number)
{
	struct making *m = arg;

	m->tallies[m->profile->paths.list[number].entity].on_stack--;
}

/* ---- choosing -------------------------------------------------------------------------------- */

/* Takes the function, and its callers on the path where it has most. */
static void take(struct making *m, uint32_t entity)
{
	const struct path *list = m->profile->paths.list;

	for (uint32_t at = m->tallies[entity].best; at; at = list[at].parent) {
		struct tally *t = &m->tallies[list[at].entity];

		if (t->kind != KIND_OWN || t->is_taken)
			continue;
		t->is_taken = 1;
		m->suggest->explained += t->own;
	}
}

static int compare_own(const void *a, const void *b, void *arg)
{
	const struct making *m = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	double p = m->tallies[x].own, q = m->tallies[y].own;

	return p < q ? 1 : p > q ? -1 : (x > y) - (x < y);
}

static void choose(struct making *m)
{
	double least = m->suggest->whole * m->choice->percent / 100, enough;
	FREED uint32_t *order = xcalloc(m->n + 1, sizeof(*order));
	size_t n = 0;

	for (uint32_t i = 0; i < m->n; i++) {
		if (m->tallies[i].kind != KIND_OWN || m->tallies[i].inclusive <= 0)
			continue;
		order[n++] = i;
		if (m->tallies[i].inclusive >= least)
			take(m, i);
	}
	util_sort(order, n, sizeof(*order), compare_own, m);
	enough = (m->suggest->own - m->unnamed) * SUGGEST_EXPLAINED / 100;
	for (size_t i = 0; i < n && m->suggest->explained < enough; i++)
		if (m->tallies[order[i]].own >= least / 10)
			take(m, order[i]);
}

/* ---- rules ----------------------------------------------------------------------------------- */

/*
 * The name as the plugin has it (plugin/names.cc): in C++ with parameters, but for what is made of
 * a template, which has its return type in front here.
 */
static char *rule_name(const struct entity *entity)
{
	char *name = xstrdup(entity->assembler), *region = strstr(name, REGION), *full;

	if (region)
		*region = '\0';
	if (strncmp(name, "_Z", 2) != 0)
		return name;
	full = names_full(name, NULL);
	if (strchr(full, '<')) {
		free(full);
		return name;
	}
	free(name);
	return full;
}

/* A glob that means this text only: a rule with parameters is not to mean other ones. */
static void put_literally(struct strbuf *rule, const char *text)
{
	for (; *text; text++) {
		if (strchr("*?[\\", *text))
			strbuf_puts(rule, "\\");
		strbuf_add(rule, text, 1);
	}
}

static const char *rule_of(struct suggest *suggest, const struct entity *entity, int is_leaf)
{
	STRBUF(rule);
	FREED char *name = rule_name(entity);
	int is_bracketed = is_leaf && name[0] && (isalpha((unsigned char)name[0]) || strchr("_(", name[0]));

	strbuf_clear(&rule);
	if (is_bracketed)
		strbuf_printf(&rule, "[%c]", name[0]);
	put_literally(&rule, name + is_bracketed);
	return map_keep(&suggest->strings, rule.text);
}

/* ---- the list -------------------------------------------------------------------------------- */

static int is_short(const struct tally *t)
{
	return t->counted.calls && t->exclusive / (double)t->counted.calls < SUGGEST_SHORT_NS &&
	       !t->has_callee;
}

static enum suggest_verdict verdict_of(const struct tally *t)
{
	if (t->kind == KIND_OWN)
		return is_short(t) ? SUGGEST_SHORT : SUGGEST_TAKEN;
	return t->kind == KIND_UNNAMED ? SUGGEST_UNNAMED : SUGGEST_SYSTEM;
}

static void list_add(struct making *m, uint32_t number)
{
	struct suggest *s = m->suggest;
	const struct entity *entity = &m->profile->names->list[number];
	const struct tally *t = &m->tallies[number];

	s->list[s->n++] =
		(struct suggestion){ .name = map_keep(&s->strings, entity->name),
				     .rule = rule_of(s, entity, !t->has_callee),
				     .module = map_keep(&s->strings, entity->module),
				     .inclusive = t->inclusive,
				     .exclusive = t->exclusive,
				     .calls = t->counted.calls,
				     .are_calls_least = t->counted.are_least,
				     .is_estimate = { t->counted.is_estimate[0], t->counted.is_estimate[1] },
				     .is_leaf = !t->has_callee,
				     .verdict = verdict_of(t) };
}

static int compare_suggestions(const void *a, const void *b, void *arg)
{
	const struct suggestion *x = a, *y = b;
	int other_x = x->verdict != SUGGEST_TAKEN, other_y = y->verdict != SUGGEST_TAKEN;
	double p = other_x ? x->exclusive : x->inclusive, q = other_y ? y->exclusive : y->inclusive;

	(void)arg;
	if (other_x != other_y)
		return other_x - other_y;
	return p < q ? 1 : p > q ? -1 : strcmp(x->rule, y->rule);
}

/* The library of the system's with most that may be meant: not those that every program has. */
static const char *library_of(const struct suggest *s)
{
	for (size_t i = s->n; i < s->n + s->n_others; i++)
		if (s->list[i].verdict == SUGGEST_SYSTEM && s->list[i].module[0] == '/' &&
		    !is_runtime_library(s->list[i].module))
			return util_basename(s->list[i].module);
	return NULL;
}

/* Functions of several files that have one name have one rule; limits hold. */
static void list_cut(struct suggest *s, uint64_t limit)
{
	struct map rules = { 0 };
	size_t all = s->n;

	s->n = 0;
	for (size_t i = 0; i < all; i++) {
		const struct suggestion *one = &s->list[i];
		int is_new = 1;

		if (one->verdict == SUGGEST_TAKEN) {
			map_add(&rules, one->rule, strlen(one->rule), &is_new);
			if (is_new && s->n >= limit) {
				s->n_beyond++;
				continue;
			}
			if (is_new)
				s->list[s->n++] = *one;
		} else if (s->n_others < OTHERS_MAX) {
			s->list[s->n + s->n_others++] = *one;
		}
	}
	s->library = library_of(s);
	map_release(&rules);
}

static void list_make(struct making *m)
{
	struct suggest *s = m->suggest;
	double least = s->whole * m->choice->percent / 100;

	s->list = xcalloc(m->n + 1, sizeof(*s->list));
	for (uint32_t i = 0; i < m->n; i++) {
		const struct tally *t = &m->tallies[i];

		if (t->is_taken || (t->kind != KIND_OWN && t->kind != KIND_UNKNOWN && t->exclusive > 0 &&
				    t->exclusive >= least))
			list_add(m, i);
	}
	util_sort(s->list, s->n, sizeof(*s->list), compare_suggestions, NULL);
	list_cut(s, m->choice->limit);
}

/* Functions of both profiles are the same by names and modules. */
static size_t key_of(const struct entity *entity, struct strbuf *key)
{
	strbuf_clear(key);
	strbuf_puts(key, entity->assembler ? entity->assembler : "");
	strbuf_add(key, "", 1);
	strbuf_puts(key, entity->module ? entity->module : "");
	strbuf_add(key, "", 1);
	strbuf_puts(key, entity->file ? entity->file : "");
	return key->length;
}

static void count(struct counted *counted, const struct row *row)
{
	counted->calls += row->calls;
	counted->are_least |= row->are_calls_least;
	counted->is_estimate[0] |= mixed_row_is_estimate(row, VALUE_ELAPSED_INCLUSIVE);
	counted->is_estimate[1] |= mixed_row_is_estimate(row, VALUE_ELAPSED_EXCLUSIVE);
}

static void calls_find(struct making *m, const struct profile *functions)
{
	struct counted *list = xcalloc(functions->n_rows + 1, sizeof(*list));
	STRBUF(key);
	struct map keys = { 0 };
	int is_new;

	for (size_t i = 0; i < functions->n_rows; i++) {
		size_t n;

		/* of no function: a damaged file has such rows */
		if (functions->rows[i].entity >= functions->names->keys.n)
			continue;
		n = key_of(&functions->names->list[functions->rows[i].entity], &key);
		count(&list[map_add(&keys, key.text, n, &is_new)], &functions->rows[i]);
	}
	for (uint32_t i = 0; i < m->n; i++) {
		size_t n = key_of(&m->profile->names->list[i], &key), number = map_find(&keys, key.text, n);

		if (number != MAP_NONE)
			m->tallies[i].counted = list[number];
	}
	map_release(&keys);
	free(list);
}

void suggest_make(struct suggest *suggest, const struct profile *profile, const struct profile *functions,
		  const struct suggest_choice *choice)
{
	const struct totals *totals = &profile->totals;
	struct making m = {
		.suggest = suggest, .profile = profile, .choice = choice, .n = profile->names->keys.n
	};

	*suggest = (struct suggest){ .is_sampled = profile_is_sampled(profile), .percent = choice->percent };
	suggest->is_application =
		!suggest->is_sampled && totals_has_application(totals) && totals->application > 0;
	suggest->whole = (double)(suggest->is_application ? totals->application : totals->elapsed);
	suggest->title = xstrdup(totals->title ? totals->title : "");
	m.tallies = xcalloc(m.n + 1, sizeof(*m.tallies));
	m.owner = xcalloc(profile->paths.n + 1, sizeof(*m.owner));
	for (size_t i = 0; i < m.n; i++)
		m.tallies[i].best = PATH_NONE;
	path_walk(&profile->paths, enter, leave, &m);
	if (!suggest->is_sampled)
		calls_find(&m, functions);
	choose(&m);
	list_make(&m);
	free(m.tallies);
	free(m.owner);
}

void suggest_release(struct suggest *suggest)
{
	free(suggest->list);
	free(suggest->title);
	map_release(&suggest->strings);
	*suggest = (struct suggest){ 0 };
}
