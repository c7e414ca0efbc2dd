/* SPDX-License-Identifier: MIT */
/*
 * process.h - the process, its data file, its threads, its rank: functions for other rooms, by
 * file. Included by runtime.h.
 */
#ifndef CINSTR_RUNTIME_PROCESS_H
#define CINSTR_RUNTIME_PROCESS_H

#include <stddef.h>
#include <stdint.h>

#include "cinstr/amounts.h"
#include "cinstr/format.h"

struct place;
struct probe_state;
struct thread;
struct cinstr_long_interval;
struct fold;
struct session_job;

/* process.c */
void process_forked(void);
/* Makes the file of a process that is sampled (sampled.c). Returns 0 or -errno. */
int process_make_companion(uint64_t begin_ns, uint64_t begin_realtime_ns, int forked);

/* ranks.c: the rank and job of this process; the session's name by CINSTR_DATA, template expanded;
 * ranks_open_session() opens that session (as session_create_ranks). */
const struct session_job *ranks_job(void);
const char *ranks_wanted(void);
int ranks_open_session(char *folder);

/* store.c */
/* Makes the process's file in the folder at `path`, open as `folder`. Returns 0 or -errno. */
int store_create(const char *path, int folder);
/* Makes a file in the folder of the previous file, if `path` still is that one. Returns 0 or
 * -errno. */
int store_create_beside(const char *path);
uint64_t store_lock(void); /* blocks signals; returns the old mask for: */
void store_unlock(uint64_t old);
/* Returns the zeroed payload of a new segment, or NULL: no room (recording ends: store_stop has
 * been called). */
void *store_segment(uint32_t type, uint64_t payload_bytes, uint32_t owner);
void store_free(void *payload);
struct cinstr_segment *store_segment_of(void *payload);
void store_seal(void *payload, uint64_t used);
void store_stop(enum cinstr_stop why, int error);
void store_trim(void);
uint64_t store_identity_checksum(const struct cinstr_header *header);

/* properties.c */
void properties_write(void);

/* cpu_limit.c: returns the limit of the process's control groups in thousandths of a processor, or
 * 0: no limit. */
uint64_t cpu_limit(void);

/* place.c */
/* Maps `first` bytes, which may grow to `size`, of a file or (fd -1) of private memory. Returns
 * NULL if there is no room. */
char *place_take(struct place *place, int fd, uint64_t size, uint64_t first);
/* Makes the place accessible up to `bytes`. Returns 0 or -errno. */
int place_grow(struct place *place, uint64_t bytes);
void place_cut(struct place *place, uint64_t bytes);
void place_drop(const struct place *place);

/* reach.c */
/* Opens the data file, which may have moved, and notes its present path. Returns its descriptor or
 * -errno; -ESTALE: deleted. */
int reach_file(void);
/* Returns 1 if the descriptor still refers to the data file, else 0. */
int reach_is_ours(int fd);
/* Closes the descriptor unless the program has put another file there. */
void reach_close(int fd);

/* thread.c */
int thread_begin(struct probe_state *probe, uint64_t now);
void thread_end(struct thread *thread);
void thread_off(struct probe_state *probe);
void thread_fold(struct thread *thread);
/* Folds where no event may come any more, on the program's own stack, including the interval from
 * the last event up to `now`, in ticks. Within the thread's work: slow_call_begin(). */
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
/* Sets the place of each thread's probe_state: `offset` bytes from the thread pointer; 0: the
 * runtime's own thread variable. */
void thread_place_probe(ptrdiff_t offset);
void thread_seal(struct thread *thread);
/* Prepares the journal for a fold of n records. Returns 0, or -1: no room, the reader must fold
 * them. */
int thread_prepare_journal(struct thread *thread, size_t n);

/* call_sums.c: begins the thread's second tree, continues it for another thread, and ends it. */
void call_sums_begin(struct thread *thread);
void call_sums_carry_on(struct thread *thread);
void call_sums_close(struct thread *thread);
/* Returns a struct thread with the second tree as its tree, or NULL if there is none. */
struct thread *call_sums_tree(const struct thread *thread);
/* Notes the thread's count so far for n records that are about to be written. */
void call_sums_note(const struct thread *thread, const struct cinstr_record *records, uint32_t n);
/* Folds the n records of the buffer into the second tree; called before the first tree's fold is
 * committed. */
void call_sums_fold(struct thread *thread, size_t n);

/* Returns 1 if the probe_state is as the thread library made it from the TLS image, else 0. */
int thread_is_fresh(const struct probe_state *probe);

/* thread_names.c */
void thread_name(struct cinstr_thread *record);
void thread_others_at_exit(void);

