/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests.h - the suites, one per module of the command, and what they share. */
#ifndef UNIT_TESTS_H
#define UNIT_TESTS_H

#include <CUnit/CUnit.h>

#include "maker/maker.h"
#include "rows/profile.h"

extern CU_TestInfo util_tests[], scale_tests[], varint_tests[], decimal_tests[], options_tests[], data_tests[], damage_tests[],
	open_time_tests[], fold_tests[], fold_switched_tests[], fold_joint_tests[], fold_left_tests[],
	detail_tests[], modules_tests[], values_tests[], names_tests[], cxx_names_tests[], plain_name_tests[],
	profile_tests[], columns_tests[], output_tests[], lines_tests[], symbols_tests[],
	symbols_frames_tests[], session_tests[], beside_tests[], mixed_tests[], mixed_intervals_tests[],
	short_intervals_tests[], timeline_tests[], budget_tests[], counters_tests[], live_tests[],
	paths_tests[], edges_tests[], advice_tests[], computing_tests[], objects_tests[], annotate_tests[], os_counts_tests[],
	selection_tests[], phases_tests[], diff_tests[], tasks_tests[], range_tests[], after_tests[],
	code_flow_tests[], code_loops_tests[], shares_tests[], suggest_tests[], diff_shares_tests[],
	store_tests[], samples_tests[], timer_source_tests[], wrapper_tests[], companions_tests[],
	perf_tests[], hot_paths_tests[], extremes_tests[], fold_twice_tests[], index_tests[], ui_tests[],
	course_tests[], access_tests[], parquet_tests[], change_tests[], shift_tests[], mpi_calls_tests[],
	wait_times_tests[], threads_tests[], calls_tests[], waits_tests[], rules_tests[],
	findings_system_tests[], findings_processes_tests[], findings_rare_tests[], findings_waiting_tests[],
	system_facts_tests[], flow_counts_tests[], executed_tests[], call_shares_tests[], call_clusters_tests[], fold_sums_tests[];

extern CU_TestInfo callees_tests[], depth_tests[], segment_sums_tests[], diff_processes_tests[], unwind_tests[], images_tests[];
extern CU_TestInfo held_tests[], findings_long_calls_tests[], findings_rounds_tests[], findings_growth_tests[];
/* test_unwind.c, test_images.c: their folders of libraries. */
int images_begin(void);
int images_end(void);
int unwind_begin(void);
int unwind_end(void);
/* test_symbols_frames.c: its folder of programs. */
int symbols_frames_begin(void);
int symbols_frames_end(void);

/* findings/random_findings.c: prints findings on random sessions. Returns an exit status. */
int random_findings(void);
/* rows/random_rows.c: prints rows of random processes; or of data files, up to a NULL. Returns an
 * exit status. */
int random_rows(const char *const *files);
/* runtime/random_modules.c: the same of tables of modules, and of their sleds. */
int random_tables(void);
int random_sleds(void);
/* runtime/random_budget.c: the same of the limit on overhead. */
int random_budget(void);

/* helpers.c */
extern const struct counting default_counting;
extern const struct paths_choice every_path;
/* Writes the maker's file and builds a profile of it; the file must be without problems. */
void profile_of(struct profile *profile, struct maker *maker, enum profile_by by,
		const struct counting *counting);
const struct row *row_named(const struct profile *profile, const char *name);
/* What `print` writes, as a string that the caller frees. */
char *captured(void (*print)(FILE *out, const void *arg), const void *arg);
int nearly(long double a, long double b);
/* random.c: between 0 and 1; of the normal distribution, from random_seed on */
extern uint64_t random_seed;
double random_uniform(void);
double random_normal(void);
int is_within(double a, double b, double error);
/* stderr goes nowhere in between. */
void quiet_begin(void);
void quiet_end(void);

#endif
