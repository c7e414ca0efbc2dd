/* SPDX-License-Identifier: MIT */
/*
 * image.h - a module's ELF image as the loader has mapped it: segments, notes. What it says about
 * itself is believed only as far as the loader had to believe it, too (PT_LOAD).
 */
#ifndef CINSTR_IMAGE_H
#define CINSTR_IMAGE_H

#include <elf.h>
#include <link.h>
#include <stdint.h>

struct image {
	const ElfW(Phdr) * headers;
	int n;
	uint64_t base; /* load address - link address */
	/* the file's, as the loader has it, for as long as the module is loaded; NULL: not known */
	const char *path;
};

/* The image of an object that the loader lists. */
struct image image_of_loaded(const struct dl_phdr_info *info);
/*
 * Finds the image that holds the address `inside`, or, where the loader lists none, the one of the
 * ELF header at `ehdr` (which patchelf may have moved away from a program with fixed addresses).
 * Returns 0, or -1: neither. May wait for the loader's lock.
 */
int image_find(struct image *image, const void *inside, const void *ehdr);
/* The segment that holds these bytes of its file and has all these flags (PF_R ...), or NULL. */
const ElfW(Phdr) * image_segment(const struct image *image, const void *at, uint64_t bytes, ElfW(Word) flags);
/* The range of all executable segments; 0 and 0: there is none. */
void image_text(const struct image *image, uint64_t *start, uint64_t *end);

/* The image's segments of notes, one after another. */
struct note_segments {
	const struct image *image;
	int next;
	const char *at, *end; /* the current one's bytes, all mapped */
	uint64_t align;	      /* of its notes */
};
/* 0: there is no further one. */
int image_next_notes(struct note_segments *segments);

struct note {
	uint32_t type, bytes; /* of the descriptor */
	uint32_t name_bytes;
	const char *name, *descriptor;
	const char *end; /* where the next one may begin */
};
/*
 * The note at `at`, a multiple of 4. 0: there is none, or not all of it before `end`; the next one
 * may begin 4 bytes further.
 */
int note_read(const char *at, const char *end, uint64_t align, struct note *note);
/* Is it a note of this name? name_bytes: with its NUL. */
int note_is(const struct note *note, const char *name, uint32_t name_bytes);

#endif
