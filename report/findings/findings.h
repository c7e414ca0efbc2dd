/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings.h - what an expert would say about the recorded program: what takes time that could be
 * saved, where, and which command shows more. (On the quality of the recording: advice/.) Rules are
 * in tables (rules.h); each has an id, which --explain describes. */
#ifndef REPORT_FINDINGS_FINDINGS_H
#define REPORT_FINDINGS_FINDINGS_H

#include "output/output.h"

#define FINDINGS_SHOWN 7 /* in a summary */
#define FINDING_PATH 8

struct executed_work;
struct finding_rule;

struct finding {
	const struct finding_rule *rule;
	/* set by the rule: */
	uint32_t about; /* entity that it is about; NAMES_NONE: threads, the program */
	/* ... but the text is about this one, which leads to it; or NAMES_NONE */
	uint32_t said_of;
	const struct row *edge; /* the call that it is about; NULL: no single one */
	/* the program's call that leads to a function of a library; NULL: the place is that of
	 * `edge`, or of the function */
	const struct row *place;
	/* functions from the call's callee to where the time is spent */
	uint32_t path[FINDING_PATH];
	size_t n_path;
	uint32_t look_at; /* the command's function; NAMES_NONE: none ... */
	const char *verb; /* ... and the words before it: "callers --sites" */
	/* the time that it is about, ns of the run, or samples: that of the one thread that has
	 * most of it */
	long double time;
	long double bound;  /* ns of the run that can be saved at most (bounds.h); 0: not known */
	struct strbuf text; /* without its subject and the place */
	/* computed from these: */
	long double percent, bound_percent; /* percentages of the run */
	/* ... that are likely saved (bounds.h); 0: not known */
	long double estimate_low, estimate_high;
	const char *id; /* the rule's */
	/* the name of what it is about; NULL: it is in the text */
	const char *subject;
	const char *file, *callee;
	uint32_t line;
	/* the inlined function that contains the place; NULL: none */
	const char *inlined;
	/* the subject is from a header of the system, like the function that std::thread starts:
	 * users know the inlined one instead */
	int is_of_header;
	char *command;
	const char *function, *session; /* parts of `command` */
};

struct findings {
	struct finding *list; /* most time first */
	size_t n;
	int is_sampled;
	long double whole; /* the 100 %: ns of the run, or samples */
};

/* The input of rules: profiles of one session. */
struct findings_input {
	const struct view *view;
	struct profile *functions, *paths, *threads, *processes;
	struct profile *edges; /* BY_CALLERS, by_call_site, shares.is_wanted */
	/* by entity of edges->names; NULL: executed instructions were not counted */
	const struct executed_work *executed;
};

void findings_make(struct findings *findings, const struct findings_input *input);
void findings_release(struct findings *findings);

struct findings_look {
	size_t max, width;
	size_t screen; /* width of the screen; 0: not a screen, commands may have any length */
	int colour;
};

/* Prints a table of findings, at most four lines each. */
void findings_table(FILE *out, const struct findings *findings, const struct findings_look *look);
/* Prints one finding as in the table. session: its name in the command, which gets a line of its
 * own if it is too long; NULL: the name as given, on the same line. */
void findings_print(FILE *out, const struct finding *finding, size_t number, size_t width,
		    const char *session);
/* Appends "; saves at most 34 %" or "; without it 27 to 39 % less"; nothing if neither is known. */
void findings_put_gain(struct strbuf *text, const struct finding *finding);
void findings_flat(struct items *items, const struct findings *findings);
/* Writes the list "findings". */
void findings_nested(struct items *items, const struct findings *findings);

/* findings_sarif.c: writes all findings as SARIF 2.1.0. */
void findings_sarif(struct items *items, const struct findings *findings);
/* Appends the subject and the text. */
void finding_put_sentence(struct strbuf *text, const struct finding *finding);

/* Print what a rule measures, what could be saved, why it matters, the usual remedy, and when it is
 * a false alarm; id "all": of every rule. Returns 0, or -1 after an error message. */
int findings_explain(const char *id, size_t width);
void findings_explain_rule(FILE *out, const struct finding_rule *rule, size_t width);

#endif
