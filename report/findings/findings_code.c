/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings_code.c - rules on the machine code of hot functions, where neither calls nor their times
 * show the cause: large steps through memory, locked instructions, chains of pointers, slow
 * instructions. */
#include "findings_computing.h"

#include <string.h>

#include "computing_text.h"
#include "names/system_paths.h"

#define CODE_PERCENT 20	  /* of the time on a processor, by itself */
#define PAGE_BYTES 4096	  /* of memory that was touched for the first time */
#define MEMORY_BYTES 4e6L /* less fits into the caches */
#define LOCKED_PART 2	  /* one of so many samples */
#define MOVING_PART 2	  /* one of so many samples */
#define CHASE_NS 100	  /* of a call of a container's: one that finds at once takes 10 to 40 */
#define SLOW_NS 3.0L	  /* of an instruction: what waits for nothing takes 0.2 to 1 */
#define SLOW_TIMES 5	  /* as much as others of the program */
#define OTHERS_LEAST 1e7L /* instructions */

typedef int applies_to(const struct computing *c, const struct row *node, const struct hot_code *code);

/* Returns the call by which the program's own code comes to a function that a header of the system
 * defines, as templates of the C++ library; NULL: it is no such function, or nobody is known to. */
static const struct row *call_of_header(const struct computing *c, uint32_t entity)
{
	return system_code_is_header(call_graph_entity(&c->graph, entity)->file)
		       ? computing_own_call(c, entity)
		       : NULL;
}

/* Returns the function with most time of its own of those that `applies` is true of; NULL: there is
 * none. */
static const struct row *hottest(const struct computing *c, applies_to *applies, struct hot_code *code)
{
	const struct row *most = NULL;

	for (uint32_t e = 0; e < c->graph.n_entities && !c->is_sampled; e++) {
		const struct row *node = c->graph.nodes[e];
		struct hot_code one;

		if (!node || !call_graph_entity(&c->graph, e)->is_function ||
		    computing_processor_percent(c, computing_processor(c, node)) < CODE_PERCENT ||
		    (most && computing_processor(c, node) <= computing_processor(c, most)) ||
		    hot_code_find(&one, c, e) ||
		    !(computing_is_own(c, e) || one.is_inlined || call_of_header(c, e)) ||
		    !applies(c, node, &one))
			continue;
		most = node;
		*code = one;
	}
	return most;
}

/* Writes of a function of the system "calls it, which "; what is found is of the code at `address`
 * then, or of that call. */
static void put_whose(const struct computing *c, const struct row *node, uint64_t address,
		      struct computing_found *found)
{
	const struct row *call = computing_own_call(c, node->entity);

	found->about = call ? call_graph_caller(call) : node->entity;
	found->look_at = node->entity;
	found->time = computing_processor(c, node);
	found->verb = call || computing_is_own(c, node->entity) ? "annotate" : "callers";
	found->place = call;
	if (call) {
		strbuf_puts(&found->text, "calls ");
		computing_put_name(c, &found->text, node->entity);
		strbuf_puts(&found->text, ", which ");
	} else {
		code_place_find(&found->code, c, node->entity, address);
	}
}

/* Writes the same, and "does 92 % of the computing itself, ". */
static void put_share(const struct computing *c, const struct row *node, uint64_t address,
		      struct computing_found *found)
{
	put_whose(c, node, address, found);
	strbuf_printf(&found->text, "does %.0Lf %% of the computing itself, ",
		      computing_processor_percent(c, found->time));
}

static int is_strided(const struct computing *c, const struct row *node, const struct hot_code *code)
{
	(void)node;
	return code->has_loop && code_loop_is_strided(&code->loop) &&
	       (long double)c->graph.profile->system.minor_faults * PAGE_BYTES >= MEMORY_BYTES;
}

int computing_strides(const struct computing *c, struct computing_found *found)
{
	struct hot_code code;
	const struct row *node = hottest(c, is_strided, &code);

	if (!node)
		return 0;
	put_whose(c, node, code.loop.large_at, found);
	strbuf_puts(&found->text, "goes through memory in ");
	if (code.loop.step) {
		strbuf_puts(&found->text, "steps of ");
		strbuf_thousands(&found->text, code.loop.step);
		strbuf_puts(&found->text, " bytes");
	} else {
		strbuf_puts(&found->text, "likely large steps");
	}
	strbuf_printf(&found->text, ", and likely waits for it: %.0Lf %% of the computing",
		      computing_processor_percent(c, found->time));
	return 1;
}

static int is_locked(const struct computing *c, const struct row *node, const struct hot_code *code)
{
	const struct profile *profile = c->graph.profile;

	return !computing_is_locking(c, node->entity) && code->samples &&
	       LOCKED_PART * code->locked >= code->samples &&
	       thread_shares_threads(&profile->shares, (uint32_t)(node - profile->rows)) > 1;
}

const struct row *computing_hottest_locked(const struct computing *c)
{
	struct hot_code code;

	return hottest(c, is_locked, &code);
}

/* Writes what of a header of the system's has the instructions, where that says more than that they
 * are locked; NULL: nothing is known of it. */
