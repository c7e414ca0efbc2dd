/* SPDX-License-Identifier: MIT */
/*
 * control.h - on and off at all levels, marks, phases, the interface for programs: functions for
 * other rooms, by file. Included by runtime.h.
 */
#ifndef CINSTR_RUNTIME_CONTROL_H
#define CINSTR_RUNTIME_CONTROL_H

#include <stddef.h>
#include <stdint.h>

#include "cinstr/format.h"

struct cinstr_record;
struct control;
struct control_event;
struct fold;
struct probe_frame;
/* Data of an event that can be read before anything is touched. */
struct tasks_event {
	uint32_t kind;
	const uint64_t *at; /* as in struct probe_frame */
	uint64_t result;    /* of the call before the sled */
};
struct probe_state;
struct thread;
struct cinstr_open;
struct cinstr_task;
struct image;
struct cinstr_messages;

/* control.c */
/* Performs the actions that come before the event, and switches the thread on or off. Returns 1 if
 * the event is to be recorded, else 0. */
int control_before(struct probe_state *probe, const struct control_event *event);
/* Performs the actions that come after the event. Only for events with actions. */
void control_behind(struct probe_state *probe, const struct control_event *event);
uint32_t control_code(const struct control_event *event);
/* At the thread's first event, or request: notes its tid and initializes its control. */
void control_meet(struct probe_state *probe);
void control_forked(struct probe_state *probe);
void control_starts_off(void);
void control_open(struct probe_state *probe);

/* Returns 1 if this thread records now, else 0. */
int control_is_on(const struct probe_state *probe);
/* Makes the record of a thread that has not begun; a thread that is off stays off. */
void control_begin(struct probe_state *probe, uint64_t now);
/* After a request by the program at `now`, by a call whose return address is at sp: switches the
 * thread off or on there. */
void control_after_request(struct probe_state *probe, uint64_t sp, uint64_t now);
/* Switches the thread off after a fold, if it has to go off. */
void control_after_fold(struct probe_state *probe);

/* With the thread's buffer folded: */
/* Returns the number of entries on its stack. */
uint32_t control_count_open(const struct thread *thread);
/* Returns the number of entries that are still open at the event, by their places on the stack. */
uint32_t control_count_alive(const struct thread *thread, const struct control_event *event);
/* Returns 1 if the event is the entry of the callee of the topmost entry, a call; else 0. */
int control_is_called(const struct thread *thread, const struct control_event *event);
/* Records that all entries but the first n have ended (CINSTR_SP_STACK). */
void control_note_open(struct thread *thread, uint32_t n, uint64_t sp, uint64_t now);

/* lost.c: after sleds were switched since the thread's last check (thread.switches). */
/* Notes, while sleds are switched, that no event will end the function of this ENTER, or the call
 * of this AFTER. word: code >> 3 of the sled. */
void lost_note(uint32_t kind, uint32_t word);
/*
 * Returns 1 if the topmost of the first *n entries is over, with those that made tail calls to it.
 * Then sets *n to the number of entries left, and *ticks to the stamp when its probes were taken
 * out, or 0: it is over (beyond `alive`) for another reason.
 */
int lost_ends_top(const struct thread *thread, uint32_t alive, uint32_t *n, uint64_t *ticks);
/* Returns 1 if an event will still end entry i, else 0. */
int lost_keeps_end(const struct thread *thread, uint32_t i);
/* Returns the number of entries up to the one that this event ends, an after-call of it or of a
 * function that made tail calls to it; 0: none. */
uint32_t lost_count_returned(const struct thread *thread, uint32_t code, uint64_t sp);
/* Records for the fold which of the first n entries end as soon as they are on top
 * (CINSTR_SP_UNSEEN). */
void lost_note_unseen(struct thread *thread, uint32_t n, uint64_t now);

int control_is_elsewhere(uint64_t sp);
/* Returns the full stack pointer of the frame's probe at its entry, given one near it. */
uint64_t control_place_of(const struct cinstr_open *open, uint64_t sp);

/* tasks.c: tasks that were made by clone() in the memory of a thread. */
/* Called first at each event, in any task, on the program's stack. Returns 1 if the event is not
 * the thread's own, or the thread does not record because of such tasks: then leave it alone. */
int tasks_leave_alone(const struct tasks_event *event);
/* Does the same earlier, without a system call. Returns 0 if the answer is not known yet. */
int tasks_leave_unseen(const struct tasks_event *event);
/* Returns 1 if the calling task is not the thread whose memory it uses, else 0. */
int tasks_is_other(void);
/* Returns 1 if the calling task's thread pointer leads to no thread's memory, not even another
 * one's. */
