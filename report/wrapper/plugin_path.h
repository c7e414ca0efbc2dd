/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plugin_path.h - which plugin fits a compiler, and what to compile with; `cinstr build` asks,
 * too. */
#ifndef REPORT_PLUGIN_PATH_H
#define REPORT_PLUGIN_PATH_H

/*
 * The absolute path of the plugin that runs in this compiler: a command as in CC, perhaps of
 * several words ("ccache gcc"). It is looked for in the tree that this command is installed or was
 * built in, then in GCC's own folder of plugins; the compiler itself has tried it, for a plugin
 * runs in the very release that it was built for. NULL: there is none, and *why is a sentence with
 * the remedy. The caller frees both. Takes about 30 ms.
 */
char *plugin_path(const char *compiler, char **why);
/* The folder to search from, for a copy of a program elsewhere (a shim of `cinstr build`): that of
 * the original. */
void plugin_path_from(const char *folder);
/* That folder, without the last slash: by default the running program's. The caller frees it. */
char *plugin_path_folder(void);

/* `cinstr --plugin-path` and `cinstr --cflags`, with the compiler as given, or $CC, or gcc. The
 * exit status. */
int plugin_print_path(const char *compiler);
int plugin_print_flags(const char *compiler);

#endif
