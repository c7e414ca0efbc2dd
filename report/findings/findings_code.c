/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * findings_code.c - rules on what the machine code of hot functions does, where neither calls nor
 * their times tell: large steps through memory, locked instructions, chains of pointers.
 */
#include "findings_computing.h"

#include "computing_text.h"

#define CODE_PERCENT 20	  /* of the time on a processor, by itself */
#define PAGE_BYTES 4096	  /* of memory that was touched for the first time */
#define MEMORY_BYTES 4e6L /* less fits into the caches */
#define LOCKED_PART 2	  /* one of so many samples */

typedef int applies_to(const struct computing *c, const struct row *node, const struct hot_code *code);

/* The function with most time of its own of those that it applies to; NULL: there is none. */
static const struct row *hottest(const struct computing *c, applies_to *applies, struct hot_code *code)
{
	const struct row *most = NULL;

	for (uint32_t e = 0; e < c->graph.n_entities && !c->is_sampled; e++) {
		const struct row *node = c->graph.nodes[e];
		struct hot_code one;

		if (!node || !call_graph_entity(&c->graph, e)->is_function ||
		    computing_processor_percent(c, computing_processor(c, node)) < CODE_PERCENT ||
		    (most && computing_processor(c, node) <= computing_processor(c, most)) ||
		    hot_code_find(&one, c, e) || !(computing_is_own(c, e) || one.is_inlined) ||
		    !applies(c, node, &one))
			continue;
		most = node;
		*code = one;
	}
	return most;
}

/* "does 92 % of the computing itself, " */
static void put_share(const struct computing *c, const struct row *node, struct computing_found *found)
{
	found->about = found->look_at = node->entity;
	found->time = computing_processor(c, node);
	found->verb = computing_is_own(c, node->entity) ? "annotate" : "callers";
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
	put_share(c, node, found);
	strbuf_puts(&found->text, "and its inner loop goes through memory in steps ");
	if (code.loop.step) {
		strbuf_puts(&found->text, "of ");
		strbuf_thousands(&found->text, code.loop.step);
		strbuf_puts(&found->text, " bytes");
	} else {
		strbuf_puts(&found->text, "that the compiler did not know, as across the lines of an array");
	}
	strbuf_puts(&found->text, ": it likely waits for memory");
	code_place_find(&found->code, c, node->entity, code.loop.large_at);
	return 1;
}

static int is_locked(const struct computing *c, const struct row *node, const struct hot_code *code)
{
	const struct profile *profile = c->graph.profile;

	return code->samples && LOCKED_PART * code->locked >= code->samples &&
	       thread_shares_threads(&profile->shares, (uint32_t)(node - profile->rows)) > 1;
}

int computing_locked(const struct computing *c, struct computing_found *found)
{
	const struct profile *profile = c->graph.profile;
	struct hot_code code;
	const struct row *node = hottest(c, is_locked, &code);

	if (!node)
		return 0;
	put_share(c, node, found);
	code_place_find(&found->code, c, node->entity, code.locked_at);
	strbuf_printf(&found->text, "%.0Lf %% of that at instructions that lock memory",
		      100 * (long double)code.locked / (long double)code.samples);
	if (found->code.header)
		strbuf_printf(&found->text, " (%s)", found->code.header);
	strbuf_printf(&found->text, ", in %u threads: slow where these share it, or what lies beside it",
		      thread_shares_threads(&profile->shares, (uint32_t)(node - profile->rows)));
	return 1;
}

static int is_chase(const struct computing *c, const struct row *node, const struct hot_code *code)
{
	(void)c;
	(void)node;
	return code->samples && code->has_loop && code->loop.chase_at;
}

int computing_chase(const struct computing *c, struct computing_found *found)
{
	struct hot_code code;
	const struct row *node = hottest(c, is_chase, &code);

	if (!node)
		return 0;
	put_share(c, node, found);
	code_place_find(&found->code, c, node->entity, code.loop.chase_at);
	strbuf_puts(&found->text, "most in a loop that goes from pointer to pointer");
	if (found->code.header)
		strbuf_printf(&found->text, " (%s)", found->code.header);
	return 1;
}
