/* SPDX-License-Identifier: MIT */
/* A small function: it has a counter and no probes. */
int library_work(int n);
int library_work(int n)
{
	return n * 3 + 1;
}
