/* SPDX-License-Identifier: MIT */
/*
 * folder.h - opens folders and the files in them, by descriptors, and checks each before use, so
 * that no other user of the machine can replace it (doc/security.md). Used by the runtime and by
 * the command. System calls only: no allocation, no stdio, errno untouched. All functions return
 * -errno on errors; -EPERM: owned or writable by another user.
 */
#ifndef CINSTR_FOLDER_H
#define CINSTR_FOLDER_H

#include <stdint.h>

struct folder_id {
	uint64_t device, inode;
};

/*
 * Sets the mode of all files made from now on, whatever the umask: FOLDER_FILE_MODE plus read
 * access for others. Folders get it with the right to enter. is_unchecked: accept any owner and
 * mode, for file systems that have none.
 */
#define FOLDER_FILE_MODE 0600u
void folder_modes(uint32_t files, int is_unchecked);

/* Opens a folder of any owner. The last part of its name must not be a symbolic link. */
int folder_open(int at, const char *name);
/* Opens a folder of this user's or root's that nobody else can write into; else returns -EPERM. */
int folder_open_trusted(int at, const char *name);
/* Makes a folder and opens it. -EEXIST: the name is taken. */
int folder_make(int at, const char *name);
/* Makes the folder unless the name exists. Returns 0 or -errno. */
int folder_make_if_none(const char *path);
/* Returns 1 if the folder belongs to this user, 0 if not, or -errno. */
int folder_is_own(int folder);
struct folder_id folder_identity(int descriptor);
int folder_is(int descriptor, const struct folder_id *id);

/* Makes a file, open for reading and writing. -EEXIST: the name is taken. */
int folder_make_file(int folder, const char *name);
/* Opens a regular file with these flags. Follows no symbolic link, does not block on a FIFO. */
int folder_open_file(int folder, const char *name, int flags);
/* Does the same for a file of this user's or root's that nobody else can write; else returns
 * -EPERM. */
int folder_open_trusted_file(int folder, const char *name, int flags);

/* Calls visit for each entry but . and .. until it returns non-zero. Returns that value, 0, or
 * -errno. */
int folder_each(int folder, int (*visit)(int folder, const char *name, void *data), void *data);

#endif
