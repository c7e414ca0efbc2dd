/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * findings.h - what somebody who knows programs would say about the program that was recorded: what
 * takes time that could be saved, where, which command shows more. (What the recording is worth:
 * advice/.) Rules are in tables (rules.h); each has an id, which --explain tells more about.
 */
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
	uint32_t about;		/* entity that it is said of; NAMES_NONE: threads, the program */
	uint32_t said_of;	/* ... but the text is of this one, which leads to it; NAMES_NONE */
	const struct row *edge; /* the call that it is said of; NULL: it is of no single one */
	/* the program's call that leads to a function of a library; NULL: the place is `edge`'s, or
	 * the function's */
	const struct row *place;
	/* functions that it leads to and that the time is spent in, from the call's callee on */
	uint32_t path[FINDING_PATH];
	size_t n_path;
	uint32_t look_at; /* the command's function; NAMES_NONE: it has none ... */
	const char *verb; /* ... and what is before it: "callers --sites" */
	/* the time that it is about, ns of the run (samples, if these are not of time): what
	 * the one thread with the most of it has */
	long double time;
	long double bound;  /* ns of the run that could be saved at most (bounds.h); 0: not known */
	struct strbuf text; /* without the name of whom it is about, nor the place */
	/* made of these: */
	long double percent, bound_percent; /* of the run */
	const char *id;			    /* the rule's */
	const char *subject;		    /* whom it is about; NULL: it is in the text */
	const char *file, *callee;
	uint32_t line;
	/* the place is in a function that was inlined into the one it is about; NULL: it is not */
	const char *inlined;
	/* the one it is about is of a header of the system, as what std::thread starts is: people
	 * know the inlined one */
	int is_of_header;
	char *command;
	const char *function, *session; /* of which it is made */
};

struct findings {
	struct finding *list; /* those about most time first */
	size_t n;
	int is_sampled;
	long double whole; /* what 100 % are: ns of the run, or samples */
};

/* What rules look at: profiles of one session. */
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
	size_t screen; /* its width; 0: it is none, commands are of any length */
	int colour;
};

/* At most four lines each. */
void findings_table(FILE *out, const struct findings *findings, const struct findings_look *look);
/* One of them, as the table has it. session: what its command calls it, in a line of its own where
 * the line gets too long; NULL: in one line, as it was given. */
void findings_print(FILE *out, const struct finding *finding, size_t number, size_t width,
		    const char *session);
/* "; saves at most 34 %", or nothing. */
void findings_put_bound(struct strbuf *text, const struct finding *finding);
void findings_flat(struct sheet *sheet, const struct findings *findings);
/* The list "findings". */
void findings_nested(struct sheet *sheet, const struct findings *findings);

/* findings_sarif.c: all of it, as SARIF 2.1.0. */
void findings_sarif(struct sheet *sheet, const struct findings *findings);
/* Whom it is about, and what is said of that. */
void finding_put_sentence(struct strbuf *text, const struct finding *finding);

/* What a rule measures, what could be saved, why it matters, what people do, when it is a false
 * alarm; "all": of each. 0, or -1 after an error message. */
int findings_explain(const char *id, size_t width);
void findings_explain_rule(FILE *out, const struct finding_rule *rule, size_t width);

#endif
