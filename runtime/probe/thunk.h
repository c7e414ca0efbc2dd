/* SPDX-License-Identifier: MIT */
/*
 * thunk.h - thunks and counting stubs, which are made at run time, not compiled: functions for
 * other rooms, by file. Included by runtime.h.
 */
#ifndef CINSTR_RUNTIME_THUNK_H
#define CINSTR_RUNTIME_THUNK_H

#include <stddef.h>
#include <stdint.h>

#include "cinstr/abi.h"
#include "cinstr/amounts.h"
#include "cinstr/objects.h"

struct cinstr_abi_hook;
struct module;
struct probe_frame;
struct thunks;

/* thunk.c */
/* carrier: hook of a module that is never unloaded, or NULL. */
void thunks_place_aborts(const struct cinstr_abi_hook *carrier);
/* Makes the module's thunks. Returns NULL and sets *error: -ENOMEM: no memory is free near the
 * module; else -errno of the system call that failed. */
struct thunks *thunks_make(const struct module *module, int *error);
/* Makes thunks of no module, for calibration. Returns NULL without memory. */
struct thunks *thunks_make_own(void);
int thunks_ready(struct thunks *thunks);
void thunks_release(struct thunks *thunks);
/* A sled's requirement: the usual thunk; one that keeps r10 and r11; one that takes the slow path
 * at each event. */
enum thunk_way { THUNK_USUAL, THUNK_KEEP, THUNK_SLOW };
const char *thunk_address(struct thunks *thunks, uint32_t kind, enum thunk_way way, int only);
const char *thunk_for_stream(const struct thunks *thunks, uint32_t kind);
/* kind: BEFORE or AFTER. keep: r10 and r11 are live. Only with the clock CINSTR_CLOCK_TSC. */
const char *thunk_for_lock(const struct thunks *thunks, uint32_t kind, enum cinstr_abi_lock lock, int keep);
/* For a call of a known function with an object; kind: BEFORE or TAIL. Only with the clock
 * CINSTR_CLOCK_TSC, and where r10 and r11 are free. */
const char *thunk_for_object(const struct thunks *thunks, uint32_t kind, enum cinstr_object_use use);
/* For a call that releases an object (cinstr_object_is_given()), where the call has no event. */
const char *thunk_for_give(const struct thunks *thunks, enum cinstr_object_use use);
/* Returns the thunk for a call of a function that reads or writes; kind: BEFORE or AFTER; or NULL:
 * there is nothing to note at this event. Only with the clock CINSTR_CLOCK_TSC, and where r10 and
 * r11 are free. */
const char *thunk_for_moves(const struct thunks *thunks, uint32_t kind, enum cinstr_amount_use use);
/* Return the thunk where blocks are held (held.c): for a call that allocates; kind: BEFORE or
 * AFTER; and for a call that frees; kind: BEFORE or TAIL; alone: the call has no event. */
const char *thunk_for_held(const struct thunks *thunks, uint32_t kind, enum cinstr_amount_use use);
const char *thunk_for_frees(const struct thunks *thunks, uint32_t kind, int alone);
const char *thunk_for_action(const struct thunks *thunks, uint32_t kind, int recorded);
const char *thunk_for_indirect(struct thunks *thunks, uint32_t kind, enum thunk_way way, const uint8_t *call);
/* Returns the stub of a slot, or NULL: no room. back: the end of the sled, if that jumps to the
 * stub; NULL: it calls it. */
const char *thunk_for_count(struct thunks *thunks, uint32_t slot, int keep, const char *back);
/* Does the same for a call that releases an object, which the stub notes first; it does not keep
 * r10. */
const char *thunk_for_count_give(struct thunks *thunks, uint32_t slot, enum cinstr_object_use use);
/* Does the same for a call that allocates: counts the bytes in the next slot, too; the stub does
 * not keep r10. */
const char *thunk_for_count_bytes(struct thunks *thunks, uint32_t slot, enum cinstr_amount_use use);
/* Does the same for a call that takes a lock: counted if the lock is free, else timed. */
const char *thunk_for_count_lock(struct thunks *thunks, uint32_t slot, enum cinstr_abi_lock lock, int keep);
/* Reserves room for the stub of a function's entry, which thunk_for_count() makes for this slot.
 * Returns 0: no room. */
