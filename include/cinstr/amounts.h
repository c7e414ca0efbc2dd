/* SPDX-License-Identifier: MIT */
/*
 * cinstr/amounts.h - functions of the C library that read and write files and sockets, or allocate
 * memory, in the order of strcmp(). The bytes that their calls read, write and ask for are kept by
 * call path and file: the probe after such a call (of memory: before it) writes an AMOUNT record
 * before its event, and folds add the records up in AMOUNT cells (doc/format.md). Where a call that
 * allocates is counted, not timed, a counter beside that of its site adds up the bytes.
 *
 * Missing are functions whose result does not tell the bytes: fgets, puts, printf and their like,
 * streams of C++, recvmmsg, sendmmsg; mappings; and what libraries allocate for the program
 * (asprintf, getline).
 */
#ifndef CINSTR_AMOUNTS_H
#define CINSTR_AMOUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "names.h"

/* Effect of a call on a file, whose descriptor or stream is the first argument, or on memory. */
enum cinstr_amount_use {
	CINSTR_AMOUNT_NONE,
	CINSTR_AMOUNT_READS,  /* returns the bytes that it has read, or a negative number */
	CINSTR_AMOUNT_WRITES, /* returns the bytes that it has written, or a negative number */
	/* of a stream: returns a number of items, whose size is its second argument */
	CINSTR_AMOUNT_READS_ITEMS,
	CINSTR_AMOUNT_WRITES_ITEMS,
	CINSTR_AMOUNT_READS_ITEMS_THIRD, /* likewise; the size is its third argument */
	CINSTR_AMOUNT_READS_STREAM,	 /* of a stream: returns the bytes */
	CINSTR_AMOUNT_OPENS,		 /* returns a descriptor of a file that it opens by name */
	CINSTR_AMOUNT_MAKES,		 /* returns another descriptor */
	CINSTR_AMOUNT_CLOSES,		 /* ends what is known of its descriptor */
	CINSTR_AMOUNT_CLOSES_STREAM,	 /* likewise, of its stream's */
	CINSTR_AMOUNT_CLOSES_THIRD,	 /* likewise; the stream is its third argument */
	CINSTR_AMOUNT_CLOSES_FOLDER,	 /* likewise, of its DIR's */
	CINSTR_AMOUNT_PAIRS,		 /* stores two descriptors, ends of a pipe, in an array */
	CINSTR_AMOUNT_PAIRS_FOURTH,	 /* likewise; the array is its fourth argument */
	CINSTR_AMOUNT_PAIRS_ALONE,	 /* returns a descriptor that is both ends */
	CINSTR_AMOUNT_POLLS,		 /* waits for descriptors that an array names: poll() */
	CINSTR_AMOUNT_AWAITS,		 /* waits for those that were registered: epoll_wait() */
	CINSTR_AMOUNT_REGISTERS,	 /* epoll_ctl() */
	/* Allocate as many bytes as this argument says, or the product of two. */
	CINSTR_AMOUNT_ALLOCATES_FIRST,
	CINSTR_AMOUNT_ALLOCATES_SECOND,
	CINSTR_AMOUNT_ALLOCATES_FIRST_SECOND,
	CINSTR_AMOUNT_ALLOCATES_SECOND_THIRD,
	CINSTR_AMOUNT_ALLOCATES_THIRD,
	CINSTR_AMOUNT_USES
};

struct cinstr_amount_call {
	const char *name;
	enum cinstr_amount_use use;
};

