/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * raw_sample.h - what a source of samples tells the collector: samples as they were taken, and what
 * happened to the processes meanwhile. Two sources tell the same: the kernel (perf_source.c), and
 * timers through the runtime (timer_source.c). All times are CLOCK_MONOTONIC_RAW, ns. What is
 * pointed at is there for the length of the call.
 */
#ifndef SAMPLER_RAW_SAMPLE_H
#define SAMPLER_RAW_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "machine.h"

struct raw_sample {
	uint64_t ticks;
	uint32_t pid, tid;
	/* the processor was in the kernel; what follows is of the user's code that had called it */
	int in_kernel;
	/* the processor was executing neither the process's code nor the kernel's for it (S2) */
	int is_foreign;
	/* has_registers; otherwise only MACHINE_IP, or 0: not known */
	uint64_t registers[MACHINE_REGISTERS];
	int has_registers;
	/* by frame pointers: return addresses, innermost first, without MACHINE_IP; NULL: not
	 * taken */
	const uint64_t *chain;
	size_t n_chain;
	const uint8_t *stack; /* copy of what is at registers[MACHINE_SP] and above; NULL: none */
	size_t stack_bytes;
	int stack_ends; /* the copy holds the stack up to the end of its memory */
};

/* Code that became executable in a process. */
struct raw_mapping {
	uint64_t ticks;
	uint32_t pid;
	uint64_t start, end; /* addresses */
	uint64_t file_offset;
	/* as the process sees it; "[vdso]", "//anon" and the like for what is no file */
	const char *path;
	uint32_t device_major, device_minor;
	uint64_t inode; /* 0: not known */
};

/* All are called by the collector's thread, in order of time as far as the source can tell. */
struct sink {
	void (*sample)(void *arg, const struct raw_sample *sample);
	void (*mapping)(void *arg, const struct raw_mapping *mapping);
	/* A thread, of the same process or of a new one, was made. */
	void (*forked)(void *arg, uint64_t ticks, uint32_t pid, uint32_t tid, uint32_t parent_pid,
		       uint32_t parent_tid);
	/* It has a (new) name; is_exec: its process runs another program from here on. */
	void (*named)(void *arg, uint64_t ticks, uint32_t pid, uint32_t tid, const char *name, int is_exec);
	void (*exited)(void *arg, uint64_t ticks, uint32_t pid, uint32_t tid);
	/* Samples that did not get through; pid 0: not known whose. */
	void (*lost)(void *arg, uint32_t pid, uint64_t n);
	void (*throttled)(void *arg, uint64_t ticks);
	/* Units of the event that a process (and its threads; pid 0: all processes together) has
	 * used up to now. */
	void (*counted)(void *arg, uint32_t pid, uint64_t units);
	void *arg;
};

#endif
