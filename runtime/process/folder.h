/* SPDX-License-Identifier: MIT */
/*
 * folder.h - folders and the files in them, by descriptors: what is opened is looked at before it
 * is used, so that no other user of the machine can put something else in its place
 * (doc/security.md). Used by the runtime and by the command. System calls only: no allocation, no
 * stdio, errno untouched. Errors are -errno; -EPERM: somebody else's, or others may write it.
 */
#ifndef CINSTR_FOLDER_H
#define CINSTR_FOLDER_H

#include <stdint.h>

struct folder_id {
	uint64_t device, inode;
};

/*
 * The mode of all files that are made from now on, whatever the umask: FOLDER_FILE_MODE and what
 * may be read by others. Folders have it, too, with the right to enter. is_unchecked: nothing is
 * refused for its owner and mode, for file systems that have none.
 */
#define FOLDER_FILE_MODE 0600u
void folder_modes(uint32_t files, int is_unchecked);

/* Whatever folder this is. The last part of its name is no symbolic link. */
int folder_open(int at, const char *name);
/* One that nobody but this user, and root, can write into: else -EPERM. */
int folder_open_trusted(int at, const char *name);
/* A new one, open. -EEXIST: there is something. */
int folder_make(int at, const char *name);
/* There is one then: 0, or -errno. */
int folder_make_if_none(const char *path);
/* Is it this user's? 1, 0 or -errno. */
int folder_is_own(int folder);
struct folder_id folder_identity(int descriptor);
int folder_is(int descriptor, const struct folder_id *id);

/* A new file, to be read and written. */
int folder_make_file(int folder, const char *name);
/* A regular file, opened with these flags: no symbolic link; a FIFO is not waited for. */
int folder_open_file(int folder, const char *name, int flags);
/* The same, if nobody but this user, and root, can write it. */
int folder_open_trusted_file(int folder, const char *name, int flags);

/* Calls visit for each entry, but . and .., until it returns non-zero. Returns that, 0, or
 * -errno. */
int folder_each(int folder, int (*visit)(int folder, const char *name, void *data), void *data);

#endif
