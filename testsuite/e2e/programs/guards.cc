/* SPDX-License-Identifier: GPL-3.0-or-later */
/* C++ scopes (cinstr.hpp), left by return and by exceptions. Two units in one program: see
 * other(). */
#include <cstdio>
#include <stdexcept>

#include "cinstr.hpp"

static volatile int sink;

__attribute__((noinline)) void leaf()
{
	sink = sink + 1;
}

__attribute__((noinline)) void quiet(int n)
{
	cinstr::suspended scope;
	for (int i = 0; i < 10; i++)
		leaf();
	if (n % 2)
		throw std::runtime_error("odd");
}

__attribute__((noinline)) void nested(int n)
{
	cinstr::suspended outer(CINSTR_PROCESS);
	try {
		quiet(n);
		leaf();
	} catch (const std::runtime_error &) {
		leaf();
	}
	leaf();
}

__attribute__((noinline)) void loud()
{
	cinstr::started scope(CINSTR_PROCESS);
	leaf();
	if (cinstr::mark(7, "loud") != CINSTR_OK || scope.status() != CINSTR_OK)
		std::puts("no mark");
}

int main()
{
	for (int i = 0; i < 4; i++) {
		try {
			quiet(i);
		} catch (const std::runtime_error &) {
			leaf(); /* 2 */
		}
		nested(i);
		leaf(); /* 4 */
	}
	cinstr_stop(CINSTR_PROCESS, CINSTR_SELF);
	leaf();
	loud(); /* 1, and stops at its end */
	leaf();
	cinstr_start(CINSTR_PROCESS, CINSTR_SELF);
	leaf(); /* 1 */
	std::puts("done");
	return 0;
}
