/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of the kernel's ring, names of events, intervals: report/sampler/source/perf_parse.h,
 * perf_events.h, plan.h, on_off_log.h. */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "sampler/on_off_log.h"
#include "sampler/plan.h"
#include "sampler/source/perf_events.h"
#include "sampler/source/perf_parse.h"
#include "tests.h"

#define PID 100u
#define TID 101u
#define TICKS 5000ull

/* A record in the making. */
struct made {
	uint64_t words[1024];
	size_t n;
};

static void begin(struct made *made, uint32_t type, uint16_t misc)
{
	struct perf_event_header header = { .type = type, .misc = misc };

	made->n = 1;
	memcpy(made->words, &header, sizeof(header));
}

static void put(struct made *made, uint64_t word)
{
	made->words[made->n++] = word;
}

static void put_pair(struct made *made, uint32_t first, uint32_t second)
{
	put(made, first | (uint64_t)second << 32);
}

static void put_text(struct made *made, const char *text)
{
	size_t n = strlen(text) / 8 + 1;

	memset(made->words + made->n, 0, n * 8);
	memcpy(made->words + made->n, text, strlen(text));
	made->n += n;
}

/* sample_id_all */
static void put_trailer(struct made *made)
{
	put_pair(made, PID, TID);
	put(made, TICKS);
}

static int parse(const struct perf_layout *layout, struct made *made, struct perf_record *record)
{
	struct perf_event_header header;

	memcpy(&header, made->words, sizeof(header));
	header.size = (uint16_t)(made->n * 8);
	memcpy(made->words, &header, sizeof(header));
	return perf_parse(layout, made->words, made->n * 8, record);
}

/* ---- samples --------------------------------------------------------------------------------- */

#define BASE_TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

static void put_begin_of_sample(struct made *made, uint16_t mode, uint64_t ip)
{
	begin(made, PERF_RECORD_SAMPLE, mode);
	put(made, ip);
	put_pair(made, PID, TID);
	put(made, TICKS);
}

static void test_chain(void)
{
	const struct perf_layout layout = { .sample_type = BASE_TYPE | PERF_SAMPLE_CALLCHAIN };
	struct perf_record record;
	struct made made;

	put_begin_of_sample(&made, PERF_RECORD_MISC_USER, 0x1000);
	put(&made, 4);
	put(&made, PERF_CONTEXT_USER);
	put(&made, 0x1000);
	put(&made, 0x2000);
	put(&made, 0x3000);
	CU_ASSERT_EQUAL(parse(&layout, &made, &record), 0);
	CU_ASSERT_EQUAL(record.kind, PERF_KIND_SAMPLE);
	CU_ASSERT_EQUAL(record.sample.pid, PID);
	CU_ASSERT_EQUAL(record.sample.tid, TID);
	CU_ASSERT_EQUAL(record.sample.ticks, TICKS);
	CU_ASSERT_EQUAL(record.sample.registers[MACHINE_IP], 0x1000);
	CU_ASSERT_EQUAL(record.sample.n_chain, 2);
	CU_ASSERT_EQUAL(record.sample.chain[0], 0x2000);
	CU_ASSERT_EQUAL(record.sample.chain[1], 0x3000);
	CU_ASSERT_FALSE(record.sample.in_kernel);
	CU_ASSERT_FALSE(record.sample.is_foreign);
}

/* The kernel's own part of the chain is skipped; where the user's code was is in the user's
 * part. */
static void test_kernel(void)
{
	const struct perf_layout layout = { .sample_type = BASE_TYPE | PERF_SAMPLE_CALLCHAIN };
	struct perf_record record;
	struct made made;

	put_begin_of_sample(&made, PERF_RECORD_MISC_KERNEL, 0xffffffff81000000);
	put(&made, 5);
	put(&made, PERF_CONTEXT_KERNEL);
	put(&made, 0xffffffff81000000);
	put(&made, PERF_CONTEXT_USER);
	put(&made, 0x1000);
	put(&made, 0x2000);
	CU_ASSERT_EQUAL(parse(&layout, &made, &record), 0);
	CU_ASSERT_TRUE(record.sample.in_kernel);
	CU_ASSERT_FALSE(record.sample.is_foreign);
	CU_ASSERT_EQUAL(record.sample.registers[MACHINE_IP], 0x1000);
	CU_ASSERT_EQUAL(record.sample.n_chain, 1);
}

