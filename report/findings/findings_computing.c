/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * findings_computing.c - what takes the computing where it could be saved: scans of a text or an
 * array again and again, searches within loops, recursions that explode, memory that is allocated,
 * text that is formatted, exceptions, calls too short to be calls; and where nothing else is known,
 * the function that does most.
 *
 * What each measures, and when it says nothing, is told by its text for --explain in
 * explain_computing.c.
 */
#include "findings_computing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/output.h"
#include "selection/just_my_code.h"

/* Percent of the computing from which on it is worth a word. */
#define SCAN_PERCENT 10
#define SEARCH_PERCENT 30
#define RECURSION_PERCENT 40
#define ALLOCATION_PERCENT 15
#define FORMAT_PERCENT 15
#define EXCEPTIONS_PERCENT 5
#define SHORT_PERCENT 5
#define HOT_PERCENT 40

/* Scans: calls for each call of the caller, and what one takes, ns. */
#define SCAN_CALLS 100
#define SCAN_NS 20
#define SCAN_PART 0.3L /* of its caller's time */
/* Searches within loops: calls for each call, on both levels; how these numbers may be related. */
#define SEARCH_CALLS 100
#define SEARCH_LEAST 0.2L
#define SEARCH_MOST 15
/* Recursions: calls for each call from outside; what one takes by itself, ns. */
#define RECURSION_CALLS 50000
#define RECURSION_NS 40
#define RECURSION_OTHERS 0.125L
#define ALLOCATIONS 1000
#define THROWS 1000
/* Calls that are too short. */
#define SHORT_CALLS 100000
#define SHORT_NS 20
#define HOT_FUNCTIONS 3

/* ---- words ----------------------------------------------------------------------------------- */

static void put_percent(const struct computing *c, struct strbuf *text, long double part)
{
	long double percent = computing_percent(c, part);

	strbuf_printf(text, "%.*Lf %%%s", percent < 10 ? 1 : 0, percent,
		      c->is_sampled ? " of the samples" : " of the computing");
}

static void put_times(struct strbuf *text, long double n)
{
	if (n < 10 && fabsl(n - roundl(n)) > 0.05L)
		strbuf_printf(text, "%.1Lf", n);
	else
		strbuf_thousands(text, util_rounded(n));
}

static const char *at_least(int are_calls_least)
{
	return are_calls_least ? "at least " : "";
}

/* Where the edge's call is. Of what was inlined from a header of the system: where its function
 * is. */
static void put_place(const struct computing *c, struct strbuf *text, const struct row *edge)
{
	const struct entity *caller = call_graph_entity(&c->graph, call_graph_caller(edge));
	int is_inlined = caller && edge->file && system_code_is_header(edge->file);
	const char *file = is_inlined ? caller->file : edge->file;
	uint32_t line = is_inlined ? caller->line : edge->line;

	if (!file || !line)
		return;
	strbuf_puts(text, " (");
	strbuf_visible(text, util_basename(file));
	strbuf_printf(text, ":%u)", line);
}

static const char *name_of(const struct computing *c, uint32_t entity)
{
	const struct entity *e = call_graph_entity(&c->graph, entity);

	return e ? e->name : EDGE_OUTSIDE;
}

static void put_name(const struct computing *c, struct strbuf *text, uint32_t entity)
{
	strbuf_visible(text, name_of(c, entity));
}

/* Calls over an edge for each call of its caller; 0: not known. */
static long double for_each_call(const struct computing *c, const struct row *edge)
{
	uint64_t calls = call_graph_calls(&c->graph, call_graph_caller(edge));

	return calls ? (long double)edge->calls / (long double)calls : 0;
}

/* "12 times for each call of f (a.c:3)" */
static void put_edge(const struct computing *c, struct strbuf *text, const struct row *edge)
{
	strbuf_puts(text, at_least(edge->are_calls_least));
	put_times(text, for_each_call(c, edge));
	strbuf_puts(text, " times for each call of ");
	put_name(c, text, call_graph_caller(edge));
	put_place(c, text, edge);
}

