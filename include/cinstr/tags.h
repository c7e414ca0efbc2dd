/* SPDX-License-Identifier: MIT */
/*
 * cinstr/tags.h - the program's tags in a data file (cinstr_tag() of cinstr.h): how long each
 * thread had each value of a tag, and how much of that it waited.
 *
 * The API writes a TAG record, and folds add periods up in cells of the thread's tree
 * (runtime/fold/fold_tag.c). Of each tag a thread keeps the CINSTR_TAGS_KEPT values with most time;
 * the others have one sum.
 */
#ifndef CINSTR_TAGS_H
#define CINSTR_TAGS_H

#include <stdint.h>

/* Number of tags that a thread can have at one time, by name. */
#define CINSTR_TAG_NAMES 4
#define CINSTR_TAGS_KEPT 256u

/*
 * A special record (cinstr/format.h) between SLOW and RESUME. argument: number of the tag's name,
 * as that of a file (cinstr/amounts.h; bits 0-19) | enum cinstr_tag_flag. value: the tag's value.
 */
#define CINSTR_SP_TAG 13
enum cinstr_tag_flag {
	CINSTR_TAG_BEGINS = 1 << 20,   /* else the tag ends, and the record has no value */
	CINSTR_TAG_NEGATIVE = 1 << 21, /* bit 63 of the value */
};
#define CINSTR_TAG_NAME(argument) ((argument)&0xfffffu)

/* Cells of the kind DIRTY, whose cells older readers ignore unless a detail refers to them; `part`
 * tells them apart. */
#define CINSTR_CELL_TAG CINSTR_CELL_DIRTY
enum cinstr_tag_part {
	CINSTR_TAG_NOW = 32,	/* struct cinstr_tag_now */
	CINSTR_TAG_SUM = 33,	/* struct cinstr_tag_sum, of one value */
	CINSTR_TAG_OTHERS = 34, /* struct cinstr_tag_sum, of all other values */
};

/* In a merged file: the periods of each value in all processes (doc/format.md). */
#define CINSTR_SEG_MERGED_TAGS 36

/* Holds the present period of one tag of a thread; the fold keeps one cell for each name. */
struct cinstr_tag_now {
	uint32_t others; /* cell index of the OTHERS */
	uint32_t name;	 /* number */
	uint32_t part;
	uint32_t tag;
	int64_t id;	    /* the present value */
	uint64_t begin;	    /* of the present period: ticks that the thread had recorded by then */
	uint64_t waiting;   /* ticks that it has waited in it */
	uint32_t cell;	    /* that was current when it began */
	uint32_t slow;	    /* its longest wait, in units of CINSTR_TAG_SLOW_BITS ... */
	uint32_t slow_cell; /* ... and the cell that waited; 0: none */
	uint32_t first;	    /* cell index of the SUM that was made last; 0: none */
	uint32_t n;	    /* number of SUMs */
	uint32_t is_on;	    /* 1: the thread has the tag */
};
#define CINSTR_TAG_SLOW_BITS 10

struct cinstr_tag_sum {
	uint32_t next; /* cell index of the next SUM of the name; 0: none */
	uint32_t name;
	uint32_t part;
	uint32_t tag;
	int64_t id;
	uint64_t times; /* periods that have ended */
	uint64_t ticks; /* of them, without the runtime's own and pauses */
	uint64_t waiting;
	uint64_t longest;	  /* ticks of the longest period */
	uint32_t cell, slow_cell; /* of that period */
};

#endif
