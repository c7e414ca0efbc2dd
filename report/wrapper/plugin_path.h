/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plugin_path.h - finds the plugin for a compiler, and the flags to compile with; also for `cinstr
 * build`. */
#ifndef REPORT_PLUGIN_PATH_H
#define REPORT_PLUGIN_PATH_H

/*
 * Returns the absolute path of the plugin for a compiler: a command as in CC, perhaps of several
 * words ("ccache gcc"). Searches the tree in which this command is installed or was built, then
 * GCC's own folder of plugins, and has the compiler try it, as a plugin runs only in the release
 * that it was built for. NULL: there is none, and *why is a sentence with the remedy. The caller
 * frees both. Takes about 30 ms.
 */
char *plugin_path(const char *compiler, char **why);
/* Sets the folder to search from, for a copy of a program elsewhere (a shim of `cinstr build`):
 * that of the original. */
void plugin_path_from(const char *folder);
/* Returns that folder without trailing slash, by default the running program's. The caller frees
 * it. */
char *plugin_path_folder(void);

/* `cinstr --plugin-path` and `cinstr --cflags`; compiler NULL: $CC, or gcc. Return the exit
 * status. */
int plugin_print_path(const char *compiler);
int plugin_print_flags(const char *compiler);

#endif
