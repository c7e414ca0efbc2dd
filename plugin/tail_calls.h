/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The pass that turns tail calls of functions that read and write (cinstr/amounts.h) into calls
 * that return, so that the probe after them sees the number of bytes.
 */
#ifndef CINSTR_PLUGIN_TAIL_CALLS_H
#define CINSTR_PLUGIN_TAIL_CALLS_H

void tail_calls_register(const char *plugin_name);

#endif
