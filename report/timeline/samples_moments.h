/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * samples_moments.h - the single samples of a session in order of time (cinstr timeline of a
 * sampled session). They are collected file by file, 16 bytes each; the function executing and its
 * stack are stored once for each call path of a process.
 */
#ifndef REPORT_SAMPLES_MOMENTS_H
#define REPORT_SAMPLES_MOMENTS_H

#include "names/names.h"
#include "selection/selection.h"

struct sampled_moment {
	uint64_t ns;	       /* since the session's begin */
	uint32_t thread, path; /* indices in `threads` and `paths` */
};

struct moments_thread {
	uint32_t pid, tid;
	uint32_t process_number, track; /* struct data, twins_track() */
	const char *shown_number;	/* twins_put() */
	const char *name, *process;
	const char *event; /* name of the event; NULL: not known */
	uint64_t interval; /* of samples, in the event's units; 0: not known */
	int is_time;	   /* the units are nanoseconds */
};

/* A stack, and the function executing. */
struct moments_path {
	/* NULL: not known; function NULL: outside of any function */
	const char *function, *module, *file;
	uint32_t line;	/* source line executing */
	uint32_t depth; /* number of functions on the stack */
	/* Names of the functions: outermost first, separated by ;. With put_frame: its results,
	 * innermost first. NULL: not requested. */
	const char *stack;
	int is_taken; /* chosen by --function and --module */
};

struct moments {
	struct sampled_moment *list;
	size_t n, size;
	struct moments_thread *threads;
	size_t n_threads;
	struct moments_path *paths;
	size_t n_paths;
	int with_stacks; /* set by the caller: makes `stack` */
	/* Set by the caller, or NULL: appends one function of a stack, with the place executing
	 * (NULL: not known). entity NULL: it has no name. */
	void (*put_frame)(struct strbuf *text, const struct entity *entity,
			  const struct sampled_function *function, const struct sampled_place *place);
	struct names names;
	struct map strings;
};

/* Reads the selected samples. Only the members set by the caller may be nonzero before. Returns the
 * exit status; release in any case. */
int moments_read(struct moments *moments, const struct selection *selection, struct session *input);
void moments_release(struct moments *moments);

#endif
