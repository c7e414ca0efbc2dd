/* SPDX-License-Identifier: MIT */
/*
 * session.h - makes, rotates and joins session folders. Used by the runtime and by `cinstr record`.
 *
 * A session is a folder with a file `session` and one FILE.cinstr per process. A process that
 * records into it holds a shared flock on `session` as long as it lives (through a mapping, so no
 * descriptor stays open): a folder whose lock can be taken exclusively has no living process. Its
 * files are for this user alone, unless CINSTR_MODE says otherwise, and only folders made by this
 * user or root are joined, moved or followed (folder.h, doc/security.md). System calls only: no
 * allocation, no stdio, errno untouched.
 */
#ifndef CINSTR_SESSION_H
#define CINSTR_SESSION_H

#include <stdint.h>

#define SESSION_PATH_MAX 1024
#define SESSION_LOCK_NAME "session"
#define SESSION_MAGIC "cinstr session\n" /* begins the lock file: identifies a session folder */

/* of a packed data file until it replaces the unpacked one (report/file/pack.c) */
#define SESSION_PACK_SUFFIX ".packing"

/*
 * Makes a new session at `wanted` (relative paths: from the current folder) and writes its absolute
 * path to path[SESSION_PATH_MAX]. A finished session of this user there is renamed to WANTED.old.
 * If anything else is there (a session being recorded, another user's, a folder that is no
 * session), the new one is called WANTED.PID, or WANTED.PID.N. Holds the lock from here on. Returns
 * 0; SESSION_BESIDE: another session is, or was, being recorded there at the same time;
 * SESSION_ELSEWHERE: something else is there, or cannot be moved; or -errno: nothing has changed.
 */
enum { SESSION_BESIDE = 1, SESSION_ELSEWHERE = 2 };
int session_create(const char *wanted, char *path);
/* Does the same, with WANTED.SUFFIX in place of WANTED.PID. */
int session_create_or(const char *wanted, const char *suffix, char *path);

/* Joins the session at the absolute path: takes its lock. Returns 0 or -errno; -EPERM: other users
 * may write there. */
int session_join(const char *path);

/*
 * After session_create or session_join, call one of these once: session_keep, if the session has
 * data or was joined: deletes the previous WANTED.old; or session_undo, if it has none: removes the
 * session and restores the one that it replaced, unless another process has joined it. Until then
 * session_folder() returns a descriptor of its folder.
 */
int session_folder(void);
void session_keep(void);
void session_undo(void);
/* Drops the lock: this process records no more. */
void session_leave(void);

/* Makes a file in the folder of the session at this path. Returns its descriptor, for reading and
 * writing, or -errno. */
int session_make_file(const char *path, const char *name);

/* Writes the absolute path of `wanted` to path[SESSION_PATH_MAX]. Returns 0 or -errno. */
int session_absolute(const char *wanted, char *path);

/*
 * The first page of the file `session` of the session that this process has made or joined, mapped
 * shared (at: NULL: none). It holds a struct cinstr_control_block (in a session without one all
 * zero and not writable).
 */
struct session_page {
	void *at;
	int writable;
};
struct session_page session_page(void);
void session_page_moved(void *to); /* by mremap */

/* Notes the time of this process's end in the session. */
void session_note_end(void);
/* Sets the launch whose ranks may join the session that this process has made (session_job.h). */
void session_note_launch(uint64_t launch);

/* Returns 1 if some process is recording into the session, 0 if none is, or -errno. */
int session_is_live(const char *path);

/*
 * Finds the session that an ancestor of this process records into (by the data file among the
 * ancestor's mappings), or, for session_find_own, the session at `wanted` that this process
 * recorded into before an exec. Returns 1 and sets path[], or returns 0. may_query: an ioctl may be
 * used, which a filter of system calls may forbid.
 */
int session_find_ancestor(int may_query, char *path);
int session_find_own(const char *wanted, char *path);

/*
 * Opens the data file of a living process of the session for reading and writing; for a sampled
 * process its companion, if there is one. Returns the descriptor or -errno.
 */
int session_open_process(const char *folder, uint32_t pid);
/* Does the same without companions. */
int session_open_samples(const char *folder, uint32_t pid);

/*
 * Finds the nearest ancestor whose environment has another value of the variable, or none: it
 * started the process as this rank. Returns its pid and sets *start, or returns 0.
 */
uint64_t session_find_launcher(uint64_t pid, const char *variable, const char *value, uint64_t *start);

/* Returns the start time of this process in clock ticks since boot, or 0: not known. */
uint64_t session_process_start(void);

#endif
