/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings_growth.c - the rule on blocks of memory that become larger by a little at a time: all
 * that is in them is copied each time (CF0231). */
#include "rules.h"

#define BLOCKS 1000
#define BLOCK_BYTES 4096 /* on the average */
/* Blocks that grow from nothing by equal steps: the largest one is twice the mean. */
#define LARGEST_LEAST 1.5L
#define LARGEST_MOST 3.5L
#define COPIES_PART 0.3L /* so many copies for each block */
#define MAKER_PART 0.1L	 /* a function with so many calls for each block does nothing else */
#define PERCENT 20	 /* of the computing */

static const char *const copying[] = { "memcpy", "memmove", "realloc*", "__memcpy_*", "__memmove_*", NULL };
static const char *const enlarging[] = { "realloc", "reallocarray", NULL };
static const char *const giving[] = {
	"malloc", "calloc", "free", "_Znwm", "_Znam", "_ZdlPv*", "_ZdaPv*", NULL
};

struct growth {
	const struct moved_sums *blocks; /* NULL: there are few, or small ones */
	const struct row *copy;		 /* the place with most copies; NULL: there is none */
	uint64_t copies, enlarged;
	long double time;
};

/* Returns the blocks that the function has allocated by itself. */
static const struct moved_sums *blocks_of(const struct row *node)
{
	const struct moved_sums *own = node->os ? &node->os->own : NULL;

	return own && own->calls >= BLOCKS && own->bytes >= BLOCK_BYTES * own->calls ? own : NULL;
}

/* Tells whether blocks are ever larger ones, by their sizes; the largest is not known where calls
 * were only counted: then they are if they are enlarged. */
static int is_growing(const struct growth *growth)
{
	const struct moved_sums *blocks = growth->blocks;
	long double n = (long double)blocks->calls, mean = (long double)blocks->bytes / n;
	long double largest = (long double)blocks->largest;

	if ((long double)growth->copies < COPIES_PART * n)
		return 0;
	if (largest < mean)
		return (long double)growth->enlarged >= COPIES_PART * n;
	return largest >= LARGEST_LEAST * mean && largest <= LARGEST_MOST * mean;
}

/* Returns the time of a call; if the function makes nearly all calls of its callee, that of all:
 * samples do not tell who called. */
static long double time_of(const struct computing *c, const struct row *edge, uint64_t calls)
{
	const struct row *callee = c->graph.nodes[edge->entity];

	if (!callee || !callee->calls || (long double)calls < 0.9L * (long double)callee->calls)
		return computing_inclusive(c, edge);
	return computing_inclusive(c, callee) * (long double)edge->calls / (long double)calls;
}

/* Returns the calls of the edge's callee at all places in its caller. */
static uint64_t calls_of(const struct computing *c, const struct row *edge)
{
	size_t n;
	const struct row **out = call_graph_out(&c->graph, call_graph_caller(edge), &n);
	uint64_t calls = 0;

	for (size_t i = 0; i < n; i++)
		calls += out[i]->entity == edge->entity ? out[i]->calls : 0;
	return calls;
}

static struct growth growth_of(const struct computing *c, uint32_t entity)
{
	const struct row *node = c->graph.nodes[entity];
	struct growth growth = { .blocks = blocks_of(node) };
	size_t n;
	const struct row **out = call_graph_out(&c->graph, entity, &n);

	for (size_t i = 0; growth.blocks && i < n; i++) {
		const struct entity *callee = call_graph_entity(&c->graph, out[i]->entity);
		int is_copy = computing_is_one_of(callee, copying);

		if (!out[i]->calls || (!is_copy && !computing_is_one_of(callee, giving)))
			continue;
		growth.time += time_of(c, out[i], calls_of(c, out[i]));
		growth.copies += is_copy ? out[i]->calls : 0;
		growth.enlarged += computing_is_one_of(callee, enlarging) ? out[i]->calls : 0;
		if (is_copy && (!growth.copy || out[i]->calls > growth.copy->calls))
			growth.copy = out[i];
	}
	if (growth.copy && (long double)node->calls >= MAKER_PART * (long double)growth.blocks->calls)
		growth.time += computing_exclusive(c, node); /* with copies that were inlined */
	return growth;
}

static void tell_growth(struct finder *finder, const struct finding_rule *rule, uint32_t entity,
			const struct growth *growth)
{
	struct finding *finding = finding_new(finder, rule);

	finding->about = finding->look_at = entity;
	finding->place = growth->copy;
	finding->verb = "annotate";
	finding->time = finder_on_one_thread(finder, finder->graph->nodes[entity], growth->time, SHARE_CPU);
	finding_set_path(finding, &growth->copy->entity, 1);
	strbuf_puts(&finding->text, "makes ");
	strbuf_thousands(&finding->text, growth->blocks->calls);
	strbuf_puts(&finding->text,
		    " blocks of memory, each a little larger, and copies all of it each time, ");
	strbuf_size(&finding->text, growth->blocks->bytes);
	strbuf_puts(&finding->text, "; let them grow by half");
}

static void growing(struct finder *finder, const struct finding_rule *rule)
{
	const struct computing *c = &finder->computing;

	for (uint32_t e = 0; e < finder->graph->n_entities && computing_is_enough(c); e++) {
		struct growth growth = { 0 };

		if (finder->graph->nodes[e] && computing_is_own(c, e))
			growth = growth_of(c, e);
		if (growth.copy && is_growing(&growth) && computing_percent(c, growth.time) >= PERCENT)
			tell_growth(finder, rule, e, &growth);
	}
}

const struct finding_rule findings_growth_rules[] = {
	{ "CF0231", "blocks that grow by a little", OF_TIMED | OF_COMPUTING | OF_PROCESSOR, 62, 5, growing,
	  "Functions that allocate 1,000 blocks and more, of 4 KiB and more on the average, of which the "
	  "largest is 1.5 to 3.5 times as large as that: it is twice of blocks that grow by equal steps "
	  "(largest not known, as calls were only counted: three of ten by realloc). And that copy memory "
	  "(memcpy, memmove, realloc) three times and more for ten blocks; all this is at least 20 % of the "
	  "computing.",
	  "Theirs, with allocating and freeing; and of a function that is called for each block, all that it "
	  "computes itself.",
	  "If a block grows by one element at a time, n elements are copied n / 2 times each.",
	  "Make room for twice as many, or half as many again, when it is full; leave that to std::vector "
	  "(push_back without reserve of one more); reserve once what is needed in all. In Fortran: "
	  "move_alloc to an array twice as large in place of list = [list, item].",
	  "The blocks are different ones, whose sizes are spread evenly." },
};
const size_t findings_n_growth_rules = ARRAY_SIZE(findings_growth_rules);
