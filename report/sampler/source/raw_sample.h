/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * raw_sample.h - the interface between a source of samples and the collector: samples as taken, and
 * events of the processes. Two sources use it: the kernel (perf_source.c), and timers in the
 * runtime (timer_source.c). All times are CLOCK_MONOTONIC_RAW, ns. Pointers are valid during the
 * call.
 */
#ifndef SAMPLER_RAW_SAMPLE_H
#define SAMPLER_RAW_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "machine.h"

struct raw_sample {
	uint64_t ticks;
	uint32_t pid, tid;
	/* The processor was in the kernel; the members below are of the user code that had called
	 * it. */
	int in_kernel;
	/* The processor was executing neither the process's code nor the kernel's on its behalf
	 * (S2). */
	int is_foreign;
	/* All valid if has_registers; else only MACHINE_IP, or 0: not known. */
	uint64_t registers[MACHINE_REGISTERS];
	int has_registers;
	/* By frame pointers: return addresses, innermost first, without MACHINE_IP; NULL: not
	 * taken. */
	const uint64_t *chain;
	size_t n_chain;
	const uint8_t *stack; /* copy of memory at registers[MACHINE_SP] and above; NULL: none */
	size_t stack_bytes;
	int stack_ends; /* the copy reaches the end of the stack's memory */
};

/* Code that became executable in a process. */
struct raw_mapping {
	uint64_t ticks;
	uint32_t pid;
	uint64_t start, end; /* addresses */
	uint64_t file_offset;
	/* As the process sees it; "[vdso]", "//anon" and the like if it is not a file. */
	const char *path;
	uint32_t device_major, device_minor;
	uint64_t inode; /* 0: not known */
};

/* All are called by the collector's thread, in order of time as far as the source knows it. */
struct sink {
	void (*sample)(void *arg, const struct raw_sample *sample);
	void (*mapping)(void *arg, const struct raw_mapping *mapping);
	/* A thread was created, in the same process or in a new one. */
	void (*forked)(void *arg, uint64_t ticks, uint32_t pid, uint32_t tid, uint32_t parent_pid,
		       uint32_t parent_tid);
	/* The thread got a name; is_exec: its process runs another program from here on. */
	void (*named)(void *arg, uint64_t ticks, uint32_t pid, uint32_t tid, const char *name, int is_exec);
	/* The thread ended. */
	void (*exited)(void *arg, uint64_t ticks, uint32_t pid, uint32_t tid);
	/* Samples were lost; pid 0: of an unknown process. */
	void (*lost)(void *arg, uint32_t pid, uint64_t n);
	/* The kernel held samples back, as they came too fast. */
	void (*throttled)(void *arg, uint64_t ticks);
	/* Units of the event that a process with its threads has used so far; pid 0: all processes
	 * together. */
	void (*counted)(void *arg, uint32_t pid, uint64_t units);
	void *arg;
};

#endif
