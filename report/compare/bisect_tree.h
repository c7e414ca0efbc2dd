/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bisect_tree.h - a separate git worktree in which `cinstr bisect` builds and runs commits, and
 * git's own bisection in it. */
#ifndef REPORT_COMPARE_BISECT_TREE_H
#define REPORT_COMPARE_BISECT_TREE_H

struct bisect_tree {
	char *top;  /* top folder of the worktree */
	char *here; /* folder in it that corresponds to the user's working folder */
};

/* Creates the worktree in `folder`, an absolute path; replaces one left there. Returns 0, or -1
 * after an error message. */
int bisect_tree_make(struct bisect_tree *tree, const char *folder);
void bisect_tree_remove(struct bisect_tree *tree);

/* Returns the hash of the commit that has this name in git, which the caller frees; NULL after an
 * error message. */
char *bisect_commit(const char *name);
/* Returns a line about the commit in one of git's formats ("%s"), which the caller frees. */
char *bisect_describe(const struct bisect_tree *tree, const char *commit, const char *format);
/* Checks a commit out and discards changes of tracked files. Returns 0, or -1 after an error
 * message. */
int bisect_check_out(const struct bisect_tree *tree, const char *commit);

enum bisect_end { BISECT_GOES_ON, BISECT_FOUND, BISECT_LOST /* after an error message */ };
/* Starts the bisection and checks out the first commit to try. BISECT_FOUND: *first, which the
 * caller frees, is the first bad commit. */
enum bisect_end bisect_start(const struct bisect_tree *tree, const char *good, const char *bad, char **first);
/* Marks the current commit as "good", "bad" or "skip". Returns as bisect_start(). */
enum bisect_end bisect_mark(const struct bisect_tree *tree, const char *what, char **first);
/* Returns the current commit, as bisect_commit(). */
char *bisect_current(const struct bisect_tree *tree);

#endif
