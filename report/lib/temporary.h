/* SPDX-License-Identifier: GPL-3.0-or-later */
/* temporary.h - a folder of our own, that nobody else can look into, and its end. */
#ifndef REPORT_LIB_TEMPORARY_H
#define REPORT_LIB_TEMPORARY_H

/* cinstr-VERB-XXXXXX in $TMPDIR or /tmp. The caller frees the name; NULL after an error message. */
char *temporary_make(const char *verb);
/* With all that is in it; follows no links. */
void temporary_remove(const char *folder);

#endif
