/* SPDX-License-Identifier: GPL-3.0-or-later */
/* expect: CF0205 trace; processor
 * Books amounts. Planted: a line for the log is formatted for each, and then thrown away, as the
 * level of the log is too low. */
#include <stdarg.h>
#include <stdio.h>

static int log_level = 1;
static unsigned long written;

static void trace(int level, const char *format, ...)
{
	char line[256];
	va_list list;

#ifdef REPAIRED
	if (level > log_level)
		return;
#endif
	va_start(list, format);
	vsnprintf(line, sizeof(line), format, list);
	va_end(list);
	if (level <= log_level)
		written += (unsigned char)line[0];
}

static double book(double *accounts, int from, int to, double amount)
{
	accounts[from] -= amount;
	accounts[to] += amount;
	trace(3, "moved %.2f from %d to %d, now %.2f and %.2f", amount, from, to, accounts[from], accounts[to]);
	return accounts[from];
}

int main(void)
{
	static double accounts[1000];
	double sum = 0;

	for (unsigned i = 0; i < 600000; i++)
		sum += book(accounts, (int)(i * 7 % 1000), (int)(i * 13 % 1000), i % 17);
	printf("%.0f %lu\n", sum, written);
	return 0;
}
