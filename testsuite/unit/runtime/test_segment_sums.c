/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums of executed instructions where there is no memory for them. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runtime.h"

#include "choice/choice.h"

/* With a counter each: 400 KB of sums; the nodes of one function take a page. */
#define FUNCTIONS 100000
#define ROOM (16 * 4096)

struct note_of_one {
	uint32_t name_bytes, bytes, type;
	char name[8];
	struct cinstr_abi_segments function;
	struct cinstr_abi_segment segment;
};

/* Returns the address space that the process has now. */
static rlim_t address_space(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	CU_ASSERT_FATAL(file && fscanf(file, "%lu", &pages) == 1);
	fclose(file);
	return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

static void no_memory(void)
{
	struct note_of_one *notes = calloc(FUNCTIONS, sizeof(*notes));
	struct module module = { .notes = (void *)notes, .notes_bytes = FUNCTIONS * sizeof(*notes) };
	struct rlimit limit, less;
	uint32_t n, flags;
	int32_t *sums;

	CU_ASSERT_FATAL(notes != NULL);
	for (size_t i = 0; i < FUNCTIONS; i++)
		notes[i] = (struct note_of_one){ 7,
						 sizeof(notes->function) + sizeof(notes->segment),
						 CINSTR_NOTE_SEGMENTS_SUM,
						 "cinstr",
						 { CINSTR_ABI_VERSION, 1, 0, 1 },
						 { .counter = 4, .to = 1 } };
	CU_ASSERT_EQUAL_FATAL(getrlimit(RLIMIT_AS, &limit), 0);
	less = limit;
	less.rlim_cur = address_space() + ROOM;
	CU_ASSERT_EQUAL_FATAL(setrlimit(RLIMIT_AS, &less), 0);
	sums = segment_sums_make(&module, &n, &flags);
	setrlimit(RLIMIT_AS, &limit);
	CU_ASSERT_PTR_NULL(sums);
	CU_ASSERT_EQUAL(n, FUNCTIONS);
	free(notes);
}

CU_TestInfo segment_sums_tests[] = {
	{ "no memory for them", no_memory },
	CU_TEST_INFO_NULL,
};
