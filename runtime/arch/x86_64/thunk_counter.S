/* SPDX-License-Identifier: MIT */
/* thunk_counter.S - a third version of the template, whose thunks also store what the processor's
 * counter says (probe/thunk_more.h). */
#define THUNK_COUNTER
#define THUNK_AS _counter

#define thunk_template thunk_template_counter
#define thunk_template_end thunk_template_end_counter
#define thunk_fixups thunk_fixups_counter
#define thunk_fixups_end thunk_fixups_end_counter
#define thunk_sequences thunk_sequences_counter
#define thunk_sequences_end thunk_sequences_end_counter

#include "thunk_template.S"
