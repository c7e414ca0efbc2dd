/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * measures.h - the exclusive values of a call path that can be exported. They are integers that add
 * up: the values of a function on all its paths together equal its column in cinstr report
 * --format=csv (semantics R5). Those that were COUNTED, by the program or by the processor, take
 * the place of times in all that is read (view.h: measure_choice): they go alone, or with calls.
 */
#ifndef REPORT_EXPORT_MEASURES_H
#define REPORT_EXPORT_MEASURES_H

/* id, name, unit, kind of session, name of the column in csv */
/* clang-format off */
#define EXPORT_MEASURES(MEASURE) \
	MEASURE(ELAPSED, "elapsed", "nanoseconds", PROBES, "elapsed_exclusive_ns") \
	MEASURE(APPLICATION, "application", "nanoseconds", PROBES, "application_exclusive_ns") \
	MEASURE(WAITING, "waiting", "nanoseconds", PROBES, "off_cpu_exclusive_ns") \
	MEASURE(PREEMPTED, "preempted", "nanoseconds", PROBES, "part of waiting") \
	MEASURE(CPU, "cpu", "nanoseconds", PROBES, "elapsed less waiting") \
	MEASURE(CALLS, "calls", "count", PROBES, "calls") \
	MEASURE(JUMPS, "jumps", "count", PROBES, "tail_calls of cinstr tree") \
	MEASURE(SWITCHES, "switches", "count", PROBES, "voluntary_switches_exclusive and involuntary") \
	MEASURE(SAMPLES, "samples", "count", SAMPLES, "exclusive_samples") \
	MEASURE(COUNT_INSTRUCTIONS, "instructions", "count", COUNTED, "exclusive_instructions") \
	MEASURE(COUNT_CYCLES, "cycles", "count", COUNTED, "exclusive_counted") \
	MEASURE(COUNT_RETIRED, "retired", "count", COUNTED, "exclusive_counted") \
	MEASURE(COUNT_MISSES, "misses", "count", COUNTED, "exclusive_counted")
/* clang-format on */

#define MEASURE_ID(id, ...) MEASURE_##id,
enum export_measure { EXPORT_MEASURES(MEASURE_ID) MEASURES };
#undef MEASURE_ID

enum measure_origin { MEASURE_OF_PROBES, MEASURE_OF_SAMPLES, MEASURE_OF_COUNTED };
struct measure_info {
	const char *name, *unit;
	enum measure_origin origin;
};
extern const struct measure_info measure_infos[MEASURES];

/* A selection of measures, in the order requested. */
struct measures {
	enum export_measure list[MEASURES];
	unsigned n;
	unsigned n_given; /* the first ones, requested by the user */
};

/* Parses names separated by commas, `most` at most: those of the option, or the defaults if it is
 * NULL. Returns 0, or -1 after an error message. */
int measures_choose(struct measures *measures, const char *option, const char *defaults, unsigned most);
/* Returns the first COUNTED measure that the option's list names, or MEASURES if it names none. */
enum export_measure measures_counted(const char *option);
/* Adds a measure if it is missing. */
void measures_add(struct measures *measures, enum export_measure measure);
/* Removes measures that sessions of this method do not have. Returns 0, or -1 after an error
 * message if the user requested one of them. */
int measures_of_method(struct measures *measures, int is_sampled);

#endif
