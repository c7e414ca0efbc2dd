/* SPDX-License-Identifier: GPL-3.0-or-later */
/* computing_lab.h - sessions of few functions, made for tests of findings on computing. */
#ifndef TESTSUITE_UNIT_FINDINGS_COMPUTING_LAB_H
#define TESTSUITE_UNIT_FINDINGS_COMPUTING_LAB_H

#include <stdlib.h>
#include <string.h>

#include "findings/findings_computing.h"
#include "tests.h"

enum { MAIN, OUTER, INNER, OTHER, LIBRARY, FREE, MORE, FUNCTIONS };
#define MAX_ROWS 16
#define MS 1e6L

struct graph {
	struct profile p;
	struct row rows[MAX_ROWS];
	struct entity entities[FUNCTIONS];
	struct names names;
};

static void begin(struct graph *g)
{
	static const struct entity entities[FUNCTIONS] = {
		[MAIN] = { "main", "main", "/app", "/src/main.c", 10, 0, 1, 0 },
		[OUTER] = { "outer", "outer", "/app", "/src/outer.c", 20, 0, 1, 0 },
		[INNER] = { "inner", "inner", "/app", "/src/inner.c", 30, 0, 1, 0 },
		[OTHER] = { "other", "other", "/app", "/src/main.c", 40, 0, 1, 0 },
		[LIBRARY] = { "library", "library", "/lib/libc.so.6", NULL, 0, 1, 1, 0 },
		[FREE] = { "library2", "library2", "/lib/libc.so.6", NULL, 0, 1, 1, 0 },
		[MORE] = { "library3", "library3", "/lib/libc.so.6", NULL, 0, 1, 1, 0 },
	};

	*g = (struct graph){ .p = { .by = BY_CALLERS, .by_call_site = 1, .rows = g->rows } };
	memcpy(g->entities, entities, sizeof(entities));
	g->names.list = g->entities;
	g->names.keys.n = FUNCTIONS;
	g->p.names = &g->names;
	g->p.totals = (struct totals){ .elapsed = 100 * MS, .application = 100 * MS };
}

static struct row *add(struct graph *g, uint32_t caller, uint32_t callee, uint64_t calls, long double ms)
{
	struct row *row = &g->rows[g->p.n_rows++];

	*row = (struct row){ .name = g->entities[callee].name,
			     .module = g->entities[callee].module,
			     .file = caller < FUNCTIONS ? g->entities[caller].file : NULL,
			     .line = 7,
			     .entity = callee,
			     .caller = caller,
			     .place = caller < FUNCTIONS ? caller : NAMES_NONE,
			     .address = "0x1234",
			     .calls = calls,
			     .sums = { .elapsed_inclusive = ms * MS,
				       .elapsed_exclusive = ms * MS,
				       .application_inclusive = ms * MS,
				       .application_exclusive = ms * MS } };
	return row;
}

static struct row *function(struct graph *g, uint32_t entity, uint64_t calls, long double inclusive_ms,
			    long double exclusive_ms)
{
	struct row *row = add(g, EDGE_NO_CALLER, entity, calls, inclusive_ms);

	row->place = NAMES_NONE;
	row->sums.elapsed_exclusive = row->sums.application_exclusive = exclusive_ms * MS;
	return row;
}

typedef int look(const struct computing *c, struct computing_found *found);

/* What the rule tells, as a new string; NULL: nothing. */
static char *told(struct graph *g, look *rule, long double *time)
{
	struct computing_found found = { 0 };
	struct computing computing;
	int applies;

	computing_make(&computing, &g->p);
	applies = rule(&computing, &found);
	computing_release(&computing);
	if (time)
		*time = found.time / MS;
	if (applies)
		return found.text.text;
	strbuf_release(&found.text);
	return NULL;
}

static void tells(struct graph *g, look *rule, const char *text)
{
	char *got = told(g, rule, NULL);

	CU_ASSERT_PTR_NOT_NULL(got);
	if (got && strcmp(got, text))
		printf("got '%s', expected '%s'\n", got, text);
	CU_ASSERT(got && !strcmp(got, text));
	free(got);
}

static void silent(struct graph *g, look *rule)
{
	char *got = told(g, rule, NULL);

	if (got)
		printf("got '%s', expected nothing\n", got);
	CU_ASSERT_PTR_NULL(got);
	free(got);
}

/* Makes it a function of the C++ library. */
static void name(struct graph *g, uint32_t entity, const char *assembler)
{
	g->entities[entity].name = g->entities[entity].assembler = assembler;
	g->entities[entity].module = "/lib/libstdc++.so.6";
}

#endif
