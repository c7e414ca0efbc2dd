/* SPDX-License-Identifier: MIT */
/*
 * control.h - on and off at all levels, marks, phases, the interface for programs. What other
 * rooms may ask for, by file; comes with runtime.h.
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
/* What is known of an event before anything is touched. */
struct tasks_event {
	uint32_t kind;
	const uint64_t *at; /* as in struct probe_frame */
	uint64_t result;    /* of the call in front of the sled */
};
struct probe_state;
struct thread;
struct cinstr_open;
struct cinstr_task;
struct image;
struct cinstr_messages;

/* control.c */
/* Does what is to be done before the event counts. Returns 1: it is to be recorded. */
int control_before(struct probe_state *probe, const struct control_event *event);
/* The same behind it. Only for events with actions. */
void control_behind(struct probe_state *probe, const struct control_event *event);
uint32_t control_code(const struct control_event *event);
/* The thread's first event, or request: its number, and how it begins. */
void control_meet(struct probe_state *probe);
void control_forked(struct probe_state *probe);
void control_starts_off(void);
void control_open(struct probe_state *probe);

/* Does this thread record, as things stand? */
int control_is_on(const struct probe_state *probe);
/* A thread that has not begun gets its record; one that is off stays off. */
void control_begin(struct probe_state *probe, uint64_t now);
/* The program has asked for something at `now` by a call whose return address is at sp: the thread
 * goes off or on there. */
void control_after_request(struct probe_state *probe, uint64_t sp, uint64_t now);
/* If the thread has to go off: after a fold. */
void control_after_fold(struct probe_state *probe);

/* The thread's buffer is folded: */
/* Returns how many entries its stack has. */
uint32_t control_count_open(const struct thread *thread);
/* Returns how many of them are open at the event, as far as their place on the stack tells. */
uint32_t control_count_alive(const struct thread *thread, const struct control_event *event);
/* Returns whether the event is the entry of the function that the topmost entry, a call, calls. */
int control_is_called(const struct thread *thread, const struct control_event *event);
/* Ends all entries but the first n. */
void control_note_open(struct thread *thread, uint32_t n, uint64_t sp, uint64_t now);

/* lost.c: sleds were switched since the thread looked (thread.switches). */
/* Notes, while sleds are switched, that the function of an ENTER, or the call of an AFTER, has no
 * event of its end from now on. word: of the sled's code. */
void lost_note(uint32_t kind, uint32_t word);
/*
 * Returns whether the topmost of the first *n entries is over, with what made a tail call to it.
 * Then *n becomes the number of those that are left, and *ticks the moment when its probes went, or
 * 0: it is gone (beyond `alive`) for another reason.
 */
int lost_ends_top(const struct thread *thread, uint32_t alive, uint32_t *n, uint64_t *ticks);
/* Returns whether there is still an event of entry i's end. */
int lost_keeps_end(const struct thread *thread, uint32_t i);
/* Returns how many entries there are up to the one that ends by this event, an after-call of it or
 * of what has made tail calls to it, or 0: none does. */
uint32_t lost_count_returned(const struct thread *thread, uint32_t code, uint64_t sp);
/* Tells the fold which of the first n entries end as soon as they are on top (CINSTR_SP_UNSEEN). */
void lost_note_unseen(struct thread *thread, uint32_t n, uint64_t now);

int control_is_elsewhere(uint64_t sp);
/* Stack pointer of the frame's probe at its entry, near this one. */
uint64_t control_place_of(const struct cinstr_open *open, uint64_t sp);

/* tasks.c: tasks made by clone() in the memory of a thread. */
/* The first thing at each event, in whatever task, on the program's stack. Returns 1: it is not the
 * thread's own event, or the thread does not record because of such tasks: nothing else is to be
 * done. */