static long double own_time(const struct computing *c, uint32_t entity)
{
	const struct row *node = c->graph.nodes[entity];

	return node ? computing_inclusive(c, node) : 0;
}

static int is_own(const struct computing *c, uint32_t entity)
{
	return entity < c->graph.n_entities && !computing_is_system(c, entity);
}

/* ---- scans ----------------------------------------------------------------------------------- */

struct scan {
	const char *const globs[8];
	uint64_t least_calls;	 /* of the function that calls it */
	long double least_ns;	 /* of one */
	long double least_share; /* percent of the computing */
	int grows;		 /* it takes longer from call to call */
};

static const struct scan scans[] = {
	{ { "strlen", "wcslen", "strnlen", "__strlen_*", NULL }, 1, SCAN_NS, SCAN_PERCENT, 0 },
	{ { "strcat", "strncat", "wcscat", "__strcat_*", NULL }, 1, SCAN_NS, SCAN_PERCENT, 0 },
	{ { "strcmp", "strcasecmp", "strncmp", "strncasecmp", "wcscmp", "memcmp", "bcmp", NULL },
	  SCAN_CALLS,
	  0,
	  2 * SCAN_PERCENT,
	  0 },
	{ { "memmove", "__memmove_*", "wmemmove", NULL }, 1, 2 * SCAN_NS, SCAN_PERCENT, 1 },
	{ { "memset", "__memset_*", "bzero", NULL }, 1, 25 * SCAN_NS, 2 * SCAN_PERCENT, 0 },
};

/*
 * Do calls take all times from none to twice the mean, as they do when each has more to go through
 * than the one before, or finds what it looks for sooner or later? Those of a fixed size take about
 * the same each, and of most other kinds few take most. The times are those with probes: what these
 * cost grows with what a call does as its time does, and is known of all calls together only.
 */
static int grows(const struct row *edge)
{
	long double n = (long double)edge->durations.n;
	long double probes = n > 0 ? edge->sums.overhead_inclusive / n : 0;
	long double quarter = durations_quantile(&edge->durations, 0.25);
	long double half = durations_quantile(&edge->durations, 0.5) + probes;
	long double most = durations_quantile(&edge->durations, 0.9) + probes;
	long double longest = durations_quantile(&edge->durations, 0.99) + probes;

	return n > 0 && half > 0 && (quarter <= probes || quarter + probes <= 0.75L * half) &&
	       most >= 1.4L * half && most <= 2.6L * half && longest <= 3.2L * half;
}

static const struct scan *scan_of(const struct entity *entity)
{
	for (size_t i = 0; i < ARRAY_SIZE(scans); i++)
		if (computing_is_one_of(entity, scans[i].globs))
			return &scans[i];
	return NULL;
}

static int is_scan(const struct computing *c, const struct row *edge, const struct scan *scan)
{
	uint32_t caller = call_graph_caller(edge);
	long double time = computing_inclusive(c, edge);

	return is_own(c, caller) && call_graph_calls(&c->graph, caller) >= scan->least_calls &&
	       for_each_call(c, edge) >= SCAN_CALLS && time >= scan->least_ns * (long double)edge->calls &&
	       computing_percent(c, time) >= scan->least_share && time >= SCAN_PART * own_time(c, caller) &&
	       (!scan->grows || grows(edge));
}

int computing_scan(const struct computing *c, struct computing_found *found)
{
	const struct row *most = NULL;
	uint32_t caller;

	for (uint32_t e = 0; e < c->graph.n_entities; e++) {
		const struct scan *scan = c->graph.nodes[e] ? scan_of(call_graph_entity(&c->graph, e)) : NULL;
		size_t n = 0;
		const struct row **in = scan ? call_graph_in(&c->graph, e, &n) : NULL;

		for (size_t i = 0; i < n; i++)
			if (is_scan(c, in[i], scan) &&
			    (!most || computing_inclusive(c, in[i]) > computing_inclusive(c, most)))
				most = in[i];
	}
	if (!most)
		return 0;
	caller = call_graph_caller(most);
	found->about = caller;
	found->gain = computing_inclusive(c, most);
	put_name(c, &found->text, most->entity);
	strbuf_puts(&found->text, " is called ");
	put_edge(c, &found->text, most);
	strbuf_puts(&found->text, ": ");
	put_percent(c, &found->text, found->gain);
	found->verb = "annotate";
	found->look_at = caller;
	return 1;
}

