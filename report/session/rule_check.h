/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rule_check.h - rules of recording (CINSTR_ONLY, CINSTR_NOT, CINSTR_KEEP_SLOWEST, what `cinstr
 * control choose` takes) that match no function, file or module with probes in any process that had
 * them: mistyped, most often. Data files are added one after another, and may be released in
 * between; each module's table is looked through once.
 */
#ifndef REPORT_RULE_CHECK_H
#define REPORT_RULE_CHECK_H

#include "file/data.h"
#include "lib/util.h"

struct checked_glob {
	const char *option, *glob; /* kept in texts */
	size_t begin, length;	   /* what is matched of the glob */
	int about;		   /* enum subject */
	int has_matched, was_left_out;
	/* assembler name of a function that has the glob as another name; NULL */
	const char *meant;
};

struct rule_check {
	struct checked_glob *list;
	size_t n;
	struct map numbers; /* option and glob -> list */
	struct map tables;  /* that have been looked through, and for which glob */
	struct map texts;
	struct map functions, files, modules; /* seen, to tell the nearest */
};

/* The rules that the process was started with, and its modules. */
void rule_check_add(struct rule_check *check, const struct data *data);
/* Rules as `cinstr control choose` takes them ("only=GLOB,... not=GLOB,..."), and modules of a
 * process that has them. */
void rule_check_choice(struct rule_check *check, const struct data *data, const char *rules);
/* A warning for each glob that matches nothing; and releases what it holds. */
void rule_check_end(struct rule_check *check);
/* The latter alone. */
void rule_check_drop(struct rule_check *check);

#endif
