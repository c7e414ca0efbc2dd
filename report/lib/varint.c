/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "varint.h"

struct varint_long varint_get_long(const unsigned char *at, const unsigned char *end)
{
	wide n = 0;

	for (unsigned shift = 0; at < end && shift < 7 * VARINT_BYTES_MAX; shift += 7) {
		unsigned char byte = *at++;

		n |= (wide)(byte & 127) << shift;
		if (byte < 128)
			return (struct varint_long){ n, at };
	}
	return (struct varint_long){ 0, NULL };
}
