/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * system_paths.h - decides by path what belongs to the system: libraries below /lib, /usr/lib and
 * the like, headers below /usr/include and GCC's own. NULL (not known) is not the system's.
 */
#ifndef REPORT_SYSTEM_PATHS_H
#define REPORT_SYSTEM_PATHS_H

int system_code_is_library(const char *module);
int system_code_is_header(const char *file);

#endif
