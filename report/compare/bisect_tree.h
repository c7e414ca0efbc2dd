/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bisect_tree.h - a worktree of git of its own, in which `cinstr bisect` builds and runs commits,
 * and git's own bisection in it. */
#ifndef REPORT_COMPARE_BISECT_TREE_H
#define REPORT_COMPARE_BISECT_TREE_H

struct bisect_tree {
	char *top;  /* the worktree's folder */
	char *here; /* the folder in it that is the current one in the user's worktree */
};

/* Makes the worktree in `folder`, an absolute path, in place of one that is left there. Returns 0,
 * or -1 after an error message. */
int bisect_tree_make(struct bisect_tree *tree, const char *folder);
void bisect_tree_remove(struct bisect_tree *tree);

/* Returns what git names so, as 40 hexadecimal digits that the caller frees; NULL after an error
 * message. */
char *bisect_commit(const char *name);
/* Returns a line about the commit in one of git's formats ("%s"), which the caller frees. */
char *bisect_describe(const struct bisect_tree *tree, const char *commit, const char *format);
/* Checks a commit out, whatever has changed in files that git knows. Returns 0, or -1 after an
 * error message. */
int bisect_check_out(const struct bisect_tree *tree, const char *commit);

enum bisect_end { BISECT_GOES_ON, BISECT_FOUND, BISECT_LOST /* after an error message */ };
/* Begins: the commit that is to be tried first is checked out. BISECT_FOUND: *first is the first
 * bad one, which the caller frees. */
enum bisect_end bisect_start(const struct bisect_tree *tree, const char *good, const char *bad, char **first);
/* Says what the commit that is checked out is: "good", "bad" or "skip"; then as bisect_start(). */
enum bisect_end bisect_mark(const struct bisect_tree *tree, const char *what, char **first);
/* Returns the commit that is checked out, as bisect_commit() does. */
char *bisect_current(const struct bisect_tree *tree);

#endif
