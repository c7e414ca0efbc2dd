/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pair.h - the two files of a mixed process, made for tests: what was timed, and samples of it. */
#ifndef TESTSUITE_UNIT_MIXED_PAIR_H
#define TESTSUITE_UNIT_MIXED_PAIR_H

#include "maker/maker_samples.h"
#include "mixed/mixed_join.h"
#include "rows/caller_rows.h"
#include "rows/uncertainty.h"
#include "tests.h"

#define APP MAKER_SAMPLED_APP
#define LIBC MAKER_SAMPLED_LIBC
#define MS 1000000ull
#define TID 1000 /* of the maker's first thread */
#define COUNTED 3
#define TIMED 2

/* Link address of a sled. */
#define AT(site) (0x1000 + 8u * (site))
/* The last byte of the call behind it. */
#define CALL_AT(site) (AT(site) + 7)
#define IN(function) (AT(function) + 6)
#define PUTS 0x1010 /* in libc */
#define THUNKS 0x600000000000ull
#define STUBS 0x600000001000ull
#define RUNTIME 0x600000002000ull

struct pair {
	struct maker timed, sampled;
	uint32_t thread, main, task;
	struct data data;
	struct profile profile;
};

void pair_begin(struct pair *p);
uint32_t pair_frame(struct pair *p, uint32_t parent, uint32_t site, enum maker_site function, uint64_t calls,
		    uint64_t ticks);
void pair_mark(struct pair *p, uint64_t ms, enum maker_site function, int64_t level);
/* What slot 0 counts. */
void pair_count(struct pair *p, enum maker_site function, uint64_t n);
/* What the first n slots count: entries of functions, or calls of sites. */
struct pair_counter {
	enum maker_site of;
	uint64_t n;
};
void pair_counts(struct pair *p, const struct pair_counter *list, size_t n);
void pair_own_code(struct pair *p);
/* The stack of n addresses of app, outermost first. */
uint32_t pair_stack(struct pair *p, const uint64_t *addresses, size_t n);
uint32_t pair_in_libc(struct pair *p, uint32_t at, uint64_t address);
/* From 1 ms on, n of them. */
void pair_samples(struct pair *p, uint32_t stack, unsigned n);
void pair_join(struct pair *p);
void pair_rows(struct pair *p, enum profile_by by);
void pair_rows_end(struct pair *p);
void pair_end(struct pair *p);
void pair_expect(const struct pair *p, const char *name, uint64_t calls, uint64_t inclusive,
		 uint64_t exclusive);
/* random_mixed.c: opens a process that was made by chance, and joins it with samples of it. */
void random_mixed_open(struct data *data, unsigned number);
void random_mixed_close(struct data *data);
/* ... or writes its files. Returns an exit status. */
int random_mixed_write(const char *folder, unsigned number);
/* Writes both files of a process that has a bit of everything. Returns an exit status. */
int pair_sample(const char *folder);
#define STACK(p, ...) \
	pair_stack(p, (const uint64_t[]){ __VA_ARGS__ }, \
		   sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

#endif
