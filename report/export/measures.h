/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * measures.h - what can be exported of a call path, each as its exclusive value: what the path has
 * itself. Whole numbers that add up: the values of a function on all its paths are together what
 * cinstr report --format=csv has in its column (semantics R5).
 */
#ifndef REPORT_EXPORT_MEASURES_H
#define REPORT_EXPORT_MEASURES_H

#include <stdint.h>

/* id, name, unit, of which sessions, what the column of csv is called */
/* clang-format off */
#define EXPORT_MEASURES(MEASURE) \
	MEASURE(ELAPSED, "elapsed", "nanoseconds", PROBES, "elapsed_exclusive_ns") \
	MEASURE(APPLICATION, "application", "nanoseconds", PROBES, "application_exclusive_ns") \
	MEASURE(WAITING, "waiting", "nanoseconds", PROBES, "off_cpu_exclusive_ns") \
	MEASURE(PREEMPTED, "preempted", "nanoseconds", PROBES, "part of waiting") \
	MEASURE(CPU, "cpu", "nanoseconds", PROBES, "elapsed less waiting") \
	MEASURE(CALLS, "calls", "count", PROBES, "calls") \
	MEASURE(SWITCHES, "switches", "count", PROBES, "voluntary_switches_exclusive and involuntary") \
	MEASURE(SAMPLES, "samples", "count", SAMPLES, "exclusive_samples")
/* clang-format on */

#define MEASURE_ID(id, ...) MEASURE_##id,
enum export_measure { EXPORT_MEASURES(MEASURE_ID) MEASURES };
#undef MEASURE_ID

struct measure_info {
	const char *name, *unit;
	int is_of_samples;
};
extern const struct measure_info measure_infos[MEASURES];

/* Some of them, in the order in which they are wanted. */
struct measures {
	enum export_measure list[MEASURES];
	unsigned n;
	unsigned n_given; /* the first ones, which somebody has asked for */
};

/*
 * Names, separated by commas, at most `most`: those of the option, or, if that is NULL, the default
 * ones. 0, or -1 after an error message.
 */
int measures_choose(struct measures *measures, const char *option, const char *defaults, unsigned most);
/* One more, if it is not there. */
void measures_add(struct measures *measures, enum export_measure measure);
/* Leaves those that a session recorded like that has. -1 after an error message: it lacks one that
 * was asked for. */
int measures_of_method(struct measures *measures, int is_sampled);

#endif
