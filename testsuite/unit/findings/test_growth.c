/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The finding on blocks that grow by a little: what is just enough for it, and a little less. */
#include "finding_lab.h"

/* worker, which is called so often, makes blocks of 4 KiB, of which one is so large, and copies
 * `copies` times; it computes 400 ms, half of them itself. */
static struct row *grows(struct advised *s, uint64_t calls, uint64_t blocks, uint64_t copies,
			 uint64_t largest)
{
	struct row *worker;

	begin(s, 1000);
	thread(s, 1000, 1000, 0);
	s->entities[READ].name = s->entities[READ].assembler = "memmove";
	s->entities[WRITE].name = s->entities[WRITE].assembler = "malloc";
	worker = makes(s, EDGE_NO_CALLER, WORKER, calls, 400, 1000);
	worker->sums.application_inclusive = 400 * MS;
	worker->sums.application_exclusive = 200 * MS;
	worker->place = NAMES_NONE;
	worker->os->own = (struct moved_sums){ .calls = blocks, .bytes = 4096 * 1000, .largest = largest };
	makes(s, WORKER, READ, copies, 150, 1000)->sums.application_inclusive = 150 * MS;
	makes(s, WORKER, WRITE, blocks, 50, 1000)->sums.application_inclusive = 50 * MS;
	return worker;
}

static void growing(void)
{
	static const char text[] =
		"makes 1,000 blocks of memory, each a little larger, and copies all of it each "
		"time, 4.1 MB; let them grow by half";
	struct advised s = { 0 };

	grows(&s, 100, 1000, 300, 6144);
	tells(&s, "CF0231", text);
	takes_part(&s, "CF0231", 40);
	grows(&s, 99, 1000, 300, 14336); /* what worker does else is not for the blocks */
	takes_part(&s, "CF0231", 20);
	grows(&s, 100, 1000, 300, 6143); /* of about the same size */
	silent(&s, "CF0231");
	grows(&s, 100, 1000, 300, 14337); /* one is large */
	silent(&s, "CF0231");
	grows(&s, 100, 1000, 299, 6144);
	silent(&s, "CF0231");
	grows(&s, 100, 999, 300, 6200);
	silent(&s, "CF0231");
	grows(&s, 100, 1000, 300, 6144)->os->own.bytes--;
	silent(&s, "CF0231");
	grows(&s, 99, 1000, 300, 6144);
	s.rows[1].sums.application_inclusive = 149 * MS;
	silent(&s, "CF0231");
	end(&s);
}

/* Where calls were only counted, the largest is not known. */
static void enlarged(void)
{
	struct advised s = { 0 };

	grows(&s, 100, 1000, 300, 100);
	silent(&s, "CF0231");
	s.entities[READ].name = s.entities[READ].assembler = "realloc";
	takes_part(&s, "CF0231", 40);
	end(&s);
}

CU_TestInfo findings_growth_tests[] = {
	{ "blocks that grow by a little", growing },
	{ "blocks that are enlarged", enlarged },
	CU_TEST_INFO_NULL,
};
