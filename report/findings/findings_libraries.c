/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * findings_libraries.c - rules on what libraries do for the program: memory, strings, locks,
 * sorting, exceptions. Text formatting is in findings_format.c.
 */
#include "findings_computing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "call_place.h"
#include "computing_text.h"
#include "lib/globs.h"
#include "output/output.h"

#define MAIN_PART 0.34L /* of all: if no function has it, several are named */
#define USES_NAMED 3

/* Percent of the computing from which on it is worth a word; and how often. */
#define ALLOCATION_PERCENT 15
#define ALLOCATIONS 1000
#define OBJECTS_PART 0.7L /* of the memory: what the rule on objects has */
#define STRINGS_PERCENT 15
#define STRINGS 1000 /* calls */
#define STRING_PLACES 16
#define COPIES_PERCENT 15
#define COPIES 1000 /* calls */
#define BLOCKS_OF_COPY 4.0L
#define BLOCKS_PART 0.25L /* of a function's: by its most frequent call */
#define EXCEPTIONS_PERCENT 5
#define LOCKING_PERCENT 30 /* of all time on a processor */
#define SHARED_LOCKING_PERCENT 15
#define LOCKINGS 50000 /* locks that are taken */
#define MILLION 1e6L
#define SORTING_PERCENT 30
#define SORTS 100
#define SORT_NS 20e3L /* of one: about 500 numbers */
#define THROWS 1000

/* ---- what libraries do for it ---------------------------------------------------------------- */

/* Of std::string: they do nothing else, and what they call in the library is not seen. */
#define STRING_CREATE "_ZNSt7__cxx1112basic_string*9_M_createERmm"
#define STRING_DISPOSE "_ZNSt7__cxx1112basic_string*10_M_disposeEv"

static const char *const allocation_globs[] = { "malloc",
						"calloc",
						"realloc",
						"reallocarray",
						"free",
						"cfree",
						"memalign",
						"valloc",
						"aligned_alloc",
						"posix_memalign",
						"__libc_malloc",
						"__libc_calloc",
						"__libc_free",
						"_int_malloc",
						"_int_free*",
						"_int_realloc",
						"malloc_consolidate",
						"unlink_chunk*",
						"sysmalloc",
						"tcache_*",
						"strdup",
						"__strdup",
						"strndup",
						"__strndup",
						"_Znwm*",
						"_Znam*",
						"_ZdlPv*",
						"_ZdaPv*",
						"_Znwj*",
						"_Znaj*",
						STRING_CREATE,
						STRING_DISPOSE,
						NULL };
static const char *const allocation_counted[] = {
	"malloc",	  "calloc", "realloc",	"reallocarray", "memalign",  "aligned_alloc",
	"posix_memalign", "strdup", "__strdup", "strndup",	"__strndup", "_Znwm*",
	"_Znam*",	  "_Znwj*", "_Znaj*",	STRING_CREATE,	NULL
};

static const struct group allocation = { .globs = allocation_globs,
					 .counted = allocation_counted,
					 .has_wrappers = 1 };

const struct group *computing_allocation_group(void)
{
	return &allocation;
}

/* Returns the function's most frequent call of one that is counted; NULL: none of them is known to
 * be called. */
static const struct row *counted_call(const struct computing *c, const struct group_use *use,
				      const char *const *counted)
{
	size_t n;
	const struct row **out = call_graph_out(&c->graph, use->entity, &n), *most = NULL;

	for (size_t i = 0; i < n; i++)
		if (out[i]->calls && (!most || out[i]->calls > most->calls) &&
		    computing_is_one_of(call_graph_entity(&c->graph, out[i]->entity), counted))
			most = out[i];
	return most;
}

/* ", with all others 12 % of the computing" */
static void put_rest(const struct computing *c, const struct group_uses *uses, struct strbuf *text)
{
	if (uses->n > 1 && computing_percent(c, uses->amount - uses->list[0].amount) >= 1) {
		strbuf_puts(text, ", with all others ");
		computing_put_percent(c, text, uses->amount);
	}
}

