/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pack.h - packed data files (doc/format.md): the header page as it was, and the rest as one zstd
 * frame. Made of files that nobody writes any more: by `cinstr record` when its session has ended,
 * and by `cinstr pack`.
 */
#ifndef REPORT_PACK_H
#define REPORT_PACK_H

#include <stdint.h>

/*
 * Limits of a packed file: pack leaves files alone that would go beyond them, and readers refuse
 * such packed files, since few bytes must not take all of the memory.
 */
#define PACK_BYTES_MAX (1ull << 30)
#define PACK_BYTES_ALWAYS (64ull << 20)
#define PACK_TIMES_MAX 1024

/*
 * Of a file that is to be read: itself if it is not packed, else a file in memory that has what is
 * in it, `descriptor` being closed. -1: it cannot be unpacked. *why, to be freed: what is wrong
 * with it, or NULL; as much as can be is unpacked all the same.
 */
int pack_open(int descriptor, char **why);

struct pack_limits {
	uint64_t least, most; /* bytes of a file */
};

struct pack_sizes {
	uint64_t before, after; /* bytes on the disk */
};

/*
 * Packs, or unpacks, the data file `name` in the folder of this descriptor: the new one takes its
 * place as a whole. Files of other sizes, and those that are read in parts (samples, timelines),
 * are not packed. 1: done, 0: left as it is, or -errno (-EPERM: others may write it, -EBADMSG: it
 * is damaged). `sizes` is filled in where it is not negative. The session has no living process.
 */
int pack_file(int folder, const char *name, const struct pack_limits *limits, struct pack_sizes *sizes);
int pack_undo(int folder, const char *name, struct pack_sizes *sizes);

#endif