static const struct cinstr_amount_call cinstr_amount_calls[] = {
	{ "_Znam", CINSTR_AMOUNT_ALLOCATES_FIRST },
	{ "_ZnamRKSt9nothrow_t", CINSTR_AMOUNT_ALLOCATES_FIRST },
	{ "_ZnamSt11align_val_t", CINSTR_AMOUNT_ALLOCATES_FIRST },
	{ "_ZnamSt11align_val_tRKSt9nothrow_t", CINSTR_AMOUNT_ALLOCATES_FIRST },
	{ "_Znwm", CINSTR_AMOUNT_ALLOCATES_FIRST },
	{ "_ZnwmRKSt9nothrow_t", CINSTR_AMOUNT_ALLOCATES_FIRST },
	{ "_ZnwmSt11align_val_t", CINSTR_AMOUNT_ALLOCATES_FIRST },
	{ "_ZnwmSt11align_val_tRKSt9nothrow_t", CINSTR_AMOUNT_ALLOCATES_FIRST },
	{ "__fread_chk", CINSTR_AMOUNT_READS_ITEMS_THIRD },
	{ "__fread_unlocked_chk", CINSTR_AMOUNT_READS_ITEMS_THIRD },
	{ "__getdelim", CINSTR_AMOUNT_READS_STREAM },
	{ "__open64_2", CINSTR_AMOUNT_OPENS },
	{ "__open_2", CINSTR_AMOUNT_OPENS },
	{ "__openat64_2", CINSTR_AMOUNT_OPENS },
	{ "__openat_2", CINSTR_AMOUNT_OPENS },
	{ "__pread64_chk", CINSTR_AMOUNT_READS },
	{ "__pread_chk", CINSTR_AMOUNT_READS },
	{ "__read_chk", CINSTR_AMOUNT_READS },
	{ "__recv_chk", CINSTR_AMOUNT_READS },
	{ "__recvfrom_chk", CINSTR_AMOUNT_READS },
	{ "accept", CINSTR_AMOUNT_MAKES },
	{ "accept4", CINSTR_AMOUNT_MAKES },
	{ "aligned_alloc", CINSTR_AMOUNT_ALLOCATES_SECOND },
	{ "calloc", CINSTR_AMOUNT_ALLOCATES_FIRST_SECOND },
	{ "close", CINSTR_AMOUNT_CLOSES },
	{ "closedir", CINSTR_AMOUNT_CLOSES_FOLDER },
	{ "connect", CINSTR_AMOUNT_CLOSES }, /* the descriptor then has a peer */
	{ "copy_file_range", CINSTR_AMOUNT_READS },
	{ "creat", CINSTR_AMOUNT_OPENS },
	{ "creat64", CINSTR_AMOUNT_OPENS },
	{ "dup", CINSTR_AMOUNT_MAKES },
	{ "dup2", CINSTR_AMOUNT_MAKES },
	{ "dup3", CINSTR_AMOUNT_MAKES },
	{ "epoll_create", CINSTR_AMOUNT_MAKES },
	{ "epoll_create1", CINSTR_AMOUNT_MAKES },
	{ "epoll_ctl", CINSTR_AMOUNT_REGISTERS },
	{ "epoll_pwait", CINSTR_AMOUNT_AWAITS },
	{ "epoll_wait", CINSTR_AMOUNT_AWAITS },
	{ "eventfd", CINSTR_AMOUNT_PAIRS_ALONE },
	{ "fclose", CINSTR_AMOUNT_CLOSES_STREAM },
	{ "fread", CINSTR_AMOUNT_READS_ITEMS },
	{ "fread_unlocked", CINSTR_AMOUNT_READS_ITEMS },
	{ "freopen", CINSTR_AMOUNT_CLOSES_THIRD },
	{ "freopen64", CINSTR_AMOUNT_CLOSES_THIRD },
	{ "fwrite", CINSTR_AMOUNT_WRITES_ITEMS },
	{ "fwrite_unlocked", CINSTR_AMOUNT_WRITES_ITEMS },
	{ "getdelim", CINSTR_AMOUNT_READS_STREAM },
	{ "getline", CINSTR_AMOUNT_READS_STREAM },
	{ "malloc", CINSTR_AMOUNT_ALLOCATES_FIRST },
	{ "memalign", CINSTR_AMOUNT_ALLOCATES_SECOND },
	{ "memfd_create", CINSTR_AMOUNT_MAKES },
	{ "open", CINSTR_AMOUNT_OPENS },
	{ "open64", CINSTR_AMOUNT_OPENS },
	{ "openat", CINSTR_AMOUNT_OPENS },
	{ "openat64", CINSTR_AMOUNT_OPENS },
	{ "pclose", CINSTR_AMOUNT_CLOSES_STREAM },
	{ "pipe", CINSTR_AMOUNT_PAIRS },
	{ "pipe2", CINSTR_AMOUNT_PAIRS },
	{ "poll", CINSTR_AMOUNT_POLLS },
	{ "posix_memalign", CINSTR_AMOUNT_ALLOCATES_THIRD },
	{ "ppoll", CINSTR_AMOUNT_POLLS },
	{ "pread", CINSTR_AMOUNT_READS },
	{ "pread64", CINSTR_AMOUNT_READS },
	{ "preadv", CINSTR_AMOUNT_READS },
	{ "preadv2", CINSTR_AMOUNT_READS },
	{ "preadv64", CINSTR_AMOUNT_READS },
	{ "preadv64v2", CINSTR_AMOUNT_READS },
	{ "pvalloc", CINSTR_AMOUNT_ALLOCATES_FIRST },
	{ "pwrite", CINSTR_AMOUNT_WRITES },
	{ "pwrite64", CINSTR_AMOUNT_WRITES },
	{ "pwritev", CINSTR_AMOUNT_WRITES },
	{ "pwritev2", CINSTR_AMOUNT_WRITES },
	{ "pwritev64", CINSTR_AMOUNT_WRITES },
	{ "pwritev64v2", CINSTR_AMOUNT_WRITES },
	{ "read", CINSTR_AMOUNT_READS },
	{ "readv", CINSTR_AMOUNT_READS },
	{ "realloc", CINSTR_AMOUNT_ALLOCATES_SECOND },
	{ "reallocarray", CINSTR_AMOUNT_ALLOCATES_SECOND_THIRD },
	{ "recv", CINSTR_AMOUNT_READS },
	{ "recvfrom", CINSTR_AMOUNT_READS },
	{ "recvmsg", CINSTR_AMOUNT_READS },
	{ "send", CINSTR_AMOUNT_WRITES },
	{ "sendfile", CINSTR_AMOUNT_WRITES },
	{ "sendfile64", CINSTR_AMOUNT_WRITES },
	{ "sendmsg", CINSTR_AMOUNT_WRITES },
	{ "sendto", CINSTR_AMOUNT_WRITES },
	{ "shutdown", CINSTR_AMOUNT_CLOSES }, /* the other end has read all */
	{ "signalfd", CINSTR_AMOUNT_MAKES },
	{ "socket", CINSTR_AMOUNT_MAKES },
	{ "socketpair", CINSTR_AMOUNT_PAIRS_FOURTH },
	{ "splice", CINSTR_AMOUNT_READS },
	{ "timerfd_create", CINSTR_AMOUNT_MAKES },
	{ "valloc", CINSTR_AMOUNT_ALLOCATES_FIRST },
	{ "write", CINSTR_AMOUNT_WRITES },
	{ "writev", CINSTR_AMOUNT_WRITES },
};