void computing_put_use(const struct computing *c, const struct group_uses *uses,
		       struct computing_found *found)
{
	strbuf_puts(&found->text, ": ");
	computing_put_percent(c, &found->text, uses->list[0].amount);
	put_rest(c, uses, &found->text);
	found->about = uses->list[0].entity;
	found->edge = uses->list[0].edge;
	found->verb = "callers";
	/* malloc's callers are of no use where one function of the program makes all its calls */
	found->look_at = computing_is_own(c, found->edge->entity) || uses->main == NAMES_NONE
				 ? found->edge->entity
				 : uses->main;
}

/* " for 40 functions: 24 % of the samples; most for a (5.1 %), b (4.0 %), c (1.2 %)" */
static void put_many(const struct computing *c, const struct group_uses *uses, struct strbuf *text)
{
	strbuf_printf(text, " for %zu functions: ", uses->n);
	computing_put_percent(c, text, uses->amount);
	strbuf_puts(text, "; most for ");
	for (size_t i = 0; i < uses->n && i < USES_NAMED; i++) {
		strbuf_puts(text, i ? ", " : "");
		computing_put_name(c, text, uses->list[i].entity);
		strbuf_printf(text, " (%.*Lf %%)", computing_percent(c, uses->list[i].amount) < 9.95L ? 1 : 0,
			      computing_percent(c, uses->list[i].amount));
	}
}

/* Of one function that has most of it, with what it is that could be saved there. */
static void put_blocks(const struct computing *c, const struct group_uses *uses,
		       struct computing_found *found)
{
	uint64_t calls = call_graph_calls(&c->graph, uses->list[0].entity);

	/* of a mixed recording only few of the blocks are known */
	if (calls && uses->list[0].calls > 0 && !uses->list[0].are_calls_least) {
		strbuf_puts(&found->text, ", ");
		strbuf_thousands(&found->text, util_rounded(uses->list[0].calls));
		strbuf_puts(&found->text, " blocks");
		if (calls > 1 && uses->list[0].calls >= (long double)calls) {
			strbuf_puts(&found->text, ", ");
			computing_put_times(&found->text, uses->list[0].calls / (long double)calls);
			strbuf_puts(&found->text, " a call");
		}
	}
	computing_put_use(c, uses, found);
	found->time = uses->list[0].amount;
}

/* Constructors and assignments that take a reference to their own class, and what copies the nodes
 * of a container. The reference is the only parameter: "S0_" is a name that came before. */
static const char *const copy_globs[] = { "_ZN*C[124]ERKS_",	"_ZN*C[124]ERKS?_",
					  "_ZN*aSERKS_",	"_ZN*aSERKS?_",
					  "_ZNSt*7_M_copyI*",	"_ZNSt*7_M_copyE*",
					  "_ZNSt*9_M_assignI*", NULL };

static int is_any_of(const char *assembler, const char *const *globs)
{
	for (; *globs; globs++)
		if (globs_text_matches(*globs, assembler))
			return 1;
	return 0;
}

static int is_copy(const char *assembler)
{
	return is_any_of(assembler, copy_globs);
}

/* Returns the function's call that allocates more of its blocks than its other ones; NULL: it has
 * too few of them, as functions of the system allocate others, or their numbers are not known. */
static const struct row *main_block_call(const struct computing *c, const struct group_use *use)
{
	const struct row *call = counted_call(c, use, allocation_counted);

	return call && (long double)call->calls >= BLOCKS_PART * use->calls ? call : NULL;
}

/* " for copies of objects", where the compiler has inlined what copies them. */
static void put_copying(const struct computing *c, struct group_use *use, struct strbuf *text)
{
	const struct row *call = main_block_call(c, use);

	use->edge = call ? call : use->edge;
	if (call && call_place_is_within(&c->graph, call, is_copy))
		strbuf_puts(text, " for copies of objects");
}

static int has_main(const struct group_uses *uses)
{
	return uses->n < USES_NAMED || uses->list[0].amount >= MAIN_PART * uses->amount;
}

/* Functions of std::string that build one; const member functions match no glob, as they build
 * nothing. */
static const char *const string_globs[] = { "_ZNSt7__cxx1112basic_stringI*", "_ZNSs*", "_ZStplI*",
					    "_ZNSt7__cxx119to_string*", NULL };

static int is_string(const char *assembler)
{
	return is_any_of(assembler, string_globs);
}

int computing_is_copy_of_object(const char *assembler)
{
	return is_copy(assembler) && !is_string(assembler);
}

