/* SPDX-License-Identifier: MIT */
/* stub_bytes.h - writes instructions byte by byte, for call_stub.c and count_stub.c. */
#ifndef CINSTR_ARCH_STUB_BYTES_H
#define CINSTR_ARCH_STUB_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* Writes n bytes. Returns the place after them. */
static inline char *put_bytes(char *at, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		*at++ = (char)bytes[i];
	return at;
}

static inline void put32(char **at, uint32_t value)
{
	*(uint32_t *)(void *)*at = value;
	*at += 4;
}

/* Writes a jump or a call: the opcode, and the distance of `to`. */
static inline void put_distance(char **at, uint8_t opcode, const char *to)
{
	*(*at)++ = (char)opcode;
	put32(at, (uint32_t)(to - (*at + 4)));
}

#endif
