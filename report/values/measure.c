/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure.h"

static void put_time(struct strbuf *text, long double amount, const char *kind)
{
	strbuf_duration(text, amount);
	strbuf_printf(text, " of %s time", kind);
}

static void put_count(struct strbuf *text, long double amount, const char *kind, const char *one_of_them,
		      const char *plural)
{
	uint64_t n = util_rounded(amount);

	strbuf_thousands(text, n);
	strbuf_printf(text, " %s %s%s", kind, one_of_them, n == 1 ? "" : plural);
}

static void put_samples(struct strbuf *text, long double amount, const char *kind)
{
	put_count(text, amount, kind, "sample", "s");
}

static void put_instructions(struct strbuf *text, long double amount, const char *kind)
{
	put_count(text, amount, kind, "instruction", "s");
}

/* A tick of the trees that are made of samples is a sample (file/samples.h), whatever the clock; of
 * those that are made of executed instructions, or of another count, it is one of these. */
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

static void put_cycles(struct strbuf *text, long double amount, const char *kind)
{
	put_count(text, amount, kind, "cycle", "s");
}

static void put_retired(struct strbuf *text, long double amount, const char *kind)
{
	put_count(text, amount, kind, "retired instruction", "s");
}

static void put_misses(struct strbuf *text, long double amount, const char *kind)
{
	put_count(text, amount, kind, "cache miss", "es");
}

#define COUNT(what, put) MEASURE(what, "are", "those", what, "called", what, 1, one, put)

static const struct measure counts[CINSTR_COUNTERS] = {
	[CINSTR_COUNTER_NONE] = COUNT("instructions", put_instructions),
	[CINSTR_COUNTER_CYCLES] = COUNT("cycles", put_cycles),
	[CINSTR_COUNTER_RETIRED] = COUNT("retired instructions", put_retired),
	[CINSTR_COUNTER_MISSES] = COUNT("cache misses", put_misses),
};

const struct measure *measure_of(enum cinstr_method method)
{
	if (DATA_METHOD_COUNTED(method) < CINSTR_COUNTERS)
		return &counts[DATA_METHOD_COUNTED(method)];
	/* What another method measured is time, as far as this version can tell. */
	return &measures[method < ARRAY_SIZE(measures) ? method : CINSTR_METHOD_INSTRUMENTATION];
}
