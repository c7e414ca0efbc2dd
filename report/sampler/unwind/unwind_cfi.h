/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unwind_cfi.h - internals shared by the readers of an image's unwind information. */
#ifndef SAMPLER_UNWIND_CFI_H
#define SAMPLER_UNWIND_CFI_H

#include <elfutils/libdw.h>
#include <libelf.h>

#include "internal.h"

enum frames_kind { FRAMES_EH, FRAMES_DEBUG, N_FRAMES };

/* Unwind information of an image, by kind. */
struct unwind_cfi {
	struct unwind_frames {
		int is_read;
		char *file; /* owns the bytes of unwind_sections() */
		Elf *elf;
		Dwarf *dwarf; /* for .debug_frame */
		Dwarf_CFI *cfi;
	} frames[N_FRAMES];
};

/* unwind_image.c: returns the image's unwind information; parts are read when needed. */
struct unwind_cfi *image_unwind_cfi(struct image *image);
void unwind_cfi_release(struct unwind_cfi *cfi);

/* unwind_sections.c: returns the image's sections of this kind as an ELF file of *bytes, to be
 * freed, or NULL if there are none. */
char *unwind_sections(struct image *image, enum frames_kind kind, size_t *bytes);

/* DW_EH_PE_pcrel | DW_EH_PE_sdata4: encoding of .eh_frame's address in .eh_frame_hdr. */
#define CFI_POINTER_TO_EH_FRAME 0x1b

#endif
