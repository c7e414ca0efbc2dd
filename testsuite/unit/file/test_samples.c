/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sampled processes: S3 and S4 at every level, inlined functions, ranges of time, damaged files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cinstr/merged.h"
#include "file/phases.h"
#include "maker/maker_samples.h"
#include "mixed/mixed_join.h"
#include "output/output.h"
#include "rows/caller_rows.h"
#include "selection/time_range.h"
#include "session/session.h"
#include "tests.h"

#define APP MAKER_SAMPLED_APP
#define LIBC MAKER_SAMPLED_LIBC
#define MS 1000000ull

static void expect(const struct profile *p, const char *name, long double inclusive, long double exclusive)
{
	const struct row *row = row_named(p, name);

	CU_ASSERT_EQUAL(row->calls, 0);
	CU_ASSERT(row->sums.elapsed_inclusive == inclusive);
	CU_ASSERT(row->sums.elapsed_exclusive == exclusive);
	if (row->sums.elapsed_inclusive != inclusive || row->sums.elapsed_exclusive != exclusive)
		printf("%s: %Lg %Lg, not %Lg %Lg\n", name, row->sums.elapsed_inclusive,
		       row->sums.elapsed_exclusive, inclusive, exclusive);
}

static long double all_exclusive(const struct profile *p)
{
	long double all = 0;

	for (size_t i = 0; i < p->n_rows; i++)
		all += p->rows[i].sums.elapsed_exclusive;
	return all;
}

static void end(struct profile *p, struct maker *m)
{
	profile_release(p);
	maker_release(m);
}

/* main -> work 3, main -> work -> puts 2, main -> rec -> rec -> rec 4 */
static void make_plain(struct maker *m)
{
	uint32_t task, call, at;

	maker_sampled_init(m);
	task = maker_task(m, 4242, "app");
	call = maker_stack(m, 0, APP, 0x1014);
	maker_samples(m, task, maker_stack(m, call, APP, 0x1110), 0, 3);
	at = maker_stack(m, call, APP, 0x1128);
	maker_samples(m, task, maker_stack(m, at, LIBC, 0x5010), 10, 2);
	at = maker_stack(m, 0, APP, 0x1024);
	at = maker_stack(m, at, APP, 0x1210);
	at = maker_stack(m, at, APP, 0x1210);
	maker_samples(m, task, maker_stack(m, at, APP, 0x1220), 20, 4);
}

static void profile_plain(struct profile *p, struct maker *m, enum profile_by by)
{
	make_plain(m);
	profile_of(p, m, by, &default_counting);
}

/* S3: exclusive for what executes, inclusive once for what is on the stack. S4: of all samples. */
static void by_function(void)
{
	struct profile p;
	struct maker m;

	profile_plain(&p, &m, BY_FUNCTION);
	expect(&p, "main", 9, 0);
	expect(&p, "work", 5, 3);
	expect(&p, "puts", 2, 2);
	expect(&p, "rec", 4, 4);
	CU_ASSERT(p.totals.elapsed == 9);
	CU_ASSERT(all_exclusive(&p) == 9);
	CU_ASSERT_STRING_EQUAL(row_named(&p, "work")->file, "/src/a.c");
	CU_ASSERT_EQUAL(row_named(&p, "work")->line, 20);
	end(&p, &m);
}

static void by_module(void)
{
	struct profile p;
	struct maker m;

	profile_plain(&p, &m, BY_MODULE);
	expect(&p, "app", 9, 7);
	expect(&p, "libc.so", 2, 2);
	end(&p, &m);
}

static void by_thread_and_process(void)
{
	struct profile p;
	struct maker m;

	make_plain(&m);
	maker_samples(&m, maker_task(&m, 4243, "worker"), maker_stack(&m, 0, APP, 0x1220), 500, 6);
	profile_of(&p, &m, BY_THREAD, &default_counting);
	expect(&p, "app", 9, 9);
	expect(&p, "worker", 6, 6);
	CU_ASSERT_EQUAL(row_named(&p, "worker")->tid, 4243);
	profile_release(&p);
	profile_of(&p, &m, BY_PROCESS, &default_counting);
	expect(&p, "app", 15, 15);
	end(&p, &m);
}

