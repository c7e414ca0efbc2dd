/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * maker_samples.h - makes data files of sampled processes with known content (cinstr/format.h): an
 * executable `app`, a library `libc.so`, and what SYMBOLS says of their addresses:
 *
 *   app   main    0x1000  a.c:10   0x1014 a.c:12 (calls work)   0x1024 a.c:13 (calls rec)
 *                 0x1030  a.c:14
 *         work    0x1100  a.c:20   0x1110 a.c:21   0x1120 a.c:22   0x1128 a.c:23 (calls puts)
 *         helper  inlined in work at a.c:24, its code at 0x1130; defined at b.c:5
 *                 0x1132  b.c:6    0x1136 b.c:7 (calls puts)
 *         rec     0x1200  a.c:30   0x1210 a.c:31 (calls rec)   0x1220 a.c:32
 *   libc  puts    0x5000  0x5010
 *         without a symbol, from 0x6000 on   0x6020
 *         nothing is known of 0x7000
 */
#ifndef UNIT_MAKER_SAMPLES_H
#define UNIT_MAKER_SAMPLES_H

#include "maker.h"

enum { MAKER_SAMPLED_APP = 1, MAKER_SAMPLED_LIBC = 2 };
#define MAKER_BEGIN 1000000000ull /* stamp */

/* A file without samples. Symbols are there unless maker_no_symbols(). */
void maker_sampled_init(struct maker *maker);
void maker_no_symbols(struct maker *maker);
/* Of an address: the function that it is in. */
struct maker_symbol {
	uint32_t module; /* number */
	uint64_t address, entry;
	const char *name;
};
/* Symbols instead of those above; in order of module and address. */
void maker_symbols(struct maker *maker, const struct maker_symbol *list, size_t n);
struct cinstr_sampling *maker_sampling(struct maker *maker);
/* Another, larger segment instead of an empty one: &maker->stacks and so on. */
void maker_room(struct maker *maker, size_t *payload, uint32_t type, size_t pages);
/* They return the number of what is new. */
uint32_t maker_task(struct maker *maker, uint32_t tid, const char *name);
uint32_t maker_stack(struct maker *maker, uint32_t parent, uint32_t module, uint64_t address);
struct cinstr_task *maker_task_at(struct maker *maker, uint32_t task);
struct cinstr_stack_node *maker_stack_at(struct maker *maker, uint32_t number);
/* n samples from MAKER_BEGIN + ms on, 1 ms apart. */
void maker_samples(struct maker *maker, uint32_t task, uint32_t stack, uint64_t ms, unsigned n);
/* A session's data file with a bit of everything. Returns an exit status. */
int maker_sampled_sample(const char *path, unsigned later_ns);

#endif
