/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The pass that puts sleds into functions.
 */
#ifndef CINSTR_PLUGIN_SLEDS_H
#define CINSTR_PLUGIN_SLEDS_H

#include "gcc.h"

#include "cinstr/abi.h"

void sleds_register(const char *plugin_name);

/* Returns true for a sled or other code inserted by the plugin. */
bool sleds_is_one(rtx_insn *insn);
/* Returns the kind of a sled of the current function; 0: no sled, or a line sled. */
enum cinstr_abi_kind sleds_kind(rtx_insn *insn);
/* Returns true for a local label made by the plugin. */
bool sleds_is_label(rtx_insn *insn);

/*
 * Removes the records of calls that turn out to be unwanted, at the end of the unit, when it is
 * known which functions have sleds. Their NOPs stay.
 */
void sleds_settle(void);

#endif