static void by_line(void)
{
	struct profile p;
	struct maker m;

	profile_plain(&p, &m, BY_LINE);
	expect(&p, "a.c:12", 5, 0);
	expect(&p, "a.c:21", 3, 3);
	expect(&p, "a.c:23", 2, 0);
	expect(&p, "a.c:13", 4, 0);
	expect(&p, "a.c:31", 4, 0); /* twice on the stack, once counted */
	expect(&p, "a.c:32", 4, 4);
	expect(&p, "puts", 2, 2); /* no line is known */
	CU_ASSERT(all_exclusive(&p) == 9);
	/* nothing was executed where it is defined */
	CU_ASSERT_PTR_NULL(row_named(&p, "a.c:20")->name);
	end(&p, &m);
}

static void by_address(void)
{
	struct profile p;
	struct maker m;

	profile_plain(&p, &m, BY_ADDRESS);
	expect(&p, "work+0x10", 3, 3);
	expect(&p, "work+0x28", 2, 0);
	expect(&p, "rec+0x10", 4, 0);
	expect(&p, "rec+0x20", 4, 4);
	expect(&p, "main+0x14", 5, 0);
	CU_ASSERT_STRING_EQUAL(row_named(&p, "work+0x28")->callee, "puts");
	CU_ASSERT_STRING_EQUAL(row_named(&p, "work+0x28")->address, "0x1128");
	CU_ASSERT_EQUAL(row_named(&p, "work+0x28")->line, 23);
	CU_ASSERT(all_exclusive(&p) == 9);
	end(&p, &m);
}

static const struct row *site(const struct profile *p, const char *caller, uint32_t line, const char *callee)
{
	static const struct row none = { .calls = UINT64_MAX };

	for (size_t i = 0; i < p->n_rows; i++)
		if (p->rows[i].name && !strcmp(p->rows[i].name, caller) && p->rows[i].line == line &&
		    !strcmp(p->rows[i].callee, callee))
			return &p->rows[i];
	return &none;
}

static void by_site(void)
{
	struct profile p;
	struct maker m;

	profile_plain(&p, &m, BY_SITE);
	CU_ASSERT(site(&p, "main", 12, "work")->sums.elapsed_inclusive == 5);
	CU_ASSERT(site(&p, "main", 12, "work")->sums.elapsed_exclusive == 3);
	CU_ASSERT(site(&p, "work", 23, "puts")->sums.elapsed_inclusive == 2);
	CU_ASSERT(site(&p, "rec", 31, "rec")->sums.elapsed_inclusive == 4);
	CU_ASSERT(site(&p, "main", 13, "rec")->sums.elapsed_inclusive == 4);
	CU_ASSERT(site(&p, "main", 13, "rec")->sums.elapsed_exclusive == 0);
	end(&p, &m);
}

static const struct row *relative(const struct profile *p, enum relation relation, const char *name)
{
	static const struct row none = { .calls = UINT64_MAX };

	for (size_t i = 0; i < p->n_rows; i++)
		if (p->rows[i].relation == relation && !strcmp(p->rows[i].name, name))
			return &p->rows[i];
	return &none;
}

static void callers(void)
{
	struct caller_rows_wish work = { "work", "test", 1 }, rec = { "rec", "test", 1 };
	struct profile p;
	struct maker m;

	profile_plain(&p, &m, BY_CALLERS);
	CU_ASSERT_EQUAL(caller_rows_select(&p, &work), 1);
	CU_ASSERT(relative(&p, RELATION_CALLER, "main")->sums.elapsed_inclusive == 5);
	CU_ASSERT(relative(&p, RELATION_CALLEE, "puts")->sums.elapsed_inclusive == 2);
	end(&p, &m);
	profile_plain(&p, &m, BY_CALLERS);
	CU_ASSERT_EQUAL(caller_rows_select(&p, &rec), 1);
	CU_ASSERT(relative(&p, RELATION_CALLER, "main")->sums.elapsed_inclusive == 4);
	CU_ASSERT(relative(&p, RELATION_CALLER, "rec")->sums.elapsed_inclusive == 4);
	CU_ASSERT(relative(&p, RELATION_CALLER, "rec")->is_recursive);
	end(&p, &m);
}

