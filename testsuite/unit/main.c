/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * main.c - runs the unit tests of the command; arguments run the suites whose name contains one of
 * them. --cuts FILE SEED N cuts a recorded run (cuts.h). --make FILE [HOST], --make-lines FILE,
 * --make-timeline FILE, --make-executed FOLDER [MORE], --make-mixed FOLDER, --make-random FILE
 * NUMBER, --make-counted FILE NUMBER, --make-random-mixed FOLDER NUMBER write data files with known
 * content instead, for the tests of the command line; --findings prints findings on random
 * sessions, --rows [FILE...] rows of random processes, or of these, --tables, --sleds and --budget
 * what the runtime makes of random modules and events.
 */
#include <CUnit/Basic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "maker/cuts.h"
#include "maker/maker_executed.h"
#include "maker/maker_samples.h"
#include "maker/tape.h"
#include "mixed/pair.h"
#include "tests.h"

static CU_SuiteInfo suites[] = {
	{ "util", NULL, NULL, NULL, NULL, util_tests },
	{ "scale", NULL, NULL, NULL, NULL, scale_tests },
	{ "varint", NULL, NULL, NULL, NULL, varint_tests },
	{ "decimal", NULL, NULL, NULL, NULL, decimal_tests },
	{ "options", NULL, NULL, NULL, NULL, options_tests },
	{ "wrapper", NULL, NULL, NULL, NULL, wrapper_tests },
	{ "data", NULL, NULL, NULL, NULL, data_tests },
	{ "open time", NULL, NULL, NULL, NULL, open_time_tests },
	{ "waits", NULL, NULL, NULL, NULL, waits_tests },
	{ "damage", NULL, NULL, NULL, NULL, damage_tests },
	{ "fold", NULL, NULL, NULL, NULL, fold_tests },
	{ "fold: switched", NULL, NULL, NULL, NULL, fold_switched_tests },
	{ "fold: left", NULL, NULL, NULL, NULL, fold_left_tests },
	{ "detail", NULL, NULL, NULL, NULL, detail_tests },
	{ "fold joint", NULL, NULL, NULL, NULL, fold_joint_tests },
	{ "fold twice", NULL, NULL, NULL, NULL, fold_twice_tests },
	{ "fold: sums", NULL, NULL, NULL, NULL, fold_sums_tests },
	{ "hot paths", NULL, NULL, NULL, NULL, hot_paths_tests },
	{ "extremes", NULL, NULL, NULL, NULL, extremes_tests },
	{ "modules", NULL, NULL, NULL, NULL, modules_tests },
	{ "values", NULL, NULL, NULL, NULL, values_tests },
	{ "names", NULL, NULL, NULL, NULL, names_tests },
	{ "profile", NULL, NULL, NULL, NULL, profile_tests },
	{ "paths", NULL, NULL, NULL, NULL, paths_tests },
	{ "tasks", NULL, NULL, NULL, NULL, tasks_tests },
	{ "lines", NULL, NULL, NULL, NULL, lines_tests },
	{ "after", NULL, NULL, NULL, NULL, after_tests },
	{ "code flow", NULL, NULL, NULL, NULL, code_flow_tests },
	{ "code loops", NULL, NULL, NULL, NULL, code_loops_tests },
	{ "columns", NULL, NULL, NULL, NULL, columns_tests },
	{ "shares", NULL, NULL, NULL, NULL, shares_tests },
	{ "output", NULL, NULL, NULL, NULL, output_tests },
	{ "session", NULL, NULL, NULL, NULL, session_tests },
	{ "beside", NULL, NULL, NULL, NULL, beside_tests },
	{ "mixed", NULL, NULL, NULL, NULL, mixed_tests },
	{ "mixed: intervals", NULL, NULL, NULL, NULL, mixed_intervals_tests },
	{ "mixed: short intervals", NULL, NULL, NULL, NULL, short_intervals_tests },
	{ "budget", NULL, NULL, NULL, NULL, budget_tests },
	{ "counters", NULL, NULL, NULL, NULL, counters_tests },
	{ "flow counts", NULL, NULL, NULL, NULL, flow_counts_tests },
	{ "call shares", NULL, NULL, NULL, NULL, call_shares_tests },
	{ "call clusters", NULL, NULL, NULL, NULL, call_clusters_tests },
	{ "executed", NULL, NULL, NULL, NULL, executed_tests },
	{ "index", NULL, NULL, NULL, NULL, index_tests },
	{ "held blocks", NULL, NULL, NULL, NULL, held_tests },
	{ "choice: rules", NULL, NULL, NULL, NULL, rules_tests },
	{ "choice: callees", NULL, NULL, NULL, NULL, callees_tests },
	{ "choice: depth", NULL, NULL, NULL, NULL, depth_tests },
	{ "choice: segment sums", NULL, NULL, NULL, NULL, segment_sums_tests },
	{ "calls", NULL, NULL, NULL, NULL, calls_tests },
	{ "plain names", NULL, NULL, NULL, NULL, plain_name_tests },
	{ "C++ names", NULL, NULL, NULL, NULL, cxx_names_tests },
	{ "symbols", NULL, NULL, NULL, NULL, symbols_tests },
	{ "symbols frames", symbols_frames_begin, symbols_frames_end, NULL, NULL, symbols_frames_tests },
	{ "timeline", NULL, NULL, NULL, NULL, timeline_tests },
	{ "edges", NULL, NULL, NULL, NULL, edges_tests },
	{ "advice", NULL, NULL, NULL, NULL, advice_tests },
	{ "computing", NULL, NULL, NULL, NULL, computing_tests },
	{ "computing: objects", NULL, NULL, NULL, NULL, objects_tests },
	{ "threads", NULL, NULL, NULL, NULL, threads_tests },
	{ "findings: system", NULL, NULL, NULL, NULL, findings_system_tests },
	{ "findings: long calls", NULL, NULL, NULL, NULL, findings_long_calls_tests },
	{ "findings: rounds", NULL, NULL, NULL, NULL, findings_rounds_tests },
	{ "findings: growth", NULL, NULL, NULL, NULL, findings_growth_tests },
	{ "findings: processes", NULL, NULL, NULL, NULL, findings_processes_tests },
	{ "findings: rare", NULL, NULL, NULL, NULL, findings_rare_tests },
	{ "findings: waiting", NULL, NULL, NULL, NULL, findings_waiting_tests },
	{ "annotate", NULL, NULL, NULL, NULL, annotate_tests },
	{ "ui", NULL, NULL, NULL, NULL, ui_tests },
	{ "course", NULL, NULL, NULL, NULL, course_tests },
	{ "access", NULL, NULL, NULL, NULL, access_tests },
	{ "calls of MPI", NULL, NULL, NULL, NULL, mpi_calls_tests },
	{ "wait times", NULL, NULL, NULL, NULL, wait_times_tests },
	{ "rows: system facts", NULL, NULL, NULL, NULL, system_facts_tests },
	{ "parquet", NULL, NULL, NULL, NULL, parquet_tests },
	{ "change", NULL, NULL, NULL, NULL, change_tests },
	{ "shift", NULL, NULL, NULL, NULL, shift_tests },
	{ "live", NULL, NULL, NULL, NULL, live_tests },
	{ "os counts", NULL, NULL, NULL, NULL, os_counts_tests },
	{ "diff", NULL, NULL, NULL, NULL, diff_tests },
	{ "diff of processes", NULL, NULL, NULL, NULL, diff_processes_tests },
	{ "selection", NULL, NULL, NULL, NULL, selection_tests },
	{ "range", NULL, NULL, NULL, NULL, range_tests },
	{ "phases", NULL, NULL, NULL, NULL, phases_tests },
	{ "store", NULL, NULL, NULL, NULL, store_tests },
	{ "suggest", NULL, NULL, NULL, NULL, suggest_tests },
	{ "diff of shares", NULL, NULL, NULL, NULL, diff_shares_tests },
	{ "samples", NULL, NULL, NULL, NULL, samples_tests },
	{ "timer source", NULL, NULL, NULL, NULL, timer_source_tests },
	{ "companions", NULL, NULL, NULL, NULL, companions_tests },
	{ "perf", NULL, NULL, NULL, NULL, perf_tests },
	{ "images", images_begin, images_end, NULL, NULL, images_tests },
	{ "unwind", unwind_begin, unwind_end, NULL, NULL, unwind_tests },
	CU_SUITE_INFO_NULL,
};

