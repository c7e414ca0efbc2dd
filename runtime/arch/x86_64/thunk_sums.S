/* SPDX-License-Identifier: MIT */
/* thunk_sums.S - a second version of the template, whose thunks also store the instructions that
 * the thread has executed (probe/thunk_more.h). */
#define THUNK_SUMS
#define THUNK_AS _sums

#define thunk_template thunk_template_sums
#define thunk_template_end thunk_template_end_sums
#define thunk_fixups thunk_fixups_sums
#define thunk_fixups_end thunk_fixups_end_sums
#define thunk_sequences thunk_sequences_sums
#define thunk_sequences_end thunk_sequences_end_sums

#include "thunk_template.S"