static const struct row *path_row(const struct profile *p, const char *name, uint32_t depth)
{
	static const struct row none = { .calls = UINT64_MAX };

	for (size_t i = 0; i < p->n_rows; i++)
		if (p->rows[i].depth == depth && p->rows[i].name && !strcmp(p->rows[i].name, name))
			return &p->rows[i];
	return &none;
}

static void call_paths(void)
{
	struct profile p;
	struct maker m;

	profile_plain(&p, &m, BY_PATH);
	CU_ASSERT(path_row(&p, "main", 1)->sums.elapsed_inclusive == 9);
	CU_ASSERT(path_row(&p, "work", 2)->sums.elapsed_exclusive == 3);
	CU_ASSERT(path_row(&p, "puts", 3)->sums.elapsed_inclusive == 2);
	CU_ASSERT(path_row(&p, "rec", 2)->sums.elapsed_inclusive == 4);
	CU_ASSERT(path_row(&p, "rec", 3)->sums.elapsed_inclusive == 4);
	CU_ASSERT(path_row(&p, "rec", 4)->sums.elapsed_exclusive == 4);
	end(&p, &m);
}

/* ---- inlined functions ----------------------------------------------------------------------- */

/* main -> work, in which helper is inlined: 5 there, 2 in puts that it calls */
static void make_inlined(struct maker *m)
{
	uint32_t task, call, at;

	maker_sampled_init(m);
	task = maker_task(m, 4242, "app");
	call = maker_stack(m, 0, APP, 0x1014);
	maker_samples(m, task, maker_stack(m, call, APP, 0x1132), 0, 5);
	at = maker_stack(m, call, APP, 0x1136);
	maker_samples(m, task, maker_stack(m, at, LIBC, 0x5010), 10, 2);
}

static void inlined(void)
{
	struct profile p;
	struct maker m;

	make_inlined(&m);
	profile_of(&p, &m, BY_FUNCTION, &default_counting);
	expect(&p, "helper", 7, 5);
	expect(&p, "work", 7, 0);
	profile_release(&p);
	profile_of(&p, &m, BY_LINE, &default_counting);
	expect(&p, "b.c:6", 5, 5);
	expect(&p, "b.c:7", 2, 0);
	expect(&p, "a.c:24", 7, 0);
	CU_ASSERT_STRING_EQUAL(row_named(&p, "b.c:6")->inlined_from, "helper at /src/a.c:24");
	profile_release(&p);
	/* an instruction is one, however it got there */
	profile_of(&p, &m, BY_ADDRESS, &default_counting);
	expect(&p, "work+0x32", 5, 5);
	expect(&p, "work+0x36", 2, 0);
	CU_ASSERT_EQUAL(p.n_rows, 4);
	profile_release(&p);
	profile_of(&p, &m, BY_SITE, &default_counting);
	CU_ASSERT(site(&p, "work", 24, "helper")->sums.elapsed_inclusive == 7);
	CU_ASSERT(site(&p, "helper", 7, "puts")->sums.elapsed_inclusive == 2);
	end(&p, &m);
}

static void inlined_not_shown(void)
{
	struct profile p;
	struct maker m;

	samples_show_inlines(0);
	make_inlined(&m);
	profile_of(&p, &m, BY_FUNCTION, &default_counting);
	expect(&p, "work", 7, 5);
	CU_ASSERT_PTR_NULL(row_named(&p, "helper")->name);
	profile_release(&p);
	profile_of(&p, &m, BY_LINE, &default_counting);
	expect(&p, "a.c:24", 7, 5); /* the line of work that helper was inlined at */
	profile_release(&p);
	profile_of(&p, &m, BY_SITE, &default_counting);
	CU_ASSERT(site(&p, "work", 24, "puts")->sums.elapsed_inclusive == 2);
	samples_show_inlines(1);
	end(&p, &m);
}

/* ---- what is no function of a file ----------------------------------------------------------- */