static const struct group strings = { .globs = string_globs, .is_inlined = is_string };
static const struct group copying = { .globs = copy_globs, .is_inlined = computing_is_copy_of_object };
static const struct group copying_into_memory = { .globs = copy_globs,
						  .has_wrappers = 1,
						  .more = allocation_globs,
						  .is_inlined = computing_is_copy_of_object };

/* Returns the calls of the group's functions that are counted, whoever makes them. */
static long double calls_of(const struct computing *c, const char *const *counted)
{
	long double calls = 0;

	for (uint32_t e = 0; e < c->graph.n_entities; e++)
		if (c->graph.nodes[e] && computing_is_one_of(call_graph_entity(&c->graph, e), counted))
			calls += (long double)call_graph_calls(&c->graph, e);
	return calls;
}

/* Returns the time of one function's copies with the blocks of memory that these are put into; 0:
 * another function allocates most, there are too many blocks for that, or nothing counts them. */
static long double copies_into_memory(const struct computing *c, const struct group_uses *copies)
{
	long double blocks = calls_of(c, allocation_counted), amount = 0;
	struct group_uses memory, both;

	group_uses_make(&memory, c, &allocation);
	group_uses_make(&both, c, &copying_into_memory);
	if (memory.n && memory.list[0].entity == copies->list[0].entity && has_main(&memory) &&
	    computing_percent(c, memory.list[0].amount) >= ALLOCATION_PERCENT && blocks > 0 &&
	    blocks <= BLOCKS_OF_COPY * fmaxl(calls_of(c, copy_globs), (long double)copies->calls) && both.n &&
	    both.list[0].entity == copies->list[0].entity)
		amount = both.list[0].amount;
	group_uses_release(&memory);
	group_uses_release(&both);
	return amount;
}

static int is_of_strings(const struct computing *c, uint32_t entity)
{
	return computing_is_one_of(call_graph_entity(&c->graph, entity), string_globs);
}

static int are_many_copies(const struct computing *c, const struct group_uses *uses)
{
	return uses->n && computing_percent(c, uses->amount) >= COPIES_PERCENT &&
	       (c->is_sampled || uses->calls >= COPIES || uses->list[0].are_calls_least) &&
	       !(uses->main != NAMES_NONE && is_of_strings(c, uses->main));
}

/* Tells whether the rule on copies tells of what is allocated, too. */
static int are_for_copies(const struct computing *c)
{
	struct group_uses copies;
	int are;

	group_uses_make(&copies, c, &copying);
	are = are_many_copies(c, &copies) && copies_into_memory(c, &copies) > 0;
	group_uses_release(&copies);
	return are;
}

int computing_allocation(const struct computing *c, struct computing_found *found)
{
	struct group_uses uses;
	int applies;

	group_uses_make(&uses, c, &allocation);
	applies = uses.n && computing_percent(c, uses.amount) >= ALLOCATION_PERCENT &&
		  (c->is_sampled || uses.calls >= ALLOCATIONS) && !are_for_copies(c) &&
		  !computing_has_objects(c, OBJECTS_PART * uses.amount);
	if (applies)
		strbuf_puts(&found->text, "allocates memory");
	if (applies && has_main(&uses)) {
		put_copying(c, &uses.list[0], &found->text);
		put_blocks(c, &uses, found);
	} else if (applies) { /* it is said of what they all call */
		put_many(c, &uses, &found->text);
		found->about = found->look_at = uses.main;
		found->place = uses.list[0].edge;
		found->time = uses.amount;
		found->verb = "callers";
	}
	group_uses_release(&uses);
	return applies;
}

/* " by 1,505,000 calls in 301,000 calls of its own, most for lookup" */
static void put_string_calls(const struct computing *c, const struct group_use *use, struct strbuf *text)
{
	uint64_t calls = call_graph_calls(&c->graph, use->entity);
	const struct row *above = call_graph_main_caller(&c->graph, use->entity);

	if (use->calls <= 0)
		return;
	if (!use->are_calls_least) {
		strbuf_puts(text, " by ");
		output_plural(text, util_rounded(use->calls), "call", "s");
	}
	if (calls > 1) {
		strbuf_puts(text, " in ");
		output_plural(text, calls, "call", "s");
		strbuf_puts(text, " of its own");
	}
	if (above && computing_is_own(c, call_graph_caller(above))) {
		strbuf_puts(text, ", most for ");
		computing_put_name(c, text, call_graph_caller(above));
	}
}