/* long_intervals.c */
/* Sets up for a thread that has a new record. */
void long_intervals_begin(struct thread *thread);

/* held.c */
struct probe_frame;
/* Returns 1 if CINSTR_HELD asks for it, else 0. */
int held_is_wanted(void);
/* Makes the table in the data file, which is new, if it is wanted. */
void held_begin(void);
/* Forgets the table. */
void held_end(void);
int held_is_on(void);
/* Tells the fold where the table is. */
void held_tell(struct fold *fold);
/* Called with each frame of the slow path, in any thread: removes the block that the call behind
 * the sled is about to free. thread: NULL if it does not record. */
void held_free(struct thread *thread, const struct probe_frame *frame);
/* Notes a call that allocates, before and after it. Returns the value of the HELD record to write
 * before its AFTER, or 0: none. */
uint64_t held_note(struct thread *thread, const struct probe_frame *frame, uint64_t now);

/* waits.c */
/* The last release of an object, as thunks write it (thunk_template.S); waits_gives has 1 <<
 * GIVES_BITS of them, by a hash of the object. */
struct give {
	uint64_t object; /* 0: the entry is being written */
	uint64_t ticks;
	uint64_t by;	/* as in struct cinstr_wait */
	uint64_t check; /* object ^ by ^ ticks */
	/* since this stamp nobody else has released the object, as far as the entry knows: that of
	 * the last release by others, or of another object */
	uint64_t other_ticks;
	uint64_t unused[3]; /* a cache line each: threads with different objects share none */
};
extern struct give waits_gives[];
/* Stamps: the event before the call, possibly with the runtime's work after it; begin and end of
 * the interval. */
struct wait_interval {
	uint64_t before, begin, end;
};
/* Sets up for a thread that has a new record. */
void waits_begin(struct thread *thread);
/*
 * Notes a wait that ends with the event `code`, an AFTER, if the thunk before the call has noted
 * its object. Returns 1 if there is no room for another one until the next fold, else 0.
 */
int waits_note(struct thread *thread, const struct probe_frame *frame, uint32_t code,
	       const struct wait_interval *interval);
/* Called after the event of this frame: if a call that waits follows, writes the awaited object
 * after the last record (cinstr/awaiting.h). */
void waits_tell(const struct probe_state *probe, const struct probe_frame *frame);
/* Notes the end of the calling thread, `tid`, as the release of its thread pointer, for threads
 * that wait in pthread_join(). */
void waits_end_thread(uint32_t tid);
/* Adds the noted waits to the sums. Called after a committed fold. */
void waits_add_up(struct thread *thread);

/* stretches.c */
struct cinstr_stretch;
/* Sets up for a thread that has a new record. */
void stretches_begin(struct thread *thread);
/* Resets the level in a forked child, whose file has no stretches yet. */
void stretches_forked(void);
/* Keeps the stretch if it is long enough. Called by folds. */
void stretches_add(struct thread *thread, const struct cinstr_stretch *stretch);

/* files.c */
/* Numbers of the files of the descriptors 0 to FILES_FDS - 1 (cinstr/amounts.h); 0: not known yet.
 * Thunks reset them to 0. */
extern uint32_t files_of_fds[];
/* Returns the value of the AMOUNT record for the call whose AFTER this frame is. */
uint64_t files_moved(const struct probe_frame *frame);
/* Returns the arguments that were noted of the call whose AFTER this frame is, or NULL: a signal
 * handler's call came between. */
const struct moves *files_moves(const struct probe_frame *frame);
/* Returns the object among the gives that a call waits for whose AFTER this frame is, a read or a
 * write of a pipe or the like; 0: it is none, or its ends are not known. */
uint64_t files_awaited(const struct probe_frame *frame);
/* Stores what the kernel says of the descriptor's file. Returns `link`, which is "" if it is no
 * descriptor. */
const char *files_link(uint32_t fd, char *link, uint32_t bytes);
/* Notes the two ends that the call has made whose AFTER this frame is. */
void files_paired(const struct probe_frame *frame);
/* Returns the bytes that the thread's latest call of a function that allocates asks for. */
uint64_t files_size(void);
/* Returns the end of the sled before the call whose arguments were noted last, low half. */
uint32_t files_site(void);
/* Returns the number of this name, which need not be that of a file, or CINSTR_FILE_OTHER: no
 * room. */
uint32_t files_number(const char *name);
/* Forgets all files in a forked child, whose data file has no names yet. */
void files_forked(void);

