/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * firefox_tables.h - writes parts of a profile of Firefox Profiler (its "processed" format): the
 * tables shared by all threads, whose entries are numbered as they are added and written last, and
 * threads.
 *
 * A sample is a stack, a time, and a duration. A stack is a frame and the stack that it was called
 * from; a frame is a function in a category, so that a function can both compute and wait.
 */
#ifndef REPORT_EXPORT_FIREFOX_TABLES_H
#define REPORT_EXPORT_FIREFOX_TABLES_H

#include "lib/int_map.h"
#include "names/names.h"
#include "sink.h"

/* Version of the format; the viewer reads it and all older ones. */
#define FIREFOX_FORMAT "60"
#define FIREFOX_NONE UINT32_MAX

/* id, name, colour; the first is for code of no category and must be grey. */
/* clang-format off */
#define FIREFOX_CATEGORIES(CATEGORY) \
	CATEGORY(OTHER, "Other", "grey") \
	CATEGORY(PROGRAM, "Program", "green") \
	CATEGORY(SYSTEM, "System libraries", "yellow") \
	CATEGORY(KERNEL, "Kernel", "orange") \
	CATEGORY(WAITING, "Waiting", "blue") \
	CATEGORY(PREEMPTED, "Preempted", "red")
/* clang-format on */
#define FIREFOX_ID(id, name, colour) FIREFOX_##id,
enum firefox_category { FIREFOX_CATEGORIES(FIREFOX_ID) FIREFOX_N_CATEGORIES };
#undef FIREFOX_ID

struct firefox_function;
struct firefox_frame;

struct firefox_tables {
	struct map strings, modules, files;
	struct map function_keys, frame_keys;
	struct firefox_function *functions;
	struct firefox_frame *frames;
	size_t size_functions, size_frames;
	struct int_map stacks; /* int_map_pair(index of the stack below + 1, frame) */
};

struct firefox_marker {
	uint64_t ns;
	uint32_t text; /* index of the string */
};

/* Times and durations in ns. */
struct firefox_samples {
	uint32_t *stacks; /* FIREFOX_NONE: empty stack */
	uint64_t *moments, *weights;
	size_t n, size;
};

struct firefox_thread {
	const char *name, *process, *pid;
	uint32_t tid;
	int is_main;
	int is_count; /* weights are counts, not times */
	uint64_t begin_ns, end_ns;
	struct firefox_samples samples;
	struct firefox_marker *markers;
	size_t n_markers, size_markers;
};

/* Head of the profile, written before its first thread. */
struct firefox_meta {
	const char *product;
	uint64_t start_realtime_ns;
	uint64_t interval_ns; /* of samples; 0: none */
};

void firefox_tables_release(struct firefox_tables *tables);
/* Return the index of an entry, adding it if needed. file NULL, line 0: not known. */
uint32_t firefox_string(struct firefox_tables *tables, const char *text);
uint32_t firefox_function(struct firefox_tables *tables, const char *name, const char *module,
			  const char *file, uint32_t line);
uint32_t firefox_frame(struct firefox_tables *tables, uint32_t function, enum firefox_category category,
		       int is_jump, uint32_t line);
/* below: the stack that the frame was called from, or FIREFOX_NONE. */
uint32_t firefox_stack(struct firefox_tables *tables, uint32_t below, uint32_t frame);

/* Returns whether the code is the program's, the system's or the kernel's. */
enum firefox_category firefox_category_of(const struct entity *entity);

void firefox_sample_add(struct firefox_samples *samples, uint32_t stack, uint64_t ns, uint64_t weight);
void firefox_marker_add(struct firefox_tables *tables, struct firefox_thread *thread, uint64_t ns,
			const char *text);

void firefox_begin(struct sink *sink, const struct firefox_meta *meta);
/* Writes a thread and empties it for the next one. */
void firefox_thread_put(struct sink *sink, struct firefox_thread *thread, const struct firefox_tables *tables,
			int is_first);
/* Writes the tables and the end of the file. */
void firefox_end(struct sink *sink, const struct firefox_tables *tables);

#endif
