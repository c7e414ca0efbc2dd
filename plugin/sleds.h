/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The pass that puts sleds into functions.
 */
#ifndef CINSTR_PLUGIN_SLEDS_H
#define CINSTR_PLUGIN_SLEDS_H

#include "gcc.h"

#include "cinstr/abi.h"

void sleds_register(const char *plugin_name);

/* Is it a sled, or another piece of code of ours? */
bool sleds_is_one(rtx_insn *insn);
/* The kind of the current function's sled that it is; 0: it is none, or one of a line. */
enum cinstr_abi_kind sleds_kind(rtx_insn *insn);
/* Is it a local label of ours? */
bool sleds_is_label(rtx_insn *insn);

/*
 * At the end of the unit, when it is known which functions have sleds: takes back the records of
 * calls that are not wanted after all. Their NOPs stay.
 */
void sleds_settle(void);

#endif
