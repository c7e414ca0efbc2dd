/* SPDX-License-Identifier: GPL-3.0-or-later */
/* collector_state.h - the processes and threads known to the collector (collector_tasks.c), shared
 * by its parts. */
#ifndef SAMPLER_COLLECTOR_STATE_H
#define SAMPLER_COLLECTOR_STATE_H

#include "collector.h"
#include "companion_watch.h"
#include "lib/util.h"
#include "on_off_log.h"
#include "sampler/images/images.h"
#include "sampler/unwind/unwind.h"
#include "sampler/writer/store.h"

#define THREAD_NAME_MAX 32

struct module_number {
	const struct image *image;
	uint64_t base;
	uint32_t number;
};

/* A process while it runs one program. */
struct process {
	uint32_t pid, parent_pid;
	uint32_t program;
	int forked, is_attached, has_ended;
	int is_gone;   /* was found gone at the last look */
	uint32_t live; /* number of living threads */
	char *exe;     /* NULL: not known yet */
	struct space *space;
	struct store *store; /* NULL: no sample yet */
	int has_failed;	     /* its file could not be created */
	uint64_t begin_ticks;
	struct on_off_log switches;
	/* Units of the event counted in the process, and those before this program. */
	uint64_t counted, counted_before;
	uint64_t lost;
	uint64_t paused;		 /* samples of threads that have no task yet */
	struct module_number recent[64]; /* indexed by the image's number, modulo */
	struct image **images;		 /* indexed by the store's number of the module - 1 */
	size_t n_images;
};

struct thread {
	struct process *process;
	uint32_t tid;
	char name[THREAD_NAME_MAX];
	uint64_t begin_ticks;
	uint32_t task; /* in the process's store; UINT32_MAX: none yet */
	uint64_t paused;
	int is_live, is_counted;
};

struct collector {
	struct sink sink;
	struct source *source;
	const char *session;
	struct images *images;
	struct unwinder *unwinder;
	struct map pids, tids;
	/* indexed by number in `pids`: the latest process with that pid */
	struct process **processes;
	struct thread *threads; /* indexed by number in `tids` */
	/* processes with a file whose symbols are not written yet, in order */
	struct process **ended;
	size_t n_ended, size_ended;
	size_t n_attached;
	uint64_t counted; /* units of all processes together; 0: the source counts each process */
	uint32_t child;	  /* pid of the program; 0: none was started */
	int attaches;
	struct on_off_log switches; /* of the session's level */
	struct companions *companions;
	int has_started, is_on;
	uint64_t ends_ticks;  /* time of the last search for ended processes */
	uint64_t clock_ticks; /* time of the last store_clock() of the files */
	struct collected collected;
	struct frame frames[UNWIND_FRAMES_MAX];
};

/* collector.c: adds the thread to its process's file, with its samples discarded in pauses so
 * far. */
void thread_prepare(struct thread *thread);

/* collector_tasks.c */
struct process *process_get(struct collector *c, uint32_t pid, uint64_t ticks);
struct thread *thread_get(struct collector *c, uint32_t pid, uint32_t tid, uint64_t ticks);
void thread_name(struct thread *thread, const char *name);
void process_attach(struct collector *c, uint32_t pid, uint64_t ticks);
/* Starts the process's next program after an exec. */
void process_renew(struct collector *c, struct process *process, uint64_t ticks);
void process_end(struct collector *c, struct process *process, enum cinstr_end end, int status,
		 uint64_t ticks);
void process_free(struct process *process);
void tasks_forked(void *arg, uint64_t ticks, uint32_t pid, uint32_t tid, uint32_t parent_pid,
		  uint32_t parent_tid);
void tasks_named(void *arg, uint64_t ticks, uint32_t pid, uint32_t tid, const char *name, int is_exec);
void tasks_exited(void *arg, uint64_t ticks, uint32_t pid, uint32_t tid);

/* collector_file.c: the file of a process. */
/* returns 1 if it has a file, created if needed */
int file_begin(struct collector *c, struct process *process);
uint32_t file_module(struct process *process, const struct mapped_image *mapped);
/* Writes the counts that are not of single tasks and the end. The symbols are written later. */
void file_end(struct collector *c, struct process *process, enum cinstr_end end, int status, uint64_t ticks);
void file_counted(struct process *process);
/* Takes the file's counts into those of the recording. */
void file_finish(struct collector *c, struct process *process);
/* Looks up the names and lines of the file's addresses, writes these, and closes the file. */
void file_symbolize(struct process *process);

/* collector_control.c */
void control_begin(const struct collector *c, struct process *process, const struct process *parent);
void control_show(const struct process *process);
void control_look(struct collector *c);
int control_is_off(struct collector *c, struct process *process, uint32_t tid, uint64_t ticks);

#endif
