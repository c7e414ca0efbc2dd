/* SPDX-License-Identifier: MIT */
/*
 * calls.c - the operand of an indirect call or jump: decoded, turned into a load of the same
 * operand, or of its address, into rax (for a thunk), and evaluated from saved registers (for the
 * slow path). x86-64: [prefixes] [REX] ff /2 or ff /4, or a form of -mindirect-branch: `call
 * thunk`, `jmp thunk`, or a jump over a thunk in place to a call of it; the thunk goes to a
 * register's address by `ret`.
 *
 * The sled's own call has pushed 8 bytes, so operands relative to rsp are 8 further up.
 */
#include <sys/uio.h>

#include "runtime.h"

_Static_assert(__builtin_offsetof(struct arch_registers, r11) == FRAME_LEFT, ""); /* slow_entry.S */

#define NONE 16
#define RSP 4
#define RBP 5
#define REX_B 1
#define REX_X 2
#define REX_R 4
#define REX_W 8
#define FS_PREFIX 0x64
#define MOV 0x8b
#define LEA 0x8d

static const struct indirect_call nothing = { .base = NONE, .index = NONE, .reg = NONE };

static int32_t get32(const uint8_t *at)
{
	return (int32_t)((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
			 (uint32_t)at[3] << 24);
}

/* The memory operand behind the modrm byte. Returns the number of bytes from modrm on; 0: not
 * understood. */
static int decode_memory(const uint8_t *modrm, unsigned rex, struct indirect_call *call)
{
	unsigned mod = *modrm >> 6, rm = *modrm & 7, n = 1;

	call->is_memory = 1;
	call->base = (uint8_t)(rm | (rex & REX_B ? 8 : 0));
	if (mod == 0 && rm == RBP) {
		call->is_rip = 1;
		call->base = NONE;
		call->displacement = get32(modrm + 1);
		return 5;
	}
	if (rm == RSP) {
		uint8_t sib = modrm[n++];
		unsigned index = (sib >> 3 & 7) | (rex & REX_X ? 8 : 0);

		call->base = (uint8_t)((sib & 7) | (rex & REX_B ? 8 : 0));
		call->scale = sib >> 6;
		call->index = index == RSP ? NONE : (uint8_t)index;
		if (mod == 0 && (sib & 7) == RBP) {
			call->base = NONE;
			mod = 2;
		}
	}
	if (mod == 1) {
		call->displacement = (int8_t)modrm[n];
		return (int)n + 1;
	}
	if (mod == 2) {
		call->displacement = get32(modrm + n);
		return (int)n + 4;
	}
	return (int)n;
}

static uint8_t *put_bytes(uint8_t *at, const uint8_t *bytes, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		*at++ = bytes[i];
	return at;
}

static uint8_t *put_displacement(uint8_t *at, int32_t displacement)
{
	for (int i = 0; i < 4; i++)
		*at++ = (uint8_t)((uint32_t)displacement >> (8 * i));
	return at;
}

/* The modrm byte, with rax as the other operand, and what follows it; a displacement has 32 bits
 * always. */
static uint8_t *put_operand(uint8_t *at, const struct indirect_call *call)
{
	unsigned index = call->index == NONE ? RSP : call->index & 7u;
	uint8_t sib = (uint8_t)(call->scale << 6 | index << 3);

	if (!call->is_memory)
		return put_bytes(at, (uint8_t[]){ (uint8_t)(0xc0 | (call->reg & 7)) }, 1);
	if (call->is_rip)
		return put_bytes(at, (uint8_t[]){ 0x05 }, 1); /* write_stub adds the displacement */
	if (call->base == NONE) {
		at = put_bytes(at, (uint8_t[]){ 0x04, sib | RBP }, 2);
		return put_displacement(at, call->displacement);
	}
	if (call->index == NONE && (call->base & 7) != RSP)
		at = put_bytes(at, (uint8_t[]){ 0x80 | (call->base & 7) }, 1);
	else
		at = put_bytes(at, (uint8_t[]){ 0x84, sib | (call->base & 7) }, 2);
	return put_displacement(at, call->displacement + (call->base == RSP ? 8 : 0));
}

/* An instruction with rax and the operand. Returns its length. */
static uint8_t encode(uint8_t *to, uint8_t opcode, const struct indirect_call *call)
{
	unsigned rex = REX_W, base = call->is_memory ? call->base : call->reg;
	uint8_t *at = to;

	if (base != NONE && base & 8)
		rex |= REX_B;
	if (call->index != NONE && call->index & 8)
		rex |= REX_X;
	if (call->is_fs)
		*at++ = FS_PREFIX;
	at = put_bytes(at, (uint8_t[]){ (uint8_t)(0x40 | rex), opcode }, 2);
	return (uint8_t)(put_operand(at, call) - to);
}

/* Where the direct jump or call at `at` goes. NULL: it is none. */
static const uint8_t *branch_target(const uint8_t *at)
{
	if (*at == 0x2e) /* a cs prefix, from -mindirect-branch-cs-prefix */
		at++;
	if (*at == 0xeb)
		return at + 2 + (int8_t)at[1];
	if (*at == 0xe8 || *at == 0xe9)
		return at + 5 + get32(at + 1);
	return NULL;
}

/* call 1f; 2: pause; lfence; jmp 2b; 1: mov %reg,(%rsp); ret. No byte is read behind one that is
 * not as in the thunk. */
static int decode_thunk(const uint8_t *at, struct indirect_call *call)
{
	static const uint8_t trap[] = { 0xe8, 7, 0, 0, 0, 0xf3, 0x90, 0x0f, 0xae, 0xe8, 0xeb, 0xf9 };

	for (unsigned i = 0; i < sizeof(trap); i++)
		if (*at++ != trap[i])
			return 0;
	if ((at[0] & ~REX_R) != (0x40 | REX_W) || at[1] != 0x89 || (at[2] & 0xc7) != 0x04 || at[3] != 0x24 ||
	    at[4] != 0xc3)
		return 0;
	call->reg = (uint8_t)((at[2] >> 3 & 7) | (at[0] & REX_R ? 8 : 0));
	return 1;
}

/* A tail call is the thunk or a jump to it, a call is a call of it or, around a thunk in place, a
 * jump to such a call. */
static int decode_by_thunk(const uint8_t *code, struct indirect_call *call)
{
	const uint8_t *last = code, *at = code;

	for (int branches = 0; at && branches <= 2; branches++) {
		if (decode_thunk(at, call)) {
			call->skip = (uint8_t)(branches == 2 ? last - code : 0);
			return 1;
		}
		last = at;
		at = branch_target(at);
	}
	return 0;
}

/* notrack, bnd, and one that changes nothing; fs changes where an operand in memory is. */
static int is_prefix(uint8_t byte)
{
	return byte == 0x3e || byte == 0xf2 || byte == ARCH_IDLE_PREFIX || byte == FS_PREFIX;
}

/* The instruction at code, ff /2 or ff /4. */
static int decode_indirect(const uint8_t *code, struct indirect_call *call)
{
	const uint8_t *at = code;
	unsigned rex = 0, operation;
	int n = 1;

	for (; is_prefix(*at); at++)
		call->is_fs |= *at == FS_PREFIX;
	if ((*at & 0xf0) == 0x40)
		rex = *at++;
	if (*at++ != 0xff)
		return 0;
	operation = *at >> 3 & 7;
	if (operation != 2 && operation != 4)
		return 0;
	if (*at >> 6 == 3)
		call->reg = (uint8_t)((*at & 7) | (rex & REX_B ? 8 : 0));
	else
		n = decode_memory(at, rex, call);
	call->size = (uint8_t)(at + n - code);
	return !call->is_rip || !call->is_fs;
}

static int is_decoded(const uint8_t *code, struct indirect_call *call)
{
	*call = nothing;
	if (decode_indirect(code, call))
		return call->is_memory || call->reg != RSP;
	*call = nothing;
	return decode_by_thunk(code, call) && call->reg != RSP;
}

static int is_kept(unsigned reg)
{
	return reg == 10 || reg == 11;
}

int call_decode(const uint8_t *code, struct indirect_call *call)
{
	if (!is_decoded(code, call)) {
		*call = nothing;
		return 0;
	}
	call->needs_kept = is_kept(call->reg) || is_kept(call->base) || is_kept(call->index);
	call->n_load = encode(call->load, MOV, call);
	if (call->is_memory && !call->is_rip && !call->is_fs)
		call->n_address = encode(call->address, LEA, call);
	return 1;
}

static uint64_t register_value(const struct probe_frame *frame, unsigned reg)
{
	switch (reg) {
	case 0:
		return frame->registers.rax;
	case 1:
		return frame->registers.rcx;
	case 2:
		return frame->registers.rdx;
	case 3:
		return frame->registers.rbx;
	case 4:
		return (uint64_t)&frame->at[1];
	case 5:
		return frame->registers.rbp;
	case 6:
		return frame->registers.rsi;
	case 7:
		return frame->registers.rdi;
	case 8:
		return frame->registers.r8;
	case 9:
		return frame->registers.r9;
	case 10:
		return frame->registers.r10;
	case 11:
		return frame->registers.r11;
	case 12:
		return frame->registers.r12;
	case 13:
		return frame->registers.r13;
	case 14:
		return frame->registers.r14;
	case 15:
		return frame->registers.r15;
	default:
		return 0;
	}
}

/* The address that the call at `code` is going to, from the registers at its sled. */
uint64_t call_target(const struct indirect_call *call, const uint8_t *code, const struct probe_frame *frame)
{
	uint64_t address;

	if (!call->is_memory)
		return register_value(frame, call->reg);
	address = register_value(frame, call->base) + (uint64_t)(int64_t)call->displacement;
	if (call->index != NONE)
		address += register_value(frame, call->index) << call->scale;
	if (call->is_rip)
		address += (uint64_t)(code + call->size);
	if (call->is_fs)
		address += (uint64_t)__builtin_thread_pointer();
	return sys_read_word(address); /* 0: the fault is the call's own, a moment later */
}