/* Returns what a call of the function with this assembler name does. */
static inline enum cinstr_amount_use cinstr_amount_use_of(const char *name)
{
	const struct cinstr_amount_call *call =
		(const struct cinstr_amount_call *)CINSTR_NAMES_FIND(cinstr_amount_calls, name);

	return call ? call->use : CINSTR_AMOUNT_NONE;
}

static inline int cinstr_amount_is_read(enum cinstr_amount_use use)
{
	return use == CINSTR_AMOUNT_READS || use == CINSTR_AMOUNT_READS_ITEMS ||
	       use == CINSTR_AMOUNT_READS_ITEMS_THIRD || use == CINSTR_AMOUNT_READS_STREAM;
}

static inline int cinstr_amount_is_allocated(enum cinstr_amount_use use)
{
	return use >= CINSTR_AMOUNT_ALLOCATES_FIRST && use <= CINSTR_AMOUNT_ALLOCATES_THIRD;
}

static inline int cinstr_amount_is_written(enum cinstr_amount_use use)
{
	return use == CINSTR_AMOUNT_WRITES || use == CINSTR_AMOUNT_WRITES_ITEMS;
}

/* ---- records ------------------------------------------------------------------------------- */

/* Kinds of calls that an amount adds up. */
enum cinstr_amount_kind {
	CINSTR_AMOUNT_READ,
	CINSTR_AMOUNT_WRITTEN,
	CINSTR_AMOUNT_OPENED, /* no bytes */
	/* what the program has counted (cinstr_count); its "file" is the name */
	CINSTR_AMOUNT_COUNTED,
	CINSTR_AMOUNT_ALLOCATED, /* of memory; its "file" is 0 */
	/* likewise, and not freed; no cell has it: readers count blocks (cinstr/held.h) */
	CINSTR_AMOUNT_HELD,
	CINSTR_AMOUNT_KINDS
};

/*
 * A special record (cinstr/format.h) before an AFTER, after SLOW and its parts; of the kind
 * ALLOCATED before a BEFORE, of the kind COUNTED between SLOW and RESUME. value: the bytes (bits
 * 0-39) | number of the file << 40 | enum cinstr_amount_kind << 60 | failed << 62. A record with
 * the argument 1 is of memory: its kind is ALLOCATED, and the place for it 0.
 */
