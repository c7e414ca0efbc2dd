/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rules that choose functions: include, exclude, include-file, exclude-file, in the order given.
 * Also the globs of actions (actions.h), so that all rules without effect in the unit are known in
 * one place.
 */
#ifndef CINSTR_PLUGIN_RULES_H
#define CINSTR_PLUGIN_RULES_H

#include "gcc.h"
#include "names.h"

struct rule {
	const char *text; /* as given: "exclude foo*" */
	const char *glob;
	bool matched; /* it matched something in this unit */
	bool warned;  /* a warning about its having no effect was given */
};

enum rule_match {
	RULE_NO_MATCH,
	RULE_BY_GLOB,
	RULE_BY_NAME, /* the rule is exactly the name */
};

/* Adds a rule for matching only. Strings are copied. */
struct rule *rules_add(const char *option, const char *value, const char *glob);

/* Adds a rule that chooses functions, by their names or by their source files. */
void rules_add_choice(const char *option, const char *value, bool include, bool by_file);

/* Matches a rule. The caller notes in rule->matched whether the match has an effect. */
enum rule_match rules_match(const struct rule *rule, const struct names *names);

enum rules_verdict {
	RULES_NONE_MATCHES, /* no rule matches, and there are no include rules */
	RULES_NOT_INCLUDED, /* no rule matches, and there are include rules */
	RULES_INCLUDED,
	RULES_EXCLUDED,
};

struct rules_choice {
	enum rules_verdict verdict;
	bool by_name;		 /* RULES_INCLUDED: a rule is exactly the function's name */
	const struct rule *rule; /* the rule that decided; NULL: none */
};

/* Applies the rules to a function. file: of its definition, may be NULL. */
struct rules_choice rules_choose(const struct names *names, const char *file);

/* Marks all rules that could refer to a function which another process compiles as matched. */
void rules_note(const struct names *names, const char *file);

/* Warns of each rule that has matched nothing. Call it at the end of a unit. */
void rules_warn_unmatched(void);

#endif
