/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rule_check.h - finds recording rules (CINSTR_ONLY, CINSTR_NOT, CINSTR_KEEP_SLOWEST, and those of
 * `cinstr control choose`) that match no function, file or module with probes in any process that
 * had them: mostly typing errors. Data files are added one after another and may be released in
 * between; each module's table is searched once.
 */
#ifndef REPORT_RULE_CHECK_H
#define REPORT_RULE_CHECK_H

#include "file/data.h"
#include "lib/util.h"

struct checked_glob {
	const char *option, *glob; /* owned by rule_check.texts */
	size_t begin, length;	   /* part of the glob that is matched */
	int about;		   /* enum subject */
	int has_matched, was_left_out;
	/* assembler name of a function that has the glob as another name; NULL: none */
	const char *meant;
};

struct rule_check {
	struct checked_glob *list;
	size_t n;
	struct map numbers; /* option and glob -> list */
	struct map tables;  /* tables already searched, and for which glob */
	struct map texts;
	struct map functions, files, modules; /* names seen, to suggest the nearest one */
};

/* Checks the rules that the process was started with against its modules. */
void rule_check_add(struct rule_check *check, const struct data *data);
/* Checks rules of `cinstr control choose` ("only=GLOB,... not=GLOB,...") against the modules of a
 * process that has them. */
void rule_check_choice(struct rule_check *check, const struct data *data, const char *rules);
/* Warns about each glob that matches nothing, and releases the check. */
void rule_check_end(struct rule_check *check);
/* Releases the check without a warning. */
void rule_check_drop(struct rule_check *check);

#endif
