/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The pass that puts sleds into functions.
 */
#ifndef CINSTR_PLUGIN_SLEDS_H
#define CINSTR_PLUGIN_SLEDS_H

/* Registers the pass. verbose: say for each function what was done with it. */
void sleds_register(const char *plugin_name, bool verbose);

#endif
