/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hot_code.h - where in its code a function spends its own time, by samples of the same run and by
 * its inner loops. */
#ifndef REPORT_FINDINGS_HOT_CODE_H
#define REPORT_FINDINGS_HOT_CODE_H

#include "computing.h"
#include "symbols/code_loops.h"

struct hot_code {
	uint64_t samples; /* ms of the samples in the function's code; 0: none, or too few */
	/* The inner loop with at least half of this time; or, without samples, the most deeply
	 * nested one, if all loops as deep access memory alike. */
	struct code_loop loop;
	int has_loop;
	uint64_t locked; /* ms of the samples at locked instructions */
	uint64_t locked_at;
	uint64_t copied; /* ms of the samples at instructions that copy pieces of memory */
	uint64_t copied_at;
	uint64_t divided; /* ms of the samples at divisions and square roots */
	uint64_t most_at; /* the most sampled address in the inlined function with most samples */
	int is_inlined;	  /* that inlined function has at least half of this time */
};

/* Finds where the function spends its time. Returns 0, or -1 if its code is not known. */
int hot_code_find(struct hot_code *code, const struct computing *computing, uint32_t entity);

/* The place of an instruction. Texts live as long as the names. */
struct code_place {
	/* the innermost place outside headers of the system; NULL: not known */
	const char *file;
	uint32_t line;
	const char *inlined; /* the inlined function that contains it; NULL: it is not inlined */
	const char *header;  /* the function of such a header that is inlined there; NULL: none */
	/* assembler names of the innermost function outside such headers, and of `header`; NULL:
	 * not known, or none */
	const char *own, *operation;
};
void code_place_find(struct code_place *place, const struct computing *computing, uint32_t entity,
		     uint64_t address);

/* The places of all samples of a function. */
struct hot_code_places {
	struct {
		struct code_place place;
		uint64_t ms;
	} * list;
	size_t n;
	uint64_t ms; /* of all of them */
};

/* Returns 0, or -1 if the function's code is not known, or has too few samples. */
int hot_code_places(struct hot_code_places *places, const struct computing *computing, uint32_t entity);
void hot_code_places_release(struct hot_code_places *places);

#endif
