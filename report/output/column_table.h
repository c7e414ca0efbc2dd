/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * column_table.h - the table of all columns of rows. Each row defines one column:
 *
 *  COLUMN(id, name, family, which, HEADING(group, heading, form), views, method, value, meaning)
 *
 *  name     in csv and json, --columns and --sort. Users' scripts depend on it: never changes
 *  family   kind of number (enum column_family)
 *  which    inclusive or exclusive, of the values EI to AE; 0: neither
 *  group    line above the heading, shared by adjacent columns of the same group; NULL: none
 *  form     how a table writes the value (enum form)
 *  views    kinds of rows that can have the column: bits, see columns.c
 *  method   sessions recorded by PROBES, by SAMPLES, by BOTH, or by both at once (MIXED); views of
 *           executed INSTRUCTIONS, or of a COUNTER of the processor's (enum column_method)
 *  value    an expression of `profile` and `row`, with the macros of columns.c
 *  meaning  text of --columns=help and of doc/columns.md, which is generated from this table (lint)
 *
 * The order is that of csv and json: new columns go to the end, those of a new kind of event of the
 * operating system (cinstr/os_events.h) after the others of that kind.
 */
#ifndef REPORT_OUTPUT_COLUMN_TABLE_H
#define REPORT_OUTPUT_COLUMN_TABLE_H

#include "cinstr/os_events.h"

#define EI VALUE_ELAPSED_INCLUSIVE
#define EE VALUE_ELAPSED_EXCLUSIVE
#define AI VALUE_APPLICATION_INCLUSIVE
#define AE VALUE_APPLICATION_EXCLUSIVE

