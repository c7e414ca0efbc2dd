/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Executed instructions of a made program (maker_executed.h), whole and damaged. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "executed/executed.h"
#include "maker/maker_executed.h"
#include "merge/union.h"
#include "tests.h"

#define NOTE_HEAD (sizeof(Elf64_Nhdr) + 8)

static const struct maker_executed counted = { .counts = { { 10, 1000, 5, 2, 3, 0 },
							   { 1, 50, 0, 4, 0, 0 } } };
static struct executed executed;

/* Adds a data file made so. */
static void add_made(const char *program, const struct maker_executed *how)
{
	struct maker maker;
	struct data data;

	maker_executed_init(&maker, program, how);
	CU_ASSERT_EQUAL(data_open(&data, maker_write(&maker)), 0);
	CU_ASSERT(how->change_notes || !data.n_problems);
	executed_add(&executed, &data);
	data_release(&data);
	maker_release(&maker);
}

/* Reads a data file made so; `changed`: the program's file is another one. */
static void read_made(const struct maker_executed *how, int changed, int by_thread)
{
	char program[] = "/tmp/cinstr-executed-XXXXXX";
	FILE *file;

	close(mkstemp(program));
	CU_ASSERT_EQUAL(maker_executed_program(program), 0);
	if (changed) {
		file = fopen(program, "r+");
		fseek(file, 0x142, SEEK_SET); /* in the first counter */
		fputc(0xcc, file);
		fclose(file);
	}
	executed_init(&executed, names_new());
	executed.by_thread = by_thread;
	add_made(program, how);
	executed_finish(&executed);
	unlink(program);
}

static void end(void)
{
	names_drop(executed.names);
	executed_release(&executed);
}

static const struct executed_function *function_of(const char *name)
{
	for (size_t i = 0; i < executed.n_functions; i++)
		if (!strcmp(executed.names->list[executed.functions[i].entity].name, name))
			return &executed.functions[i];
	return NULL;
}

static void expect(const char *name, enum executed_verdict verdict, uint64_t instructions, uint64_t calls)
{
	const struct executed_function *f = function_of(name);

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	CU_ASSERT_EQUAL(f->verdict, verdict);
	CU_ASSERT_EQUAL(f->instructions, instructions);
	CU_ASSERT_EQUAL(f->calls, calls);
}

/* 10 + 1 calls of `loop`: 2 instructions, 3 for each of 1050 passes, 1; 11 of `branch`: 2 and 2, 4
 * of them 5 times, 1 of them 6 times. */
static void all_counts(void)
{
	read_made(&counted, 0, 0);
	CU_ASSERT_EQUAL(executed.n_functions, 3);
	expect("loop", EXECUTED_KNOWN, 11 * 2 + 1050 * 3 + 11, 11);
	expect("branch", EXECUTED_KNOWN, 11 * 4 + 5 * 4 + 6, 11);
	expect("jumping", EXECUTED_KNOWN, 9, 3);
	CU_ASSERT(function_of("jumping")->is_estimate);
	CU_ASSERT(!function_of("loop")->is_estimate && !function_of("branch")->is_estimate);
	CU_ASSERT_EQUAL(function_of("branch")->counts[0], 11);
	CU_ASSERT_EQUAL(function_of("branch")->counts[2], 6);
	end();
}

static void by_thread(void)
{
	read_made(&counted, 0, 1);
	CU_ASSERT_EQUAL_FATAL(executed.n_threads, 2);
	CU_ASSERT_EQUAL(executed.threads[0].instructions, 10 * 3 + 1000 * 3 + 7 * 4 + 5 * 4 + 2 + 9);
	CU_ASSERT_EQUAL(executed.threads[1].instructions, 3 + 50 * 3 + 4 * 4 + 4);
	CU_ASSERT_STRING_EQUAL(executed.threads[1].name, "worker");
	end();
}