/* Tells whether strings of this function are parts of objects of which the rule on allocation says
 * that they are copied. */
static int are_parts_of_copies(const struct computing *c, uint32_t entity)
{
	struct group_uses memory;
	const struct row *call;
	int are;

	group_uses_make(&memory, c, &allocation);
	call = memory.n && memory.list[0].entity == entity ? main_block_call(c, &memory.list[0]) : NULL;
	are = call && has_main(&memory) && computing_percent(c, memory.amount) >= ALLOCATION_PERCENT &&
	      call_place_is_within(&c->graph, call, is_copy);
	group_uses_release(&memory);
	return are;
}

/* Tells whether the call makes a string: it is one of std::string's functions, or copies memory for
 * one that was inlined. */
static int is_for_strings(const struct computing *c, const struct row *edge)
{
	return is_of_strings(c, edge->entity) || call_place_is_within(&c->graph, edge, is_string);
}

/* Inlined functions of the program, and what calls in them take. */
struct inlined_calls {
	struct {
		struct code_place place; /* of the longest call */
		long double longest, amount;
	} list[STRING_PLACES];
	size_t n;
};

static void add_call(struct inlined_calls *calls, const struct call_place *at, long double time)
{
	size_t k = 0;

	while (k < calls->n && calls->list[k].place.inlined != at->inlined)
		k++;
	if (k == STRING_PLACES)
		return;
	calls->n += k == calls->n;
	if (time > calls->list[k].longest) {
		calls->list[k].longest = time;
		calls->list[k].place =
			(struct code_place){ .file = at->file, .line = at->line, .inlined = at->inlined };
	}
	calls->list[k].amount += time;
}

/* Finds the inlined function of the program with half of the time that the function's calls take
 * for strings, as far as their places are known. Returns 0 if there is none. */
static int find_string_place(const struct computing *c, uint32_t entity, struct code_place *place)
{
	struct inlined_calls calls = { .n = 0 };
	long double amount = 0, most = 0;
	size_t n;
	const struct row **out = call_graph_out(&c->graph, entity, &n);

	for (size_t i = 0; i < n; i++) {
		long double time = computing_inclusive(c, out[i]);
		struct call_place at = { 0 };

		if (time > 0 && is_for_strings(c, out[i]))
			call_place_find(&at, &c->graph, out[i]);
		amount += at.file ? time : 0;
		if (at.inlined)
			add_call(&calls, &at, time);
	}
	for (size_t k = 0; k < calls.n; k++)
		if (calls.list[k].amount > most) {
			most = calls.list[k].amount;
			*place = calls.list[k].place;
		}
	return most > 0 && 2 * most >= amount;
}

/* Sets the place; the finding is of one call only if that is there, else of many. */
static void put_string_place(const struct computing *c, struct computing_found *found)
{
	struct call_place at;

	call_place_find(&at, &c->graph, found->edge);
	if (!find_string_place(c, found->about, &found->code))
		found->code = (struct code_place){ 0 };
	if (!at.inlined || at.inlined != found->code.inlined)
		found->edge = NULL;
}

int computing_strings(const struct computing *c, struct computing_found *found)
{
	struct group_uses uses;
	int applies;

	group_uses_make(&uses, c, &strings);
	applies = uses.n && computing_percent(c, uses.amount) >= STRINGS_PERCENT &&
		  (c->is_sampled || uses.calls >= STRINGS) && !are_parts_of_copies(c, uses.list[0].entity);
	if (applies) {
		strbuf_puts(&found->text, "builds std::strings");
		put_string_calls(c, &uses.list[0], &found->text);
		computing_put_use(c, &uses, found);
		put_string_place(c, found);
		found->look_at = found->about;
		found->time = uses.amount;
	}
	group_uses_release(&uses);
	return applies;
}

