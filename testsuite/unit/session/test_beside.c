/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples beside a recording: which file belongs to which. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "maker/maker.h"
#include "maker/maker_samples.h"
#include "session/beside_files.h"
#include "session/session.h"
#include "tests.h"

#define MS 1000000ull

static char folder[] = "/tmp/cinstr-unit-XXXXXX";

static void begin(void)
{
	strcpy(folder + sizeof(folder) - 7, "XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
}

static void end(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	CU_ASSERT_EQUAL(system(command), 0);
}

static void put(struct maker *m, const char *name, uint32_t pid, uint64_t ms)
{
	struct cinstr_header *header = maker_header(m);

	header->pid = pid;
	header->process_start = 77;
	header->start_realtime_ns = ms * MS + 1;
	header->clock_ns[0] = ms * MS;
	snprintf(m->path, sizeof(m->path), "%s/%s.cinstr", folder, name);
	maker_write(m);
	free(m->bytes);
}

static void recorded(const char *name, uint32_t pid, uint64_t ms)
{
	struct maker m;

	maker_init(&m);
	put(&m, name, pid, ms);
}

static void sampled(const char *name, uint32_t pid, uint64_t ms, uint32_t source)
{
	struct maker m;

	maker_sampled_init(&m);
	maker_sampling(&m)->flags |= CINSTR_SAMPLING_BESIDE;
	maker_sampling(&m)->source = source;
	put(&m, name, pid, ms);
}

/* "" : none */
static const char *found(const struct session *input, const char *name)
{
	char path[64];
	const char *samples;

	snprintf(path, sizeof(path), "%s/%s.cinstr", folder, name);
	samples = beside_find(input->beside, path);
	return samples ? util_basename(samples) : "";
}

static void each_program_has_its_samples(void)
{
	struct session input;
	const char *const *alone;

	begin();
	sampled("p1s", 1, 10, CINSTR_SOURCE_PERF); /* a shell's child before its exec */
	sampled("p1t", 1, 20, CINSTR_SOURCE_PERF);
	recorded("p1a", 1, 21);
	recorded("p1b", 1, 30); /* so short that there is no sample */
	sampled("p1u", 1, 40, CINSTR_SOURCE_PERF);
	recorded("p1c", 1, 41);
	sampled("p2s", 2, 10, CINSTR_SOURCE_PERF); /* without probes */
	recorded("p3a", 3, 10);			   /* without a sample */
	CU_ASSERT_EQUAL_FATAL(session_open(&input, folder), 0);
	CU_ASSERT_EQUAL(input.n_files, 4);
	CU_ASSERT_STRING_EQUAL(found(&input, "p1a"), "p1t.cinstr");
	CU_ASSERT_STRING_EQUAL(found(&input, "p1b"), "");
	CU_ASSERT_STRING_EQUAL(found(&input, "p1c"), "p1u.cinstr");
	CU_ASSERT_STRING_EQUAL(found(&input, "p3a"), "");
	CU_ASSERT_EQUAL_FATAL(beside_alone(input.beside, &alone), 2);
	CU_ASSERT_STRING_EQUAL(util_basename(alone[0]), "p1s.cinstr");
	CU_ASSERT_STRING_EQUAL(util_basename(alone[1]), "p2s.cinstr");
	session_release(&input);
	end();
}

/* Those of libraries that the program is linked with come before. */
static void timers_begin_late(void)
{
	struct session input;

	begin();
	recorded("a", 1, 10);
	sampled("s", 1, 11, CINSTR_SOURCE_TIMERS);
	recorded("b", 1, 20);
	sampled("t", 1, 21, CINSTR_SOURCE_TIMERS);
	CU_ASSERT_EQUAL_FATAL(session_open(&input, folder), 0);
	CU_ASSERT_EQUAL(input.n_files, 2);
	CU_ASSERT_STRING_EQUAL(found(&input, "a"), "s.cinstr");
	CU_ASSERT_STRING_EQUAL(found(&input, "b"), "t.cinstr");
	session_release(&input);
	end();
}

static void without_a_recording_they_stay(void)
{
	struct session input;

	begin();
	sampled("a", 1, 10, CINSTR_SOURCE_PERF);
	sampled("b", 2, 10, CINSTR_SOURCE_PERF);
	CU_ASSERT_EQUAL_FATAL(session_open(&input, folder), 0);
	CU_ASSERT_EQUAL(input.n_files, 2);
	CU_ASSERT_PTR_NULL(input.beside);
	session_release(&input);
	end();
}

CU_TestInfo beside_tests[] = {
	{ "each program has its samples", each_program_has_its_samples },
	{ "timers begin late", timers_begin_late },
	{ "without a recording they stay", without_a_recording_they_stay },
	CU_TEST_INFO_NULL,
};