/* ---- searches within loops ------------------------------------------------------------------- */

struct search {
	const struct row *outer; /* of the loop, to what searches */
	uint32_t inner;		 /* what that calls */
	long double inner_calls; /* for each call */
};

/* What the function calls most: calls for each of its own. */
static long double most_called(const struct computing *c, uint32_t entity, uint32_t *callee)
{
	uint64_t calls = call_graph_calls(&c->graph, entity), most = 0;
	size_t n;
	const struct row **out = call_graph_out(&c->graph, entity, &n);

	for (size_t i = 0; i < n; i++)
		if (out[i]->entity != entity && out[i]->calls > most) {
			most = out[i]->calls;
			*callee = out[i]->entity;
		}
	return calls ? (long double)most / (long double)calls : 0;
}

static int is_search(const struct computing *c, const struct row *edge, struct search *search)
{
	long double outer = for_each_call(c, edge), inner;
	uint32_t caller = call_graph_caller(edge);

	*search = (struct search){ .outer = edge };
	if (outer < SEARCH_CALLS || !is_own(c, caller) || caller == edge->entity || !grows(edge) ||
	    computing_percent(c, computing_inclusive(c, edge)) < SEARCH_PERCENT)
		return 0;
	inner = search->inner_calls = most_called(c, edge->entity, &search->inner);
	return inner >= SEARCH_CALLS && inner >= SEARCH_LEAST * outer && inner <= SEARCH_MOST * outer &&
	       !scan_of(call_graph_entity(&c->graph, search->inner));
}

int computing_search(const struct computing *c, struct computing_found *found)
{
	struct search most = { 0 }, search;

	for (uint32_t e = 0; e < c->graph.n_entities; e++) {
		size_t n;
		const struct row **in = call_graph_in(&c->graph, e, &n);

		for (size_t i = 0; i < n; i++)
			if (is_search(c, in[i], &search) &&
			    (!most.outer || computing_inclusive(c, in[i]) > computing_inclusive(c, most.outer)))
				most = search;
	}
	if (!most.outer)
		return 0;
	found->about = most.outer->entity;
	found->gain = computing_inclusive(c, most.outer);
	strbuf_puts(&found->text, "called ");
	put_edge(c, &found->text, most.outer);
	strbuf_puts(&found->text, ", and calls ");
	put_name(c, &found->text, most.inner);
	strbuf_puts(&found->text, " ");
	put_times(&found->text, most.inner_calls);
	strbuf_puts(&found->text, " times each: ");
	put_percent(c, &found->text, found->gain);
	found->verb = "callers";
	found->look_at = most.outer->entity;
	return 1;
}

/* ---- recursions ------------------------------------------------------------------------------ */

/* Calls of itself, whatever the place. */
static uint64_t self_calls(const struct computing *c, uint32_t entity, const struct row **place)
{
	uint64_t calls = 0;
	size_t n;
	const struct row **in = call_graph_in(&c->graph, entity, &n);

	*place = NULL;
	for (size_t i = 0; i < n; i++)
		if (call_graph_caller(in[i]) == entity) {
			calls += in[i]->calls;
			if (!*place || in[i]->calls > (*place)->calls)
				*place = in[i];
		}
	return calls;
}