/* Defines two columns for each kind of event of the operating system. */
#define OS_COLUMNS(COLUMN, id, number, by_default, source, word, counted, name, heading, meaning, \
		   meaning_alone) \
	COLUMN(id, name "_inclusive", OS, EI, COUNTED_##counted(", inclusive", heading, "inclusive"), ANY, \
	       PROBES, os_count(profile, row, OS_##id, EI), meaning) \
	COLUMN(id##_EXCLUSIVE, name "_exclusive", OS, EE, COUNTED_##counted("", heading, "exclusive"), ANY, \
	       PROBES, os_count(profile, row, OS_##id, EE), meaning_alone)
#define COUNTED_SWITCHES(of, heading, word) HEADING("Switches" of, heading, COUNT)
#define COUNTED_INTERVALS(of, heading, word) HEADING("Intervals with" of, heading, COUNT)
#define COUNTED_CALLS(of, heading, word) HEADING("System calls", word, COUNT)

#define COLUMN_TABLE(COLUMN) \
	COLUMN(TYPE, "type", TEXT, 0, HEADING(NULL, "", RELATION), IN(CALLERS), BOTH, relation_of(row), \
	       "of callers: what the row is to the function: caller, root (itself) or callee") \
	COLUMN(NAME, "name", TEXT, 0, HEADING(NULL, "Name", NAME), ANY, BOTH, text(row->name), \
	       "what the row stands for") \
	COLUMN(ROOT_FUNCTION, "root_function", TEXT, 0, HEADING(NULL, "Of function", TEXT), IN(CALLERS), \
	       BOTH, text(row->root_function), "of callers: the function that is looked at") \
	COLUMN(RECURSIVE, "recursive", COUNT, 0, HEADING(NULL, "Recursive", ID), IN(CALLERS), BOTH, \
	       count(row->is_recursive != 0), "of callers: 1: the function called itself, directly or not") \
	COLUMN(MODULE, "module", TEXT, 0, HEADING(NULL, "Module path", TEXT), ANY, BOTH, text(row->module), \
	       "path of the executable or library") \
	COLUMN(FILE, "file", TEXT, 0, HEADING(NULL, "Source", SOURCE), ANY, BOTH, text(row->file), \
	       "path of the source file") \
	COLUMN(LINE, "line", COUNT, 0, HEADING(NULL, "Line", ID), ANY, BOTH, count_or_none(row->line), \
	       "line in it") \
	COLUMN(FUNCTION, "function", TEXT, 0, HEADING(NULL, "Function", TEXT), IN(LINE) | IN(ADDRESS), BOTH, \
	       text(row->function), "by line, address: the functions that execute it") \
	COLUMN(INLINED_FROM, "inlined_from", TEXT, 0, HEADING(NULL, "Inlined", TEXT), IN(LINE), BOTH, \
	       text(row->inlined_from), "by line: how it got there") \
	COLUMN(CALLEE, "callee", TEXT, 0, HEADING(NULL, "Callee", TEXT), IN(SITE) | IN(ADDRESS), BOTH, \
	       text(row->callee), "by site, address: what is called") \
	COLUMN(ADDRESS, "address", TEXT, 0, HEADING(NULL, "Address", TEXT), \
	       IN(SITE) | IN(ADDRESS) | IN(FUNCTION) | IN(CALLERS) | MODULES_FUNCTIONS, BOTH, \
	       text(row->address), \
	       "link address: of the function's entry probe, or of the call instruction") \
	COLUMN(INCLUSIVE_SAMPLES, "inclusive_samples", SAMPLES, EI, HEADING("Samples", "inclusive", COUNT), \
	       ANY, SAMPLES, count(util_rounded(total(row, EI))), \
	       "of a sampled session: samples in it and what it called") \
	COLUMN(EXCLUSIVE_SAMPLES, "exclusive_samples", SAMPLES, EE, HEADING("Samples", "exclusive", COUNT), \
	       ANY, SAMPLES, count(util_rounded(total(row, EE))), "samples in it alone") \
	COLUMN(INCLUSIVE_PERCENT, "inclusive_percent", SHARE, EI, HEADING("Samples", "incl. %", PERCENT), \
	       ANY, SAMPLES, percent(total(row, EI), profile->totals.elapsed), "of all samples kept") \
	COLUMN(EXCLUSIVE_PERCENT, "exclusive_percent", SHARE, EE, HEADING("Samples", "excl. %", PERCENT), \
	       ANY, SAMPLES, percent(total(row, EE), profile->totals.elapsed), "of all samples kept") \
	COLUMN(INCLUSIVE_LOW, "inclusive_percent_low", SHARE_LOW, EI, \
	       HEADING("Samples", "incl. low", PERCENT), ANY, SAMPLES, \
	       percent(share(profile, row, EI).low, 1), \
	       "the share lies between this and inclusive_percent_high, with 95 % confidence") \
	COLUMN(INCLUSIVE_HIGH, "inclusive_percent_high", SHARE_HIGH, EI, \
	       HEADING("Samples", "incl. high", PERCENT), ANY, SAMPLES, \
	       percent(share(profile, row, EI).high, 1), "the same") \
	COLUMN(EXCLUSIVE_LOW, "exclusive_percent_low", SHARE_LOW, EE, \
	       HEADING("Samples", "excl. low", PERCENT), ANY, SAMPLES, \
	       percent(share(profile, row, EE).low, 1), "the same of exclusive_percent") \
	COLUMN(EXCLUSIVE_HIGH, "exclusive_percent_high", SHARE_HIGH, EE, \
	       HEADING("Samples", "excl. high", PERCENT), ANY, SAMPLES, \
	       percent(share(profile, row, EE).high, 1), "the same") \
	COLUMN(CALLS, "calls", COUNT, 0, HEADING(NULL, "Calls", COUNT), ANY, CALLS, calls_or_none(row), \
	       "number of calls; by module, thread, process: of calls in it; by line: times reached") \
	COLUMN(ELAPSED_INCLUSIVE, "elapsed_inclusive_ns", TOTAL, EI, HEADING("Elapsed", "inclusive", TIME), \
	       ANY, PROBES, ns(total(row, EI)), "time in it and what it called") \
	COLUMN(ELAPSED_EXCLUSIVE, "elapsed_exclusive_ns", TOTAL, EE, HEADING("Elapsed", "exclusive", TIME), \
	       ANY, PROBES, ns(total(row, EE)), "time in it alone") \
	COLUMN(APPLICATION_INCLUSIVE, "application_inclusive_ns", TOTAL, AI, \
	       HEADING("Application", "inclusive", TIME), ANY, PROBES, ns(total(row, AI)), \
	       "elapsed inclusive, without operating-system events") \
	COLUMN(APPLICATION_EXCLUSIVE, "application_exclusive_ns", TOTAL, AE, \
	       HEADING("Application", "exclusive", TIME), ANY, PROBES, ns(total(row, AE)), \
	       "elapsed exclusive, without operating-system events") \
	COLUMN(ELAPSED_INCLUSIVE_PERCENT, "elapsed_inclusive_percent", PERCENT, EI, \
	       HEADING("Elapsed", "incl. %", PERCENT), ANY, PROBES, \
	       percent(total(row, EI), profile->totals.elapsed), "of the session's elapsed time") \
	COLUMN(ELAPSED_EXCLUSIVE_PERCENT, "elapsed_exclusive_percent", PERCENT, EE, \
	       HEADING("Elapsed", "excl. %", PERCENT), ANY, PROBES, \
	       percent(total(row, EE), profile->totals.elapsed), "of the session's elapsed time") \
	COLUMN(APPLICATION_INCLUSIVE_PERCENT, "application_inclusive_percent", PERCENT, AI, \
	       HEADING("Application", "incl. %", PERCENT), ANY, PROBES, \
	       percent(total(row, AI), profile->totals.application), "of the session's application time") \
	COLUMN(APPLICATION_EXCLUSIVE_PERCENT, "application_exclusive_percent", PERCENT, AE, \
	       HEADING("Application", "excl. %", PERCENT), ANY, PROBES, \
	       percent(total(row, AE), profile->totals.application), "of the session's application time") \
	COLUMN(OVERHEAD_INCLUSIVE, "probe_overhead_inclusive_ns", OVERHEAD, EI, \
	       HEADING("Probe overhead", "inclusive", TIME), ANY, PROBES, ns(row->sums.overhead_inclusive), \
	       "cost of probes subtracted from elapsed inclusive") \
	COLUMN(OVERHEAD_EXCLUSIVE, "probe_overhead_exclusive_ns", OVERHEAD, EE, \
	       HEADING("Probe overhead", "exclusive", TIME), ANY, PROBES, ns(row->sums.overhead_exclusive), \
	       "cost of probes subtracted from elapsed exclusive") \
	COLUMN(OFF_CPU, "off_cpu_ns", OFF_CPU, EI, HEADING("Off-CPU", "inclusive", TIME), ANY, PROBES, \
	       off_cpu(profile, row->sums.off_cpu_inclusive), \
	       "of elapsed inclusive: time off the processor") \
	COLUMN(PID, "pid", COUNT, 0, HEADING(NULL, "pid", ID), ANY, BOTH, count_or_none(row->pid), \
	       "process number") \
	COLUMN(TID, "tid", COUNT, 0, HEADING(NULL, "tid", ID), ANY, BOTH, count_or_none(row->tid), \
	       "thread number") \
	COLUMN(AVERAGE, "avg_elapsed_inclusive_ns", AVERAGE, EI, HEADING("Per call", "Avg", DURATION), ANY, \
	       PROBES, average(profile, row, EI), "mean of a call") \
	COLUMN(SHORTEST, "min_elapsed_inclusive_ns", SHORTEST, EI, HEADING("Per call", "Min", DURATION), \
	       ANY, PROBES, extreme(row, row->shortest, EI), "shortest finished call") \
	COLUMN(LONGEST, "max_elapsed_inclusive_ns", LONGEST, EI, HEADING("Per call", "Max", DURATION), ANY, \
	       PROBES, extreme(row, row->longest, EI), "longest finished call") \
	COLUMN(AVERAGE_EXCLUSIVE, "avg_elapsed_exclusive_ns", AVERAGE, EE, \
	       HEADING("Call, excl.", "Avg", DURATION), ANY, PROBES, average(profile, row, EE), \
	       "mean of a call") \
	COLUMN(AVERAGE_APPLICATION_INCLUSIVE, "avg_application_inclusive_ns", AVERAGE, AI, \
	       HEADING("Call, appl.", "Avg", DURATION), ANY, PROBES, average(profile, row, AI), \
	       "mean of a call") \
	COLUMN(AVERAGE_APPLICATION_EXCLUSIVE, "avg_application_exclusive_ns", AVERAGE, AE, \
	       HEADING("Call, appl. excl.", "Avg", DURATION), ANY, PROBES, average(profile, row, AE), \
	       "mean of a call") \
	COLUMN(OFF_CPU_EXCLUSIVE, "off_cpu_exclusive_ns", OFF_CPU, EE, \
	       HEADING("Off-CPU", "exclusive", TIME), ANY, PROBES, \
	       off_cpu(profile, row->sums.off_cpu_exclusive), \
	       "of elapsed exclusive: time off the processor") \
	COLUMN(OPEN_CALLS, "open_calls", COUNT, 0, HEADING(NULL, "Open", COUNT), ANY, PROBES, \
	       count(row->open_calls), "calls that had not returned when the recording ended") \
	COLUMN(DEPTH, "depth", COUNT, 0, HEADING(NULL, "Depth", COUNT), TREE, BOTH, count(row->depth), \
	       "level in the tree, from 1") \
	COLUMN(ID, "id", COUNT, 0, HEADING(NULL, "id", ID), TREE | IN(MARK), BOTH, id_of(profile, row), \
	       "number of the row in the tree; of a mark: the program's number for it") \
	COLUMN(PARENT, "parent", COUNT, 0, HEADING(NULL, "above", ID), TREE, BOTH, \
	       count_if(row->depth > 1, row->parent), "id of the row above") \
	COLUMN(HOT, "hot", COUNT, 0, HEADING(NULL, "Hot", ID), IN(PATH), BOTH, count(row->is_hot != 0), \
	       "of the tree: 1: on the hot path") \
	COLUMN(PARENT_PID, "parent_pid", COUNT, 0, HEADING(NULL, "parent", ID), IN(PROCESS), BOTH, \
	       count_or_none(row->parent_pid), "number of the parent process") \
	COLUMN(HOST, "host", TEXT, 0, HEADING(NULL, "Host", TEXT), LIVES | IN(MARK), BOTH, text(row->host), \
	       "machine, or pod") \
	COLUMN(SHORTEST_EXCLUSIVE, "min_elapsed_exclusive_ns", SHORTEST, EE, \
	       HEADING("Call, excl.", "Min", DURATION), ANY, PROBES, extreme(row, row->shortest, EE), \
	       "least of a finished call") \
	COLUMN(LONGEST_EXCLUSIVE, "max_elapsed_exclusive_ns", LONGEST, EE, \
	       HEADING("Call, excl.", "Max", DURATION), ANY, PROBES, extreme(row, row->longest, EE), \
	       "most of a finished call") \
	COLUMN(SHORTEST_APPLICATION_INCLUSIVE, "min_application_inclusive_ns", SHORTEST, AI, \
	       HEADING("Call, appl.", "Min", DURATION), ANY, PROBES, extreme(row, row->shortest, AI), \
	       "least of a finished call") \
	COLUMN(LONGEST_APPLICATION_INCLUSIVE, "max_application_inclusive_ns", LONGEST, AI, \
	       HEADING("Call, appl.", "Max", DURATION), ANY, PROBES, extreme(row, row->longest, AI), \
	       "most of a finished call") \
	COLUMN(SHORTEST_APPLICATION_EXCLUSIVE, "min_application_exclusive_ns", SHORTEST, AE, \
	       HEADING("Call, appl. excl.", "Min", DURATION), ANY, PROBES, extreme(row, row->shortest, AE), \
	       "least of a finished call") \
	COLUMN(LONGEST_APPLICATION_EXCLUSIVE, "max_application_exclusive_ns", LONGEST, AE, \
	       HEADING("Call, appl. excl.", "Max", DURATION), ANY, PROBES, extreme(row, row->longest, AE), \
	       "most of a finished call") \
	COLUMN(P50, "p50_elapsed_inclusive_ns", QUANTILE, 0, HEADING("Per call", "p50", DURATION), ANY, \
	       PROBES, quantile(profile, row, 0.50), "half of the calls took no longer") \
	COLUMN(P90, "p90_elapsed_inclusive_ns", QUANTILE, 0, HEADING("Per call", "p90", DURATION), ANY, \
	       PROBES, quantile(profile, row, 0.90), "90 % of the calls took no longer") \
	COLUMN(P95, "p95_elapsed_inclusive_ns", QUANTILE, 0, HEADING("Per call", "p95", DURATION), ANY, \
	       PROBES, quantile(profile, row, 0.950), "95 % of the calls took no longer") \
	COLUMN(P99, "p99_elapsed_inclusive_ns", QUANTILE, 0, HEADING("Per call", "p99", DURATION), ANY, \
	       PROBES, quantile(profile, row, 0.99), "99 % of the calls took no longer") \
	COLUMN(UNCERTAINTY, "elapsed_inclusive_uncertainty_ns", UNCERTAINTY, EI, \
	       HEADING("Uncertainty, +-", "incl.", DURATION), ANY, PROBES, uncertainty(profile, row, EI), \
	       "the value is right within +- this, as the probes' cost is not known better") \
	COLUMN(UNCERTAINTY_EXCLUSIVE, "elapsed_exclusive_uncertainty_ns", UNCERTAINTY, EE, \
	       HEADING("Uncertainty, +-", "excl.", DURATION), ANY, PROBES, uncertainty(profile, row, EE), \
	       "the same") \
	COLUMN(UNCERTAINTY_APPLICATION_INCLUSIVE, "application_inclusive_uncertainty_ns", UNCERTAINTY, AI, \
	       HEADING("Uncertainty, +-", "appl. incl.", DURATION), ANY, PROBES, \
	       uncertainty(profile, row, AI), "the same") \
	COLUMN(UNCERTAINTY_APPLICATION_EXCLUSIVE, "application_exclusive_uncertainty_ns", UNCERTAINTY, AE, \
	       HEADING("Uncertainty, +-", "appl. excl.", DURATION), ANY, PROBES, \
	       uncertainty(profile, row, AE), "the same") \
	CINSTR_OS_EVENTS(OS_COLUMNS, COLUMN) \
	COLUMN(MODULE_NAME, "module_name", TEXT, 0, HEADING(NULL, "Module", MODULE), ANY, BOTH, \
	       text(row->module ? util_basename(row->module) : NULL), "the last part of module") \
	COLUMN(PROCESS, "process", TEXT, 0, HEADING(NULL, "Process", TEXT), LIVES, BOTH, text(row->process), \
	       "name of the process") \
	COLUMN(BEGIN, "begin_ns", LIFE, 0, HEADING(NULL, "Begin", DURATION), LIVES | IN(MARK), BOTH, \
	       ns_or_none(row->begin), \
	       "start of its recording, since the session's start; of a mark: its moment") \
	COLUMN(END, "end_ns", LIFE, 0, HEADING(NULL, "End", DURATION), LIVES | IN(MARK), BOTH, \
	       ns_or_none(row->end), \
	       "end of its recording, since the session's start; of a mark: the next one that counts") \
	COLUMN(ON_CPU_PERCENT, "on_cpu_percent", LIFE, 0, HEADING(NULL, "on CPU %", PERCENT), \
	       LIVES | IN(MARK), PROBES, on_cpu(profile, row), "share of its recorded time on a processor") \
	COLUMN(ENDED, "ended", TEXT, 0, HEADING(NULL, "Ended", TEXT), LIVES, BOTH, text(row->ended), \
	       "exit STATUS, exit STATUS? (as far as exit's handlers: what came after them only cinstr " \
	       "record sees), signal N, signal (it is not noted which), exec, a call that ends " \
	       "processes, unknown (by a signal, or where no probe was), running, snapshot, detached; " \
	       "of a thread that ended by itself: ended") \
	COLUMN(COMMAND_LINE, "command_line", TEXT, 0, HEADING(NULL, "Command line", TEXT), IN(PROCESS), \
	       BOTH, text(row->command_line), "of a process") \
	COLUMN(LINE_FROM, "line_from", COUNT, 0, HEADING(NULL, "From", ID), UNLESS_SAMPLED | IN(LINE), BOTH, \
	       count_or_none(row_has_range(row) ? row->line_from : 0), \
	       "by line: the time in it alone is of some of the lines from this one on; empty: of the line " \
	       "itself") \
	COLUMN(LINE_TO, "line_to", COUNT, 0, HEADING(NULL, "To", ID), UNLESS_SAMPLED | IN(LINE), BOTH, \
	       count_or_none(row_has_range(row) ? row->line_to : 0), "to this one") \
	COLUMN(TAIL_CALLS, "tail_calls", COUNT, 0, HEADING(NULL, "Jumps", COUNT), \
	       UNLESS_SAMPLED | IN(PATH) | IN(CALLERS) | IN(SITE), BOTH, count(row->tail_calls), \
	       "of calls: those that were jumps, the last thing that a function did (R15)") \
	COLUMN(THREADS, "threads", COUNT, 0, HEADING(NULL, "Threads", COUNT), IN(THREAD), BOTH, \
	       count(row->n_threads), \
	       "by thread: of so many; more than 1 by thread-name, or where short-lived threads shared one " \
	       "record") \
	COLUMN(SOURCE, "source", TEXT, 0, HEADING(NULL, "Source of incl.", TEXT), ANY, MIXED, \
	       text(source_of(row, CINSTR_INCLUSIVE)), \
	       "of a mixed session: where inclusive values come from: timed (intervals), estimate " \
	       "(samples), both (intervals and samples of different moments)") \
	COLUMN(SOURCE_EXCLUSIVE, "source_exclusive", TEXT, 0, HEADING(NULL, "Source of excl.", TEXT), ANY, \
	       MIXED, text(source_of(row, CINSTR_EXCLUSIVE)), "the same of exclusive values") \
	COLUMN(CALLS_BOUND, "calls_bound", TEXT, 0, HEADING(NULL, "Calls are", TEXT), ANY, PROBES, \
	       text(calls_bound_of(row)), \
	       "what calls is: exact, or at least: functions that were only counted may have made more") \
	COLUMN(CPU, "cpu_inclusive_ns", CPU, EI, HEADING("On the processor", "inclusive", TIME), ANY, \
	       PROBES, cpu(profile, row, EI), \
	       "of elapsed inclusive: time on the processor, whatever --application says") \
	COLUMN(CPU_PERCENT, "cpu_inclusive_percent", CPU_PERCENT, EI, \
	       HEADING("On the processor", "incl. %", PERCENT), ANY, PROBES, cpu_percent(profile, row, EI), \
	       "of the session's time on the processor") \
	COLUMN(CPU_EXCLUSIVE, "cpu_exclusive_ns", CPU, EE, HEADING("On the processor", "exclusive", TIME), \
	       ANY, PROBES, cpu(profile, row, EE), "the same of elapsed exclusive") \
	COLUMN(CPU_EXCLUSIVE_PERCENT, "cpu_exclusive_percent", CPU_PERCENT, EE, \
	       HEADING("On the processor", "excl. %", PERCENT), ANY, PROBES, cpu_percent(profile, row, EE), \
	       "of the session's time on the processor") \
	COLUMN(RANK, "rank", COUNT, 0, HEADING(NULL, "Rank", ID), LIVES, BOTH, \
	       count_if(row->rank_after, row->rank_after - 1), \
	       "of a parallel job (MPI, Slurm, ...); also of processes that the rank has started") \
	COLUMN(JOB, "job", TEXT, 0, HEADING(NULL, "Job", TEXT), LIVES, BOTH, text(row->job), \
	       "the parallel job, as its batch system or launcher calls it") \
	COLUMN(PROCESSES, "processes", COUNT, 0, HEADING(NULL, "Processes", COUNT), IN(PROCESS), BOTH, \
	       count(row->n_processes), "by rank, host, job: processes in it") \
	COLUMN(MPI, "mpi_wait_ns", MPI, 0, HEADING("In MPI", "waiting", DURATION), LIVES, PROBES, \
	       ns(row->mpi), \
	       "of elapsed: in calls of MPI in which a process waits for others (MPI_Recv, MPI_Allreduce, " \
	       "...)") \
	COLUMN(MPI_BUSY, "mpi_busy_ns", MPI, 0, HEADING("In MPI", "busy", DURATION), LIVES, PROBES, \
	       ns(row->mpi_busy), \
	       "of that: on a processor, as most MPI libraries wait by asking all the time") \
	COLUMN(SPREAD_MEAN, "process_mean_ns", SPREAD, 0, HEADING("Each process", "mean", DURATION), ANY, \
	       PROBES, spread(profile, row, mean_of), \
	       "of a session of several processes: mean of cpu_exclusive; who does not " \
	       "have the row counts as 0") \
	COLUMN(SPREAD_LEAST, "process_min_ns", SPREAD, 0, HEADING("Each process", "least", DURATION), ANY, \
	       PROBES, spread(profile, row, least_of), "the least of those that have the row") \
	COLUMN(SPREAD_LEAST_WHO, "process_min_who", SPREAD, 0, HEADING("Each process", "of", TEXT), ANY, \
	       PROBES, spread_who(profile, row, 0), "whose that is: the rank, or the process") \
	COLUMN(SPREAD_MOST, "process_max_ns", SPREAD, 0, HEADING("Each process", "most", DURATION), ANY, \
	       PROBES, spread(profile, row, most_of), "the most") \
	COLUMN(SPREAD_MOST_WHO, "process_max_who", SPREAD, 0, HEADING("Each process", "of", TEXT), ANY, \
	       PROBES, spread_who(profile, row, 1), "whose that is") \
	COLUMN(SPREAD_DEVIATION, "process_deviation_ns", SPREAD, 0, \
	       HEADING("Each process", "deviation", DURATION), ANY, PROBES, \
	       spread(profile, row, spread_deviation), "standard deviation") \
	COLUMN(IMBALANCE, "imbalance_percent", SPREAD, 0, HEADING("Imbalance", "%", PERCENT), ANY, PROBES, \
	       imbalance(profile, row), "how much more than the mean the most is") \
	COLUMN(IMBALANCE_COST, "imbalance_cost_ns", SPREAD, 0, HEADING("Imbalance", "cost", DURATION), ANY, \
	       PROBES, spread(profile, row, spread_cost), \
	       "the most less the mean, for each process: what all could save together") \
	COLUMN(CONTRIBUTORS, "contributors", SPREAD, 0, HEADING(NULL, "Have it", COUNT), ANY, PROBES, \
	       contributors(profile, row), "processes that have the row") \
	COLUMN(CONTRIBUTORS_OF, "contributors_of", SPREAD, 0, HEADING(NULL, "of", COUNT), ANY, PROBES, \
	       contributors_of(profile, row), "of so many processes") \
	COLUMN(PROCESS_NUMBER, "process_number", COUNT, 0, HEADING(NULL, "Number", ID), LIVES, BOTH, \
	       count_or_none(row->process_number), \
	       "of the process in its session, from 1: no two have the same, whatever their pids") \
	COLUMN(INCLUSIVE_INSTRUCTIONS, "inclusive_instructions", INSTRUCTIONS, EI, \
	       HEADING("Instructions", "inclusive", COUNT), ANY, INSTRUCTIONS, \
	       count(util_rounded(total(row, EI))), \
	       "with --measure=instructions: executed in it and what it called") \
	COLUMN(EXCLUSIVE_INSTRUCTIONS, "exclusive_instructions", INSTRUCTIONS, EE, \
	       HEADING("Instructions", "exclusive", COUNT), ANY, INSTRUCTIONS, \
	       count(util_rounded(total(row, EE))), "executed in it alone") \
	COLUMN(INCLUSIVE_INSTRUCTIONS_PERCENT, "inclusive_instructions_percent", INSTRUCTIONS_SHARE, EI, \
	       HEADING("Instructions", "incl. %", PERCENT), ANY, INSTRUCTIONS, \
	       percent(total(row, EI), profile->totals.elapsed), "of all that are known") \
	COLUMN(EXCLUSIVE_INSTRUCTIONS_PERCENT, "exclusive_instructions_percent", INSTRUCTIONS_SHARE, EE, \
	       HEADING("Instructions", "excl. %", PERCENT), ANY, INSTRUCTIONS, \
	       percent(total(row, EE), profile->totals.elapsed), "of all that are known") \
	COLUMN(INCLUSIVE_INSTRUCTIONS_ESTIMATE, "inclusive_instructions_is_estimate", COUNT, EI, \
	       HEADING("Estimate", "incl.", ID), ANY, INSTRUCTIONS, \
	       count(row_is_share(profile, row, EI) != 0), \
	       "1: the row has some paths of a function only, and its share of that by calls") \
	COLUMN(EXCLUSIVE_INSTRUCTIONS_ESTIMATE, "exclusive_instructions_is_estimate", COUNT, EE, \
	       HEADING("Estimate", "excl.", ID), ANY, INSTRUCTIONS, \
	       count(row_is_share(profile, row, EE) != 0), "the same of what was executed in it alone") \
	COLUMN(INCLUSIVE_INSTRUCTIONS_CALL, "inclusive_instructions_per_call", INSTRUCTIONS, EI, \
	       HEADING(NULL, "Per call", COUNT), ANY, INSTRUCTIONS, per_call(row, EI), \
	       "mean of a call; empty: some of them were made by others of them") \
	COLUMN(EXCLUSIVE_INSTRUCTIONS_CALL, "exclusive_instructions_per_call", INSTRUCTIONS, EE, \
	       HEADING(NULL, "Excl. per call", COUNT), ANY, INSTRUCTIONS, per_call(row, EE), \
	       "mean of a call") \
	COLUMN(NS_PER_INSTRUCTION, "ns_per_instruction", INSTRUCTIONS_TIME, EE, \
	       HEADING(NULL, "ns/instr", DECIMAL), IN(FUNCTION), PROBES, ns_per_instruction(profile, row), \
	       "of a function that calls nothing, if instructions were counted: time on the processor of " \
	       "an executed one; empty: not known to better than half") \
	COLUMN(INCLUSIVE_COUNTED, "inclusive_counted", INSTRUCTIONS, EI, \
	       HEADING("Counted", "inclusive", COUNT), ANY, COUNTER, count(util_rounded(total(row, EI))), \
	       "with --measure=cycles and the like: counted in it and what it called") \
	COLUMN(EXCLUSIVE_COUNTED, "exclusive_counted", INSTRUCTIONS, EE, \
	       HEADING("Counted", "exclusive", COUNT), ANY, COUNTER, count(util_rounded(total(row, EE))), \
	       "counted in it alone") \
	COLUMN(INCLUSIVE_COUNTED_PERCENT, "inclusive_counted_percent", INSTRUCTIONS_SHARE, EI, \
	       HEADING("Counted", "incl. %", PERCENT), ANY, COUNTER, \
	       percent(total(row, EI), profile->totals.elapsed), "of all that was counted") \
	COLUMN(EXCLUSIVE_COUNTED_PERCENT, "exclusive_counted_percent", INSTRUCTIONS_SHARE, EE, \
	       HEADING("Counted", "excl. %", PERCENT), ANY, COUNTER, \
	       percent(total(row, EE), profile->totals.elapsed), "of all that was counted") \
	COLUMN(INCLUSIVE_COUNTED_CALL, "inclusive_counted_per_call", INSTRUCTIONS, EI, \
	       HEADING(NULL, "Per call", COUNT), ANY, COUNTER, per_call(row, EI), \
	       "mean of a call; empty: some of them were made by others of them") \
	COLUMN(EXCLUSIVE_COUNTED_CALL, "exclusive_counted_per_call", INSTRUCTIONS, EE, \
	       HEADING(NULL, "Excl. per call", COUNT), ANY, COUNTER, per_call(row, EE), "mean of a call") \
	COLUMN(BYTES_MOVED, "bytes_inclusive", MOVED, EI, HEADING(NULL, "Bytes", COUNT), ANY, MOVED, \
	       moved_bytes_of_all(profile, row), "bytes read and written, in it and what it called (R18)") \
	COLUMN(BYTES_READ, "bytes_read_inclusive", MOVED, EI, HEADING("Bytes read", "inclusive", COUNT), \
	       ANY, MOVED, moved_bytes(profile, row, CINSTR_AMOUNT_READ, EI), \
	       "bytes that calls of read, recv, fread and their like returned") \
	COLUMN(BYTES_READ_EXCLUSIVE, "bytes_read_exclusive", MOVED, EE, \
	       HEADING("Bytes read", "exclusive", COUNT), ANY, MOVED, \
	       moved_bytes(profile, row, CINSTR_AMOUNT_READ, EE), "of the row alone: of these functions") \
	COLUMN(READS, "reads", MOVED, EI, HEADING(NULL, "Reads", COUNT), ANY, MOVED, \
	       moved_calls(profile, row, CINSTR_AMOUNT_READ, EI), "such calls, inclusive") \
	COLUMN(BYTES_PER_READ, "bytes_per_read", MOVED, EI, HEADING("Bytes", "a read", COUNT), ANY, MOVED, \
	       moved_per_call(profile, row, CINSTR_AMOUNT_READ), "mean of such a call, inclusive") \
	COLUMN(BYTES_WRITTEN, "bytes_written_inclusive", MOVED, EI, \
	       HEADING("Bytes written", "inclusive", COUNT), ANY, MOVED, \
	       moved_bytes(profile, row, CINSTR_AMOUNT_WRITTEN, EI), \
	       "bytes that calls of write, send, fwrite and their like returned") \
	COLUMN(BYTES_WRITTEN_EXCLUSIVE, "bytes_written_exclusive", MOVED, EE, \
	       HEADING("Bytes written", "exclusive", COUNT), ANY, MOVED, \
	       moved_bytes(profile, row, CINSTR_AMOUNT_WRITTEN, EE), "of the row alone") \
	COLUMN(WRITES, "writes", MOVED, EI, HEADING(NULL, "Writes", COUNT), ANY, MOVED, \
	       moved_calls(profile, row, CINSTR_AMOUNT_WRITTEN, EI), "such calls, inclusive") \
	COLUMN(BYTES_PER_WRITE, "bytes_per_write", MOVED, EI, HEADING("Bytes", "a write", COUNT), ANY, \
	       MOVED, moved_per_call(profile, row, CINSTR_AMOUNT_WRITTEN), "mean of such a call, inclusive") \
	COLUMN(ALLOCATED, "allocated_inclusive", MEMORY, EI, HEADING("Allocated", "inclusive", COUNT), ANY, \
	       MEMORY, allocated_bytes(profile, row), \
	       "bytes that calls of malloc, new and their like asked for, in it and what it called (R21)") \
	COLUMN(ALLOCATED_OWN, "allocated_own", MEMORY, EE, HEADING("Allocated", "by itself", COUNT), ANY, \
	       MEMORY, allocated_own(profile, row), "bytes that its own calls of these functions asked for") \
	COLUMN(ALLOCATIONS, "allocations", MEMORY, EI, HEADING("Allocations", "inclusive", COUNT), ANY, \
	       MEMORY, allocations(profile, row), "such calls, inclusive") \
	COLUMN(ALLOCATIONS_OWN, "allocations_own", MEMORY, EE, HEADING("Allocations", "by itself", COUNT), \
	       ANY, MEMORY, allocations_own(profile, row), "such calls that it made itself") \
	COLUMN(ALLOCATION_MEAN, "bytes_per_allocation", MEMORY, EE, HEADING("Bytes", "a call", COUNT), ANY, \
	       MEMORY, allocation_mean(profile, row), "mean of the calls that it made itself") \
	COLUMN(ALLOCATED_BOUND, "allocated_bound", MEMORY, EI, HEADING(NULL, "Allocated is", TEXT), ANY, \
	       MEMORY, text(mixed_bound_word(allocated_is_least(profile, row))), \
	       "what the inclusive ones are: exact, or at least: counted functions may have allocated more") \
	COLUMN(HELD, "held_inclusive", MEMORY, EI, HEADING("Not freed", "inclusive", COUNT), ANY, HELD, \
	       held(profile, row, 1, 0), \
	       "bytes allocated in it and what it called that were not freed when the recording ended " \
	       "(R22)") \
	COLUMN(HELD_OWN, "held_own", MEMORY, EE, HEADING("Not freed", "by itself", COUNT), ANY, HELD, \
	       held(profile, row, 0, 0), "bytes that its own calls allocated, and that were not freed") \
	COLUMN(HELD_BLOCKS, "held_blocks", MEMORY, EI, HEADING("Blocks", "inclusive", COUNT), ANY, HELD, \
	       held(profile, row, 1, 1), "blocks of these bytes, inclusive") \
	COLUMN(HELD_BLOCKS_OWN, "held_blocks_own", MEMORY, EE, HEADING("Blocks", "by itself", COUNT), ANY, \
	       HELD, held(profile, row, 0, 1), "blocks that its own calls allocated") \
	COLUMN(USER_COUNT, "count_inclusive", USER, EI, HEADING("Counted", "inclusive", COUNT), ANY, USER, \
	       user_count(profile, row, EI), \
	       "what cinstr_count() added by the chosen name, in it and what it called (R19)") \
	COLUMN(USER_COUNT_EXCLUSIVE, "count_exclusive", USER, EE, HEADING("Counted", "exclusive", COUNT), \
	       ANY, USER, user_count(profile, row, EE), "of the row alone") \
	COLUMN(USER_COUNT_CALLS, "count_calls", USER, EI, HEADING(NULL, "Calls of count", COUNT), ANY, USER, \
	       user_count_calls(profile, row), "calls of cinstr_count(), inclusive") \
	COLUMN(TIME_PER_COUNT, "ns_per_count", USER, EI, HEADING("Time for", "one, ns", DECIMAL), ANY, USER, \
	       time_per_count(profile, row), "inclusive elapsed time by inclusive count")

#endif
