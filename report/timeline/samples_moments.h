/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * samples_moments.h - the samples of a session one by one, in order of time: when, where and in
 * what (cinstr timeline of a sampled session). They are gathered file by file, 16 bytes each; what
 * was executing, and how it got there, is kept once for each call path of a process.
 */
#ifndef REPORT_SAMPLES_MOMENTS_H
#define REPORT_SAMPLES_MOMENTS_H

#include "names/names.h"
#include "selection/selection.h"

struct sampled_moment {
	uint64_t ns;	       /* since the session's begin */
	uint32_t thread, path; /* numbers in what is below */
};

struct moments_thread {
	uint32_t pid, tid;
	uint32_t process_number, track; /* struct data, twins_track() */
	const char *shown_number;	/* twins_put() */
	const char *name, *process;
	const char *event; /* that is sampled; NULL: not known */
	uint64_t interval; /* of samples, in the event's units; 0: not known */
	int is_time;	   /* which are nanoseconds */
};

/* A stack: what was executing, and all of it. */
struct moments_path {
	const char *function, *module, *file; /* NULL: not known; function NULL: outside of any */
	uint32_t line;			      /* that was executing */
	uint32_t depth;			      /* functions on the stack */
	/* their names, the outermost first, separated by ;, or what put_frame makes of them, the
	 * innermost first. NULL: not asked for */
	const char *stack;
	int is_taken; /* by --function and --module */
};

struct moments {
	struct sampled_moment *list;
	size_t n, size;
	struct moments_thread *threads;
	size_t n_threads;
	struct moments_path *paths;
	size_t n_paths;
	int with_stacks; /* wished */
	/* Also wished, or NULL: one function of a stack, and what it was executing (NULL: not
	 * known). entity NULL: it has no name. */
	void (*put_frame)(struct strbuf *text, const struct entity *entity,
			  const struct sampled_function *function, const struct sampled_place *place);
	struct names names;
	struct map strings;
};

/* Reads what the selection leaves into one that is zero but for what is wished. Returns the exit
 * status; release in any case. */
int moments_read(struct moments *moments, const struct selection *selection, struct input *input);
void moments_release(struct moments *moments);

#endif
