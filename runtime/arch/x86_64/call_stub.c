/* SPDX-License-Identifier: MIT */
/*
 * call_stub.c - writes the stub for a sled before an indirect call: it loads the target into rax
 * before the program's call does, and continues in a thunk (thunk_events.inc). Called by thunk.c,
 * while the page is writable.
 */
#include "runtime.h"
#include "stub_bytes.h"

/* mov %rax,%r10; mov %rdx,%r11, or where these are kept mov %rax,-8(%rsp); mov %rdx,-16(%rsp) */
static char *put_save(char *at, int keep)
{
	static const uint8_t usual[] = { 0x49, 0x89, 0xc2, 0x49, 0x89, 0xd3 };
	static const uint8_t below[] = { 0x48, 0x89, 0x44, 0x24, 0xf8, 0x48, 0x89, 0x54, 0x24, 0xf0 };

	return keep ? put_bytes(at, below, sizeof(below)) : put_bytes(at, usual, sizeof(usual));
}

/*
 * lea OPERAND,%rax; shr $16,%rax; dec %rax; cmp $0x7ffffffe,%rax; the program's rax again; ja
 * nothing. No program has memory below 64 KB, or not below 2^47: a call through a pointer there
 * shall fault by itself, where the program and its handlers expect the fault.
 */
static char *put_address_check(char *at, const struct indirect_call *call, int keep, const char *nothing)
{
	static const uint8_t compare[] = { 0x48, 0xc1, 0xe8, 0x10, 0x48, 0xff, 0xc8,
					   0x48, 0x3d, 0xfe, 0xff, 0xff, 0x7f };
	static const uint8_t usual[] = { 0x4c, 0x89, 0xd0 }, below[] = { 0x48, 0x8b, 0x44, 0x24, 0xf8 };

	at = put_bytes(at, call->address, call->n_address);
	at = put_bytes(at, compare, sizeof(compare));
	at = keep ? put_bytes(at, below, sizeof(below)) : put_bytes(at, usual, sizeof(usual));
	*at++ = 0x0f;
	put_distance(&at, 0x87, nothing);
	return at;
}

/*
 * mov OPERAND,%rax, with the program's registers. So the program's handler, if there is no memory,
 * finds its pointers, can put them right, and returns to the load.
 */
static char *put_load(char *at, const struct indirect_call *call, const uint8_t *operand)
{
	at = put_bytes(at, call->load, call->n_load);
	if (operand)
		put32(&at, (uint32_t)((const char *)operand - (at + 4)));
	return at;
}

/* movl $skip,INDIRECT_APART_BY(%rsp) */
static char *put_skip(char *at, uint32_t skip)
{
	static const uint8_t store[] = { 0xc7, 0x44, 0x24, (uint8_t)INDIRECT_APART_BY };

	at = put_bytes(at, store, sizeof(store));
	put32(&at, skip);
	return at;
}

/* save; [check;] load; [skip;] jmp known. At most 64 bytes. */
void call_write_stub(char *at, const struct indirect_call *call, const uint8_t *operand, int keep,
		     const char *known, const char *nothing)
{
	at = put_save(at, keep);
	if (call->n_address)
		at = put_address_check(at, call, keep, nothing);
	at = put_load(at, call, operand);
	if (call->skip)
		at = put_skip(at, call->skip);
	put_distance(&at, ARCH_JUMP_OPCODE, call->n_load ? known : nothing);
}
