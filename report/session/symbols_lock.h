/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * symbols_lock.h - the lock that `cinstr record` holds on a sampled data file of its session while
 * it still writes names and lines into the files, after it has returned to its user. Who reads the
 * session waits for that: the names would have to be looked up a second time.
 */
#ifndef REPORT_SESSION_SYMBOLS_LOCK_H
#define REPORT_SESSION_SYMBOLS_LOCK_H

/* Takes the lock of the data file. Returns a descriptor, which holds the lock in this process and
 * in those that it forks, or -1: it cannot be locked. */
int symbols_lock_take(const char *path);
/* Waits until nobody holds the lock of the data file; this process waits for 10 s in all, at most.
 * Returns whether it had to wait. */
int symbols_lock_wait(const char *path);

#endif