int tasks_leave_alone(const struct tasks_event *event);
/* The same before anything is done, without a system call. 0: not known yet. */
int tasks_leave_unseen(const struct tasks_event *event);
/* Is the calling task another one than the thread whose memory it uses? */
int tasks_is_other(void);
/* Is it one whose thread pointer leads to no thread's memory, not even another one's? */
int tasks_has_no_thread(void);
/* May there be tasks that run beside the thread, with its thread pointer? */
int tasks_are_active(const struct control *control);
/* In the slow path, signals blocked, at a sled with this action: the call may make such a task. */
void tasks_before(uint32_t action, const struct probe_frame *frame);
/* At the begin of the thread's own work in the slow path. */
void tasks_settle(struct probe_state *probe);
/* At its end: where the thread pauses for such tasks, or does no more, a mark says so. */
void tasks_tell(struct probe_state *probe);
/* In the thread, at work: the cursor was there. If it has moved, another task writes records. */
void tasks_check(struct probe_state *probe, const struct cinstr_record *cursor);
void tasks_end(struct probe_state *probe);
void tasks_forked(struct probe_state *probe);

/* levels.c */
int levels_begin(void);
/* The process's own block is in this data file from here on. 0 or -errno. */
int levels_map_process(int fd);
void levels_map_session(void);
/* What the processes of the session have to say; NULL: it cannot be kept. */
struct cinstr_messages *levels_messages(void);
void levels_drop_process(void);
void levels_forked(const char *parent_file);
void levels_start(void);
/* Is a thread on at the levels of the session, the process, and its own as others see it? */
int levels_are_on(const struct probe_state *probe);
/* What has changed at the levels since this thread last looked, is done. In slow path context. */
void levels_poll(struct probe_state *probe);
void levels_look(struct probe_state *probe);
/* A state of the process's or session's level has changed: adds marks. who: NULL, or who did it. */
void levels_mark(const char *who);

/* api.c */
/* A module's variable of cinstr.h is set, if it has one. */
void api_offer(const struct image *image);

/* marks.c */
/* 0, or -ENOMEM: no room, counted as lost. */
int mark_add(enum cinstr_mark_kind kind, uint64_t ticks, uint32_t site, int64_t id, const char *text);
/* The same for another thread. */
int mark_add_for(uint32_t tid, enum cinstr_mark_kind kind, uint64_t ticks, int64_t id, const char *text);
/* The same for a mark of the program's, that has just been reached, at `ticks`: it begins a phase,
 * if there is one left. */
int mark_now(uint64_t ticks, uint32_t site, int64_t id, const char *text);
/* The file's first segment of marks. */
void marks_begin(void);
/* At a fold: others, who cannot make a segment (cinstr control), find room for some marks. */
void marks_refill(void);

/* phases.c */
/* The file's list of phases. */
void phases_begin(void);
/* Begins a phase: its number, and its moment; 0: none is left. */
uint32_t phases_next(uint64_t *ticks);
/* The fold knows of all phases that have begun before the last record that there is now. */
void phases_see(struct fold *fold);

/* hold.c */
void hold_still(void);

/* sampled.c */
/* In a constructor; and when modules may have come. */
void sampled_begin(void);
void sampled_offer(void);
/* Does the program's work with its file there, one thread at a time, signals blocked. 0; -EBUSY;
 * other errors: no file. */
int sampled_call(void (*work)(void *), void *data);
/* In that: */
int sampled_is_on(void);
/* The state of a level of cinstr.h was changed at `now`. tid: the thread whose. */
void sampled_changed(int level, uint32_t tid, uint64_t now);
struct sampled_thread {
	uint32_t tid; /* 0: free */
	uint32_t stopped;
	int32_t suspensions;
	struct cinstr_task *task; /* in the file, if the program gave it a name */
};
/* A thread of this process that is there; 0: the calling one. NULL: it is not. */
struct sampled_thread *sampled_thread(uint32_t tid);
/* Where its name is; NULL: no room. */
struct cinstr_task *sampled_task(struct sampled_thread *thread, uint64_t now);

#endif
