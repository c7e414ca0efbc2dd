/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store_file.h - a growing data file: segments, mapped shared, whose blocks are allocated before
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
	struct cinstr_header *header; /* at offset 0 of the file */
	/* Mappings; everything after the last segment is in the last one. */
	struct store_piece *pieces;
	size_t n_pieces;
	uint64_t ready; /* end of the blocks allocated and mapped */
	int is_full;	/* it could not grow; not tried again */
	struct cinstr_segment **segments;
	size_t n_segments;
};

/* Creates FOLDER/NAME.cinstr with a header without magic. Returns 0 or -errno; -EEXIST: it
 * exists. */
int store_file_create(struct store_file *file, const char *folder, const char *name);
/* Makes the file valid. The header must be complete. */
void store_file_publish(struct store_file *file);
/* Returns a new segment, or NULL if there is no room, which the header then records. */
struct cinstr_segment *store_file_segment(struct store_file *file, uint32_t type, uint64_t payload_bytes);
uint64_t store_file_offset(const struct store_file *file, const void *in_last_segment);
/* Completes a file that gets no more data: adds checksums (except for marks, which others may add)
 * and releases unused blocks. */
void store_file_seal(struct store_file *file);
void store_file_release(struct store_file *file);

/* A list of elements of one size in segments of one type, which grow with the list. */
struct store_list {
	uint32_t type;
	size_t element;
	struct cinstr_segment *last; /* NULL: none yet */
	uint64_t bytes;		     /* of all its segments */
};
/* Returns the copy added to the list, or NULL if there is no room. */
void *store_list_add(struct store_file *file, struct store_list *list, const void *element);

#endif