#define CINSTR_SP_AMOUNT 12
#define CINSTR_AMOUNT_RECORD CINSTR_SPECIAL(CINSTR_SP_AMOUNT, 0)
#define CINSTR_AMOUNT_MEMORY_RECORD CINSTR_SPECIAL(CINSTR_SP_AMOUNT, 1)
#define CINSTR_AMOUNT_BITS 40
#define CINSTR_AMOUNT_KIND_AT 60
#define CINSTR_AMOUNT_BYTES(value) ((value) & ((UINT64_C(1) << CINSTR_AMOUNT_BITS) - 1))
#define CINSTR_AMOUNT_FILE(value) ((uint32_t)((value) >> CINSTR_AMOUNT_BITS) & 0xfffffu)
/* Folds set the bit in values of records of memory. */
#define CINSTR_AMOUNT_MEMORY (UINT64_C(1) << 63)
#define CINSTR_AMOUNT_KIND(value) \
	(((uint32_t)((value) >> CINSTR_AMOUNT_KIND_AT) & 3u) + \
	 ((value)&CINSTR_AMOUNT_MEMORY ? CINSTR_AMOUNT_ALLOCATED : 0u))
#define CINSTR_AMOUNT_FAILED (UINT64_C(1) << 62)
/* Likewise, both bits, of those of held blocks (cinstr/held.h). */
#define CINSTR_AMOUNT_HOLDS (CINSTR_AMOUNT_MEMORY | CINSTR_AMOUNT_FAILED)
/* Returns 1 for the value of a record of memory that stands before a BEFORE. */
#define CINSTR_AMOUNT_IS_ASKED(value) (((value)&CINSTR_AMOUNT_HOLDS) == CINSTR_AMOUNT_MEMORY)

/* ---- cells --------------------------------------------------------------------------------- */

/*
 * A cell: the bytes that the calls of a CALL (or FLAT_CALL, or MERGED) have moved of one file; or
 * what was counted, in `calls` calls, while that or any other cell was current. Its kind is that of
 * DIRTY, whose cells older readers ignore unless a detail refers to them; `part` tells them apart.
 */
#define CINSTR_CELL_AMOUNT CINSTR_CELL_DIRTY
#define CINSTR_AMOUNT_PART 16u
struct cinstr_amount {
	uint32_t owner; /* cell index */
	uint32_t file;	/* number of the file */
	uint32_t part;	/* CINSTR_AMOUNT_PART + enum cinstr_amount_kind */
	uint32_t tag;
	uint64_t calls;	 /* that have ended */
	uint64_t failed; /* of these */
	uint64_t bytes;
	uint64_t ticks; /* of the calls, including overhead */
	uint64_t largest;
	uint64_t reserved;
};

/* ---- ends of pipes and sockets --------------------------------------------------------------- */

/*
 * An object (struct cinstr_wait) that is one end of a pipe or the like has bit 63, and one of the
 * bits 32 and 33, for what ended waits: its writes, or its reads. Bits 29-30: what it is; 1-28: a
 * number of it (0: several, without room for each); 0: which end. (Older files have neither bit 32
 * nor 33, and pipes only.)
 */
#define CINSTR_END_BIT 63
#define CINSTR_END_WRITES_BIT 32
#define CINSTR_END_READS_BIT 33
#define CINSTR_END_KIND_AT 29
#define CINSTR_END_NUMBERS UINT64_C(0x1fffffff) /* bits 0-28; 0: several ends */
enum cinstr_end_kind { CINSTR_END_PIPE, CINSTR_END_SOCKET, CINSTR_END_EVENT };

static inline enum cinstr_end_kind cinstr_end_kind(uint64_t object)
{
	return object >> CINSTR_END_WRITES_BIT & 3 ? (enum cinstr_end_kind)(object >> CINSTR_END_KIND_AT & 3)
						   : CINSTR_END_PIPE;
}

/* ---- files --------------------------------------------------------------------------------- */

/*
 * Payload of a segment of this type: names of files, NUL-terminated, each at a multiple of
 * CINSTR_FILE_UNIT. owner: number of the segment, from 0. The file whose name is at offset n *
 * CINSTR_FILE_UNIT of segment i has the number CINSTR_FILE_FIRST + i * CINSTR_FILES_IN + n.
 */
#define CINSTR_SEG_FILES 27
#define CINSTR_FILE_UNIT 8u
#define CINSTR_FILES_IN (CINSTR_PAGE / CINSTR_FILE_UNIT - 8u)
#define CINSTR_FILE_UNKNOWN 1 /* a stream, or a descriptor that nothing is known of */
#define CINSTR_FILE_OTHER 2   /* one of those that there was no room for */
#define CINSTR_FILE_FIRST 3

#endif
