/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * executed.h - how many machine instructions the functions of a session have executed, from the
 * counters of their segments (file/segments.h): of all chosen processes and threads together, or of
 * each thread. What does not follow from the counters is not known, and is told with its reason.
 *
 *      executed_init()
 *      executed_add()      for each data file: selection_each()
 *      executed_finish()
 *      executed_release()
 */
#ifndef REPORT_EXECUTED_EXECUTED_H
#define REPORT_EXECUTED_EXECUTED_H

#include "file/data.h"
#include "file/segments.h"
#include "names/names.h"
#include "segment_calls.h"
#include "segment_code.h"
#include "symbols/symbols.h"

enum executed_verdict {
	EXECUTED_KNOWN,
	EXECUTED_TABLE,	   /* its table of segments is damaged */
	EXECUTED_COUNTERS, /* its counters do not fit its table */
	EXECUTED_UNSOLVED, /* some segments' counts do not follow from its counters */
	EXECUTED_STOPPED,  /* its counts do not add up: a thread was stopped in the middle of it */
	EXECUTED_FILE,	   /* its code is not known: its file is gone or has changed */
	EXECUTED_CODE,	   /* it has instructions that are not known */
	EXECUTED_TOO_MANY, /* they are more than 2^64 */
	EXECUTED_VERDICTS
};
/* Says why. */
extern const char *const executed_reasons[EXECUTED_VERDICTS];

/* A file of a module. */
struct executed_image {
	const char *path;
	const char *build_id;	 /* in hex, kept; "": it has none */
	int is_main;		 /* the program's own file */
	struct symbols *symbols; /* NULL: there are none */
	struct segment_table table;
	enum executed_verdict verdict; /* of the whole image */
	uint64_t *sums;		       /* [table.n_counters] */
	uint32_t *entities;	       /* [table.n_functions]; NAMES_NONE: nothing was executed */
	struct segment_code *code;     /* [table.n] */
	/* [table.n_functions]: executed where several threads did not record, and share counters */
	uint8_t *is_shared;
	uint8_t *has_code; /* [table.n]: code[] was looked at */
	struct segment_calls calls;
};

/* A function of an image: a note. */
struct executed_function {
	uint32_t image, number; /* in the image's table */
	uint32_t entity;
	enum executed_verdict verdict;
	uint64_t instructions; /* 0 if the verdict is not EXECUTED_KNOWN */
	/* There may have been a few more or fewer: it has jumps where none should be
	 * (segment_code.h), or its counters were shared. */
	int is_estimate;
	uint64_t calls;
	int has_calls;	  /* they are known */
	uint64_t *counts; /* of each segment; NULL: not known */
};

struct executed_thread {
	const char *process, *name; /* kept */
	uint32_t pid, tid;
	uint64_t instructions;
	int is_estimate;
	size_t n_unknown; /* functions that are not among them */
};

struct executed {
	int by_thread;	  /* fills threads[] */
	int some_threads; /* those that the selection has left in the data */
	struct names *names;
	struct names thread_names;
	struct map keys, strings;
	struct executed_image *images; /* by number of the key */
	size_t size_images;
	/* after executed_finish(): those functions that were executed */
	struct executed_function *functions;
	size_t n_functions, size_functions;
	struct executed_thread *threads;
	size_t n_threads;
	size_t n_lost;	   /* counted modules of processes that cannot be told from others */
	size_t n_files;	   /* that were added */
	size_t n_counting; /* of these, those that have counted modules */
	size_t n_stopped;  /* whose recording ended before their process did */
	size_t n_merged;
	int is_live;	   /* some process went on */
	uint64_t begun_ns; /* when the first of them did, since 1970 */
};

void executed_init(struct executed *executed, struct names *names);
void executed_add(struct executed *executed, const struct data *data);
void executed_finish(struct executed *executed);
/* Gets each function that a thread has executed, with its counts, for the time of the call. */
struct executed_visit {
	void (*function)(void *arg, const struct executed_function *function);
	void *arg;
};
/* A thread of the file; NULL: what was executed where no thread recorded. */
void executed_of_thread(struct executed *executed, const struct data *data, const struct data_thread *thread,
			const struct executed_visit *visit);
void executed_release(struct executed *executed);

/* "app and libx.so": the files whose instructions are counted. */
void executed_put_images(struct strbuf *text, const struct executed *executed);

static inline size_t executed_n_images(const struct executed *executed)
{
	return executed->keys.n;
}

/* The function's segments. */
static inline const struct segment *executed_segments(const struct executed *executed,
						      const struct executed_function *function, size_t *n)
{
	const struct segment_table *table = &executed->images[function->image].table;

	*n = table->functions[function->number].n;
	return table->list + table->functions[function->number].first;
}

#endif
