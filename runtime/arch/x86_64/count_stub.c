/* SPDX-License-Identifier: MIT */
/*
 * count_stub.c - writes the stubs that count: by a call of the sled, or by its jump, which is
 * faster (thunk.c). Called by thunk.c, while the page is writable.
 */
#include "runtime.h"
#include "stub_bytes.h"

/* With each so many counts of a function a stub comes to the slow path, which may fold: there may
 * be no other event for long. */
#define PULSE_MASK 0xfffffu

/* mov %fs:counts[block],%r10; test %r10,%r10 */
static char *put_load(char *at, uint32_t block)
{
	static const uint8_t load[] = { 0x64, 0x4c, 0x8b, 0x14, 0x25 }, test[] = { 0x4d, 0x85, 0xd2 };
	ptrdiff_t state = (char *)&cinstr_probe - (char *)__builtin_thread_pointer();

	at = put_bytes(at, load, sizeof(load));
	put32(&at, (uint32_t)(state + PROBE_COUNTS) + block * 8);
	return put_bytes(at, test, sizeof(test));
}

/* incq OFFSET(%r10). One instruction counts, so that a signal comes before or behind it. */
static char *put_add(char *at, uint32_t index)
{
	static const uint8_t add[] = { 0x49, 0xff, 0x82 };

	at = put_bytes(at, add, sizeof(add));
	put32(&at, index * 8);
	return at;
}

/* testl $PULSE_MASK,OFFSET(%r10): zero with a pulse, at which the stub comes to the slow path. */
static char *put_pulse(char *at, uint32_t index)
{
	static const uint8_t test[] = { 0x41, 0xf7, 0x82 };

	at = put_bytes(at, test, sizeof(test));
	put32(&at, index * 8);
	put32(&at, PULSE_MASK);
	return at;
}

/*
 * cmpl $word,AT; jne entry. Somebody has put a breakpoint or another jump there: calls go by it,
 * too.
 */
static void put_check(char *at, const char *where, uint32_t word, const char *entry)
{
	static const uint8_t compare[] = { 0x81, 0x3d };

	at = put_bytes(at, compare, sizeof(compare));
	put32(&at, (uint32_t)(where - (at + 2 * sizeof(uint32_t))));
	put32(&at, word);
	*at++ = 0x0f;
	put_distance(&at, 0x85, entry);
}

/* load; je 1f; add; pulse; je 1f; jmp back; 1: call count_jump_X */
void count_write_jumped(char *stub, struct counting_place place, const char *back, uint32_t word,
			const char *slow)
{
	static const uint8_t skip_all[] = { 0x74, 7 + 11 + 2 + 5 }, skip_jump[] = { 0x74, 5 };
	const char *sled = back - ARCH_SLED_BYTES, *entry = direct_entry(sled);
	char *at = stub + STUB_JUMPED_TO;

	if (entry != sled)
		put_check(stub + STUB_MARKED, entry, ARCH_ENTRY_MARK, entry);
	else
		stub[STUB_MARKED] = (char)STUB_NO_MARK;
	put_check(stub + STUB_DIRECT, sled, word, entry);
	at = put_bytes(put_load(at, place.block), skip_all, sizeof(skip_all));
	at = put_pulse(put_add(at, place.index), place.index);
	at = put_bytes(at, skip_jump, sizeof(skip_jump));
	put_distance(&at, ARCH_JUMP_OPCODE, back);
	put_distance(&at, ARCH_CALL_OPCODE, slow);
}

/* jz to */
static char *put_if_zero(char *at, const char *to)
{
	*at++ = 0x0f;
	put_distance(&at, 0x84, to);
	return at;
}

/* load; je count_X; add; pulse; je count_X; ret. Where r10 is kept: mov %r10,STUB_R10(%rsp); load;
 * je count_keep_X; add; mov STUB_R10(%rsp),%r10; ret */
static void put_counted(char *at, struct counting_place place, int keep, int has_pulse, const char *slow)
{
	static const uint8_t save[] = { 0x4c, 0x89, 0x54, 0x24, (uint8_t)STUB_R10 };
	static const uint8_t leave[] = { 0x4c, 0x8b, 0x54, 0x24, (uint8_t)STUB_R10, 0xc3 };

	if (keep)
		at = put_bytes(at, save, sizeof(save));
	at = put_if_zero(put_load(at, place.block), slow);
	at = put_add(at, place.index);
	if (has_pulse)
		at = put_if_zero(put_pulse(at, place.index), slow);
	put_bytes(at, leave + (keep ? 0 : sizeof(leave) - 1), keep ? sizeof(leave) : 1);
}

/* add REGISTER,OFFSET(%r10); and mov REGISTER,%fs:OFFSET */
struct size_register {
	uint8_t add[3], keep[5];
};

