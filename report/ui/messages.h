/* SPDX-License-Identifier: GPL-3.0-or-later */
/* messages.h - stderr while the screen is ours: what is said there is kept, and told afterwards. */
#ifndef REPORT_UI_MESSAGES_H
#define REPORT_UI_MESSAGES_H

#include "lib/util.h"

/* From now on; 0, or -errno. */
int messages_begin(void);
/* All that has been said. *is_new: something since the last call. */
const char *messages_text(int *is_new);
/* stderr is what it was, and gets all of it. */
void messages_end(void);

#endif
