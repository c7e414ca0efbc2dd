/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * images.h - the files and other sources of the code of sampled processes, and what is mapped where
 * in each process over time. Images are shared by processes. They are opened as soon as they are
 * known, so that they can still be read when they are deleted or the process is gone
 * (/proc/PID/root of containers; /proc/PID/exe; the process's memory).
 */
#ifndef SAMPLER_IMAGES_H
#define SAMPLER_IMAGES_H

#include <stdint.h>

#include "sampler/source/raw_sample.h"

/* A loaded segment of a file, from its program headers. */
struct image_segment {
	uint64_t offset, file_bytes, address; /* link address */
	uint64_t memory_bytes;		      /* including zeroed memory after the file's bytes */
	int is_code;
};

/* An ELF file, or the parts of it that are known. Lives as long as `images`. */
struct image {
	char *path; /* as the process sees it, without " (deleted)" */
	/* For reading; -1: could not be opened. May be a memfd with a copy from memory. */
	int fd;
	int is_deleted;
	uint8_t build_id[32];
	uint32_t build_id_bytes;
	uint32_t number;		/* index, from 0 */
	struct image_segment *segments; /* n_segments 0: not an ELF file for this processor */
	size_t n_segments;
	uint64_t eh_frame_hdr;	     /* link address of PT_GNU_EH_FRAME; 0: none */
	struct image_unwind *unwind; /* owned by unwind*.c; NULL until needed */
	/* stacks that ended in its code for lack of unwind information */
	uint64_t blind;
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

/* Returns the mapped code of a process, empty. */
struct space *space_new(struct images *images, uint32_t pid);
/* Returns a copy of the parent's mappings, after a fork. */
struct space *space_copy(const struct space *space, uint32_t pid);
void space_release(struct space *space);
/* Removes all mappings, for another program. */
void space_clear(struct space *space);
void space_map(struct space *space, const struct raw_mapping *mapping);
/* Reads the current mappings of a running process from /proc/PID/maps. Returns 0 or -errno. */
int space_read(struct space *space);
/* Returns the mapping at an address, or NULL if no code is known there. Valid until the space
 * changes. */
const struct mapped_image *space_find(const struct space *space, uint64_t address);

#endif
