/* SPDX-License-Identifier: GPL-3.0-or-later */
static volatile int sink;

__attribute__((noinline)) static int helper(int n)
{
	return n + sink;
}

int shared(int n)
{
	return helper(n) + 1;
}