static void special(void)
{
	struct profile p;
	struct maker m;
	uint32_t task, at;

	maker_sampled_init(&m);
	task = maker_task(&m, 4242, "app");
	at = maker_stack(&m, 0, CINSTR_NODE_TRUNCATED, 0);
	maker_samples(&m, task, at, 90, 1); /* no such thing can be executed */
	at = maker_stack(&m, at, APP, 0x1110);
	maker_samples(&m, task, maker_stack(&m, at, CINSTR_NODE_KERNEL, 0), 0, 5);
	maker_samples(&m, task, maker_stack(&m, 0, LIBC, 0x6020), 10, 4);
	maker_samples(&m, task, maker_stack(&m, 0, LIBC, 0x7000), 20, 3);
	maker_samples(&m, task, maker_stack(&m, 0, 0, 0x1234), 30, 2);
	maker_samples(&m, task, 0, 40, 1);
	profile_of(&p, &m, BY_FUNCTION, &default_counting);
	expect(&p, SAMPLES_KERNEL, 5, 5);
	expect(&p, "work", 5, 0);
	expect(&p, "libc.so+0x6000", 4, 4);
	expect(&p, SAMPLES_ANONYMOUS, 2, 2);
	CU_ASSERT_PTR_NULL(row_named(&p, SAMPLES_TRUNCATED)->name); /* is no function */
	CU_ASSERT(all_exclusive(&p) == 16);
	CU_ASSERT_EQUAL(p.totals.samples.guessed, 4);
	CU_ASSERT_EQUAL(p.totals.samples.unknown, 7);
	CU_ASSERT_EQUAL(p.totals.samples.truncated, 5);
	profile_release(&p);
	profile_of(&p, &m, BY_PATH, &default_counting);
	CU_ASSERT(path_row(&p, SAMPLES_TRUNCATED, 1)->sums.elapsed_inclusive == 5);
	profile_release(&p);
	profile_of(&p, &m, BY_MODULE, &default_counting);
	expect(&p, "libc.so", 7, 7);
	end(&p, &m);
}

/* ---- time ------------------------------------------------------------------------------------ */

static long double samples_of(const struct data *data)
{
	long double n = 0;

	for (size_t i = 0; i < data->n_threads; i++)
		for (size_t k = 0; k < data->threads[i].n_nodes; k++)
			n += data->threads[i].nodes[k].cell->ticks;
	return n;
}

static void conserved(const struct data *data)
{
	for (size_t i = 0; i < data->n_threads; i++)
		CU_ASSERT_EQUAL(values_conservation(&data->threads[i]), 0);
}

static void ranges(void)
{
	struct data data;
	struct maker m;

	make_plain(&m);
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&m)), 0);
	conserved(&data);
	CU_ASSERT_EQUAL(range_select(&data, MAKER_BEGIN + MS, MAKER_BEGIN + 11 * MS, 0), 0);
	CU_ASSERT(samples_of(&data) == 3); /* 1 ms, 2 ms and 10 ms: the end is not within */
	CU_ASSERT_EQUAL(data.sampled->kept, 3);
	CU_ASSERT_EQUAL(data.threads[0].elsewhere_ticks, 6);
	conserved(&data);
	CU_ASSERT_EQUAL(range_select(&data, MAKER_BEGIN + 3 * MS, MAKER_BEGIN + 10 * MS, 0), 0);
	CU_ASSERT(samples_of(&data) == 0);
	conserved(&data);
	data_release(&data);
	maker_release(&m);
}

static void marks(void)
{
	struct profile p;
	struct maker m;
	struct data data;

	make_plain(&m);
	maker_mark(&m, 4242, MAKER_BEGIN + 20 * MS, 0, "later");
	maker_mark(&m, 4242, MAKER_BEGIN + 2 * MS, 0, "early");
	maker_mark(&m, 4242, MAKER_BEGIN + 3 * MS, 0, "state")->kind = CINSTR_MARK_STATE;
	profile_of(&p, &m, BY_MARK, &default_counting);
	CU_ASSERT_EQUAL(p.n_rows, 3);
	expect(&p, "(begin of the recording)", 2, 2);
	expect(&p, "early", 3, 3);
	expect(&p, "later", 4, 4);
	profile_release(&p);
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&m)), 0);
	CU_ASSERT_EQUAL(range_select(&data, MAKER_BEGIN + 4 * MS, MAKER_BEGIN + 22 * MS, 1), 0);
	profile_init(&p, BY_MARK, &default_counting);
	profile_add(&p, &data);
	CU_ASSERT_EQUAL(p.n_rows, 2);
	expect(&p, "early", 2, 2);
	expect(&p, "later", 2, 2);
	data_release(&data);
	end(&p, &m);
}

