/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * images.h - the files (and other pieces) that the code of sampled processes comes from, and what
 * is mapped where in each of them, as time goes on. Images are shared between processes, opened as
 * soon as they are known, so that they can be read when they have been deleted or the process is
 * gone (/proc/PID/root of containers; /proc/PID/exe; the process's memory).
 */
#ifndef SAMPLER_IMAGES_H
#define SAMPLER_IMAGES_H

#include <stdint.h>

#include "sampler/source/raw_sample.h"

/* What of a file is loaded, as its program headers say. */
struct image_segment {
	uint64_t offset, file_bytes, address; /* link address */
	uint64_t memory_bytes;		      /* with what is zeroed behind the file's */
	int is_code;
};

/* An ELF file, or what there is of it. Lives as long as `images`. */
struct image {
	char *path; /* as the process sees it, without " (deleted)" */
	/* to be read from; -1: it could not be opened. May be a memfd with what was read from
	 * memory */
	int fd;
	int is_deleted;
	uint8_t build_id[32];
	uint32_t build_id_bytes;
	uint32_t number;		/* dense, from 0 */
	struct image_segment *segments; /* n_segments 0: no ELF file of this machine */
	size_t n_segments;
	uint64_t eh_frame_hdr;	     /* link address of PT_GNU_EH_FRAME; 0: none */
	struct image_unwind *unwind; /* unwind.c's: NULL until needed */
	uint64_t blind;		     /* stacks that ended in its code: no unwind information */
};

/* A mapping of an image's code in a process. */
struct mapped_image {
	uint64_t start, end;
	uint64_t base;	     /* load address - link address */
	struct image *image; /* NULL: code outside of any file */
};

struct images *images_new(void);
void images_release(struct images *images);
size_t images_count(const struct images *images);
struct image *images_at(const struct images *images, size_t number);

/* The code of one process. */
struct space *space_new(struct images *images, uint32_t pid);
/* After a fork: it has what the parent has. */
struct space *space_copy(const struct space *space, uint32_t pid);
void space_release(struct space *space);
/* Forgets everything: another program. */
void space_clear(struct space *space);
void space_map(struct space *space, const struct raw_mapping *mapping);
/* All that is mapped now, from /proc/PID/maps: of a process that was running. 0 or -errno. */
int space_read(struct space *space);
/* NULL: nothing executable is known there. Valid until the space changes. */
const struct mapped_image *space_find(const struct space *space, uint64_t address);

#endif