/* Has any other function been called so often that it may have made what the recursion visits? */
static int has_many_others(const struct computing *c, uint32_t entity, uint64_t calls)
{
	for (uint32_t e = 0; e < c->graph.n_entities; e++) {
		size_t n;
		const struct row **in = call_graph_in(&c->graph, e, &n);
		uint64_t others = 0;

		for (size_t i = 0; e != entity && i < n; i++)
			others += call_graph_caller(in[i]) == entity ? 0 : in[i]->calls;
		if ((long double)others >= RECURSION_OTHERS * (long double)calls)
			return 1;
	}
	return 0;
}

static int explodes(const struct computing *c, uint32_t entity, long double *for_each, const struct row **place)
{
	const struct row *node = c->graph.nodes[entity];
	uint64_t self = node ? self_calls(c, entity, place) : 0, outer = node ? node->calls - self : 0;

	if (!self || self >= node->calls || node->untimed || self / outer < RECURSION_CALLS)
		return 0;
	*for_each = (long double)self / (long double)outer;
	return computing_percent(c, computing_inclusive(c, node)) >= RECURSION_PERCENT &&
	       computing_exclusive(c, node) <= RECURSION_NS * (long double)node->calls &&
	       !has_many_others(c, entity, self / outer);
}

int computing_recursion(const struct computing *c, struct computing_found *found)
{
	const struct row *place, *most_place = NULL;
	long double for_each, most = 0;

	for (uint32_t e = 0; e < c->graph.n_entities; e++)
		if (explodes(c, e, &for_each, &place) && for_each > most) {
			most = for_each;
			most_place = place;
			found->about = e;
		}
	if (!most_place)
		return 0;
	found->gain = own_time(c, found->about);
	strbuf_puts(&found->text, "calls itself ");
	put_times(&found->text, most);
	strbuf_puts(&found->text, " times for each call from elsewhere");
	put_place(c, &found->text, most_place);
	strbuf_puts(&found->text, ": ");
	put_percent(c, &found->text, found->gain);
	found->verb = "callers";
	found->look_at = found->about;
	return 1;
}

/* ---- calls too short to be calls ------------------------------------------------------------- */

static int is_header(const char *file)
{
	const char *end = strrchr(util_basename(file), '.');

	return !end || end[1] == 'h' || end[1] == 'H' || !strcmp(end, ".inl") || !strcmp(end, ".tcc") ||
	       !strcmp(end, ".ipp");
}

/* A function with probes, of the program's own, that takes no longer than a call of it does. */
static int is_short(const struct computing *c, uint32_t entity)
{
	const struct row *node = c->graph.nodes[entity];
	const struct entity *e = call_graph_entity(&c->graph, entity);

	return node && node->calls >= SHORT_CALLS && e->file && is_own(c, entity) &&
	       computing_inclusive(c, node) <= SHORT_NS * (long double)node->calls;
}

/* Another file of the same module, or another module: the compiler could not inline it there. */
static int is_across(const struct computing *c, const struct row *edge)
{
	const struct entity *to = call_graph_entity(&c->graph, edge->entity);
	const struct entity *from = call_graph_entity(&c->graph, call_graph_caller(edge));

	if (!from || !from->file || edge->is_indirect)
		return 0;
	return strcmp(from->module, to->module) != 0 ||
	       (strcmp(from->file, to->file) != 0 && !is_header(from->file) && !is_header(to->file));
}

/* Where it was counted, not all callers of a function are known, but that it was called. */
static uint64_t calls_across(const struct computing *c, uint32_t entity, const struct row **most)
{
	uint64_t calls = 0;
	size_t n, n_across = 0;
	const struct row **in = call_graph_in(&c->graph, entity, &n);

	*most = NULL;
	for (size_t i = 0; i < n; i++)
		if (is_across(c, in[i])) {
			n_across++;
			calls += in[i]->calls;
			if (!*most || in[i]->calls > (*most)->calls)
				*most = in[i];
		}
	return n && n_across == n ? call_graph_calls(&c->graph, entity) : calls;
}

static void put_calls_alone(const struct computing *c, struct strbuf *text, long double ns)
{
	strbuf_puts(text, ": the calls alone are about ");
	put_percent(c, text, ns);
}