/* pipes.c */
/* The ends of pipes and the like that the descriptors 0 to FILES_FDS - 1 are, as pipes.c has them.
 * Thunks read them, and reset them to 0. */
extern uint32_t pipes_of_fds[];
/* Notes the descriptor, of which the kernel says `link`, if that is an end of a pipe or the like;
 * of a pipe the one to write to, or to read from. */
void pipes_see(uint32_t fd, const char *link, int writes);
/* Notes the descriptors that pipe() or socketpair() has made, or twice the one of eventfd(). */
void pipes_made(enum cinstr_end_kind kind, const uint32_t fds[2]);
/* Returns the object that stands for what ends waits of a read from, or a write to, the descriptor;
 * 0: none is known. */
uint64_t pipes_awaited(uint32_t fd, int writes);
/* Forgets the ends of the first descriptors in a forked child, whose other ends may be its
 * parent's. */
void pipes_forked(uint32_t n_fds);

/* polls.c */
#define POLLS_READY_MAX 8
/* Stores the objects that the descriptors stand for that were ready when the call ended, poll() or
 * epoll_wait(), whose AFTER this frame is; 0 of those that are not known. Returns how many were
 * ready; of more than POLLS_READY_MAX the first ones are stored. */
unsigned polls_ready(const struct probe_frame *frame, uint64_t *objects);
/* Notes the descriptor that a call of epoll_ctl() has registered, whose AFTER this frame is. */
void polls_register(const struct probe_frame *frame);

/* sockets.c */
/* Returns the name of the socket's peer. */
struct text sockets_name(int fd);
/* Returns a number of the connection that the socket is one side of, which both sides have, and
 * which side it is; 0: it has no ports, or peers are not to be looked at. */
uint32_t sockets_connection(int fd, int *side);

/* tags.c */
struct cinstr_tags;
/* Leaves a thread that begins, possibly with the record of another one, without tags. */
void tags_clear(struct thread *thread);
/* Begins a period of the tag with this name (a number) and value in the calling thread. Returns 0,
 * or -1: it has no room for another name. */
int tags_begin(struct thread *thread, uint32_t name, int64_t id);
/* Ends the tag with this name; 0: all of them. */
void tags_end(struct thread *thread, uint32_t name);
/* Copies the thread's tags, and gives it these tags in place of its own. */
void tags_take(const struct thread *thread, struct cinstr_tags *tags);
int tags_put(struct thread *thread, const struct cinstr_tags *tags);

/* method.c */
/* Reads CINSTR_METHOD. Returns whether the program is only sampled. */
int method_choose(void);
/* Has every call timed if no method was chosen and the thread may not be sampled. Called in a task
 * apart, after the file is made and before the budget begins. */
void method_settle(long tid);

/* counter.c: reads CINSTR_COUNTER into cinstr.counter. */
void counter_choose(void);
/* Sets cinstr.counter to CINSTR_COUNTER_NONE, with a message, if the processor's counter cannot be
 * read. Called in a task apart, before the first module is taken in. */
void counter_settle(long tid);
/* Has the calling thread counted; does nothing unless cinstr.counter is set. */
void counter_open(struct thread *thread);
/* Has the thread's probes read no counter; to be called before counter_close(). */
void counter_off(struct probe_state *probe);
/* Ends counting of a thread that is over. */
void counter_close(struct thread *thread);
/* Returns the calling thread's count plus SUM_FIRST, or 0 if it is not known. */
uint64_t counter_read(const struct thread *thread);

/* self_sample.c: all do nothing unless cinstr.is_self_sampled. */
/* Returns 0 if the thread may be sampled, else -errno. Called in a task apart. */
int self_samples_try(long tid);
/* Sets up for a thread that has a new record. */
void self_samples_begin(struct thread *thread);
/* Starts sampling the calling thread, if possible; where threads are short,
 * self_samples_open_late() does so. */
void self_samples_open(struct thread *thread);
/* Starts sampling a short thread if it has run for a millisecond. Called at its events and before
 * its folds. */
void self_samples_open_late(struct thread *thread);
/* Moves the samples taken so far to the file. Called before a fold. */
void self_samples_take(struct thread *thread);
/* After the thread has waited: returns 1 if its buffer should be folded soon, as
 * self_samples_take() is to see whether its switches have made samples costly, else 0. */
int self_samples_look(struct thread *thread);
/* Returns 1 if the interval may hold samples, else 0. Called by folds, for intervals in order. */
int self_samples_are_in(struct thread *thread, const struct cinstr_long_interval *interval);
/* Ends sampling of a thread that is over. */
void self_samples_close(struct thread *thread);
void self_samples_at_exit(void);

#endif
