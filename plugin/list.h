/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The list of the functions of a unit and of what the plugin would do with each (option list).
 */
#ifndef CINSTR_PLUGIN_LIST_H
#define CINSTR_PLUGIN_LIST_H

#include "gcc.h"
#include "sites.h"

/* Add a function to the list: with sleds (function: its sites_current_function()), or left out for
 * the reason `why`, which is copied. */
void list_instrumented(tree fn, unsigned int function);

void list_left_out(tree fn, enum cinstr_abi_reason reason, const char *why);

/* Writes the list and a line of totals, after sites_settle(). */
void list_write(const struct site_totals *totals);

#endif