int computing_short(const struct computing *c, struct computing_found *found)
{
	const struct row *place, *most_place = NULL;
	uint64_t most = 0, calls;
	const struct entity *from, *to;

	for (uint32_t e = 0; e < c->graph.n_entities; e++)
		if (is_short(c, e) && (calls = calls_across(c, e, &place)) > most) {
			most = calls;
			most_place = place;
		}
	found->gain = (long double)most * COMPUTING_CALL_NS;
	if (!most_place || computing_percent(c, found->gain) < SHORT_PERCENT)
		return 0;
	found->about = most_place->entity;
	to = call_graph_entity(&c->graph, found->about);
	from = call_graph_entity(&c->graph, call_graph_caller(most_place));
	strbuf_puts(&found->text, "short, and called ");
	strbuf_thousands(&found->text, most);
	strbuf_puts(&found->text, strcmp(from->module, to->module) ? " times from another library, by "
								   : " times from another source file, by ");
	strbuf_visible(&found->text, from->name);
	put_place(c, &found->text, most_place);
	put_calls_alone(c, &found->text, found->gain);
	found->verb = "callers";
	found->look_at = found->about;
	return 1;
}

/* ---- calls through pointers that lead to one function ---------------------------------------- */

static int is_same_site(const struct row *a, const struct row *b)
{
	return call_graph_caller(a) == call_graph_caller(b) && a->address && b->address &&
	       !strcmp(a->address, b->address);
}

/* Calls of this edge's instruction; 0: it has called others, too. */
static uint64_t calls_of_site(const struct computing *c, const struct row *edge)
{
	size_t n;
	const struct row **out = call_graph_out(&c->graph, call_graph_caller(edge), &n);
	uint64_t calls = 0;

	for (size_t i = 0; i < n; i++) {
		if (!is_same_site(out[i], edge))
			continue;
		if (out[i]->entity != edge->entity)
			return 0;
		calls += out[i]->calls;
	}
	call_graph_in(&c->graph, edge->entity, &n);
	return n == 1 ? call_graph_calls(&c->graph, edge->entity) : calls;
}

int computing_indirect(const struct computing *c, struct computing_found *found)
{
	const struct row *most_place = NULL;
	uint64_t most = 0, calls;

	for (uint32_t e = 0; e < c->graph.n_entities; e++) {
		size_t n;
		const struct row **in = is_short(c, e) ? call_graph_in(&c->graph, e, &n) : NULL;

		for (size_t i = 0; in && i < n; i++)
			if (in[i]->is_indirect && is_own(c, call_graph_caller(in[i])) &&
			    (calls = calls_of_site(c, in[i])) > most) {
				most = calls;
				most_place = in[i];
			}
	}
	found->gain = (long double)most * COMPUTING_CALL_NS;
	if (!most_place || computing_percent(c, found->gain) < SHORT_PERCENT)
		return 0;
	found->about = call_graph_caller(most_place);
	strbuf_puts(&found->text, "calls ");
	put_name(c, &found->text, most_place->entity);
	strbuf_puts(&found->text, " ");
	strbuf_thousands(&found->text, most);
	strbuf_puts(&found->text, " times through a pointer, and nothing else there");
	put_place(c, &found->text, most_place);
	put_calls_alone(c, &found->text, found->gain);
	found->verb = "callers";
	found->look_at = most_place->entity;
	return 1;
}

/* ---- what libraries do for it ---------------------------------------------------------------- */

static const char *const allocation_globs[] = {
	"malloc",	"calloc",     "realloc",       "reallocarray",	 "free",	       "cfree",
	"memalign",	"valloc",     "aligned_alloc", "posix_memalign", "__libc_malloc",      "__libc_calloc",
	"__libc_free",	"_int_malloc", "_int_free*",   "_int_realloc",	 "malloc_consolidate", "unlink_chunk*",
	"sysmalloc",	"tcache_*",   "strdup",	       "__strdup",	 "strndup",	       "__strndup",
	"_Znwm*",	"_Znam*",     "_ZdlPv*",       "_ZdaPv*",	 "_Znwj*",	       "_Znaj*",
	NULL
};
static const char *const allocation_counted[] = { "malloc", "calloc", "realloc", "reallocarray", "memalign",
						  "aligned_alloc", "posix_memalign", "strdup", "__strdup",
						  "strndup", "__strndup", "_Znwm*", "_Znam*", "_Znwj*",
						  "_Znaj*", NULL };

