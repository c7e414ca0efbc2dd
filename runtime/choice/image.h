/* SPDX-License-Identifier: MIT */
/*
 * image.h - a module's ELF image as the loader has mapped it: segments, notes. Its headers are
 * trusted only as far as the loader had to trust them, too (PT_LOAD).
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
	/* of the file; the loader's string, valid while the module is loaded; NULL: not known */
	const char *path;
};

/* Returns the image of an object that the loader lists. */
struct image image_of_loaded(const struct dl_phdr_info *info);
/*
 * Finds the image that holds the address `inside`, or, if the loader lists none, that of the ELF
 * header at `ehdr` (which patchelf may have moved away from a program with fixed addresses).
 * Returns 0, or -1: neither. May wait for the loader's lock.
 */
int image_find(struct image *image, const void *inside, const void *ehdr);
/* Returns the segment that holds these bytes as part of the file and has all these flags (PF_R
 * ...), or NULL. */
const ElfW(Phdr) * image_segment(const struct image *image, const void *at, uint64_t bytes, ElfW(Word) flags);
/* Sets the range of all executable segments; 0 and 0: none. */
void image_text(const struct image *image, uint64_t *start, uint64_t *end);

/* An iterator over the image's segments of notes. */
struct note_segments {
	const struct image *image;
	int next;
	const char *at, *end; /* the current one's bytes, all mapped */
	uint64_t align;	      /* of its notes */
};
/* Moves to the next segment of notes. Returns 0 if there is none. */
int image_next_notes(struct note_segments *segments);

struct note {
	uint32_t type, bytes; /* of the descriptor */
	uint32_t name_bytes;
	const char *name, *descriptor;
	const char *end; /* where the next note may begin */
};
/*
 * Reads the note at `at`, a multiple of 4. Returns 0 if there is none, or not all of it before
 * `end`; then the next one may begin 4 bytes further.
 */
int note_read(const char *at, const char *end, uint64_t align, struct note *note);
/* Returns 1 if the note has this name, else 0. name_bytes: with its NUL. */
int note_is(const struct note *note, const char *name, uint32_t name_bytes);

#endif
