/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of blocks that are not freed, which is all that held.c has of the runtime here. */
#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <string.h>

#define option_value held_test_option
#define option_size held_test_size
#define files_size held_test_bytes
#define files_site held_test_site
#include "process/held.c"

extern CU_TestInfo held_tests[];

#define BITS 3 /* 64 entries */
#define SITE 0x1000
#define BLOCK(i) (0x7f0000000000 + (uint64_t)(i)*48)

static struct {
	struct cinstr_held_table table;
	struct cinstr_held entries[(size_t)CINSTR_HELD_BUCKET << BITS];
} made;
static const char *option;
static uint64_t asked, alive = 1;

const char *option_value(enum cinstr_option which)
{
	CU_ASSERT_EQUAL(which, CINSTR_OPTION_HELD);
	return option;
}

int option_size(enum cinstr_option which, uint64_t *value)
{
	*value = strtoull(option_value(which), NULL, 10);
	return 1;
}

uint64_t files_size(void)
{
	return asked;
}

uint32_t files_site(void)
{
	return SITE;
}

static void begin(void)
{
	memset(&made, 0, sizeof(made));
	made.table.bits = BITS;
	table = &made.table;
	cinstr.alive = &alive;
}

static int put_block(uint64_t address, uint64_t bytes)
{
	const struct cinstr_held block = { .address = address, .bytes = bytes };

	return put(table, &block) != NULL;
}

static unsigned count_kept(uint64_t *bytes)
{
	unsigned n = 0;

	*bytes = 0;
	for (size_t i = 0; i < sizeof(made.entries) / sizeof(*made.entries); i++)
		if (made.entries[i].address && is_kept(table, made.entries[i].address)) {
			*bytes += made.entries[i].bytes;
			n++;
		}
	return n;
}

static void blocks_are_there_until_they_are_freed(void)
{
	struct cinstr_held old;
	uint64_t bytes;

	begin();
	for (unsigned i = 0; i < 20; i++)
		CU_ASSERT(put_block(BLOCK(i), i));
	CU_ASSERT_EQUAL(count_kept(&bytes), 20);
	CU_ASSERT_EQUAL(bytes, 190);
	for (unsigned i = 0; i < 20; i += 2)
		CU_ASSERT(take(table, BLOCK(i), &old) && old.bytes == i);
	CU_ASSERT(!take(table, BLOCK(0), &old));
	CU_ASSERT_EQUAL(count_kept(&bytes), 10);
	CU_ASSERT_EQUAL(table->now, 100);
	CU_ASSERT_EQUAL(table->most, 190);
	CU_ASSERT_EQUAL(table->halvings, 0);
}

static void a_full_table_keeps_a_sample(void)
{
	struct cinstr_held old;
	unsigned n, taken = 0;
	uint64_t bytes;

	begin();
	for (unsigned i = 0; i < 10000; i++)
		put_block(BLOCK(i), 1);
	n = count_kept(&bytes);
	CU_ASSERT(table->halvings >= 7 && table->halvings <= 10);
	CU_ASSERT(n << table->halvings > 7000 && n << table->halvings < 13000);
	for (unsigned i = 0; i < 10000; i++)
		taken += (unsigned)take(table, BLOCK(i), &old);
	CU_ASSERT_EQUAL(taken, n);
	CU_ASSERT_EQUAL(count_kept(&bytes), 0);
}

static struct probe_frame frame_at(uint64_t *end_of_sled, uint32_t kind, uint64_t argument, uint64_t result)
{
	struct probe_frame frame = { .kind = kind, .at = end_of_sled };

	frame.registers.rdi = argument;
	frame.registers.rax = result;
	return frame;
}

static uint64_t returned(struct thread *thread, uint64_t bytes, uint64_t block)
{
	uint64_t end = SITE + 5 + ARCH_SLED_BYTES;
	const struct probe_frame frame = frame_at(&end, CINSTR_EV_AFTER | PROBE_KIND_HOLDS, 0, block);

	asked = bytes;
	return held_note(thread, &frame, 1);
}

static void freed(struct thread *thread, uint64_t site, uint64_t block)
{
	const struct probe_frame frame = frame_at(&site, CINSTR_EV_BEFORE | PROBE_KIND_FREES, block, 0);

	held_free(thread, &frame);
}

static void calls_that_fail_and_blocks_freed_unseen(void)
{
	struct thread thread = { .record = (void *)cinstr.store.file };
	uint64_t bytes;

	begin();
	CU_ASSERT(returned(&thread, 10, BLOCK(0)) != 0);
	CU_ASSERT(returned(&thread, 20, BLOCK(0)) != 0); /* without a call of free in between */
	CU_ASSERT_EQUAL(table->replaced, 1);
	CU_ASSERT(count_kept(&bytes) == 1 && bytes == 20);
	freed(&thread, SITE, BLOCK(0));
	CU_ASSERT_EQUAL(returned(&thread, 30, 0), 0); /* realloc fails: the block is still there */
	CU_ASSERT(count_kept(&bytes) == 1 && bytes == 20);
	freed(&thread, SITE + 64, BLOCK(0));
	CU_ASSERT_EQUAL(returned(&thread, 30, 0), 0); /* malloc fails, after a call of free */
	CU_ASSERT_EQUAL(count_kept(&bytes), 0);
	CU_ASSERT_EQUAL(table->now, 0);
}

static void the_option(void)
{
	static const struct {
		const char *text;
		uint64_t blocks;
	} cases[] = { { "off", 0 }, { "0", 0 }, { "on", BLOCKS_DEFAULT }, { "4096", 4096 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		option = cases[i].text;
		CU_ASSERT_EQUAL(blocks_wanted(), cases[i].blocks);
	}
}

static void names_are_in_order(void)
{
	for (size_t i = 0; i < sizeof(cinstr_held_calls) / sizeof(*cinstr_held_calls); i++)
		CU_ASSERT(cinstr_held_is_freed(cinstr_held_calls[i].name));
	CU_ASSERT(!cinstr_held_is_freed("malloc"));
	held_end(); /* for the tests of others */
}

CU_TestInfo held_tests[] = {
	{ "blocks are there until they are freed", blocks_are_there_until_they_are_freed },
	{ "a full table keeps a sample", a_full_table_keeps_a_sample },
	{ "calls that fail, and blocks that are freed unseen", calls_that_fail_and_blocks_freed_unseen },
	{ "the option", the_option },
	{ "names are in order", names_are_in_order },
	CU_TEST_INFO_NULL,
};
