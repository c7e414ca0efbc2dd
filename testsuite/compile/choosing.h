/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stands for a header of the system. */
#pragma GCC system_header

extern "C" void touch(void);

static __attribute__((noinline)) void from_header(void)
{
	touch();
	touch();
}
