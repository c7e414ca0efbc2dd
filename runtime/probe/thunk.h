/* SPDX-License-Identifier: MIT */
/*
 * thunk.h - thunks and counting stubs, which are made, not compiled. What other rooms may ask
 * for, by file; comes with runtime.h.
 */
#ifndef CINSTR_RUNTIME_THUNK_H
#define CINSTR_RUNTIME_THUNK_H

#include <stddef.h>
#include <stdint.h>

#include "cinstr/abi.h"
#include "cinstr/objects.h"

struct cinstr_abi_hook;
struct module;
struct probe_frame;
struct thunks;

/* thunk.c */
/* carrier: hook of a module that is never unloaded, or NULL. */
void thunks_place_aborts(const struct cinstr_abi_hook *carrier);
/* NULL, and *error: -ENOMEM: no memory is free near the module; else what the system refused. */
struct thunks *thunks_make(const struct module *module, int *error);
/* Makes a page of no module's, for calibration. Returns NULL without memory for it. */
struct thunks *thunks_make_own(void);
int thunks_ready(struct thunks *thunks);
void thunks_release(struct thunks *thunks);
/* What a sled needs of its thunk: the usual; that r10 and r11 are kept; that each event takes the
 * slow path. */
enum thunk_way { THUNK_USUAL, THUNK_KEEP, THUNK_SLOW };
const char *thunk_address(struct thunks *thunks, uint32_t kind, enum thunk_way way, int only);
const char *thunk_for_stream(const struct thunks *thunks, uint32_t kind);
/* kind: BEFORE or AFTER. keep: r10 and r11 are live. With the clock CINSTR_CLOCK_TSC alone. */
const char *thunk_for_lock(const struct thunks *thunks, uint32_t kind, enum cinstr_abi_lock lock, int keep);
/* Before a call of a known function with an object; kind: BEFORE or TAIL. With the clock
 * CINSTR_CLOCK_TSC, and where r10 and r11 are free, alone. */
const char *thunk_for_object(const struct thunks *thunks, uint32_t kind, enum cinstr_object_use use);
/* The same, of one that gives an object (cinstr_object_is_given()), where the call has no event. */
const char *thunk_for_give(const struct thunks *thunks, enum cinstr_object_use use);
const char *thunk_for_action(const struct thunks *thunks, uint32_t kind, int recorded);
const char *thunk_for_indirect(struct thunks *thunks, uint32_t kind, enum thunk_way way, const uint8_t *call);
/* The stub of a slot; NULL: no room. back: behind the sled, if that jumps to it; NULL: it calls. */
const char *thunk_for_count(struct thunks *thunks, uint32_t slot, int keep, const char *back);
/* The same for a call that gives an object, which the stub notes first; it does not keep r10. */
const char *thunk_for_count_give(struct thunks *thunks, uint32_t slot, enum cinstr_object_use use);
/* The same, of a call that takes a lock: a free one is counted, any other timed. */
const char *thunk_for_count_lock(struct thunks *thunks, uint32_t slot, enum cinstr_abi_lock lock, int keep);
/* The stub of a function's entry is the slot's, and is made by thunk_for_count(). 0: no room. */
int thunks_reserve_count(struct thunks *thunks, uint32_t slot);
int thunk_is_jumped_to(const struct thunks *thunks, const char *thunk);
/* The way into this stub, which a sled jumps to, for calls. */
const char *thunk_for_calls(const char *thunk);
/* Of such a way the sled; NULL: it is none. */
const char *thunk_sled_of(const struct thunks *thunks, const char *to);

/* thunk_field.c */
/* Returns what belongs into a field of this type (FIX_...). code_offset: K of the module. */
uint32_t thunk_field(uint32_t type, uint32_t code_offset);

/* backing.c */
/* Makes the first bytes of a module's room, whole pages, writable and executable, with the module's
 * file behind them where that can be. Returns 0, or -1. */
int backing_map(const struct module *module, size_t bytes);

struct counting_place;

/* arch/ARCH/count_stub.c */
/* A stub that is jumped to: offsets of its ways in, and of the jump back in what is jumped to. */
#define STUB_MARKED 0  /* by calls, where the function begins with a mark: is that there? */
#define STUB_DIRECT 16 /* by calls: is the sled as it was? */
#define STUB_JUMPED_TO 32
#define STUB_BACK 34
#define STUB_NO_MARK 0xcc
/* Writes the stub for a sled that jumps. back: the sled's end; slow: the thunk for who has no
 * counters, or has a pulse. */
void count_write_jumped(char *stub, struct counting_place place, const char *back, const char *slow);
/* Writes the stub for a sled that calls. keep: r10 is live, and there are no pulses. */
void count_write_called(char *at, struct counting_place place, int keep, const char *slow);
/* The same, behind a call of `first`. */
void count_write_called_behind(char *at, struct counting_place place, const char *first, const char *slow);
/* Of a call that takes a lock. */
struct count_lock {
	enum cinstr_abi_lock lock;
	const char *taken; /* the thunk for a lock that is not free */
	const char *own;   /* tells whether it is the thread's; NULL: it is not looked at */
};
/* The same, without pulses, if the lock is free; else the stub jumps to the thunk. */
void count_write_lock(char *at, struct counting_place place, int keep, const struct count_lock *of,
		      const char *slow);

/* arch/ARCH/calls.c, arch/ARCH/call_stub.c */
struct indirect_call {
	/* mov OPERAND, %rax; a displacement from rip is not in it */
	uint8_t load[12];
	/* lea OPERAND, %rax; of memory that may be anywhere */
	uint8_t address[12];
	uint8_t n_load, n_address;
	uint8_t reg, base, index, scale; /* 16: none */
	uint8_t is_memory, is_rip, is_fs, size;
	uint8_t needs_kept; /* the operand is in r10 or r11 */
	/* bytes from the sled to the call instruction, where a thunk is between them */
	uint8_t skip;
	int32_t displacement;
};
/* 0: the instruction is of no form that is known; there is no load then. */
int call_decode(const uint8_t *code, struct indirect_call *call);
/*
 * Writes the stub before such a call. operand: the address of an operand relative to rip; else
 * NULL. keep: r10 and r11 are live. known, nothing: the thunks for a target in rax, and for none.
 */
void call_write_stub(char *at, const struct indirect_call *call, const uint8_t *operand, int keep,
		     const char *known, const char *nothing);
uint64_t call_target(const struct indirect_call *call, const uint8_t *code, const struct probe_frame *frame);

#endif