/* Returns where the number of bytes is that a call allocates: in an argument, or r11. */
static const struct size_register *register_of(enum cinstr_amount_use use)
{
	static const struct size_register rdi = { { 0x49, 0x01, 0xba }, { 0x64, 0x48, 0x89, 0x3c, 0x25 } };
	static const struct size_register rsi = { { 0x49, 0x01, 0xb2 }, { 0x64, 0x48, 0x89, 0x34, 0x25 } };
	static const struct size_register rdx = { { 0x49, 0x01, 0x92 }, { 0x64, 0x48, 0x89, 0x14, 0x25 } };
	static const struct size_register r11 = { { 0x4d, 0x01, 0x9a }, { 0x64, 0x4c, 0x89, 0x1c, 0x25 } };

	return use == CINSTR_AMOUNT_ALLOCATES_FIRST    ? &rdi
	       : use == CINSTR_AMOUNT_ALLOCATES_SECOND ? &rsi
	       : use == CINSTR_AMOUNT_ALLOCATES_THIRD  ? &rdx
						       : &r11;
}

/* call size_X, if the size is in no argument; load; je 1f; add; add bytes; pulse; je count_X; ret;
 * 1: keep the size for the slow path; jmp count_X */
void count_write_bytes(char *at, struct counting_place place, enum cinstr_amount_use use, const char *size,
		       const char *slow)
{
	static const uint8_t skip[] = { 0x74, 7 + 7 + 11 + 6 + 1 };
	const struct size_register *in = register_of(use);
	uint32_t moves =
		(uint32_t)((char *)&cinstr_probe - (char *)__builtin_thread_pointer() + PROBE_MOVES_SIZE);

	if (in == register_of(CINSTR_AMOUNT_NONE))
		put_distance(&at, ARCH_CALL_OPCODE, size);
	at = put_bytes(put_load(at, place.block), skip, sizeof(skip));
	at = put_bytes(put_add(at, place.index), in->add, sizeof(in->add));
	put32(&at, (place.index + 1) * 8);
	at = put_if_zero(put_pulse(at, place.index), slow);
	*at++ = (char)0xc3;
	at = put_bytes(at, in->keep, sizeof(in->keep));
	put32(&at, moves);
	put_distance(&at, ARCH_JUMP_OPCODE, slow);
}

void count_write_called(char *at, struct counting_place place, int keep, const char *slow)
{
	put_counted(at, place, keep, !keep, slow);
}

/* cmp %rsp,%fs:waits; jne 1f; movq $0,%fs:waits; 1: (lock_free of thunk_template.S) */
static char *put_forget(char *at)
{
	static const uint8_t compare[] = { 0x64, 0x48, 0x39, 0x24, 0x25 }, skip[] = { 0x75, 13 },
			     clear[] = { 0x64, 0x48, 0xc7, 0x04, 0x25 };
	uint32_t waits = (uint32_t)((char *)&cinstr_probe - (char *)__builtin_thread_pointer() + PROBE_WAITS);

	at = put_bytes(at, compare, sizeof(compare));
	put32(&at, waits);
	at = put_bytes(put_bytes(at, skip, sizeof(skip)), clear, sizeof(clear));
	put32(&at, waits);
	put32(&at, 0);
	return at;
}

/* cmpl $0,(%rdi), or testl $BITS,(%rdi), as in lock_* of thunk_template.S; then a jump by `skip`
 * bytes if the lock is free. */
static char *put_is_free(char *at, enum cinstr_abi_lock lock, uint8_t skip)
{
	static const uint8_t compare[] = { 0x83, 0x3f, 0 }, test[] = { 0xf7, 0x07 };

	if (lock == CINSTR_LOCK_READ || lock == CINSTR_LOCK_WRITE) {
		at = put_bytes(at, test, sizeof(test));
		put32(&at, lock == CINSTR_LOCK_READ ? 2u : ~5u);
	} else {
		at = put_bytes(at, compare, sizeof(compare));
	}
	*at++ = lock == CINSTR_LOCK_SEMAPHORE ? 0x75 : 0x74;
	*at++ = (char)skip;
	return at;
}

/* is it free? je 1f; call lock_own; je 1f; jmp lock_taken; 1: forget; load; je count_X; add; ret.
 * Where r10 is kept as in count_write_called(). */
void count_write_lock(char *at, struct counting_place place, int keep, const struct count_lock *of,
		      const char *slow)
{
	static const uint8_t skip_jump[] = { 0x74, 5 };

	at = put_is_free(at, of->lock, of->own ? 5 + 2 + 5 : 5);
	if (of->own) {
		put_distance(&at, ARCH_CALL_OPCODE, of->own);
		at = put_bytes(at, skip_jump, sizeof(skip_jump));
	}
	put_distance(&at, ARCH_JUMP_OPCODE, of->taken);
	put_counted(put_forget(at), place, keep, 0, slow);
}

void count_write_called_behind(char *at, struct counting_place place, const char *first, const char *slow)
{
	put_distance(&at, ARCH_CALL_OPCODE, first);
	count_write_called(at, place, 0, slow);
}