int tasks_has_no_thread(void);
/* Returns 1 if tasks with the thread's thread pointer may be running beside it, else 0. */
int tasks_are_active(const struct control *control);
/* Prepares for a call that may make such a task, at a sled with this action. In the slow path,
 * signals blocked. */
void tasks_before(uint32_t action, const struct probe_frame *frame);
/* Drops a buffer that has events of other tasks. At the begin of the thread's own work in the slow
 * path. */
void tasks_settle(struct probe_state *probe);
/* Adds a mark if the thread now pauses for such tasks, or does so no more. At the end of that
 * work. */
void tasks_tell(struct probe_state *probe);
/* Detects other tasks that write records, by a cursor that is not where it was before. In the
 * thread, during its work. */
void tasks_check(struct probe_state *probe, const struct cinstr_record *cursor);
void tasks_end(struct probe_state *probe);
void tasks_forked(struct probe_state *probe);

/* levels.c */
int levels_begin(void);
/* Maps the process's own block from this data file. Returns 0 or -errno. */
int levels_map_process(int fd);
void levels_map_session(void);
/* Returns the messages of the session's processes, or NULL: they cannot be written. */
struct cinstr_messages *levels_messages(void);
void levels_drop_process(void);
void levels_forked(const char *parent_file);
void levels_start(void);
/* Returns 1 if the thread is on at the levels of the session, the process, and the thread as set
 * from outside; else 0. */
int levels_are_on(const struct probe_state *probe);
/* Applies changes at the levels since this thread's last check, and serves requests for folds and
 * rules. In slow path context. */
void levels_poll(struct probe_state *probe);
void levels_look(struct probe_state *probe);
/* Adds marks for changes at the levels of the process and the session. who: their origin, or
 * NULL. */
void levels_mark(const char *who);

/* api.c */
/* Sets the module's variable of cinstr.h, if it has one. */
void api_offer(const struct image *image);

/* marks.c */
/* Adds a mark of the calling thread. Returns 0, or -ENOMEM: no room, counted as lost. */
int mark_add(enum cinstr_mark_kind kind, uint64_t ticks, uint32_t site, int64_t id, const char *text);
/* Does the same for thread `tid`; 0: the calling one. */
int mark_add_for(uint32_t tid, enum cinstr_mark_kind kind, uint64_t ticks, int64_t id, const char *text);
/* Does the same for a mark of the program that was reached at `ticks`, just now: it begins a phase,
 * if the budget has one left. */
int mark_now(uint64_t ticks, uint32_t site, int64_t id, const char *text);
/* Makes the file's first segment of marks. */
void marks_begin(void);
/* Ensures room for some marks of others who cannot make a segment (cinstr control). Called at
 * folds. */
void marks_refill(void);

/* phases.c */
/* Makes the file's list of phases. */
void phases_begin(void);
/* Begins a phase. Returns its number and sets *ticks to its begin, or returns 0: none is left. */
uint32_t phases_next(uint64_t *ticks);
/* Tells the fold of all phases that have begun before the last record that exists now. */
void phases_see(struct fold *fold);

/* hold.c */
void hold_still(void);

/* sampled.c */
/* Called in a constructor, and when modules may have been loaded. */
void sampled_begin(void);
void sampled_offer(void);
/* Calls work(data), a request of the program, with its file made, one thread at a time, signals
 * blocked. Returns 0; -EBUSY: in a probe, or system calls are forbidden; other errors: no file. */
int sampled_call(void (*work)(void *), void *data);
/* For use in `work`: */
int sampled_is_on(void);
/* Adds a mark for a change at `now` at a level of cinstr.h. tid: the thread, at thread level. */
void sampled_changed(int level, uint32_t tid, uint64_t now);
struct sampled_thread {
	uint32_t tid; /* 0: free */
	uint32_t stopped;
	int32_t suspensions;
	struct cinstr_task *task; /* in the file; NULL: the program gave it no name */
};
/* Returns the entry of a living thread of this process (0: the calling one), or NULL: no such
 * thread, or no room. */
struct sampled_thread *sampled_thread(uint32_t tid);
/* Returns the thread's task in the file, which holds its name, or NULL: no room. */
struct cinstr_task *sampled_task(struct sampled_thread *thread, uint64_t now);

#endif
