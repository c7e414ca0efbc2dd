/* SPDX-License-Identifier: GPL-3.0-or-later */
/* buffer.h - a data file with records in a buffer, which the reader folds; one at a time. */
#ifndef TESTSUITE_UNIT_RUNTIME_BUFFER_H
#define TESTSUITE_UNIT_RUNTIME_BUFFER_H

#include "tests.h"

#define FIRST 1000000u

struct buffer {
	struct maker maker;
	struct data data;
};
extern struct buffer buffer;

struct cinstr_record buffer_start(uint64_t stamp);
struct cinstr_record buffer_event(enum maker_site site, uint32_t ticks, uint32_t extra, uint32_t second);
struct cinstr_record buffer_special(uint32_t type, uint32_t ticks, uint64_t value);
void buffer_open(void);
void buffer_close(void);
/* The only thread, with these records in its buffer. The caller closes. */
const struct data_thread *buffer_fold(const struct cinstr_record *records, size_t n);
/* The frame of the stack at depth `i`, also where that is at a line. */
uint32_t buffer_open_function(const struct data_thread *t, uint32_t i);
const struct data_node *buffer_find(const struct data_thread *t, uint32_t kind, enum maker_site site);
uint64_t buffer_ticks_of(const struct data_thread *t, uint32_t kind, enum maker_site site);

#endif
