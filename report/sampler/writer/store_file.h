/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store_file.h - a data file that grows: segments, mapped shared, whose blocks are allocated before
 * anything is written to them (a store into a hole of a full disk would be SIGBUS). No descriptor
 * stays open: there may be thousands of files.
 */
#ifndef SAMPLER_STORE_FILE_H
#define SAMPLER_STORE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cinstr/format.h"

struct store_piece {
	char *at;
	uint64_t offset, bytes;
};

struct store_file {
	char *path;
	dev_t device;
	ino_t inode;
	struct cinstr_header *header; /* offset 0 of the file */
	/* mappings; all that is behind the last segment is in the last one */
	struct store_piece *pieces;
	size_t n_pieces;
	uint64_t ready; /* blocks are allocated and mapped up to here */
	int is_full;	/* it could not grow: it is not tried again */
	struct cinstr_segment **segments;
	size_t n_segments;
};

/* Makes FOLDER/NAME.cinstr with a header, without magic. 0 or -errno: -EEXIST if it is there. */
int store_file_create(struct store_file *file, const char *folder, const char *name);
/* The header is filled in: the file counts from here on. */
void store_file_publish(struct store_file *file);
/* A new segment; NULL: no room, which the header says from then on. */
struct cinstr_segment *store_file_segment(struct store_file *file, uint32_t type, uint64_t payload_bytes);
uint64_t store_file_offset(const struct store_file *file, const void *in_last_segment);
/* Nobody adds to it any more: checksums (not of marks, which others may add), unused blocks go
 * back. */
void store_file_seal(struct store_file *file);
void store_file_release(struct store_file *file);

/* Elements of one size in segments of one type, which grow with their number. */
struct store_list {
	uint32_t type;
	size_t element;
	struct cinstr_segment *last; /* NULL: none yet */
	uint64_t bytes;		     /* of all its segments */
};
/* Adds a copy of an element; returns it, or NULL: no room. */
void *store_list_add(struct store_file *file, struct store_list *list, const void *element);

#endif
