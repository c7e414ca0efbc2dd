/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs as if nothing had been loaded or tried before main. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>

static int early_errno;

__attribute__((constructor(101))) static void look(void)
{
	early_errno = errno;
}

int main(void)
{
	int late_errno = errno;
	const char *error = dlerror();

	printf("errno %d %d, dlerror %s\n", early_errno, late_errno, error ? error : "none");
	return 0;
}
