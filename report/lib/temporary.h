/* SPDX-License-Identifier: GPL-3.0-or-later */
/* temporary.h - creates and removes a folder that no other user can look into. */
#ifndef REPORT_LIB_TEMPORARY_H
#define REPORT_LIB_TEMPORARY_H

/* Creates cinstr-VERB-XXXXXX in $TMPDIR or /tmp. Returns its path, which the caller frees, or NULL
 * after an error message. */
char *temporary_make(const char *verb);
/* Removes the folder with all its contents. Follows no links. */
void temporary_remove(const char *folder);

#endif
