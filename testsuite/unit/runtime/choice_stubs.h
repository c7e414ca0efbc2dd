/* SPDX-License-Identifier: MIT */
/* choice_stubs.h - see choice_stubs.c. */
#ifndef TESTSUITE_UNIT_RUNTIME_CHOICE_STUBS_H
#define TESTSUITE_UNIT_RUNTIME_CHOICE_STUBS_H

#include "runtime.h"
#include "tables.h"

#define STUB_STORE (1u << 20)
#define STUB_PLACE (1u << 16)
#define STUB_SLOTS 256u

struct stubs {
	char *thunks;			/* where their addresses begin */
	const char *back[STUB_SLOTS];	/* by slot: behind the sled that jumps to its stub */
	uint32_t room;			/* slots that there are stubs for */
	int has_sites;			/* ... for sites */
	int error;			/* of thunks_make() */
	uint64_t used;			/* of the data file */
	void *last;			/* payload of the last segment */
	uint64_t most_place;		/* bytes */
	struct dl_phdr_info objects[4]; /* that are loaded */
	int n_objects;
	const char *unlisted;
};
extern struct stubs stubs;

/* A process that is recorded, without modules. */
void stubs_begin(char *thunks);

#endif