/* More modules than a segment's list has room for, and one that is there twice. */
static void lists_of_modules(void)
{
	struct maker_executed how = counted;

	how.is_twice = 1;
	read_made(&how, 0, 0);
	CU_ASSERT_EQUAL(executed.n_lost, 1);
	expect("loop", EXECUTED_KNOWN, 11 * 2 + 1050 * 3 + 11, 11);
	end();
}

static void code_that_is_not_known(void)
{
	struct maker_executed how = counted;

	how.counts[1][MADE_U] = 1;
	read_made(&how, 0, 0);
	expect("strange", EXECUTED_CODE, 0, 1);
	expect("branch", EXECUTED_KNOWN, 11 * 4 + 5 * 4 + 6, 11);
	end();
	read_made(&counted, 1, 0);
	expect("loop", EXECUTED_FILE, 0, 11);
	end();
}

static void too_many(void)
{
	struct maker_executed how = counted;

	how.counts[0][MADE_B] = UINT64_MAX / 2 - 1000;
	read_made(&how, 0, 0);
	expect("loop", EXECUTED_TOO_MANY, 0, 11);
	end();
	how.counts[0][MADE_Q] = UINT64_MAX; /* as if less than nothing */
	read_made(&how, 0, 0);
	expect("branch", EXECUTED_STOPPED, 0, 0);
	end();
}

static struct cinstr_abi_segment *segment_in(char *notes, unsigned function, unsigned segment)
{
	static const unsigned n[] = { 3, 4, 1, 1 };
	size_t at = 0;

	for (unsigned i = 0; i < function; i++)
		at += NOTE_HEAD + sizeof(struct cinstr_abi_segments) +
		      n[i] * sizeof(struct cinstr_abi_segment);
	at += NOTE_HEAD + sizeof(struct cinstr_abi_segments) + segment * sizeof(struct cinstr_abi_segment);
	return (void *)(notes + at);
}

/* Two of its segments claim the same code. */
static void make_overlap(char *notes, size_t n)
{
	(void)n;
	segment_in(notes, 1, 1)->start -= 2;
}

static void make_counter_outside(char *notes, size_t n)
{
	(void)n;
	segment_in(notes, 1, 1)->counter += 8;
}

static void make_loops_counter_inside(char *notes, size_t n)
{
	(void)n;
	segment_in(notes, 0, 1)->counter += 2;
}

static void make_loops_counter_behind(char *notes, size_t n)
{
	(void)n;
	segment_in(notes, 0, 1)->counter += 20;
}

static void make_backward(char *notes, size_t n)
{
	(void)n;
	segment_in(notes, 1, 3)->end -= 100;
}

/* One more that is not counted, between the same nodes. */
static void make_unsolvable(char *notes, size_t n)
{
	(void)n;
	segment_in(notes, 1, 3)->from = segment_in(notes, 1, 3)->to = segment_in(notes, 1, 0)->from;
}

static void make_cut_off(char *notes, size_t n)
{
	struct cinstr_abi_segments *head = (void *)(notes + NOTE_HEAD);

	(void)n;
	head->n_segments = 4;
}

static void damaged_tables(void)
{
	static void (*const changes[])(char *, size_t) = { make_overlap, make_counter_outside,
							   make_backward };
	static void (*const of_loops[])(char *, size_t) = { make_loops_counter_inside,
							    make_loops_counter_behind };
	struct maker_executed how = counted;

	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		how.change_notes = changes[i];
		read_made(&how, 0, 0);
		expect("branch", EXECUTED_TABLE, 0, 0);
		expect("jumping", EXECUTED_KNOWN, 9, 3);
		end();
	}
	for (size_t i = 0; i < ARRAY_SIZE(of_loops); i++) {
		how.change_notes = of_loops[i];
		read_made(&how, 0, 0);
		expect("loop", EXECUTED_TABLE, 0, 0);
		expect("jumping", EXECUTED_KNOWN, 9, 3);
		end();
	}
	how.change_notes = make_unsolvable;
	read_made(&how, 0, 0);
	expect("branch", EXECUTED_UNSOLVED, 0, 0);
	end();
	how.change_notes = make_cut_off;
	read_made(&how, 0, 0);
	CU_ASSERT_EQUAL(executed.images[0].verdict, EXECUTED_TABLE);
	CU_ASSERT_EQUAL(executed.n_functions, 0);
	end();
}

