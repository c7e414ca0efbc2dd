/* SPDX-License-Identifier: MIT */
/*
 * timeline_steps.h - the inside of the timeline (CINSTR_TIMELINE), shared by timeline.c (chunks),
 * timeline_ring.c (chooses the next segment), timeline_filter.c (leaves out short calls) and
 * timeline_watch.c (detects slow calls).
 *
 * All of it runs in the thread whose buffer is folded, signals blocked, before the fold; the
 * segments of the ring, which threads share, are under the store's lock. Not used without a
 * timeline.
 */
#ifndef CINSTR_TIMELINE_STEPS_H
#define CINSTR_TIMELINE_STEPS_H

#include "runtime.h"
#include "timeline_codec.h"

#define TIMELINE_SEGMENT (64u << 10) /* smallest size: the longest chunk fits */
/* for a thread that has filled its first one; not in a ring */
#define TIMELINE_SEGMENT_MORE (256u << 10)
#define TIMELINE_SEGMENT_MAX (1u << 20) /* in a large ring */
#define TIMELINE_RECORDS (BUFFER_SEGMENT / sizeof(struct cinstr_record))
#define TIMELINE_RULES 16     /* of CINSTR_KEEP_SLOWEST */
#define TIMELINE_RULE_TEXT 64 /* with NUL */
#define TIMELINE_KEPT 4	      /* rings kept for each rule */
/* most watched functions on the stack; further inner ones are ignored */
#define TIMELINE_WATCHED 64

_Static_assert(TIMELINE_RECORDS *TIMELINE_RECORD_BYTES_MAX + sizeof(struct cinstr_timeline_chunk) <
		       TIMELINE_SEGMENT - sizeof(struct cinstr_segment),
	       "the longest chunk fits into the smallest segment");

/* A segment of the ring. `current`: its thread is writing it, and no other thread touches it. */
struct timeline_slot {
	char *payload;
	struct cinstr_thread *record; /* thread whose events it holds; NULL: free */
	struct thread *thread;	      /* NULL: the thread is over, or the segment is kept */
	uint64_t sequence;
	uint64_t kept; /* as in the segment */
	uint64_t events;
	int current;
};

/* An activation that began in this buffer (timeline_filter.c). */
struct timeline_open {
	uint64_t ticks; /* stamp of its begin */
	uint32_t site;	/* code of the BEFORE sled; 0: none */
	uint32_t func;	/* code of the ENTER sled; 0: none yet */
	uint32_t sp;
	uint32_t first; /* index of its first record */
	uint32_t kind;	/* enum open_kind */
};

/* A function of CINSTR_KEEP_SLOWEST that is running. */
struct timeline_watched {
	uint64_t begin, ticks; /* stamp; stamp less the runtime's own time until then */
	uint32_t code, sp;
	uint32_t is_tailed; /* called by a tail call of the entry below */
};

struct timeline_watch {
	uint64_t time;	    /* current stamp */
	uint64_t own_ticks; /* the runtime's own */
	uint32_t n, beyond;
	/* 1: the last event was a tail call: the next function entered may be its callee */
	uint32_t is_jumping;
	struct timeline_watched open[TIMELINE_WATCHED];
};

/* The slowest call that ended in a buffer. */
struct timeline_slow {
	uint64_t begin, end; /* stamps */
	uint64_t ticks;	     /* 0: none */
	uint32_t code;	     /* of the ENTER sled */
	uint32_t rule;
};

/* A thread's data besides its segments: made with its first chunk, kept for later threads with the
 * same struct thread. */
struct timeline_work {
	struct timeline_codec codec;
	struct timeline_watch watch;
	/* records [i, skip[i]) are left out; 0: none from here */
	uint16_t skip[TIMELINE_RECORDS + 1];
	struct timeline_open open[TIMELINE_RECORDS];
};

/* ---- timeline_filter.c */
/* Finds the calls shorter than cinstr.timeline_min_ns in records[0 .. n) and sets skip[]. Returns
 * the number of events left out. */
uint64_t timeline_filter(struct timeline_work *work, const struct cinstr_record *records, size_t n);

/* ---- timeline_watch.c */
/* Reads CINSTR_KEEP_SLOWEST. Returns the number of rules. */
unsigned timeline_watch_init(void);
/* Finds the slowest watched call that ends in records[0 .. n). */
void timeline_watch_scan(struct timeline_watch *watch, const struct cinstr_record *records, size_t n,
			 struct timeline_slow *slowest);
/* Writes the text of the call's mark. */
void timeline_watch_text(const struct timeline_slow *slow, struct text *text);

/* ---- timeline_ring.c */
/* Makes the ring. Returns 0, or -1: no memory. */
int timeline_ring_init(uint64_t budget, unsigned n_rules);
void timeline_ring_forked(void);
/* Returns the next segment of the thread, empty, or NULL. */
char *timeline_ring_take(struct thread *thread);
/* Releases the segments of a thread that is over: they are reused first. */
void timeline_ring_leave(struct thread *thread);
/* Keeps the thread's segments for this call. Returns 1 if there was room, or a faster call has made
 * room; else 0. */
int timeline_ring_keep(struct thread *thread, const struct timeline_slow *slow);
uint64_t timeline_ring_bytes(void); /* bytes of a segment's payload */

/* Converts ns to ticks. Not exact before the clock has been measured, at the end of the attach. */
static inline uint64_t timeline_ticks(uint64_t ns)
{
	return (uint64_t)(((unsigned __int128)ns * cinstr.ticks_per_ns) >> 20);
}

/* Returns the full stamp of the record after one at `time`; a stamp that runs backward counts as no
 * time. */
static inline uint64_t timeline_advance(uint64_t time, const struct cinstr_record *r)
{
	uint32_t ticks = r->time_lo - (uint32_t)time;

	return r->time_lo < (uint32_t)time ? time : time + ticks;
}

/* Returns the code of the ENTER sled of the sled's function (for an AFTER: of its BEFORE sled), or
 * 0. */
static inline uint32_t timeline_owner(uint32_t code)
{
	uint32_t word = code >> 3;

	return word < cinstr.sites.n_words ? cinstr.sites.words[word] : 0;
}

#endif
