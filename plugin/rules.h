/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rules of choosing: include, exclude, include-file, exclude-file, in the order given. Also the
 * globs of the actions (actions.h), so that one place knows which rules had no effect in the unit.
 */
#ifndef CINSTR_PLUGIN_RULES_H
#define CINSTR_PLUGIN_RULES_H

#include "gcc.h"
#include "names.h"

struct rule {
	const char *text; /* as given: "exclude foo*" */
	const char *glob;
	bool matched; /* something in this unit */
	bool warned;  /* of its having no effect */
};

enum rule_match {
	RULE_NO_MATCH,
	RULE_BY_GLOB,
	RULE_BY_NAME, /* the rule is the very name */
};

/* Adds a rule that only matches. Strings are copied. */
struct rule *rules_add(const char *option, const char *value, const char *glob);

/* Adds a rule that chooses functions, by their names or by their source files. */
void rules_add_choice(const char *option, const char *value, bool include, bool by_file);

/* Only looks: the caller notes in rule->matched whether the match has an effect. */
enum rule_match rules_match(const struct rule *rule, const struct names *names);

enum rules_verdict {
	RULES_NONE_MATCHES, /* and there is no include rule */
	RULES_NOT_INCLUDED, /* no rule matches, and there are include rules */
	RULES_INCLUDED,
	RULES_EXCLUDED,
};

struct rules_choice {
	enum rules_verdict verdict;
	bool by_name;		 /* RULES_INCLUDED: a rule is the function's very name */
	const struct rule *rule; /* that decided; NULL: none did */
};

/* What the rules say about a function. file: of its definition, may be NULL. */
struct rules_choice rules_choose(const struct names *names, const char *file);

/* Of a function that another process compiles: every rule that could mean it counts as matched. */
void rules_note(const struct names *names, const char *file);

/* Warns of each rule that has matched nothing. At the end of a unit. */
void rules_warn_unmatched(void);

#endif
