/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Actions: parsed from options, found again by the names of functions.
 */
#include "actions.h"
#include "names.h"
#include "options.h"

static vec<struct action> actions; /* in the order given */

static const char *const place_names[] = { "top", "bottom", "before", "after" };

/* "inside,f" begins with the word "inside": returns what follows its comma, or NULL. */
static const char *after_word(const char *value, const char *word)
{
	size_t length = strlen(word);

	return startswith(value, word) && value[length] == ',' && value[length + 1] ? value + length + 1
										    : NULL;
}

static bool add_pair(const char *option, const char *value, const char *glob, bool inside,
		     enum cinstr_abi_action begin, enum cinstr_abi_action end)
{
	struct rule *rule = rules_add(option, value, glob);

	actions.safe_push({ rule, inside ? ACTION_TOP : ACTION_BEFORE, begin, true, NULL });
	actions.safe_push({ rule, inside ? ACTION_BOTTOM : ACTION_AFTER, end, true, NULL });
	return true;
}

bool actions_parse_pair(const char *option, const char *value, enum cinstr_abi_action begin,
			enum cinstr_abi_action end)
{
	if (const char *glob = after_word(value, "inside"))
		return add_pair(option, value, glob, true, begin, end);
	if (const char *glob = after_word(value, "outside"))
		return add_pair(option, value, glob, false, begin, end);
	return false;
}

bool actions_parse_region(const char *option, const char *value)
{
	return add_pair(option, value, value, true, CINSTR_ACTION_REGION_BEGIN, CINSTR_ACTION_REGION_END);
}

/* Returns the glob behind the place, or NULL. */
static const char *parse_place(const char *value, enum action_place *place)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(place_names); i++)
		if (const char *glob = after_word(value, place_names[i])) {
			*place = (enum action_place)i;
			return glob;
		}
	return NULL;
}

bool actions_parse_one(const char *option, const char *value, enum cinstr_abi_action kind)
{
	enum action_place place;
	const char *glob = parse_place(value, &place);

	if (glob)
		actions.safe_push({ rules_add(option, value, glob), place, kind, false, NULL });
	return glob;
}

/* The comma that ends the glob of a mark: not one between parameters or template arguments. */
static const char *end_of_glob(const char *glob)
{
	int depth = 0;
	const char *s = glob;

	while (*s && !(*s == ',' && depth <= 0)) {
		size_t length = names_operator_length(s, glob); /* operator< opens no bracket */
		if (!length)
			depth += (*s == '(' || *s == '<') - (*s == ')' || *s == '>');
		s += MAX(length, 1);
	}
	return s;
}

bool actions_parse_mark(const char *option, const char *value)
{
	enum action_place place;
	const char *glob = parse_place(value, &place);

	if (!glob)
		return false;

	const char *end = end_of_glob(glob);
	char *copy = xstrndup(glob, end - glob);
	const char *text = *end && end[1] ? xstrdup(end + 1) : NULL;
	actions.safe_push({ rules_add(option, value, copy), place, CINSTR_ACTION_MARK, false, text });
	free(copy);
	return true;
}

/*
 * Where an action goes among those that are at the sled already: a suspension before a start and a
 * resumption behind a stop, so that nothing is recorded in between; all else at the end.
 */
static unsigned int position(const action_list *list, enum cinstr_abi_action kind)
{
	bool suspends = kind == CINSTR_ACTION_SUSPEND || kind == CINSTR_ACTION_QUIET_BEGIN;
	bool resumes = kind == CINSTR_ACTION_RESUME || kind == CINSTR_ACTION_QUIET_END;
	unsigned int end = list->length();

	for (unsigned int i = 0; suspends && i < end; i++)
		if ((*list)[i]->kind == CINSTR_ACTION_START || (*list)[i]->kind == CINSTR_ACTION_REGION_BEGIN)
			return i;
	for (unsigned int i = end; resumes && i > 0; i--)
		if ((*list)[i - 1]->kind == CINSTR_ACTION_STOP ||
		    (*list)[i - 1]->kind == CINSTR_ACTION_REGION_END)
			return i;
	return end;
}

bool actions_exist(void)
{
	return actions.length();
}

void actions_collect(action_list *list, enum action_place place, const struct names *names)
{
	for (const struct action &action : actions)
		if (action.place == place && rules_match(action.rule, names)) {
			action.rule->matched = true;
			list->safe_insert(position(list, action.kind), &action);
		}
}

static void warn_of_tail_call(struct rule *rule, location_t location)
{
	no_werror guard;

	if (!settings.quiet && !rule->warned)
		warning_at(location, 0,
			   "cinstr: rule %qs does nothing at this tail call: nothing comes after it",
			   rule->text);
	rule->warned = true;
}

void actions_collect_tail(action_list *list, const struct names *callee, location_t location)
{
	for (const struct action &action : actions) {
		if (action.place < ACTION_BEFORE || !rules_match(action.rule, callee))
			continue;
		action.rule->matched = true;
		if (action.paired || action.place == ACTION_AFTER)
			warn_of_tail_call(action.rule, location);
		else
			list->safe_insert(position(list, action.kind), &action);
	}
}

static bool any_between(enum action_place first, enum action_place last, const struct names *names)
{
	for (const struct action &action : actions)
		if (action.place >= first && action.place <= last && rules_match(action.rule, names))
			return true;
	return false;
}

bool actions_inside(const struct names *names)
{
	return any_between(ACTION_TOP, ACTION_BOTTOM, names);
}

bool actions_outside(const struct names *names)
{
	return any_between(ACTION_BEFORE, ACTION_AFTER, names);
}

void actions_warn_left_out(const struct names *names, tree fn, const char *why)
{
	no_werror guard;

	for (const struct action &action : actions) {
		struct rule *rule = action.rule;
		if (action.place > ACTION_BOTTOM || !rules_match(rule, names))
			continue;
		if (!settings.quiet && !rule->warned)
			warning_at(DECL_SOURCE_LOCATION(fn), 0,
				   "cinstr: rule %qs does nothing in %qD, which has no probes: %s",
				   rule->text, fn, why);
		rule->matched = rule->warned = true;
	}
}