int computing_copies(const struct computing *c, struct computing_found *found)
{
	struct group_uses uses;
	long double with_memory;
	int applies;

	group_uses_make(&uses, c, &copying);
	applies = are_many_copies(c, &uses);
	if (applies) {
		strbuf_puts(&found->text, "copies objects");
		if (uses.main != NAMES_NONE &&
		    !call_place_is_within(&c->graph, uses.list[0].edge, computing_is_copy_of_object)) {
			strbuf_puts(&found->text, ", most by ");
			computing_put_name(c, &found->text, uses.main);
		}
		if (uses.list[0].calls > 0 && !uses.list[0].are_calls_least) {
			strbuf_puts(&found->text, ", ");
			output_plural(&found->text, util_rounded(uses.list[0].calls), "call", "s");
		}
		computing_put_use(c, &uses, found);
		with_memory = copies_into_memory(c, &uses);
		if (with_memory > 0)
			strbuf_printf(&found->text, ", %.0Lf %% with the memory for them",
				      computing_percent(c, with_memory));
		found->time = fmaxl(uses.amount, with_memory);
	}
	group_uses_release(&uses);
	return applies;
}

static const char *const locking_globs[] = { "*pthread_mutex_*lock*",
					     "*pthread_cond_*",
					     "*pthread_rwlock_*lock*",
					     "_ZNSt18condition_variable*",
					     "sem_post*",
					     "sem_wait*",
					     "sem_trywait*",
					     "__new_sem_*",
					     "mtx_*lock",
					     "cnd_*",
					     "GOMP_critical_*",
					     NULL };
static const char *const lock_globs[] = { "*pthread_mutex_lock",
					  "*pthread_mutex_trylock",
					  "*pthread_mutex_*edlock",
					  "*pthread_rwlock_*rdlock",
					  "*pthread_rwlock_*wrlock",
					  "sem_wait*",
					  "sem_trywait*",
					  "__new_sem_*wait*",
					  "mtx_lock",
					  "mtx_trylock",
					  "mtx_timedlock",
					  "GOMP_critical_*start",
					  NULL };
static const struct group locking = { .globs = locking_globs, .counted = lock_globs, .has_wrappers = 1 };

int computing_is_locking(const struct computing *c, uint32_t entity)
{
	return computing_is_one_of(call_graph_entity(&c->graph, entity), locking_globs);
}

/* " (Dictionary::mutex)": the lock that the function has waited for most. */
static void put_lock(const struct computing *c, struct strbuf *text, const struct group_use *use)
{
	const char *object = wait_facts_holder(&c->graph.profile->waits, use->entity).object;

	if (!object)
		return;
	strbuf_puts(text, " (");
	strbuf_visible(text, object);
	strbuf_puts(text, ")");
}

/* " 4,800,000 times in 4 threads, 18.2 million a second" */
static void put_locks(const struct computing *c, struct strbuf *text, const struct row *call)
{
	const struct profile *profile = c->graph.profile;
	uint32_t threads = thread_shares_threads(&profile->shares, (uint32_t)(call - profile->rows));
	long double seconds = totals_duration(&profile->totals) / 1e9L;
	long double rate = seconds > 0 ? (long double)call->calls / seconds : 0;

	strbuf_printf(text, " %s", computing_at_least(call->are_calls_least));
	output_plural(text, call->calls, "time", "s");
	if (threads > 1)
		strbuf_printf(text, " in %u threads", threads);
	if (rate >= MILLION)
		strbuf_printf(text, ", %.1Lf million a second", rate / MILLION);
}

/* Tells whether locks take much: of a lock that only one thread takes more, as nobody is in its
 * way. */
static int are_many_locks(const struct computing *c, const struct group_uses *uses, const struct row *call)
{
	const struct profile *profile = c->graph.profile;
	int is_shared = call && thread_shares_threads(&profile->shares, (uint32_t)(call - profile->rows)) > 1;

	return computing_processor_percent(c, uses->amount) >=
		       (is_shared ? SHARED_LOCKING_PERCENT : LOCKING_PERCENT) &&
	       (c->is_sampled || uses->calls >= LOCKINGS || uses->list[0].edge->calls >= LOCKINGS ||
		uses->list[0].are_calls_least);
}