static void put_locking(struct strbuf *text, const char *header)
{
	static const char *const counting[] = { "shared_ptr", "__shared_count", "_Sp_counted_base" };

	for (size_t i = 0; header && i < ARRAY_SIZE(counting); i++)
		if (strstr(header, counting[i])) {
			strbuf_puts(text, " (copies of a std::shared_ptr)");
			return;
		}
	if (header && !strstr(header, "atomic_base<") && !strstr(header, "std::atomic<"))
		strbuf_printf(text, " (%s)", header);
}

int computing_locked(const struct computing *c, struct computing_found *found)
{
	const struct profile *profile = c->graph.profile;
	struct hot_code code;
	const struct row *node = hottest(c, is_locked, &code);

	if (!node)
		return 0;
	put_whose(c, node, code.locked_at, found);
	strbuf_printf(&found->text, "spends %.0Lf %% of its time at locked instructions",
		      100 * (long double)code.locked / (long double)code.samples);
	put_locking(&found->text, found->code.header);
	strbuf_printf(&found->text, ", in %u threads: slow if they share memory",
		      thread_shares_threads(&profile->shares, (uint32_t)(node - profile->rows)));
	return 1;
}

static int is_moving(const struct computing *c, const struct row *node, const struct hot_code *code)
{
	(void)c;
	(void)node;
	return code->samples && MOVING_PART * code->copied >= code->samples;
}

int computing_moving(const struct computing *c, struct computing_found *found)
{
	struct hot_code code;
	const struct row *node = hottest(c, is_moving, &code);

	if (!node)
		return 0;
	put_share(c, node, code.copied_at, found);
	found->time *= (long double)code.copied / (long double)code.samples;
	strbuf_printf(&found->text,
		      "%.0Lf %% of that copies large pieces of memory: likely objects passed by value",
		      100 * (long double)code.copied / (long double)code.samples);
	return 1;
}

static int is_chase(const struct computing *c, const struct row *node, const struct hot_code *code)
{
	return code->samples && code->has_loop && code->loop.chase_at &&
	       (!call_of_header(c, node->entity) ||
		computing_processor(c, node) >= CHASE_NS * (long double)node->calls);
}

/* Tells whether the function, as shown, or NULL, is one of a hash table of the C++ library. */
static int is_hash_table(const char *header)
{
	static const char *const words[] = { "unordered_ma", "unordered_se", "unordered_mu", "_Map_base",
					     "_Hashtable" };

	for (size_t i = 0; header && i < ARRAY_SIZE(words); i++)
		if (strstr(header, words[i]))
			return 1;
	return 0;
}

int computing_chase(const struct computing *c, struct computing_found *found)
{
	struct hot_code code;
	const struct row *node = hottest(c, is_chase, &code);

	if (!node)
		return 0;
	put_share(c, node, code.loop.chase_at, found);
	strbuf_puts(&found->text,
		    is_hash_table(found->place ? call_graph_entity(&c->graph, node->entity)->name
					       : found->code.header)
			    ? "most along long chains of a hash table"
			    : "most in a loop that goes from pointer to pointer");
	if (found->code.header)
		strbuf_printf(&found->text, " (%s)", found->code.header);
	return 1;
}

/* ---- time per instruction -------------------------------------------------------------------- */

static long double ns_of_one(long double time, long double instructions)
{
	return instructions > 0 ? time / instructions : 0;
}

/* The function's instructions, and nothing else, have taken its time. */
static int is_alone(const struct computing *c, uint32_t entity)
{
	const struct executed_work *work = &c->executed[entity];

	return work->is_known && !work->ways_out && work->instructions &&
	       call_graph_entity(&c->graph, entity)->is_function && computing_is_own(c, entity) &&
	       !computing_is_rough(c, c->graph.nodes[entity]);
}

int computing_slow(const struct computing *c, struct computing_found *found)
{
	const struct row *most = NULL;
	long double time = 0, instructions = 0, one, others;

	for (uint32_t e = 0; c->executed && !c->is_sampled && e < c->graph.n_entities; e++) {
		const struct row *node = c->graph.nodes[e];
		long double part = node ? computing_processor(c, node) : 0;

		if (!node || !c->executed[e].is_known)
			continue;
		time += part;
		instructions += (long double)c->executed[e].instructions;
		if (is_alone(c, e) && computing_processor_percent(c, part) >= CODE_PERCENT &&
		    part >= SLOW_NS * (long double)c->executed[e].instructions &&
		    (!most || part > computing_processor(c, most)))
			most = node;
	}
	if (!most)
		return 0;
	instructions -= (long double)c->executed[most->entity].instructions;
	others = ns_of_one(time - computing_processor(c, most), instructions);
	one = ns_of_one(computing_processor(c, most), (long double)c->executed[most->entity].instructions);
	if (instructions < OTHERS_LEAST || one < SLOW_TIMES * others)
		return 0;
	put_share(c, most, call_graph_entity(&c->graph, most->entity)->address, found);
	strbuf_printf(&found->text,
		      "%.2Lg ns for an instruction, where the rest of the program takes %.2Lg: ", one,
		      others);
	strbuf_puts(&found->text,
		    thread_shares_threads(&c->graph.profile->shares,
					  (uint32_t)(most - c->graph.profile->rows)) > 1
			    ? "it likely waits for memory, or for what other threads write there"
			    : "it likely waits for memory");
	return 1;
}
