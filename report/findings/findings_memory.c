/* SPDX-License-Identifier: GPL-3.0-or-later */
/* findings_memory.c - the rule on memory that is allocated all along and not freed: CF0312. */
#include "rows/held_facts.h"
#include "rules.h"

#define BLOCKS 1000   /* that one call has left */
#define BYTES 65536   /* likewise */
#define PART 0.05L    /* of all bytes that were not freed */
#define MOST 0.4L     /* of a call's blocks: so many are from one part of the run at most */
#define LEAST 0.02L   /* likewise: from each of ... */
#define PARTS_LEAST 5 /* ... so many parts */

/*
 * Whether blocks are left from most parts of the run. Of what is loaded once, and kept, nearly all
 * are from one part; of what is replaced all the time, from the last one. Parts in which other
 * programs had the processor have few, so they need not be alike.
 */
static int grows(const struct held_fact *fact)
{
	size_t parts = 0;

	for (size_t i = 0; i < HELD_PARTS; i++) {
		if ((long double)fact->of_part[i] > MOST * (long double)fact->blocks)
			return 0;
		parts += (long double)fact->of_part[i] >= LEAST * (long double)fact->blocks;
	}
	return parts >= PARTS_LEAST;
}

/* "keeps ever more memory: 12,000 blocks, 1,200,000 bytes, allocated all along and not freed;
 * called by serve" */
static void put_text(struct strbuf *text, const struct held_facts *facts, const struct held_fact *fact)
{
	strbuf_puts(text, "keeps ever more memory: ");
	strbuf_puts(text, facts->one_in > 1 ? "about " : "");
	strbuf_thousands(text, fact->blocks);
	strbuf_puts(text, " blocks, ");
	strbuf_thousands(text, fact->bytes);
	strbuf_puts(text, " bytes, allocated all along and not freed");
	if (fact->caller) {
		strbuf_puts(text, "; called by ");
		strbuf_visible(text, fact->caller);
	}
}

static void ever_more(struct finder *finder, const struct finding_rule *rule)
{
	const struct held_facts *facts = &finder->input->edges->held;

	for (size_t i = 0; i < facts->n; i++) {
		const struct held_fact *fact = &facts->list[i];
		struct finding *finding;

		if (fact->blocks < BLOCKS || fact->bytes < BYTES ||
		    (long double)fact->bytes < PART * (long double)facts->bytes || !grows(fact))
			continue;
		finding = finding_new(finder, rule);
		finding->about = fact->place.entity;
		finding->file = fact->place.file;
		finding->line = fact->place.line;
		finding->verb = "tree --view=held";
		put_text(&finding->text, facts, fact);
	}
}

const struct finding_rule findings_memory_rules[] = {
	{ "CF0312", "ever more memory", OF_TIMED | OF_SINGLE | OF_FAULT, 90, 0, ever_more,
	  "With --held: a call whose blocks were not freed when the recording ended, 1,000 blocks and 65,536 "
	  "bytes at least, and 5 % of all that was not freed. It is reported if at least five eighths of the "
	  "run have 2 % of these blocks each, and none has more than 40 %.",
	  "None: it is memory, not time.",
	  "A program that goes on for long grows until it is slow, or until it is ended.",
	  "Free each block when what it was for is done; cinstr tree --view=held has the call paths.",
	  "A table that is filled as long as the program runs, and needed until its end; blocks that "
	  "libraries free, of which the recording does not know." },
};
const size_t findings_n_memory_rules = ARRAY_SIZE(findings_memory_rules);
