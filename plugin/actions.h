/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rules of what a thread does at a sled besides recording it (enum cinstr_abi_action): start, stop,
 * suspend, resume, mark, at the top or the bottom of a function or before or after its calls.
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
	bool paired;	  /* begins or ends what another action of the rule ends or begins */
	const char *text; /* of a mark; NULL: none */
};

typedef auto_vec<const struct action *, 4> action_list;

/* Parse the values of options: see options.cc. false: the value is wrong. */
bool actions_parse_pair(const char *option, const char *value, enum cinstr_abi_action begin,
			enum cinstr_abi_action end);
bool actions_parse_region(const char *option, const char *value);
bool actions_parse_one(const char *option, const char *value, enum cinstr_abi_action kind);
bool actions_parse_mark(const char *option, const char *value);

bool actions_exist(void);

/* Adds to `list` what happens at `place` of the function, in the order in which it is to be
 * done. */
void actions_collect(action_list *list, enum action_place place, const struct names *names);

/*
 * The same for a tail call of the function, which has a place before and none after. Warns of the
 * rules that would need it.
 */
void actions_collect_tail(action_list *list, const struct names *callee, location_t location);

/* Is there an action inside the function (top, bottom), which needs the function's sleds? */
bool actions_inside(const struct names *names);

/* Is there an action at the function's calls? */
bool actions_outside(const struct names *names);

/* Warns, once for each, of the rules that put actions into a function which is left out. */
void actions_warn_left_out(const struct names *names, tree fn, const char *why);

#endif