static void counters_that_do_not_fit(void)
{
	struct maker_executed more = counted, shorter = counted;

	more.more_counters = 1;
	read_made(&more, 0, 0);
	CU_ASSERT_EQUAL(executed.images[0].verdict, EXECUTED_COUNTERS);
	CU_ASSERT_EQUAL(executed.n_functions, 0);
	end();
	shorter.has_short_counts = 1;
	read_made(&shorter, 0, 0);
	CU_ASSERT_EQUAL(executed.images[0].verdict, EXECUTED_COUNTERS);
	CU_ASSERT_EQUAL(executed.n_functions, 0);
	end();
}

/* Neither in a process whose program counted too much to be added up before. */
static void counters_that_do_not_fit_behind_too_many(void)
{
	char program[] = "/tmp/cinstr-executed-XXXXXX";
	struct maker_executed many = counted, more = counted;

	close(mkstemp(program));
	CU_ASSERT_EQUAL(maker_executed_program(program), 0);
	executed_init(&executed, names_new());
	many.counts[0][MADE_B] = UINT64_MAX;
	add_made(program, &many);
	CU_ASSERT_EQUAL(executed.images[0].verdict, EXECUTED_TOO_MANY);
	more.more_counters = 400;
	add_made(program, &more);
	CU_ASSERT_EQUAL(executed.images[0].verdict, EXECUTED_COUNTERS);
	unlink(program);
	end();
}

/* ---- merged ---------------------------------------------------------------------------------- */

/* Merges data files that are made so, merges the result once more, and reads that. */
static void read_merged(const struct maker_executed *list, size_t n)
{
	char program[] = "/tmp/cinstr-executed-XXXXXX", path[32];
	struct union_tree u;
	struct maker maker;
	struct data data;
	FILE *file = tmpfile(), *again = tmpfile();

	close(mkstemp(program));
	CU_ASSERT_EQUAL(maker_executed_program(program), 0);
	union_init(&u);
	for (size_t i = 0; i < n; i++) {
		maker_executed_init(&maker, program, &list[i]);
		CU_ASSERT_EQUAL(data_open(&data, maker_write(&maker)), 0);
		CU_ASSERT_PTR_NULL(union_add_data(&u, &data));
		data_release(&data);
		maker_release(&maker);
	}
	CU_ASSERT_EQUAL(union_write(&u, file), 0);
	union_release(&u);
	fflush(file);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(file));
	union_init(&u);
	CU_ASSERT_EQUAL(data_open(&data, path), 0);
	CU_ASSERT_PTR_NULL(union_add_data(&u, &data));
	data_release(&data);
	CU_ASSERT_EQUAL(union_write(&u, again), 0);
	union_release(&u);
	fflush(again);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(again));
	executed_init(&executed, names_new());
	CU_ASSERT_EQUAL(data_open(&data, path), 0);
	CU_ASSERT(!data.n_problems && data.merged);
	executed_add(&executed, &data);
	executed_finish(&executed);
	data_release(&data);
	fclose(file);
	fclose(again);
	unlink(program);
}

static void merged(void)
{
	struct maker_executed list[] = { counted, counted };

	list[1].counts[1][MADE_B] = 7;
	read_merged(list, 2);
	CU_ASSERT_EQUAL(executed_n_images(&executed), 1);
	CU_ASSERT_EQUAL(executed.n_functions, 3);
	expect("loop", EXECUTED_KNOWN, 22 * 2 + 2057 * 3 + 22, 22);
	expect("branch", EXECUTED_KNOWN, 22 * 4 + 10 * 4 + 12, 22);
	CU_ASSERT(!function_of("loop")->is_estimate && !function_of("branch")->is_estimate);
	CU_ASSERT_EQUAL(executed.n_lost, 0);
	end();
}

