/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unwind.h - unwinds a raw sample to the frames of its stack: by the frame-pointer chain that the
 * kernel followed, or by the images' unwind information (CFI) and the copied stack.
 */
#ifndef SAMPLER_UNWIND_H
#define SAMPLER_UNWIND_H

#include <stdint.h>

#include "sampler/images/images.h"

#define UNWIND_FRAMES_MAX 512

struct frame {
	uint64_t address; /* absolute address executed; of callers, the last byte of the call */
};

struct unwinder *unwinder_new(void);
void unwinder_release(struct unwinder *unwinder);
/* Sets frames[max], innermost first. Returns their number, 0 if not even the innermost is known.
 * *truncated: 1 if outer ones are missing: the copy ends, code has no unwind information, or `max`
 * was reached. */
size_t unwind(struct unwinder *unwinder, const struct space *space, const struct raw_sample *sample,
	      struct frame *frames, size_t max, int *truncated);
/* Returns the image whose code at this address has no unwind information; NULL: it has, or no image
 * is mapped there. */
struct image *unwind_blind(struct unwinder *unwinder, const struct space *space, uint64_t address);
/* Whether the image's code keeps frame pointers, according to the unwind information of nearly all
 * of its functions. */
int unwind_has_frame_pointers(struct image *image);

#endif