int thunks_reserve_count(struct thunks *thunks, uint32_t slot);
/* Returns the entry for calls into the stub of a call's own counter, or NULL: no room. It goes on
 * behind the callee's sled, which jumps to a stub of its own. back: the end of that sled. */
const char *thunk_for_led(struct thunks *thunks, uint32_t slot, const char *back);
/* Returns the slot of the stub that is jumped to and whose code ends at this address, where the
 * slot stands; or -1: there is none. In any thread. */
int thunks_slot_before(const char *end);
int thunk_is_jumped_to(const struct thunks *thunks, const char *thunk);
/* Returns the entry for calls into this stub, which a sled jumps to. */
const char *thunk_for_calls(const char *thunk);
/* Returns the sled of such an entry, or NULL if `to` is none. */
const char *thunk_sled_of(const struct thunks *thunks, const char *to);

/* thunk_field.c */
/* Returns the value of a field of this type (FIX_...). code_offset: K of the module. */
uint32_t thunk_field(uint32_t type, uint32_t code_offset);

/* backing.c */
/* Makes these bytes of a module's room, whole pages, writable and executable, mapped from the
 * module's file where possible. Returns 0 or an error. */
int backing_map(const struct module *module, size_t from, size_t to);

struct counting_place;

/* arch/ARCH/count_stub.c */
/* Offsets in a stub that is jumped to: of its entries, and of the jump back from STUB_JUMPED_TO. */
/* entry for calls if the function begins with a mark: checks that it is there */
#define STUB_MARKED 0
#define STUB_DIRECT 16 /* entry for calls: checks that the sled is unchanged */
#define STUB_JUMPED_TO 32
#define STUB_BACK 34
#define STUB_END 76 /* of its code; behind it stands its slot */
#define STUB_NO_MARK 0xcc
/* Writes the stub for a sled that jumps. back: the sled's end; word: the sled's first four bytes
 * while the entries for calls are valid; slow: the thunk for threads without counters, and for
 * pulses. */
void count_write_jumped(char *stub, struct counting_place place, const char *back, uint32_t word,
			const char *slow);
/* Writes the stub for a sled that calls. keep: r10 is live, and there are no pulses. */
void count_write_called(char *at, struct counting_place place, int keep, const char *slow);
/* Writes the same stub for a call that allocates; size: the routine that gets the bytes. */
void count_write_bytes(char *at, struct counting_place place, enum cinstr_amount_use use, const char *size,
		       const char *slow);
/* Writes the same stub after a call of `first`. */
void count_write_called_behind(char *at, struct counting_place place, const char *first, const char *slow);
/* The parameters of a call that takes a lock. */
struct count_lock {
	enum cinstr_abi_lock lock;
	const char *taken; /* the thunk for a lock that is not free */
	const char *own;   /* checks whether the thread holds it; NULL: no check */
};
/* Writes a stub that counts, without pulses, if the lock is free; else it jumps to the thunk. */
void count_write_lock(char *at, struct counting_place place, int keep, const struct count_lock *of,
		      const char *slow);

/* arch/ARCH/calls.c, arch/ARCH/call_stub.c */
struct indirect_call {
	/* mov OPERAND, %rax; without a displacement from rip */
	uint8_t load[12];
	/* lea OPERAND, %rax; for memory that may be anywhere */
	uint8_t address[12];
	uint8_t n_load, n_address;
	uint8_t reg, base, index, scale; /* 16: none */
	uint8_t is_memory, is_rip, is_fs, size;
	uint8_t needs_kept; /* the operand is in r10 or r11 */
	/* bytes from the sled to the call instruction, where a thunk is between them */
	uint8_t skip;
	int32_t displacement;
};
/* Decodes a call instruction. Returns 0 if its form is not known; then there is no load. */
int call_decode(const uint8_t *code, struct indirect_call *call);
/*
 * Writes the stub before such a call. operand: address of the operand if relative to rip, else
 * NULL. keep: r10 and r11 are live. known, nothing: the thunks for a target in rax, and for an
 * unknown one.
 */
void call_write_stub(char *at, const struct indirect_call *call, const uint8_t *operand, int keep,
		     const char *known, const char *nothing);
uint64_t call_target(const struct indirect_call *call, const uint8_t *code, const struct probe_frame *frame);

#endif
