/* SPDX-License-Identifier: MIT */
/*
 * sampler_ring.h - the ring that carries samples from the processes (runtime/sampler_*.c,
 * libcinstr-sampler.so) to the collector (report/sampler/source/timer_source.c): a file in the
 * session's folder that all of them map shared.
 *
 * Layout: a page with the header, the words of the slots, the slots. A writer takes a free slot by
 * one compare and swap of its word, writes, and sets the word to READY; the collector reads and
 * frees it. No side waits for another: a thread that was stopped or killed between the two blocks
 * only its own slot, which the collector takes back when the thread is gone. Without a free slot
 * the record is lost, and lost samples are counted.
 *
 * Life of a slot's word:  0 -> tid << 32 | BUSY (by the thread) -> tid << 32 | READY (by it) -> 0
 *                         (by the collector)
 */
#ifndef CINSTR_SAMPLER_RING_H
#define CINSTR_SAMPLER_RING_H

#include <stdint.h>

#define SAMPLER_RING_NAME "ring" /* in the session's folder */
#define SAMPLER_RING_MAGIC "CIRING\x1a\x01"
#define SAMPLER_LIBRARY "libcinstr-sampler.so"
#define SAMPLER_PAGE 4096u
#define SAMPLER_TEXT 3584u /* bytes that a slot holds at least after its record */
/* a collector that has not read the ring for this long may be dead ... */
#define SAMPLER_BEAT_NS 1000000000ull
/* ... and for this long is dead, even if it has not been reaped */
#define SAMPLER_DEAD_NS 60000000000ull
#define SAMPLER_INTERVALS_MAX 16 /* intervals that one sample may stand for */
#define SAMPLER_TRIES 16	 /* slots to try before a record is lost */
#define SAMPLER_REGISTERS 17	 /* by DWARF numbers, as in report/arch/ */

enum sampler_state { SAMPLER_OPEN = 1, SAMPLER_ENDED = 2 };

struct sampler_ring {
	char magic[8];
	uint64_t bytes; /* of the file */
	uint32_t n_slots, slot_bytes;
	uint64_t words_at, slots_at; /* offsets */
	uint64_t interval_ns;	     /* of a thread's processor time */
	uint64_t tick_ns;	     /* period of the kernel's checks of timers */
	uint32_t stack_bytes;	     /* most bytes copied of a stack */
	uint32_t collector;	     /* pid */
	/* number of the collector's filters of system calls (sampler_filters) */
	uint64_t filters;
	/* Written by the collector, read by the threads at each sample: */
	uint32_t state;	  /* enum sampler_state; ended: threads delete their timers */
	uint32_t paused;  /* 1: no samples, for now */
	uint64_t beat_ns; /* CLOCK_MONOTONIC_RAW when it last read the ring */
	/* Written by the threads: */
	uint64_t lost __attribute__((aligned(64))); /* samples without a slot, of all threads */
	uint32_t next;				    /* the slot to try next */
};

enum sampler_slot { SAMPLER_FREE = 0, SAMPLER_BUSY = 1, SAMPLER_READY = 2 };
#define SAMPLER_WORD(tid, slot) ((uint64_t)(tid) << 32 | (slot))
#define SAMPLER_WORD_TID(word) ((uint32_t)((word) >> 32))
#define SAMPLER_WORD_SLOT(word) ((uint32_t)(word))

enum sampler_record_type {
	SAMPLER_SAMPLE = 1, /* followed by struct sampler_sample */
	/* a process with the sampler has begun a program; text: the name of its first thread */
	SAMPLER_PROGRAM,
	SAMPLER_MAPS, /* text: lines of /proc/PID/maps for executable memory */
	/* the thread is the first of a forked process; parent_*: the forking thread */
	SAMPLER_FORKED,
	SAMPLER_THREAD, /* a thread has begun; parent_tid: its creator */
	SAMPLER_THREAD_END,
	SAMPLER_EXIT,	/* end of the process by exit() */
	SAMPLER_SILENT, /* no more samples of this process; text: why */
};

struct sampler_record {
	uint32_t type; /* enum sampler_record_type */
	uint32_t text_bytes;
	uint64_t ticks;	 /* CLOCK_MONOTONIC_RAW, ns */
	uint64_t cpu_ns; /* processor time of the thread; PROGRAM, FORKED, EXIT: of the process */
	uint32_t pid, tid, parent_pid, parent_tid;
	uint64_t lost; /* samples of this thread that were lost since its last record */
};

enum sampler_sample_flag {
	SAMPLER_IN_KERNEL = 1,	/* the thread was in a system call */
	SAMPLER_STACK_ENDS = 2, /* the copy reaches the stack's outer end */
};

/* The copy of the stack, from the stack pointer up, follows. */
struct sampler_sample {
	uint64_t registers[SAMPLER_REGISTERS];
	uint32_t stack_bytes;
	uint32_t flags;	    /* enum sampler_sample_flag */
	uint32_t intervals; /* intervals of processor time that it stands for */
	uint32_t reserved;
};

#define SAMPLER_STATUS_MAX 4096

/* Returns the number at Seccomp_filters in /proc/PID/status, or, if the kernel lacks that, at
 * Seccomp; UINT64_MAX: neither. */
static inline uint64_t sampler_filters(const char *status, uint64_t bytes)
{
	static const char key[] = "\nSeccomp";
	uint64_t number = UINT64_MAX, at = 0, n;

	for (uint64_t i = 0; i < bytes; i++) {
		for (n = 0; n < sizeof(key) - 1 && i + n < bytes && status[i + n] == key[n]; n++)
			;
		if (n < sizeof(key) - 1)
			continue;
		for (at = i + n; at < bytes && status[at] != '\t'; at++)
			;
		for (number = 0, at++; at < bytes && status[at] >= '0' && status[at] <= '9'; at++)
			number = number * 10 + (uint64_t)(status[at] - '0');
	}
	return number;
}

static inline uint64_t *sampler_word(struct sampler_ring *ring, uint32_t i)
{
	return (uint64_t *)(void *)((char *)ring + ring->words_at) + i;
}

static inline struct sampler_record *sampler_slot_at(struct sampler_ring *ring, uint32_t i)
{
	return (struct sampler_record *)(void *)((char *)ring + ring->slots_at +
						 (uint64_t)i * ring->slot_bytes);
}

#endif