static void out_of_order(void)
{
	struct data data;
	struct maker m;
	uint32_t task, at;

	maker_sampled_init(&m);
	task = maker_task(&m, 1, "app");
	at = maker_stack(&m, 0, APP, 0x1110);
	maker_samples(&m, task, at, 50, 5);
	maker_samples(&m, task, maker_stack(&m, 0, APP, 0x1220), 10, 5);
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&m)), 0);
	CU_ASSERT_EQUAL(range_select(&data, MAKER_BEGIN + 10 * MS, MAKER_BEGIN + 12 * MS, 0), 0);
	CU_ASSERT(samples_of(&data) == 2);
	data_release(&data);
	maker_release(&m);
}

/* ---- companions ------------------------------------------------------------------------------ */

/* Writes it as a file of the folder, and releases it. */
static void write_into(struct maker *m, const char *folder, const char *name)
{
	snprintf(m->path, sizeof(m->path), "%s/%s.cinstr", folder, name);
	maker_write(m);
	free(m->bytes);
}

static void companion(const char *folder, const char *name, uint64_t ms, const char *text)
{
	struct maker m;

	maker_sampled_init(&m);
	maker_header(&m)->clock_ticks[0] = maker_header(&m)->clock_ns[0] = MAKER_BEGIN + ms * MS;
	maker_sampling(&m)->flags = CINSTR_SAMPLING_COMPANION;
	maker_mark(&m, 4242, MAKER_BEGIN + ms * MS, 0, text);
	write_into(&m, folder, name);
}

struct seen {
	size_t n;
	uint64_t marks;
	char texts[64];
};

static void see(void *arg, struct data *data)
{
	struct seen *seen = arg;

	seen->n++;
	for (size_t i = 0; i < data->n_marks; i++) {
		size_t at = strlen(seen->texts);

		snprintf(seen->texts + at, sizeof(seen->texts) - at, "%zu:%s/%u ", seen->n,
			 data->marks[i].text, data->marks[i].phase);
	}
}

/* A process that ran two programs, each with a companion; another process has none of these
 * marks. */
static void companions(void)
{
	char folder[] = "/tmp/cinstr-unit-XXXXXX", command[64];
	struct seen seen = { 0 };
	struct session input;
	struct maker m;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	make_plain(&m);
	maker_mark(&m, 4242, MAKER_BEGIN + 30 * MS, 0, "own");
	write_into(&m, folder, "a");
	make_plain(&m);
	maker_header(&m)->start_realtime_ns += 100;
	maker_header(&m)->clock_ticks[0] = maker_header(&m)->clock_ns[0] = MAKER_BEGIN + 100 * MS;
	write_into(&m, folder, "b");
	make_plain(&m);
	maker_header(&m)->start_realtime_ns += 200;
	maker_header(&m)->pid++;
	write_into(&m, folder, "c");
	companion(folder, "d", 20, "first");
	companion(folder, "e", 120, "second");
	CU_ASSERT_EQUAL_FATAL(session_open(&input, folder), 0);
	CU_ASSERT_EQUAL(input.n_files, 3);
	CU_ASSERT_EQUAL(session_each(&input, see, &seen), 0);
	CU_ASSERT_EQUAL(seen.n, 3);
	CU_ASSERT_STRING_EQUAL(seen.texts, "1:first/1 1:own/2 2:second/1 ");
	session_release(&input);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	CU_ASSERT_EQUAL(system(command), 0);
}

/* ---- totals ---------------------------------------------------------------------------------- */