static void test_chain_of_nothing(void)
{
	const struct perf_layout layout = { .sample_type = BASE_TYPE | PERF_SAMPLE_CALLCHAIN };
	struct perf_record record;
	struct made made;

	put_begin_of_sample(&made, PERF_RECORD_MISC_KERNEL, 0xffffffff81000000);
	put(&made, 0);
	CU_ASSERT_EQUAL(parse(&layout, &made, &record), 0);
	CU_ASSERT_EQUAL(record.sample.n_chain, 0);
	CU_ASSERT_EQUAL(record.sample.registers[MACHINE_IP], 0);
}

static void test_foreign(void)
{
	const struct perf_layout layout = { .sample_type = BASE_TYPE };
	struct perf_record record;
	struct made made;

	put_begin_of_sample(&made, PERF_RECORD_MISC_GUEST_USER, 0x1000);
	CU_ASSERT_EQUAL(parse(&layout, &made, &record), 0);
	CU_ASSERT_TRUE(record.sample.is_foreign);
}

/* The kernel numbers registers its own way. */
static void test_registers_and_stack(void)
{
	const struct perf_layout layout = { .sample_type = BASE_TYPE | PERF_SAMPLE_REGS_USER |
							   PERF_SAMPLE_STACK_USER,
					    .registers = MACHINE_PERF_REGISTERS };
	static const int order[] = { 0, 3, 2, 1, 4, 5, 6, 7, MACHINE_IP, 8, 9, 10, 11, 12, 13, 14, 15 };
	struct perf_record record;
	struct made made;

	put_begin_of_sample(&made, PERF_RECORD_MISC_USER, 0x1000);
	put(&made, PERF_SAMPLE_REGS_ABI_64);
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		put(&made, 0x100 + i);
	put(&made, 64);
	for (int i = 0; i < 8; i++)
		put(&made, 0x7700u + (unsigned)i);
	put(&made, 40);
	CU_ASSERT_EQUAL(parse(&layout, &made, &record), 0);
	CU_ASSERT_TRUE(record.sample.has_registers);
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		CU_ASSERT_EQUAL(record.sample.registers[order[i]], 0x100 + i);
	CU_ASSERT_EQUAL(record.sample.stack_bytes, 40);
	CU_ASSERT_TRUE(record.sample.stack_ends);
	CU_ASSERT_EQUAL(*(const uint64_t *)(const void *)record.sample.stack, 0x7700);
}

static void test_thread_of_the_kernel(void)
{
	const struct perf_layout layout = { .sample_type = BASE_TYPE | PERF_SAMPLE_REGS_USER |
							   PERF_SAMPLE_STACK_USER,
					    .registers = MACHINE_PERF_REGISTERS };
	struct perf_record record;
	struct made made;

	put_begin_of_sample(&made, PERF_RECORD_MISC_USER, 0x1000);
	put(&made, PERF_SAMPLE_REGS_ABI_NONE);
	put(&made, 0);
	CU_ASSERT_EQUAL(parse(&layout, &made, &record), 0);
	CU_ASSERT_FALSE(record.sample.has_registers);
	CU_ASSERT_PTR_NULL(record.sample.stack);
	CU_ASSERT_EQUAL(record.sample.registers[MACHINE_IP], 0x1000);
}

/* Sizes that lead out of the record: nothing is read there. */
static void test_damage(void)
{
	const struct perf_layout layout = { .sample_type = BASE_TYPE | PERF_SAMPLE_CALLCHAIN |
							   PERF_SAMPLE_STACK_USER };
	struct perf_record record;
	struct made made;

	put_begin_of_sample(&made, PERF_RECORD_MISC_USER, 0x1000);
	put(&made, UINT64_MAX / 2);
	CU_ASSERT_EQUAL(parse(&layout, &made, &record), -1);
	put_begin_of_sample(&made, PERF_RECORD_MISC_USER, 0x1000);
	put(&made, 0);
	put(&made, 1u << 20);
	CU_ASSERT_EQUAL(parse(&layout, &made, &record), -1);
	put_begin_of_sample(&made, PERF_RECORD_MISC_USER, 0x1000);
	put(&made, 0);
	put(&made, 8);
	put(&made, 0);
	put(&made, 9); /* more was copied than there is */
	CU_ASSERT_EQUAL(parse(&layout, &made, &record), -1);
	begin(&made, PERF_RECORD_SAMPLE, 0);
	CU_ASSERT_EQUAL(parse(&layout, &made, &record), -1);
	begin(&made, PERF_RECORD_COMM, 0);
	CU_ASSERT_EQUAL(parse(&layout, &made, &record), -1);
	/* another size than it says */
	CU_ASSERT_EQUAL(perf_parse(&layout, made.words, 64, &record), -1);
}

/* ---- what happened --------------------------------------------------------------------------- */

