/* SPDX-License-Identifier: MIT */
/*
 * process.h - the process, its data file, its threads, its rank. What other rooms may ask for,
 * by file; comes with runtime.h.
 */
#ifndef CINSTR_RUNTIME_PROCESS_H
#define CINSTR_RUNTIME_PROCESS_H

#include <stddef.h>
#include <stdint.h>

#include "cinstr/format.h"

struct place;
struct probe_state;
struct thread;
struct cinstr_long_interval;
struct session_job;

/* process.c */
void process_forked(void);
/* The file of a process that is sampled (sampled.c). 0 or -errno. */
int process_make_companion(uint64_t begin_ns, uint64_t begin_realtime_ns, int forked);

/* ranks.c: whose rank this process is; the session that CINSTR_DATA names, its template expanded;
 * opens it (as session_create_ranks). */
const struct session_job *ranks_job(void);
const char *ranks_wanted(void);
int ranks_open_session(char *folder);

/* store.c */
/* The process's file, in the folder of this path that is open. 0 or -errno. */
int store_create(const char *path, int folder);
/* The same in the folder that a file was made in before. */
int store_create_beside(const char *path);
uint64_t store_lock(void); /* returns the signal mask for: */
void store_unlock(uint64_t old);
/* Payload of a new segment, zeroed; NULL: no room (recording ends: store_stop has been called). */
void *store_segment(uint32_t type, uint64_t payload_bytes, uint32_t owner);
void store_free(void *payload);
struct cinstr_segment *store_segment_of(void *payload);
void store_seal(void *payload, uint64_t used);
void store_stop(enum cinstr_stop why, int error);
void store_trim(void);
uint64_t store_identity_checksum(const struct cinstr_header *header);

/* properties.c */
void properties_write(void);

/* cpu_limit.c: thousandths of a processor that the process's control group may use; 0: it has no
 * limit. */
uint64_t cpu_limit(void);

/* place.c */
/* `first` bytes, that may grow to `size`: of a file, or (fd -1) of private memory. NULL: no
 * room. */
char *place_take(struct place *place, int fd, uint64_t size, uint64_t first);
/* Accessible up to `bytes`: 0 or -errno. */
int place_grow(struct place *place, uint64_t bytes);
void place_cut(struct place *place, uint64_t bytes);
void place_drop(const struct place *place);

/* reach.c */
/* The data file's descriptor, or -errno: it may be out of reach by now; -ESTALE: deleted. Notes the
 * path it has now. */
int reach_file(void);
/* Is the data file what this descriptor is for now? */
int reach_is_ours(int fd);
/* Unless the program has put something else there. */
void reach_close(int fd);

/* thread.c */
int thread_begin(struct probe_state *probe, uint64_t now);
void thread_end(struct thread *thread);
void thread_off(struct probe_state *probe);
void thread_fold(struct thread *thread);
/* Folds where no event may come any more, on the program's own stack: what the program did from the
 * last event up to `now`, in ticks, is told, too. Within the thread's work: slow_call_begin(). */
void thread_fold_to(struct thread *thread, uint64_t now);
void thread_start_buffer(struct thread *thread, uint64_t now);
void thread_exit_process(void);
void thread_before_fork(void);
void thread_after_fork(void);
void thread_forked(const char *parent_file, uint64_t parent_bytes);
void thread_init(void);
void thread_arm(struct probe_state *probe);
uint64_t thread_armed(struct probe_state *probe);
/* Makes a new thread's probe_state, all zeros, ready for use. */
void thread_ready(struct probe_state *probe);
/* Takes the place of each thread's probe_state: `offset` bytes from the thread pointer; 0: one of
 * the runtime's own. */
void thread_place_probe(ptrdiff_t offset);
void thread_seal(struct thread *thread);
/* Before a fold of n records. -1: the reader has to fold them. */
int thread_prepare_journal(struct thread *thread, size_t n);

/* call_sums.c: the thread's second tree begins, goes on for another thread, and ends. */
void call_sums_begin(struct thread *thread);
void call_sums_carry_on(struct thread *thread);
void call_sums_close(struct thread *thread);
/* Returns the thread that has this tree as its first; NULL: there is none. */
struct thread *call_sums_tree(const struct thread *thread);
/* Before n records are written there: what has been executed. */
void call_sums_note(const struct thread *thread, const struct cinstr_record *records, uint32_t n);
/* Folds the n records of the buffer, too; before the first tree's fold counts. */
void call_sums_fold(struct thread *thread, size_t n);

/* Is it as a thread library makes it, of the program's image? */
int thread_is_fresh(const struct probe_state *probe);

/* thread_names.c */
void thread_name(struct cinstr_thread *record);
void thread_others_at_exit(void);

/* long_intervals.c */
/* The thread has a new record. */
void long_intervals_begin(struct thread *thread);

/* waits.c */
struct probe_frame;
/* Who gave an object last, as thunks write it (thunk_template.S); waits_gives has 1 << GIVES_BITS
 * of them. */
struct give {
	uint64_t object; /* 0: it is being written */
	uint64_t ticks;
	uint64_t by;	/* as in struct cinstr_wait */
	uint64_t check; /* object ^ by ^ ticks */
};
extern struct give waits_gives[];
/* Stamps: of the event before the call, perhaps with what the recording did behind it; begin and
 * end of the interval. */
struct wait_interval {
	uint64_t before, begin, end;
};
/* The thread has a new record. */
void waits_begin(struct thread *thread);
/*
 * Notes a wait that ends with the event `code`, an AFTER, if the thunk before the call has noted
 * what for. Returns 1: there is no room for another one until the next fold.
 */
int waits_note(struct thread *thread, const struct probe_frame *frame, uint32_t code,
	       const struct wait_interval *interval);
/* Behind the event of this frame: if it was that of a call that waits, tells what for. */
void waits_tell(const struct probe_state *probe, const struct probe_frame *frame);
/* The calling thread, whose tid this is, ends: who waits for that gets to know. */
void waits_end_thread(uint32_t tid);
/* Behind a committed fold: waits whose paths are known are added up. */
void waits_add_up(struct thread *thread);

/* stretches.c */
struct cinstr_stretch;
/* The thread has a new record. */
void stretches_begin(struct thread *thread);
/* In a forked child: its file has nothing yet. */
void stretches_forked(void);
/* In a fold: keeps the stretch, if it is long enough and in a window that is kept. */
void stretches_add(struct thread *thread, const struct cinstr_stretch *stretch);

/* method.c */
/* Reads CINSTR_METHOD. Returns whether the program is only sampled. */
int method_choose(void);
/* Has every call timed if nothing was asked for and the thread may not be sampled. Is called in a
 * task apart, when there is a file and no budget yet. */
void method_settle(long tid);

/* self_sample.c: nothing happens unless cinstr.is_self_sampled. */
/* Returns 0 if the thread may be sampled, else -errno. Is called in a task apart. */
int self_samples_try(long tid);
/* The thread has a new record. */
void self_samples_begin(struct thread *thread);
/* The calling thread is sampled from now on, if it can be; or, where threads are short, once it has
 * run for a millisecond. */
void self_samples_open(struct thread *thread);
/* At an event of such a thread, or before its fold: samples it if it has run for so long. */
void self_samples_open_late(struct thread *thread);
/* Before a fold: what there is by now goes to the file. */
void self_samples_take(struct thread *thread);
/* In a fold: whether samples lie in the interval. */
int self_samples_are_in(struct thread *thread, const struct cinstr_long_interval *interval);
/* The thread is over. */
void self_samples_close(struct thread *thread);
void self_samples_at_exit(void);

#endif