int computing_locking(const struct computing *c, struct computing_found *found)
{
	struct group_uses uses;
	const struct row *call;
	int applies;

	group_uses_make(&uses, c, &locking);
	call = uses.n ? counted_call(c, &uses.list[0], lock_globs) : NULL;
	if (call && (call->calls < uses.list[0].edge->calls / 2 || call->calls < uses.calls / 10000))
		call = NULL; /* it rather tells others, or so few calls do not take the time */
	applies = c->graph.profile->totals.threads > 1 && uses.n && are_many_locks(c, &uses, call);
	if (applies) {
		strbuf_puts(&found->text, call ? "takes a lock" : "takes locks and gives them back");
		put_lock(c, &found->text, &uses.list[0]);
		if (call && call->calls)
			put_locks(c, &found->text, call);
		computing_put_use(c, &uses, found);
		found->edge = call ? call : found->edge;
		found->time = uses.amount;
	}
	group_uses_release(&uses);
	return applies;
}

/* Whatever is sorted; of std::sort what has not been inlined. */
static const char *const sort_globs[] = { "qsort*",
					  "msort_with_tmp*",
					  "_ZSt16__introsort_loop*",
					  "_ZSt13__adjust_heap*",
					  "_ZSt*__heap_select*",
					  "_ZSt*__make_heap*",
					  "_ZSt16__insertion_sort*",
					  "_ZSt*__final_insertion_sort*",
					  "_ZSt*__unguarded_linear_insert*",
					  "_ZSt*__stable_sort*",
					  "_ZSt*__merge_*",
					  "_ZSt*__chunk_insertion_sort*",
					  "_ZSt4sort*",
					  "_ZSt6__sort*",
					  NULL };
/* Each is called once, or so, for each sort. */
static const char *const sort_counted[] = { "qsort*", "_ZSt16__insertion_sort*", "_ZSt4sort*", "_ZSt6__sort*",
					    NULL };
static const struct group sorting = { .globs = sort_globs, .counted = sort_counted };

int computing_sorting(const struct computing *c, struct computing_found *found)
{
	struct group_uses uses;
	const struct group_use *most;
	int applies;

	group_uses_make(&uses, c, &sorting);
	most = uses.list;
	applies = !c->is_sampled && uses.n && most->calls >= SORTS &&
		  computing_percent(c, most->amount) >= SORTING_PERCENT &&
		  most->amount >= SORT_NS * most->calls;
	if (applies) {
		strbuf_puts(&found->text, "sorts again and again, ");
		strbuf_puts(&found->text, computing_at_least(most->are_calls_least));
		output_plural(&found->text, util_rounded(most->calls), "time", "s");
		if (!most->are_calls_least) {
			strbuf_puts(&found->text, ", ");
			strbuf_duration(&found->text, most->amount / most->calls);
			strbuf_puts(&found->text, " each");
		}
		computing_put_use(c, &uses, found);
		found->time = most->amount;
	}
	group_uses_release(&uses);
	return applies;
}

static const char *const exception_globs[] = { "__cxa_throw",
					       "__cxa_rethrow",
					       "__cxa_allocate_exception",
					       "__cxa_free_exception",
					       "__cxa_begin_catch",
					       "__cxa_end_catch",
					       "_Unwind_*",
					       "_ZSt*__throw_*",
					       "__gxx_personality_v0",
					       NULL };
/* Programs call the last of these themselves, inlined: it throws for std::stoi and the like. */
static const char *const throw_globs[] = { "__cxa_throw", "__cxa_rethrow", "_ZSt*__throw_*", NULL };
/* libgcc_s unwinds, and most of its functions have no names. */
static const struct group exceptions = { .globs = exception_globs,
					 .counted = throw_globs,
					 .module = "libgcc_s.so" };
static const struct group throwing = { .globs = throw_globs, .counted = throw_globs };

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
			strbuf_puts(&found->text, computing_at_least(throws.list[0].are_calls_least));
			strbuf_thousands(&found->text, util_rounded(throws.list[0].calls));
			strbuf_puts(&found->text, " ");
		}
		strbuf_puts(&found->text, "exceptions");
		strbuf_puts(&found->text, ": ");
		computing_put_percent(c, &found->text, uses.amount);
		found->about = throws.list[0].entity;
		found->edge = throws.list[0].edge;
		found->time = uses.amount;
		found->verb = "callers";
		found->look_at = throws.list[0].edge->entity;
	}
	group_uses_release(&uses);
	group_uses_release(&throws);
	return applies;
}
