/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * image.h - internals shared by the parts of images.c: opening the mapped file (images_open.c),
 * copying it from a process's memory (images_memory.c), program headers (images_elf.c),
 * /proc/PID/maps (images_maps.c). Files and processes belong to the target: any of their data may
 * be damaged or malicious.
 */
#ifndef REPORT_SAMPLER_IMAGES_IMAGE_H
#define REPORT_SAMPLER_IMAGES_IMAGE_H

#include <sys/stat.h>
#include <time.h>

#include "images.h"

/* Longest path built from a target's path; longer ones are not opened. */
#define IMAGE_PATH_MAX 4200

/* images.c: returns the image of a mapping, or NULL for code outside of any file. */
struct image *images_get(struct images *images, const struct raw_mapping *mapping);

/* images_open.c: returns a descriptor of exactly the file that is mapped, or -1. `since`: start of
 * the collection. */
int image_open(const struct raw_mapping *mapping, const char *path, int is_deleted,
	       const struct timespec *since, struct stat *st);

/* images_memory.c: returns a memfd with the pages of the mapping's file in the process's memory, at
 * the file's offsets, or -1. */
int image_copy(const struct raw_mapping *mapping);
/* Like image_copy(), of [start, end) only. */
int image_copy_range(uint32_t pid, uint64_t start, uint64_t end);

/* Reads up to n bytes of the process's memory. Returns their number. */
size_t image_read_memory(uint32_t pid, uint64_t address, void *bytes, size_t n);

/* images_elf.c: reads program headers and build-id through the image's descriptor. */
void image_read_headers(struct image *image);
/* Reads up to n bytes at an offset of the file. Returns their number. */
size_t image_read(const struct image *image, uint64_t offset, void *bytes, size_t n);
/* Returns load address - link address if the file is mapped from file_offset at `start`. */
uint64_t image_base(const struct image *image, uint64_t start, uint64_t file_offset);
/* Whether the link address is beyond the file's bytes of its segment (.bss). */
int image_is_zeroed(const struct image *image, uint64_t address);

/* images_moved.c: whether code outside of any file is a copy of the image's code: the code was
 * moved. */
int image_is_moved(const struct mapped_image *of, const struct raw_mapping *to);
/* Like image_is_moved() if nothing is known of the earlier mapping. Returns 1 with *found set, else
 * 0. */
int image_find_moved(struct images *images, const struct raw_mapping *moved, struct mapped_image *found);

/* images_maps.c: calls `each` for every mapping of the process, or executable ones only. Returns 0
 * or -errno. */
int maps_read(uint32_t pid, int executable, void (*each)(void *arg, const struct raw_mapping *mapping),
	      void *arg);
/* Returns the length of a path without " (deleted)" at its end, and sets whether it was there. */
size_t maps_path_length(const char *path, int *is_deleted);

/* unwind_image.c: releases the image's unwind information. */
void unwind_image_release(struct image *image);

#endif
