/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * own_code.h - detects translation units that read their program's own code, as self-tests do that
 * compute its checksum or compare it with its file: probes would change the result
 * (doc/decisions.md).
 */
#ifndef CINSTR_PLUGIN_OWN_CODE_H
#define CINSTR_PLUGIN_OWN_CODE_H

/* Returns true if the unit reads its program's code, by the references in its assembly. Call it
 * when all of the unit is written. */
bool own_code_is_read(void);

#endif
