/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memory_limit.h - how much more memory libraries may take that read a target's files. A few bytes
 * of a file can ask for gigabytes: a rule for a register with a large number, rules that are to be
 * remembered again and again, sections that unpack to more than they are.
 */
#ifndef SAMPLER_MEMORY_LIMIT_H
#define SAMPLER_MEMORY_LIMIT_H

#include <stddef.h>
#include <sys/resource.h>

/* From now on the process gets at most `bytes` more address space: malloc() fails beyond it. Not
 * while other threads are at work. Returns the limit that there was. */
struct rlimit memory_limit(size_t bytes);
/* The limit is what it was. */
void memory_limit_end(const struct rlimit *before);

#endif