/* Of an event each of which is sampled, none is shorter than an interval. */
static void events_held_back(void)
{
	struct samples_totals t = { .processes = 1,
				    .with_kernel = 1,
				    .interval = 1,
				    .unit = CINSTR_SAMPLING_EVENTS,
				    .counted_samples = 12,
				    .counted_taken = 9 };
	struct strbuf text = { 0 };

	output_sampling_unseen(&text, &t);
	CU_ASSERT_STRING_EQUAL(text.text, "about 3 samples' worth (25.0 % of the events) were held back by "
					  "the kernel, as they came too fast or at an end");
	t.interval = 2;
	strbuf_clear(&text);
	output_sampling_unseen(&text, &t);
	CU_ASSERT_PTR_NOT_NULL(strstr(text.text, "in pieces shorter than an interval"));
	strbuf_release(&text);
}

static void totals(void)
{
	const struct samples_totals *t;
	struct profile p;
	struct maker m;

	make_plain(&m);
	maker_task_at(&m, 0)->discarded = 5;
	maker_sampling(&m)->lost = 7;
	maker_sampling(&m)->counted = 30000000;
	profile_of(&p, &m, BY_FUNCTION, &default_counting);
	t = &p.totals.samples;
	CU_ASSERT_EQUAL(t->processes, 1);
	CU_ASSERT_EQUAL(t->kept, 9);
	CU_ASSERT_EQUAL(t->chosen, 9);
	CU_ASSERT_EQUAL(t->discarded, 5);
	CU_ASSERT_EQUAL(t->truncated, 0);
	CU_ASSERT_EQUAL(t->lost, 7);
	CU_ASSERT_EQUAL(samples_unseen(t), 30 - 9 - 7);
	CU_ASSERT_STRING_EQUAL(t->event, "cpu-clock");
	CU_ASSERT_EQUAL(p.totals.conservation_ticks_off, 0);
	CU_ASSERT(!totals_has_application(&p.totals));
	end(&p, &m);
}

/* ---- damaged files --------------------------------------------------------------------------- */

/* Opens it; the file has that many problems, and its trees that many samples. */
static void open_damaged(struct maker *m, size_t problems, long double samples)
{
	struct data data;

	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(m)), 0);
	CU_ASSERT_EQUAL(data.n_problems, problems);
	for (size_t i = 0; data.n_problems != problems && i < data.n_problems; i++)
		printf("problem: %s\n", data.problems[i].reason);
	CU_ASSERT(samples_of(&data) == samples);
	conserved(&data);
	data_release(&data);
	maker_release(m);
}

static void damaged_stacks(void)
{
	struct maker m;

	make_plain(&m);
	maker_stack_at(&m, 2)->parent = 2; /* itself */
	open_damaged(&m, 1, 9);
	make_plain(&m);
	maker_stack_at(&m, 2)->parent = 4000000000u;
	open_damaged(&m, 1, 9);
	make_plain(&m);
	maker_stack_at(&m, 2)->module = 3;
	open_damaged(&m, 1, 9);
}

static void damaged_samples(void)
{
	struct maker m;

	make_plain(&m);
	maker_samples(&m, 0, 1000, 100, 1);
	open_damaged(&m, 1, 10);
	make_plain(&m);
	((struct cinstr_sample *)(void *)(m.bytes + m.samples))->task = 1;
	open_damaged(&m, 1, 8);
	make_plain(&m); /* while the collector writes, that is what came later */
	maker_samples(&m, 0, 1000, 100, 1);
	maker_sampling(&m)->flags = 0;
	open_damaged(&m, 0, 9);
}

static struct cinstr_symbols *symbols_at(struct maker *m)
{
	return (struct cinstr_symbols *)(void *)(m->bytes + m->symbols);
}

static void damaged_symbols(void)
{
	struct maker m;

	make_plain(&m);
	symbols_at(&m)->n_addresses = UINT32_MAX;
	open_damaged(&m, 1, 9);
	make_plain(&m);
	symbols_at(&m)->n_frames = UINT32_MAX;
	open_damaged(&m, 1, 9);
	make_plain(&m);
	symbols_at(&m)->strings_bytes = UINT64_MAX;
	open_damaged(&m, 1, 9);
	make_plain(&m);
	symbols_at(&m)->strings_bytes--;
	open_damaged(&m, 1, 9);
	make_plain(&m);
	((struct cinstr_symbol_address *)(void *)(symbols_at(&m) + 1))->address = UINT64_MAX;
	open_damaged(&m, 1, 9);
	make_plain(&m);
	((struct cinstr_symbol_address *)(void *)(symbols_at(&m) + 1))->n_frames = UINT32_MAX;
	open_damaged(&m, 1, 9);
}

