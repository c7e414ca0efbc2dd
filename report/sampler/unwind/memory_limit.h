/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memory_limit.h - limits the memory of libraries that read a target's files. A few bytes of a file
 * can request gigabytes: a rule for a register with a large number, rules that are remembered again
 * and again, sections that unpack to more than their size.
 */
#ifndef SAMPLER_MEMORY_LIMIT_H
#define SAMPLER_MEMORY_LIMIT_H

#include <stddef.h>
#include <sys/resource.h>

/* Limits further address space of the process to `bytes`: beyond that malloc() fails. Not while
 * other threads work. Returns the previous limit. */
struct rlimit memory_limit(size_t bytes);
/* Restores the previous limit. */
void memory_limit_end(const struct rlimit *before);

#endif