static const struct group allocation = { allocation_globs, allocation_counted, 1 };

/* Which function of the group takes most. */
static const struct row *main_function(const struct computing *c, const char *const *globs)
{
	const struct row *most = NULL;

	for (uint32_t e = 0; e < c->graph.n_entities; e++) {
		const struct row *node = c->graph.nodes[e];

		if (node && computing_is_one_of(call_graph_entity(&c->graph, e), globs) &&
		    (!most || computing_inclusive(c, node) > computing_inclusive(c, most)))
			most = node;
	}
	return most;
}

/* "; elsewhere 12 %" */
static void put_rest(const struct computing *c, const struct group_uses *uses, struct strbuf *text)
{
	if (uses->n > 1 && computing_percent(c, uses->amount - uses->list[0].amount) >= 1) {
		strbuf_puts(text, "; with what others do ");
		put_percent(c, text, uses->amount);
	}
}

static void put_use(const struct computing *c, const struct group_uses *uses, const char *const *globs,
		    struct computing_found *found)
{
	const struct row *function = main_function(c, globs);

	put_place(c, &found->text, uses->list[0].edge);
	strbuf_puts(&found->text, ": ");
	put_percent(c, &found->text, uses->list[0].amount);
	put_rest(c, uses, &found->text);
	found->about = uses->list[0].entity;
	found->verb = "callers";
	found->look_at = function ? function->entity : found->about;
}

int computing_allocation(const struct computing *c, struct computing_found *found)
{
	struct group_uses uses;
	int applies;

	group_uses_make(&uses, c, &allocation);
	applies = uses.n && computing_percent(c, uses.amount) >= ALLOCATION_PERCENT &&
		  (c->is_sampled || uses.calls >= ALLOCATIONS);
	if (applies) {
		uint64_t calls = call_graph_calls(&c->graph, uses.list[0].entity);

		strbuf_puts(&found->text, "allocates and frees memory");
		if (calls && uses.list[0].calls > 0) {
			strbuf_printf(&found->text, ", %s", at_least(uses.list[0].are_calls_least));
			strbuf_thousands(&found->text, util_rounded(uses.list[0].calls));
			strbuf_puts(&found->text, " blocks");
			if (calls > 1 && !uses.list[0].are_calls_least && uses.list[0].calls >= (long double)calls) {
				strbuf_puts(&found->text, ", ");
				put_times(&found->text, uses.list[0].calls / (long double)calls);
				strbuf_puts(&found->text, " a call");
			}
		}
		put_use(c, &uses, allocation_globs, found);
		found->gain = uses.amount;
	}
	group_uses_release(&uses);
	return applies;
}

static const char *const format_globs[] = {
	/* C */
	"printf", "fprintf", "sprintf", "snprintf", "dprintf", "asprintf", "v*printf", "__*printf_chk", "scanf",
	"fscanf", "sscanf", "v*scanf", "__isoc??_*scanf", "strtod", "strtof", "strtold", "strtol", "strtoul",
	"strtoll", "strtoull", "__isoc??_strto*", "atof", "strftime", "strptime", "strfromd", "regexec", "regcomp",
	/* C++: streams, their buffers and locales; regular expressions */
	"_ZNSo*", "_ZStls*", "_ZSt16__ostream_insert*", "_ZNSi*", "_ZStrs*", "_ZNSt9basic_ios*",
	"_ZNSt8ios_base*", "_ZNSt7__cxx11*basic_*stringstream*", "_ZNSt7__cxx11*basic_stringbuf*",
	"_ZNSt6locale*", "_ZNSt8__detail9_Executor*", "_ZNSt8__detail9_Compiler*", "_ZNSt8__detail8_Scanner*",
	"_ZNSt8__format*", "_ZNSt7__cxx1111basic_regex*", NULL
};
static const struct group formatting = { format_globs, NULL, 0 };

