/* SPDX-License-Identifier: GPL-3.0-or-later */
/* messages.h - collects output to stderr while the screen is in use, and prints it afterwards. */
#ifndef REPORT_UI_MESSAGES_H
#define REPORT_UI_MESSAGES_H

#include "lib/util.h"

/* Starts collecting. Returns 0, or -errno. */
int messages_begin(void);
/* Returns everything collected. *is_new: there is more than at the last call. */
const char *messages_text(int *is_new);
/* Restores stderr and prints everything collected. */
void messages_end(void);

#endif
