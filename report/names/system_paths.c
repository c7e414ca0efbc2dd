/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system_paths.h"

#include <string.h>

#include "lib/util.h"

static int begins_with_one_of(const char *path, const char *const *folders, size_t n)
{
	for (size_t i = 0; path && i < n; i++)
		if (!strncmp(path, folders[i], strlen(folders[i])))
			return 1;
	return 0;
}

int system_code_is_library(const char *module)
{
	static const char *const folders[] = { "/lib/",	    "/lib32/",	   "/lib64/",	  "/libx32/",
					       "/usr/lib/", "/usr/lib32/", "/usr/lib64/", "/usr/libx32/",
					       "[vdso]",    "linux-vdso" };

	return begins_with_one_of(module, folders, ARRAY_SIZE(folders));
}

int system_code_is_header(const char *file)
{
	static const char *const folders[] = { "/usr/include/", "/usr/lib/gcc/", "/usr/lib64/gcc/",
					       "/usr/local/lib/gcc/" };

	return begins_with_one_of(file, folders, ARRAY_SIZE(folders)) ||
	       (file && strstr(file, "/include/c++/"));
}