/* The stacks of many threads could ask for more nodes than there is memory: so much is not made. */
static void too_many_paths(void)
{
	struct maker m;
	struct data data;
	uint32_t at = 0, task;

	maker_sampled_init(&m);
	maker_room(&m, &m.stacks, CINSTR_SEG_STACKS, 30);
	maker_room(&m, &m.tasks, CINSTR_SEG_TASKS, 60);
	maker_room(&m, &m.samples, CINSTR_SEG_SAMPLES, 60);
	for (int i = 0; i < 6000; i++)
		at = maker_stack(&m, at, APP, 0x1210);
	for (uint32_t i = 0; i < 2000; i++) {
		task = maker_task(&m, i + 1, "t");
		maker_samples(&m, task, 4000, i, 1);
	}
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&m)), 0);
	CU_ASSERT_EQUAL(data.n_problems, 2);
	CU_ASSERT(samples_of(&data) == 2000);
	conserved(&data);
	data_release(&data);
	maker_release(&m);
}

static void without_symbols(void)
{
	struct profile p;
	struct maker m;

	make_plain(&m);
	maker_no_symbols(&m);
	profile_of(&p, &m, BY_MODULE, &default_counting);
	expect(&p, "app", 9, 7);
	expect(&p, "libc.so", 2, 2);
	CU_ASSERT_EQUAL(p.totals.samples.incomplete, 1);
	end(&p, &m);
}

/* What merged files, and processes that sample themselves, have says nothing of a sampled one. */
static void foreign_segments(void)
{
	struct cinstr_merged *merged;
	struct cinstr_self_sample *self;
	struct data data;
	struct maker m;

	make_plain(&m);
	merged = (void *)(m.bytes + maker_segment(&m, CINSTR_SEG_MERGED, 0, 1));
	*merged = (struct cinstr_merged){ .version = CINSTR_MERGED_VERSION, .n_nodes = 1 };
	self = (void *)(m.bytes + maker_segment(&m, CINSTR_SEG_SELF_SAMPLES, 0, 1));
	*self = (struct cinstr_self_sample){ MAKER_BEGIN, 0x1110, 0 };
	CU_ASSERT_EQUAL_FATAL(data_open(&data, maker_write(&m)), 0);
	mixed_join_own(&data);
	CU_ASSERT_EQUAL(data.n_problems, 0);
	CU_ASSERT_PTR_NULL(data.merged);
	CU_ASSERT_PTR_NULL(data.mixed);
	conserved(&data);
	data_release(&data);
	maker_release(&m);
}

CU_TestInfo samples_tests[] = {
	{ "by function: the leaf exclusive, all others once", by_function },
	{ "by module", by_module },
	{ "by thread and process", by_thread_and_process },
	{ "by line", by_line },
	{ "by instruction", by_address },
	{ "by call site", by_site },
	{ "callers and callees", callers },
	{ "call paths", call_paths },
	{ "inlined functions have frames", inlined },
	{ "inlined functions as parts of others", inlined_not_shown },
	{ "kernel, truncated stacks, code without names", special },
	{ "a range of time, to the sample", ranges },
	{ "marks begin phases", marks },
	{ "samples out of order", out_of_order },
	{ "what processes told of themselves", companions },
	{ "totals", totals },
	{ "events held back", events_held_back },
	{ "damaged stacks", damaged_stacks },
	{ "damaged samples", damaged_samples },
	{ "damaged symbols", damaged_symbols },
	{ "stacks that ask for more than there is", too_many_paths },
	{ "the collector was killed: no symbols", without_symbols },
	{ "segments that are of other kinds of files", foreign_segments },
	CU_TEST_INFO_NULL,
};