static void test_mapping(void)
{
	const struct perf_layout layout = { .sample_type = BASE_TYPE };
	struct perf_record record;
	struct made made;

	begin(&made, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	put_pair(&made, PID, TID);
	put(&made, 0x400000);
	put(&made, 0x1000);
	put(&made, 0x2000);
	put_pair(&made, 8, 1);
	put(&made, 77);
	put(&made, 0);
	put_pair(&made, 5, 2);
	put_text(&made, "/usr/bin/app");
	put_trailer(&made);
	CU_ASSERT_EQUAL(parse(&layout, &made, &record), 0);
	CU_ASSERT_EQUAL(record.kind, PERF_KIND_MAPPING);
	CU_ASSERT_EQUAL(record.mapping.pid, PID);
	CU_ASSERT_EQUAL(record.mapping.start, 0x400000);
	CU_ASSERT_EQUAL(record.mapping.end, 0x401000);
	CU_ASSERT_EQUAL(record.mapping.file_offset, 0x2000);
	CU_ASSERT_EQUAL(record.mapping.inode, 77);
	CU_ASSERT_STRING_EQUAL(record.mapping.path, "/usr/bin/app");
	CU_ASSERT_EQUAL(record.ticks, TICKS);
}

static void test_tasks(void)
{
	const struct perf_layout layout = { .sample_type = BASE_TYPE };
	struct perf_record record;
	struct made made;

	begin(&made, PERF_RECORD_FORK, 0);
	put_pair(&made, 200, 1);
	put_pair(&made, 201, 2);
	put(&made, TICKS);
	put_trailer(&made);
	CU_ASSERT_EQUAL(parse(&layout, &made, &record), 0);
	CU_ASSERT_EQUAL(record.kind, PERF_KIND_FORKED);
	CU_ASSERT_EQUAL(record.pid, 200);
	CU_ASSERT_EQUAL(record.parent_pid, 1);
	CU_ASSERT_EQUAL(record.tid, 201);
	CU_ASSERT_EQUAL(record.parent_tid, 2);
	begin(&made, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	put_pair(&made, 200, 200);
	put_text(&made, "app");
	put_trailer(&made);
	CU_ASSERT_EQUAL(parse(&layout, &made, &record), 0);
	CU_ASSERT_EQUAL(record.kind, PERF_KIND_NAMED);
	CU_ASSERT_TRUE(record.is_exec);
	CU_ASSERT_STRING_EQUAL(record.name, "app");
}

static void test_counts(void)
{
	const struct perf_layout layout = { .sample_type = BASE_TYPE };
	struct perf_record record;
	struct made made;

	begin(&made, PERF_RECORD_LOST, 0);
	put(&made, 1);
	put(&made, 42);
	put_trailer(&made);
	CU_ASSERT_EQUAL(parse(&layout, &made, &record), 0);
	CU_ASSERT_EQUAL(record.kind, PERF_KIND_LOST);
	CU_ASSERT_EQUAL(record.n, 42);
	begin(&made, PERF_RECORD_LOST_SAMPLES, 0);
	put(&made, 43);
	put_trailer(&made);
	CU_ASSERT_EQUAL(parse(&layout, &made, &record), 0);
	CU_ASSERT_EQUAL(record.n, 43);
	begin(&made, 9999, 0);
	put_trailer(&made);
	CU_ASSERT_EQUAL(parse(&layout, &made, &record), 0);
	CU_ASSERT_EQUAL(record.kind, PERF_KIND_OTHER);
}

/* ---- choices --------------------------------------------------------------------------------- */

static void check_interval(const char *text, uint64_t expected, enum cinstr_sampling_unit unit)
{
	enum cinstr_sampling_unit got = 0;
	uint64_t interval = 0;

	CU_ASSERT_EQUAL(plan_interval(text, &interval, &got), 0);
	CU_ASSERT_EQUAL(interval, expected);
	CU_ASSERT_EQUAL(got, unit);
}

static void test_interval(void)
{
	static const char *const wrong[] = { "",      "0",    "ms",  "1h",  "-1ms",
					     "1 ms",  "1ms2", "0.1", "1e3", "99999999999999999999",
					     "0.2ns", "nan",  "." };
	enum cinstr_sampling_unit unit;
	uint64_t interval;

	check_interval("1ms", 1000000, CINSTR_SAMPLING_NS);
	check_interval("250us", 250000, CINSTR_SAMPLING_NS);
	check_interval("0.5ms", 500000, CINSTR_SAMPLING_NS);
	check_interval("2s", 2000000000, CINSTR_SAMPLING_NS);
	check_interval("10000", 10000, CINSTR_SAMPLING_EVENTS);
	check_interval("10M", 10000000, CINSTR_SAMPLING_EVENTS);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CU_ASSERT_EQUAL(plan_interval(wrong[i], &interval, &unit), -1);
}

static void test_pids(void)
{
	static const char *const wrong[] = { "", "0", "1,", ",1", "1,,2", "x", "1x", "-1", "99999999999" };
	pid_t *pids;
	size_t n;

	CU_ASSERT_EQUAL(plan_pids("12,3", &pids, &n), 0);
	CU_ASSERT_EQUAL_FATAL(n, 2);
	CU_ASSERT_EQUAL(pids[0], 12);
	CU_ASSERT_EQUAL(pids[1], 3);
	free(pids);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CU_ASSERT_EQUAL(plan_pids(wrong[i], &pids, &n), -1);
}

static void test_events(void)
{
	struct perf_event event;

	CU_ASSERT_EQUAL(perf_event_find("cpu-clock", &event), 0);
	CU_ASSERT_EQUAL(event.unit, CINSTR_SAMPLING_NS);
	CU_ASSERT_EQUAL(event.interval, 1000000);
	CU_ASSERT_EQUAL(perf_event_find("cycles", &event), 0);
	CU_ASSERT_EQUAL(event.interval, 10000000);
	CU_ASSERT_EQUAL(event.unit, CINSTR_SAMPLING_CYCLES);
	CU_ASSERT_EQUAL(perf_event_find("r1A8", &event), 0);
	CU_ASSERT_EQUAL(event.type, PERF_TYPE_RAW);
	CU_ASSERT_EQUAL(event.config, 0x1a8);
	CU_ASSERT_EQUAL(perf_event_find("software/config=2/", &event), 0);
	CU_ASSERT_EQUAL(event.type, PERF_TYPE_SOFTWARE);
	CU_ASSERT_EQUAL(event.config, 2);
	CU_ASSERT_EQUAL(perf_event_find("r", &event), -1);
	CU_ASSERT_EQUAL(perf_event_find("nonsense", &event), -1);
	CU_ASSERT_EQUAL(perf_event_find("../x/config=1/", &event), -1);
	CU_ASSERT_EQUAL(perf_event_find("software/no_such_term=1/", &event), -1);
	CU_ASSERT_STRING_EQUAL(perf_event_closest("page-fault"), "page-faults");
}

/* Samples are judged by when they were taken, however late. */
static void test_switches(void)
{
	struct on_off_log switches = { .is_off = 0 };

	on_off_log_begin(&switches, 0);
	CU_ASSERT_EQUAL(on_off_log_add(&switches, 100, 1), 1);
	CU_ASSERT_EQUAL(on_off_log_add(&switches, 150, 1), 0);
	CU_ASSERT_EQUAL(on_off_log_add(&switches, 200, 0), 1);
	CU_ASSERT_FALSE(on_off_log_at(&switches, 99));
	CU_ASSERT_TRUE(on_off_log_at(&switches, 100));
	CU_ASSERT_TRUE(on_off_log_at(&switches, 199));
	CU_ASSERT_FALSE(on_off_log_at(&switches, 200));
	for (uint64_t i = 0; i < 1000; i++) {
		on_off_log_add(&switches, 1000 + 2 * i, 1);
		on_off_log_add(&switches, 1001 + 2 * i, 0);
		CU_ASSERT_TRUE(on_off_log_at(&switches, 1000 + 2 * i));
		CU_ASSERT_FALSE(on_off_log_at(&switches, 1001 + 2 * i));
	}
	CU_ASSERT_TRUE(switches.size < 100); /* what was asked for is forgotten */
	on_off_log_release(&switches);
}

CU_TestInfo perf_tests[] = {
	{ "a chain is the instruction and return addresses", test_chain },
	{ "a sample in the kernel has the user's part of the chain", test_kernel },
	{ "a chain may have nothing of the user's", test_chain_of_nothing },
	{ "a guest's code is not the process's", test_foreign },
	{ "registers by their DWARF numbers, and what was copied of the stack", test_registers_and_stack },
	{ "a sample without registers has its instruction", test_thread_of_the_kernel },
	{ "sizes that lead out of a record are refused", test_damage },
	{ "mappings", test_mapping },
	{ "forks and names", test_tasks },
	{ "lost samples, and records of no interest", test_counts },
	{ "intervals of time and of events", test_interval },
	{ "lists of processes", test_pids },
	{ "names of events", test_events },
	{ "off and on by moments", test_switches },
	CU_TEST_INFO_NULL,
};
