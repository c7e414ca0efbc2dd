/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pack.h - packed data files (doc/format.md): the header page unchanged, and the rest as one zstd
 * frame. Files are packed when they are no longer written: by `cinstr record` at the end of its
 * session, and by `cinstr pack`.
 */
#ifndef REPORT_PACK_H
#define REPORT_PACK_H

#include <stdint.h>

/* Limits of packed files: pack skips files that would exceed them, and readers refuse such files,
 * so that a few bytes cannot take all memory. */
#define PACK_BYTES_MAX (1ull << 30)
#define PACK_BYTES_ALWAYS (64ull << 20)
#define PACK_TIMES_MAX 1024

/* Returns a descriptor of the unpacked file: `descriptor` if it is not packed, else a file in
 * memory; `descriptor` is then closed. -1: it cannot be unpacked. *why, to be freed: the problem,
 * or NULL; as much as possible is unpacked nevertheless. */
int pack_open(int descriptor, char **why);

struct pack_limits {
	uint64_t least, most; /* bytes of a file */
};

struct pack_sizes {
	uint64_t before, after; /* bytes on disk */
};

/*
 * Pack or unpack the data file `name` in the folder of this descriptor; the new file replaces it
 * atomically. Files of other sizes, and those read in parts (samples, timelines), are not packed.
 * Return 1: done, 0: unchanged, or -errno (-EPERM: others may write it, -EBADMSG: it is damaged).
 * `sizes` is set unless the result is negative. No process may be recording the session.
 */
int pack_file(int folder, const char *name, const struct pack_limits *limits, struct pack_sizes *sizes);
int pack_undo(int folder, const char *name, struct pack_sizes *sizes);

#endif
