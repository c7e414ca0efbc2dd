/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unwind_cfi.h - what the readers of an image's unwind information know of one another. */
#ifndef SAMPLER_UNWIND_CFI_H
#define SAMPLER_UNWIND_CFI_H

#include <elfutils/libdw.h>
#include <libelf.h>

#include "internal.h"

enum frames_kind { FRAMES_EH, FRAMES_DEBUG, N_FRAMES };

/* Of an image, by kind. */
struct unwind_cfi {
	struct unwind_frames {
		int is_read;
		char *file; /* unwind_sections() */
		Elf *elf;
		Dwarf *dwarf; /* for .debug_frame */
		Dwarf_CFI *cfi;
	} frames[N_FRAMES];
};

/* unwind_image.c: as it has been read so far. */
struct unwind_cfi *image_unwind_cfi(struct image *image);
void unwind_cfi_release(struct unwind_cfi *cfi);

/* unwind_sections.c: what the image has of this kind as an ELF file of so many bytes, to be freed;
 * NULL: nothing. */
char *unwind_sections(struct image *image, enum frames_kind kind, size_t *bytes);

/* DW_EH_PE_pcrel | DW_EH_PE_sdata4: as linkers write .eh_frame's address in .eh_frame_hdr. */
#define CFI_POINTER_TO_EH_FRAME 0x1b

#endif
