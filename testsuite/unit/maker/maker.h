/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * maker.h - makes data files with known content for the unit tests: an instrumented module `app`, a
 * module `libc` without probes, threads with the cells that a test wants. Written from
 * cinstr/format.h and abi.h alone, so it checks the reader's understanding of them. One tick is one
 * nanosecond unless a test says otherwise.
 */
#ifndef UNIT_MAKER_H
#define UNIT_MAKER_H

#include <stddef.h>
#include <stdint.h>

#include "cinstr/abi.h"
#include "cinstr/format.h"

#define MAKER_CELLS 60	       /* a thread's; one page */
#define MAKER_TEXT 0x401000ull /* absolute begin of app's text */
#define MAKER_BASE 0x400000ull
#define MAKER_LIBC 0x7f0000001000ull
#define MAKER_CODE_BASE 0x100u

struct maker {
	char *bytes;
	size_t size, n;
	uint32_t n_threads;
	size_t cells[8]; /* payload offsets, by thread */
	uint32_t n_cells[8];
	size_t threads[8];
	uint64_t ticks[8];			/* sum of the nodes' */
	size_t stacks, tasks, samples, symbols; /* payloads (maker_samples.h) */
	size_t marks, marks_used;		/* payload of the MARKS segment; 0: none yet */
	char path[64];
};

void maker_init(struct maker *maker);
void maker_release(struct maker *maker);

struct cinstr_header *maker_header(struct maker *maker);
/* Offset of the new segment's payload of that many pages. */
size_t maker_segment(struct maker *maker, uint32_t type, uint32_t owner, size_t pages);
/* A thread with its root; returns its index. */
uint32_t maker_thread(struct maker *maker, const char *name);
struct cinstr_thread *maker_thread_at(struct maker *maker, uint32_t thread);
/* The root's cell index. */
uint32_t maker_root(const struct maker *maker, uint32_t thread);
struct cinstr_cell *maker_cell_at(struct maker *maker, uint32_t index);
/* New nodes; they return the cell index. */
uint32_t maker_frame(struct maker *maker, uint32_t thread, uint32_t parent, uint32_t site, uint32_t func,
		     uint64_t calls, uint64_t ticks);
uint32_t maker_call(struct maker *maker, uint32_t thread, uint32_t parent, uint32_t site, uint64_t calls,
		    uint64_t ticks);
uint32_t maker_indirect(struct maker *maker, uint32_t thread, uint32_t parent, uint32_t site,
			uint64_t address, uint64_t calls, uint64_t ticks);
/* A source line of the frame `parent`. */
uint32_t maker_line(struct maker *maker, uint32_t thread, uint32_t parent, uint32_t site, uint64_t calls,
		    uint64_t ticks);
void maker_property(struct maker *maker, const char *key, const char *value);
/* Adds a mark; returns it. */
struct cinstr_mark *maker_mark(struct maker *maker, uint32_t tid, uint64_t ticks, uint32_t site,
			       const char *text);
/* The innermost open activation of the thread is now this cell. */
void maker_open(struct maker *maker, uint32_t thread, uint32_t cell);
/* The node's detail, made if need be. */
struct cinstr_detail *maker_detail(struct maker *maker, uint32_t thread, uint32_t owner);
/* Inclusive ticks of its shortest and longest activation. */
void maker_extremes(struct maker *maker, uint32_t thread, uint32_t owner, uint64_t shortest,
		    uint64_t longest);
void maker_bucket(struct maker *maker, uint32_t thread, uint32_t owner, uint32_t bits, uint64_t ticks,
		  uint64_t off_cpu);
/* Of `intervals` intervals with that many switches. */
struct cinstr_bucket *maker_bucket_of(struct maker *maker, uint32_t thread, uint32_t owner, uint32_t bits,
				      uint64_t intervals, uint32_t voluntary, uint32_t involuntary);
void maker_root_ticks(struct maker *maker, uint32_t thread, uint64_t ticks);
/* Gives a function, or whatever else has this name, another one that is not longer. */
void maker_rename(struct maker *maker, const char *from, const char *to);
/* Puts records into the thread's buffer. */
void maker_records(struct maker *maker, uint32_t thread, const struct cinstr_record *records, size_t n);

/*
 * Codes of app's sleds. Functions: main, work, rec, twin (a.c), twin (b.c), clone.constprop.0,
 * tail, lined (which has source lines), work._omp_fn.0. Sites by name.
 */
enum maker_site {
	MAIN_ENTER,
	MAIN_WORK,
	MAIN_WORK_AFTER,
	MAIN_REC,
	MAIN_REC_AFTER,
	MAIN_PUTS,
	MAIN_PUTS_AFTER,
	MAIN_USLEEP,
	MAIN_USLEEP_AFTER,
	MAIN_POINTER,
	MAIN_POINTER_AFTER,
	MAIN_TWIN,
	MAIN_TWIN_AFTER,
	MAIN_EXIT,
	WORK_ENTER,
	WORK_READ,
	WORK_READ_AFTER,
	WORK_REC,
	WORK_REC_AFTER,
	WORK_TAIL,
	WORK_EXIT,
	REC_ENTER,
	REC_REC,
	REC_REC_AFTER,
	REC_EXIT,
	TWIN_A_ENTER,
	TWIN_A_EXIT,
	TWIN_B_ENTER,
	TWIN_B_EXIT,
	CLONE_ENTER,
	CLONE_EXIT,
	TAIL_ENTER,
	TAIL_EXIT,
	LINED_ENTER,
	LINED_81,
	LINED_PUTS,
	LINED_PUTS_AFTER,
	LINED_82,
	LINED_LINED,
	LINED_LINED_AFTER,
	LINED_INLINED, /* /abs/b.c:5, inlined */
	LINED_AGAIN,   /* the same line, inlined another way */
	LINED_THIRD,   /* and three more */
	LINED_FOURTH,
	LINED_FIFTH,
	LINED_80, /* the line of its definition */
	LINED_EXIT,
	OMP_ENTER,
	OMP_EXIT,
	MAKER_SITES
};
/* The payload of the segment of modules, from byte `at` on; returns where the next one goes. */
size_t maker_app_module(struct maker *m, size_t at);
size_t maker_libc_module(struct maker *m, size_t at);
uint32_t maker_code(enum maker_site site);

/* Seals, writes the file to `path` (in a temporary folder) and returns it. */
const char *maker_write(struct maker *maker);
/* Writes a session's data file with a bit of everything; host: NULL, or the name of its machine.
 * Returns an exit status. */
int maker_sample(const char *path, const char *host);
/* random_recording.c: the same of a process that was made by chance. */
int maker_random_recording(const char *path, unsigned number);
/* ... of which not all calls were timed; it is to be written and released. */
struct maker *maker_random_counted(unsigned number);
/* ... that is to be joined with samples: a thread takes about a second. */
struct maker *maker_random_mixed(unsigned number);
/* What probes cost is not known from then on: it may be nothing. */
void maker_rough(void);
/* One with source lines, pauses and marks, of which not everything was recorded. */
int maker_lines_sample(const char *path);
/* Only the file; nothing is put in order before. */
void maker_write_raw(struct maker *maker, size_t bytes);

#endif