static void on_complete(const CU_pTest test, const CU_pSuite suite, const CU_pFailureRecord failure)
{
	if (!failure) {
		printf("ok %s: %s\n", suite->pName, test->pName);
		return;
	}
	printf("FAIL %s: %s:", suite->pName, test->pName);
	for (CU_pFailureRecord f = failure; f; f = f->pNext)
		if (f->pTest == test)
			printf(" %s:%u %s;",
			       strrchr(f->strFileName, '/') ? strrchr(f->strFileName, '/') + 1
							    : f->strFileName,
			       f->uiLineNumber, f->strCondition);
	putchar('\n');
}

static int is_wanted(const char *name, char **words)
{
	for (; *words; words++)
		if (strstr(name, *words))
			return 1;
	return 0;
}

static int make_counted(const char *path, unsigned number)
{
	struct maker *maker = maker_random_counted(number);

	snprintf(maker->path, sizeof(maker->path), "%s", path);
	maker_write(maker);
	free(maker->bytes);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned failed;

	if (argc > 2 && !strcmp(argv[1], "--rough")) {
		maker_rough();
		argc--;
		argv++;
	}
	if (argc == 2 && !strcmp(argv[1], "--findings"))
		return random_findings();
	if (argc >= 2 && !strcmp(argv[1], "--rows"))
		return random_rows((const char *const *)argv + 2);
	if (argc == 2 && !strcmp(argv[1], "--tables"))
		return random_tables();
	if (argc == 2 && !strcmp(argv[1], "--sleds"))
		return random_sleds();
	if (argc == 2 && !strcmp(argv[1], "--budget"))
		return random_budget();
	if (argc == 3 && !strcmp(argv[1], "--make"))
		return maker_sample(argv[2], NULL);
	if (argc == 4 && !strcmp(argv[1], "--make-random"))
		return maker_random_recording(argv[2], (unsigned)atoi(argv[3]));
	if (argc == 4 && !strcmp(argv[1], "--make-counted"))
		return make_counted(argv[2], (unsigned)atoi(argv[3]));
	if (argc == 4 && !strcmp(argv[1], "--make-random-mixed"))
		return random_mixed_write(argv[2], (unsigned)atoi(argv[3]));
	if (argc == 4 && !strcmp(argv[1], "--make"))
		return maker_sample(argv[2], argv[3]);
	if (argc == 3 && !strcmp(argv[1], "--make-sampled"))
		return maker_sampled_sample(argv[2], 0);
	if (argc == 4 && !strcmp(argv[1], "--make-sampled"))
		return maker_sampled_sample(argv[2], (unsigned)atoi(argv[3]));
	if ((argc == 3 || argc == 4) && !strcmp(argv[1], "--make-executed"))
		return maker_executed_sample(argv[2], argc == 4 ? (unsigned)atoi(argv[3]) : 0);
	if (argc == 3 && !strcmp(argv[1], "--make-mixed"))
		return pair_sample(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "--make-lines"))
		return maker_lines_sample(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "--make-timeline"))
		return tape_sample(argv[2]);
	if (argc == 5 && !strcmp(argv[1], "--cuts"))
		return cuts_check(argv[2], (unsigned)atoi(argv[3]), (unsigned)atoi(argv[4]));
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (CU_initialize_registry() || CU_register_suites(suites))
		return 2;
	if (argc > 1)
		for (CU_pSuite s = CU_get_registry()->pSuite; s; s = s->pNext)
			CU_set_suite_active(s, is_wanted(s->pName, argv + 1) ? CU_TRUE : CU_FALSE);
	CU_set_fail_on_inactive(CU_FALSE);
	CU_set_test_complete_handler(on_complete);
	CU_run_all_tests();
	failed = CU_get_number_of_tests_failed();
	printf("%u assertions, %u failed\n", CU_get_number_of_asserts(), CU_get_number_of_failures());
	printf("%u passed, %u failed\n", CU_get_number_of_tests_run() - failed, failed);
	CU_cleanup_registry();
	return failed ? 1 : 0;
}
