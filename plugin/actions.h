/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rules for actions of a thread at a sled besides recording it (enum cinstr_abi_action): start,
 * stop, suspend, resume, mark, at the top or the bottom of a function or before or after its calls.
 */
#ifndef CINSTR_PLUGIN_ACTIONS_H
#define CINSTR_PLUGIN_ACTIONS_H

#include "gcc.h"
#include "cinstr/abi.h"
#include "rules.h"

enum action_place { ACTION_TOP, ACTION_BOTTOM, ACTION_BEFORE, ACTION_AFTER };

struct action {
	struct rule *rule;
	enum action_place place;
	enum cinstr_abi_action kind;
	bool paired;	  /* one of a pair of actions of the rule: begin and end */
	const char *text; /* of a mark; NULL: none */
};

typedef auto_vec<const struct action *, 4> action_list;

/* Parse the values of options: see options.cc. Return false if the value is wrong. */
bool actions_parse_pair(const char *option, const char *value, enum cinstr_abi_action begin,
			enum cinstr_abi_action end);
bool actions_parse_region(const char *option, const char *value);
bool actions_parse_one(const char *option, const char *value, enum cinstr_abi_action kind);
bool actions_parse_mark(const char *option, const char *value);

bool actions_exist(void);

/* Adds the actions at `place` of the function to `list`, in the order of execution. */
void actions_collect(action_list *list, enum action_place place, const struct names *names);

/*
 * Does the same for a tail call of the function, which has a place before but none after. Warns of
 * rules that need the place after.
 */
void actions_collect_tail(action_list *list, const struct names *callee, location_t location);

/* Returns true if there is an action inside the function (top, bottom), which needs its sleds. */
bool actions_inside(const struct names *names);

/* Returns true if there is an action at calls of the function. */
bool actions_outside(const struct names *names);

/* Warns of rules that put actions into a function which is left out, once for each rule. */
void actions_warn_left_out(const struct names *names, tree fn, const char *why);

#endif
