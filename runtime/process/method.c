/* SPDX-License-Identifier: MIT */
/*
 * method.c - CINSTR_METHOD: whether the program is also sampled, and by what. By default threads
 * sample themselves if the kernel permits it.
 */
#include "runtime.h"

static enum method {
	METHOD_AUTO,
	METHOD_INSTRUMENTATION,
	METHOD_SAMPLING,
	METHOD_MIXED,
	METHOD_BESIDE
} method;

int method_choose(void)
{
	static const char *const words[] = {
		[METHOD_AUTO] = "auto",		[METHOD_INSTRUMENTATION] = "instrumentation",
		[METHOD_SAMPLING] = "sampling", [METHOD_MIXED] = "mixed",
		[METHOD_BESIDE] = "beside",	NULL
	};

	method = (enum method)option_word(CINSTR_OPTION_METHOD, words);
	cinstr.is_self_sampled = method == METHOD_MIXED || method == METHOD_AUTO;
	cinstr.is_mixed = cinstr.is_self_sampled || method == METHOD_BESIDE;
	return method == METHOD_SAMPLING;
}

/* Without samples the time of a function that is only counted would be its caller's: every call is
 * timed. */
void method_settle(long tid)
{
	int error = method == METHOD_AUTO ? self_samples_try(tid) : 0;

	if (!error)
		return;
	cinstr.is_mixed = cinstr.is_self_sampled = 0;
	cinstr.header->self_errno = (uint32_t)-error;
}
