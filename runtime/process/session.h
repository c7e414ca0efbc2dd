/* SPDX-License-Identifier: MIT */
/*
 * session.h - the session folder: made, rotated, joined. Used by the runtime and by `cinstr
 * record`.
 *
 * A session is a folder with a file `session` and one FILE.cinstr per process. Whoever records into
 * it holds a shared flock on `session` for as long as it lives (through a mapping, so no descriptor
 * stays open): a folder whose lock can be taken exclusively has no living process. What is in it is
 * for this user alone, unless CINSTR_MODE says otherwise, and only what this user or root has made
 * is joined, moved or followed (folder.h, doc/security.md).
 * System calls only: no allocation, no stdio, errno untouched.
 */
#ifndef CINSTR_SESSION_H
#define CINSTR_SESSION_H

#include <stdint.h>

#define SESSION_PATH_MAX 1024
#define SESSION_LOCK_NAME "session"
#define SESSION_MAGIC "cinstr session\n" /* begins the lock file: the folder is ours */

#define SESSION_PACK_SUFFIX \
	".packing" /* of a data file's packed form, until it takes its place (report/file/pack.c) */

/*
 * Makes a new session at `wanted` (relative paths: from the current folder) and writes its absolute
 * path to path[SESSION_PATH_MAX]. A finished session of this user's that stands there becomes
 * WANTED.old. Beside anything else (one that is being recorded, somebody else's, a folder that is
 * no session) the new one is called WANTED.PID, or WANTED.PID.N. Holds the lock from here on.
 * Returns 0, SESSION_BESIDE: another one is, or was, being recorded there at the same time,
 * SESSION_ELSEWHERE: what stands there is something else, or cannot be moved; or -errno: then
 * nothing has changed.
 */
enum { SESSION_BESIDE = 1, SESSION_ELSEWHERE = 2 };
int session_create(const char *wanted, char *path);
/* The same; beside something else it is called WANTED.SUFFIX. */
int session_create_or(const char *wanted, const char *suffix, char *path);

/* Joins the session at the absolute path: takes its lock. Returns 0 or -errno; -EPERM: others may
 * write there. */
int session_join(const char *path);

/*
 * After one of the two, once: session_keep, when the session has data (or is somebody else's): what
 * was WANTED.old before is deleted; or session_undo, of one that has none: it is gone, and what it
 * took the place of is back. Not if another process is in it. Until then session_folder() is a
 * descriptor of its folder.
 */
int session_folder(void);
void session_keep(void);
void session_undo(void);
/* This process records no more: when the others have ended, nobody does. */
void session_leave(void);

/* A new file in the folder of a session at this path: its descriptor, to be read and written, or
 * -errno. */
int session_make_file(const char *path, const char *name);

/* The absolute path for `wanted`. 0 or -errno. */
int session_absolute(const char *wanted, char *path);

/*
 * The first page of the file `session` of the session that this process has made or joined, mapped
 * shared (at NULL: none). It has a struct cinstr_control_block (all zero in a session without one:
 * not writable then).
 */
struct session_page {
	void *at;
	int writable;
};
struct session_page session_page(void);
void session_page_moved(void *to); /* by mremap */

/* This process ends. */
void session_note_end(void);
/* Of the session that this process has made: whose ranks may join it (session_job.h). */
void session_note_launch(uint64_t launch);

/* 1: some process is recording into the session, 0: none, -errno. */
int session_is_live(const char *path);

/*
 * The session that an ancestor of this process is recording into (its data file is among its
 * mappings), or, for session_find_own, that this process itself recorded into before an exec, at
 * `wanted`. 1: found, path is in path[]. may_query: by ioctl, which a filter of system calls may
 * not let through.
 */
int session_find_ancestor(int may_query, char *path);
int session_find_own(const char *wanted, char *path);

/*
 * Opens the data file of a living process of the session, to be read and written: of one that is
 * sampled its own (the companion), if there is one. The descriptor, or -errno.
 */
int session_open_process(const char *folder, uint32_t pid);
/* The same without companions. */
int session_open_samples(const char *folder, uint32_t pid);

/*
 * The nearest ancestor of a process in whose environment the variable has another value, or none:
 * who has started it as this rank. Its pid, and when it started; 0: there is none.
 */
uint64_t session_find_launcher(uint64_t pid, const char *variable, const char *value, uint64_t *start);

/* When this process started, in clock ticks since boot; 0: not known. */
uint64_t session_process_start(void);

#endif
