/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * own_code.h - whether a translation unit looks at its program's own code, as a self-test does that
 * adds it up or compares it with its file: probes would change what it finds (doc/decisions.md).
 */
#ifndef CINSTR_PLUGIN_OWN_CODE_H
#define CINSTR_PLUGIN_OWN_CODE_H

/* To be asked when all of the unit is written: what counts is what its assembly refers to. */
bool own_code_is_read(void);

#endif
