/* SPDX-License-Identifier: GPL-3.0-or-later */
/* measure.c - see measure.h. */
#include "measure.h"

static void put_time(struct strbuf *text, long double amount, const char *kind)
{
	strbuf_duration(text, amount);
	strbuf_printf(text, " of %s time", kind);
}

static void put_samples(struct strbuf *text, long double amount, const char *kind)
{
	uint64_t n = util_rounded(amount);

	strbuf_thousands(text, n);
	strbuf_printf(text, " %s sample%s", kind, n == 1 ? "" : "s");
}

static void put_instructions(struct strbuf *text, long double amount, const char *kind)
{
	uint64_t n = util_rounded(amount);

	strbuf_thousands(text, n);
	strbuf_printf(text, " %s instruction%s", kind, n == 1 ? "" : "s");
}

/* A tick of the trees that are made of samples is a sample (file/samples.h), whatever the clock; of
 * those that are made of executed instructions it is one of these. */
static long double one(const struct data *data, int *known)
{
	data_ns_per_tick(data, known);
	return 1;
}

/* The arguments are the members of struct measure: none can be forgotten. */
#define MEASURE(what, is, that, whole, happened, unit, is_count, per_tick, put) \
	{ \
		what, is, that, whole, happened, unit, is_count, per_tick, put \
	}

static const struct measure measures[] = {
	[CINSTR_METHOD_INSTRUMENTATION] =
		MEASURE("time", "is", "that", "Elapsed", "called", NULL, 0, data_ns_per_tick, put_time),
	[CINSTR_METHOD_SAMPLING] =
		MEASURE("samples", "are", "those", "samples", "sampled", "samples", 1, one, put_samples),
};

static const struct measure executed = MEASURE("instructions", "are", "those", "instructions", "called",
					       "instructions", 1, one, put_instructions);

const struct measure *measure_of(enum cinstr_method method)
{
	if ((uint32_t)method == DATA_METHOD_EXECUTED)
		return &executed;
	/* What another method measured is time, as far as this version can tell. */
	return &measures[method < ARRAY_SIZE(measures) ? method : CINSTR_METHOD_INSTRUMENTATION];
}