int computing_format(const struct computing *c, struct computing_found *found)
{
	struct group_uses uses;
	const struct row *function;
	int applies;

	group_uses_make(&uses, c, &formatting);
	function = main_function(c, format_globs);
	applies = uses.n && function && computing_percent(c, uses.amount) >= FORMAT_PERCENT;
	if (applies) {
		strbuf_puts(&found->text, "turns values into text or back, by ");
		put_name(c, &found->text, function->entity);
		if (uses.list[0].calls > 0) {
			strbuf_printf(&found->text, " and the like, %s",
				      at_least(uses.list[0].are_calls_least));
			output_plural(&found->text, util_rounded(uses.list[0].calls), "call", "s");
		}
		put_use(c, &uses, format_globs, found);
		found->gain = uses.amount / 2;
	}
	group_uses_release(&uses);
	return applies;
}

static const char *const exception_globs[] = { "__cxa_throw", "__cxa_rethrow", "__cxa_allocate_exception",
					       "__cxa_free_exception", "__cxa_begin_catch",
					       "__cxa_end_catch", "_Unwind_*", NULL };
static const char *const throw_globs[] = { "__cxa_throw", "__cxa_rethrow", NULL };
static const struct group exceptions = { exception_globs, throw_globs, 0 };
static const struct group throwing = { throw_globs, throw_globs, 0 };

int computing_exceptions(const struct computing *c, struct computing_found *found)
{
	struct group_uses uses, throws;
	int applies;

	group_uses_make(&uses, c, &exceptions);
	group_uses_make(&throws, c, &throwing);
	applies = throws.n && computing_percent(c, uses.amount) >= EXCEPTIONS_PERCENT &&
		  (c->is_sampled || throws.calls >= THROWS);
	if (applies) {
		strbuf_puts(&found->text, "throws ");
		if (!c->is_sampled) {
			strbuf_puts(&found->text, at_least(throws.list[0].are_calls_least));
			strbuf_thousands(&found->text, util_rounded(throws.list[0].calls));
			strbuf_puts(&found->text, " ");
		}
		strbuf_puts(&found->text, "exceptions");
		put_place(c, &found->text, throws.list[0].edge);
		strbuf_puts(&found->text, ": they are ");
		put_percent(c, &found->text, uses.amount);
		found->about = throws.list[0].entity;
		found->gain = uses.amount;
		found->verb = "callers";
		found->look_at = throws.list[0].edge->entity;
	}
	group_uses_release(&uses);
	group_uses_release(&throws);
	return applies;
}

/* ---- the function that does most ------------------------------------------------------------- */

int computing_hot(const struct computing *c, struct computing_found *found)
{
	const struct row *most = NULL;
	size_t functions = 0;

	for (uint32_t e = 0; e < c->graph.n_entities; e++) {
		const struct row *node = c->graph.nodes[e];

		if (!node || !call_graph_entity(&c->graph, e)->is_function || computing_exclusive(c, node) <= 0)
			continue;
		functions++;
		if (!most || computing_exclusive(c, node) > computing_exclusive(c, most))
			most = node;
	}
	if (!most || functions < HOT_FUNCTIONS || computing_is_rough(c, most) ||
	    computing_percent(c, computing_exclusive(c, most)) < HOT_PERCENT)
		return 0;
	found->about = found->look_at = most->entity;
	found->gain = computing_exclusive(c, most) / 10;
	put_percent(c, &found->text, computing_exclusive(c, most));
	strbuf_puts(&found->text, ", by itself");
	if (most->calls) {
		strbuf_puts(&found->text, ", in ");
		output_plural(&found->text, most->calls, "call", "s");
	}
	found->verb = is_own(c, most->entity) ? "annotate" : "callers";
	return 1;
}
