/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings_format.c - the rule on text that libraries format or parse for the program. */
#include "findings_computing.h"

#include <math.h>
#include <string.h>

#include "computing_text.h"
#include "file/samples.h"
#include "output/output.h"

#define FORMAT_PERCENT 15
#define FORMATS 100 /* calls; fewer only if each takes so long */
#define LONG_FORMAT_NS 1e6L
#define CALLER_LEVELS 24

static const char *const format_globs[] = {
	/* C */
	"printf", "fprintf", "sprintf", "snprintf", "dprintf", "asprintf", "v*printf", "__*printf_chk",
	"scanf", "fscanf", "sscanf", "v*scanf", "__isoc??_*scanf", "strtod", "strtof", "strtold", "strtol",
	"strtoul", "strtoll", "strtoull", "__isoc??_strto*", "atof", "strftime", "strptime", "strfromd",
	"regexec", "regcomp", "localtime", "localtime_r", "gmtime", "gmtime_r", "mktime", "timegm", "ctime*",
	"asctime*",
	/* C++: streams, their buffers and locales; regular expressions */
	"_ZNSols*", "_ZNSo9_M_insert*", "_ZNSo3put*", "_ZNSo5write*", "_ZNSo6sentry*", "_ZStls*",
	"_ZSt16__ostream_insert*", "_ZNSi*", "_ZStrs*", "_ZNSt9basic_ios*", "_ZNSt8ios_base*",
	"_ZNSt7__cxx11*basic_*stringstream*", "_ZNSt7__cxx11*basic_stringbuf*", "_ZNSt6locale*",
	"_ZNSt8__detail9_Executor*", "_ZNSt8__detail9_Compiler*", "_ZNSt8__detail8_Scanner*",
	"_ZNSt8__format*", "_ZNSt7__cxx1111basic_regex*", NULL
};
/* Functions within glibc that the functions above call: samples in them do not tell the caller. */
static const char *const format_parts[] = { "__v*printf_internal", "_itoa_word",
					    "_IO_default_xsputn",  "_IO_str*_overflow",
					    "__printf_fp*",	   "hack_digit",
					    "printf_positional",   "__v*scanf_internal",
					    "____strto*_internal", "__mpn_*",
					    "__strftime_internal", "__strptime_internal",
					    "__tz_convert",	   "__tzfile_compute",
					    "__tzstring*",	   "__offtime",
					    "__mktime_internal",   NULL };
static const struct group formatting = { .globs = format_globs,
					 .counted = format_globs,
					 .inside = format_parts };
/* Lists functions inside of libraries that streams of C++ call: to make a stream, to find parts of
 * a locale, and to convert numbers. */
static const char *const stream_parts[] = { "__dynamic_cast",
					    "_ZNK10__cxxabiv1*dyncast*",
					    "__v*printf_internal",
					    "__printf_fp*",
					    "hack_digit",
					    "__mpn_*",
					    NULL };
static const struct group streaming = { .globs = format_globs,
					.counted = format_globs,
					.inside = stream_parts };
/* Functions of streams: of their classes, or operators for them. */
static const char *const stream_globs[] = {
	"_ZNSo*", "_ZNSi*", "_ZStls*", "_ZStrs*", "_ZNSt9basic_ios*", "_ZNSt7__cxx11*basic_*stringstream*",
	NULL
};

static void make_formats(struct group_uses *uses, const struct computing *c)
{
	group_uses_make(uses, c, &formatting);
	if (c->is_sampled || uses->calls < FORMATS || uses->main == NAMES_NONE ||
	    !computing_is_one_of(call_graph_entity(&c->graph, uses->main), stream_globs))
		return;
	group_uses_release(uses);
	group_uses_make(uses, c, &streaming);
}

/* Is it below a function of the group? own: the program's function that leads to it. */
static int is_below(const struct computing *c, uint32_t entity, const struct group *group, uint32_t *own)
{
	int is_in = 0;

	for (int level = 0; level < CALLER_LEVELS; level++) {
		const struct row *edge = call_graph_main_caller(&c->graph, entity);

		entity = edge ? call_graph_caller(edge) : NAMES_NONE;
		if (entity >= c->graph.n_entities)
			return 0;
		is_in |= computing_is_one_of(call_graph_entity(&c->graph, entity), group->globs);
		*own = entity;
		if (computing_is_own(c, entity))
			return is_in;
	}
	return 0;
}

/* Samples of the kernel are no formatting: a stream that is flushed writes. */
static void leave_out_kernel(const struct computing *c, struct group_uses *uses, const struct group *group)
{
	size_t n = 0;
	uint32_t kernel = 0, own;
	const struct row **in;

	while (kernel < c->graph.n_entities &&
	       strcmp(call_graph_entity(&c->graph, kernel)->name, SAMPLES_KERNEL) != 0)
		kernel++;
	in = kernel < c->graph.n_entities ? call_graph_in(&c->graph, kernel, &n) : NULL;
	for (size_t i = 0; i < n; i++) {
		if (call_graph_caller(in[i]) >= c->graph.n_entities ||
		    !is_below(c, call_graph_caller(in[i]), group, &own))
			continue;
		uses->amount = fmaxl(0, uses->amount - in[i]->sums.elapsed_inclusive);
		for (size_t k = 0; k < uses->n; k++)
			if (uses->list[k].entity == own)
				uses->list[k].amount =
					fmaxl(0, uses->list[k].amount - in[i]->sums.elapsed_inclusive);
	}
}

/* A line or two at the end of a short run are no cause. */
static int are_many_formats(const struct computing *c, const struct group_uses *uses)
{
	return c->is_sampled || !uses->calls || uses->list[0].are_calls_least || uses->calls >= FORMATS ||
	       uses->amount >= LONG_FORMAT_NS * (long double)uses->calls;
}

int computing_format(const struct computing *c, struct computing_found *found)
{
	struct group_uses uses;
	int applies;

	make_formats(&uses, c);
	if (c->is_sampled)
		leave_out_kernel(c, &uses, &formatting);
	applies = uses.n && computing_percent(c, uses.amount) >= FORMAT_PERCENT && are_many_formats(c, &uses);
	if (applies) {
		strbuf_puts(&found->text, "formats or parses text by ");
		computing_put_name(c, &found->text, uses.main);
		if (uses.list[0].calls > 0) {
			strbuf_printf(&found->text, " and the like, %s",
				      computing_at_least(uses.list[0].are_calls_least));
			output_plural(&found->text, util_rounded(uses.list[0].calls), "call", "s");
		}
		computing_put_use(c, &uses, found);
		found->time = uses.amount;
	}
	group_uses_release(&uses);
	return applies;
}
