/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rules and their matching. They live until the compiler exits.
 */
#include "rules.h"

#include <fnmatch.h>

struct choice {
	struct rule *rule;
	bool include;
	bool by_file;
};

static vec<struct rule *> rules; /* all, in the order given */
static vec<struct choice> choices;

struct rule *rules_add(const char *option, const char *value, const char *glob)
{
	struct rule *rule = XCNEW(struct rule);

	rule->text = concat(option, " ", value, NULL);
	rule->glob = xstrdup(glob);
	rules.safe_push(rule);
	return rule;
}

void rules_add_choice(const char *option, const char *value, bool include, bool by_file)
{
	choices.safe_push({ rules_add(option, value, value), include, by_file });
}

/* Equality comes first: names have characters that mean something else in globs (operator[]). */
static enum rule_match match(const struct rule *rule, const char *string)
{
	if (!strcmp(rule->glob, string))
		return RULE_BY_NAME;
	return fnmatch(rule->glob, string, 0) ? RULE_NO_MATCH : RULE_BY_GLOB;
}

enum rule_match rules_match(const struct rule *rule, const struct names *names)
{
	enum rule_match best = RULE_NO_MATCH;

	for (unsigned int i = 0; i < names->n; i++)
		best = MAX(best, match(rule, names->name[i]));
	return best;
}

/* A source file as the compiler was given it, its base name, its absolute path, the same without
 * links. */
struct file_forms {
	const char *form[4];
};

/* Most functions come from the file that the one before came from. */
static const struct file_forms *forms_of(const char *file)
{
	static struct file_forms last;

	if (!last.form[0] || strcmp(last.form[0], file)) {
		last.form[0] = xstrdup(file);
		last.form[1] = lbasename(last.form[0]);
		last.form[2] = IS_ABSOLUTE_PATH(file) ? last.form[0] : concat(get_src_pwd(), "/", file, NULL);
		last.form[3] = lrealpath(last.form[2]);
	}
	return &last;
}

static enum rule_match match_file(const struct rule *rule, const char *file)
{
	enum rule_match best = RULE_NO_MATCH;

	for (const char *form : forms_of(file)->form)
		best = MAX(best, match(rule, form));
	return best;
}

/* Every rule is tried, so that those which a later one overrules count as matched. */
struct rules_choice rules_choose(const struct names *names, const char *file)
{
	struct rules_choice chosen = {};

	for (const struct choice &choice : choices) {
		enum rule_match found = !choice.by_file ? rules_match(choice.rule, names)
					: file		? match_file(choice.rule, file)
							: RULE_NO_MATCH;
		if (found) {
			choice.rule->matched = true;
			chosen.verdict = choice.include ? RULES_INCLUDED : RULES_EXCLUDED;
			chosen.rule = choice.rule;
			chosen.by_name |= choice.include && !choice.by_file && found == RULE_BY_NAME;
		} else if (choice.include && !chosen.rule) {
			chosen.verdict = RULES_NOT_INCLUDED;
		}
	}
	return chosen;
}

void rules_note(const struct names *names, const char *file)
{
	rules_choose(names, file);
	for (struct rule *rule : rules)
		if (rules_match(rule, names))
			rule->matched = true;
}

void rules_warn_unmatched(void)
{
	no_werror guard;

	for (const struct rule *rule : rules)
		if (!rule->matched)
			warning_at(UNKNOWN_LOCATION, 0,
				   "cinstr: rule %qs matches nothing (inlined, or not called here)",
				   rule->text);
}
