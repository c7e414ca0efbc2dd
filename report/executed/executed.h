/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * executed.h - the numbers of machine instructions that the functions of a session executed, from
 * the counters of their segments (file/segments.h): of all chosen processes and threads together,
 * or of each thread. What does not follow from the counters is not known, and is reported with its
 * reason.
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
	EXECUTED_CODE,	   /* it has unknown instructions */
	EXECUTED_TOO_MANY, /* their number exceeds 2^64 */
	EXECUTED_VERDICTS
};
/* Texts that explain the verdicts. */
extern const char *const executed_reasons[EXECUTED_VERDICTS];

/* A file of a module. */
struct executed_image {
	const char *path;
	const char *build_id;	 /* in hex, kept; "": none */
	int is_main;		 /* the program's own file */
	struct symbols *symbols; /* NULL: none */
	struct segment_table table;
	enum executed_verdict verdict; /* for the whole image */
	uint64_t *sums;		       /* [table.n_counters] */
	uint32_t *entities;	       /* [table.n_functions]; NAMES_NONE: not executed */
	struct segment_code *code;     /* [table.n] */
	/* [table.n_functions]: executed by threads that did not record, and share counters */
	uint8_t *is_shared;
	uint8_t *has_code; /* [table.n]: code[] was read */
	struct segment_calls calls;
};

/* A function of an image. */
struct executed_function {
	uint32_t image, number; /* index in the image's table */
	uint32_t entity;
	enum executed_verdict verdict;
	uint64_t instructions; /* 0 unless the verdict is EXECUTED_KNOWN */
	/* The number may be slightly too low or too high: the function has jumps where none should
	 * be (segment_code.h), or its counters were shared. */
	int is_estimate;
	uint64_t calls;
	int has_calls;	  /* calls are known */
	uint64_t *counts; /* by segment; NULL: not known */
};

struct executed_thread {
	const char *process, *name; /* kept */
	uint32_t pid, tid;
	uint64_t instructions;
	int is_estimate;
	size_t n_unknown; /* functions whose instructions are not known */
};

struct executed {
	int by_thread;		     /* fills threads[] */
	enum cinstr_counter counter; /* what call paths are wanted of */
	size_t n_uncounted;	     /* threads whose count is not known */
	int some_threads;	     /* counts only threads that the selection left */
	struct names *names;
	struct names thread_names;
	struct map keys, strings;
	struct executed_image *images; /* by number of the key */
	size_t size_images;
	/* after executed_finish(): the functions that were executed */
	struct executed_function *functions;
	size_t n_functions, size_functions;
	struct executed_thread *threads;
	size_t n_threads;
	/* counted modules left out, as it is not clear which of the modules at their addresses they
	 * are */
	size_t n_lost;
	size_t n_files;	   /* files added */
	size_t n_counting; /* files with counted modules, or with such a counter */
	size_t n_stopped;  /* those whose recording ended before their process did */
	size_t n_merged;
	int is_live;	   /* some process was still running */
	uint64_t begun_ns; /* begin of the first process, ns since 1970 */
};

void executed_init(struct executed *executed, struct names *names);
void executed_add(struct executed *executed, const struct data *data);
void executed_finish(struct executed *executed);
/* Called with each function that a thread executed, and its counts, which are valid during the
 * call. */
struct executed_visit {
	void (*function)(void *arg, const struct executed_function *function);
	void *arg;
};
/* Visits the functions of a thread of the file; NULL: what was executed where no thread
 * recorded. */
void executed_of_thread(struct executed *executed, const struct data *data, const struct data_thread *thread,
			const struct executed_visit *visit);
/* Returns the tree of what the thread executed, or of the counter that is wanted, if it is of the
 * same events as that of time; else NULL. */
const struct data_thread *executed_sums(const struct executed *executed, const struct data *data,
					const struct data_thread *thread);
void executed_release(struct executed *executed);

/* Appends "app and libx.so": the files whose instructions are counted. */
void executed_put_images(struct strbuf *text, const struct executed *executed);

static inline size_t executed_n_images(const struct executed *executed)
{
	return executed->keys.n;
}

/* Returns the function's segments; *n: their number. */
static inline const struct segment *executed_segments(const struct executed *executed,
						      const struct executed_function *function, size_t *n)
{
	const struct segment_table *table = &executed->images[function->image].table;

	*n = table->functions[function->number].n;
	return table->list + table->functions[function->number].first;
}

#endif