static void merged_with_shared_counts(void)
{
	struct maker_executed list[] = { counted, counted };

	list[1].is_shared = 1;
	memset(list[1].counts, 0, sizeof(list[1].counts));
	list[1].counts[1][MADE_A] = 4;
	read_merged(list, 2);
	expect("loop", EXECUTED_KNOWN, 15 * 2 + 1050 * 3 + 15, 15);
	CU_ASSERT(function_of("loop")->is_estimate && !function_of("branch")->is_estimate);
	end();
}

/* What one of them does not tell is not known of the sum. */
static void merged_that_do_not_fit(void)
{
	struct maker_executed list[] = { counted, counted, counted };

	list[1].more_counters = 1;
	read_merged(list, 3);
	CU_ASSERT_EQUAL(executed.images[0].verdict, EXECUTED_COUNTERS);
	CU_ASSERT_EQUAL(executed.n_functions, 0);
	end();
	list[1] = counted;
	list[1].has_short_counts = 1;
	read_merged(list, 3);
	CU_ASSERT_EQUAL(executed.images[0].verdict, EXECUTED_COUNTERS);
	end();
	list[1] = counted;
	list[1].counts[0][MADE_B] = UINT64_MAX;
	read_merged(list, 3);
	CU_ASSERT_EQUAL(executed.images[0].verdict, EXECUTED_COUNTERS);
	end();
	list[1] = counted;
	list[1].is_lost = 1;
	read_merged(list, 3);
	CU_ASSERT_EQUAL(executed.n_lost, 1);
	list[2].is_lost = 1;
	end();
	read_merged(list, 3);
	CU_ASSERT_EQUAL(executed.n_lost, 2);
	end();
	list[2].is_lost = 0;
	read_merged(list, 3);
	expect("branch", EXECUTED_KNOWN, 22 * 4 + 10 * 4 + 12, 22);
	end();
}

static void damage_notes(char *notes, size_t n)
{
	for (unsigned i = 0; i < 3; i++)
		notes[(size_t)(random_uniform() * (double)n)] ^=
			(char)(1u << (unsigned)(random_uniform() * 8));
}

/* Whatever the notes say: it ends, and what is told is known or has its reason. */
static void random_damage(void)
{
	struct maker_executed how = counted;
	unsigned n_known = 0, n_unknown = 0;

	random_seed = 23;
	how.change_notes = damage_notes;
	for (unsigned i = 0; i < 300; i++) {
		read_made(&how, 0, i & 1);
		for (size_t k = 0; k < executed.n_functions; k++) {
			const struct executed_function *f = &executed.functions[k];

			n_known += f->verdict == EXECUTED_KNOWN;
			n_unknown += f->verdict != EXECUTED_KNOWN;
			CU_ASSERT(f->verdict == EXECUTED_KNOWN || !f->instructions);
			CU_ASSERT(f->verdict == EXECUTED_KNOWN || executed_reasons[f->verdict]);
		}
		end();
	}
	CU_ASSERT(n_known > 50 && n_unknown > 50);
}

CU_TestInfo executed_tests[] = { { "all counts follow from those that were counted", all_counts },
				 { "by thread", by_thread },
				 { "lists of modules", lists_of_modules },
				 { "code that is not known", code_that_is_not_known },
				 { "counts that cannot be", too_many },
				 { "damaged tables", damaged_tables },
				 { "counters that do not fit", counters_that_do_not_fit },
				 { "counters that do not fit behind too many",
				   counters_that_do_not_fit_behind_too_many },
				 { "merged: sums", merged },
				 { "merged: with counts that threads shared", merged_with_shared_counts },
				 { "merged: what does not fit, and what is lost", merged_that_do_not_fit },
				 { "random damage", random_damage },
				 CU_TEST_INFO_NULL };
