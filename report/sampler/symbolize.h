/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * symbolize.h - looks up names and lines of all addresses of a data file at the end of a recording,
 * so that it can be read elsewhere and after the code's files are gone. Files are opened once for
 * all stores.
 */
#ifndef SAMPLER_SYMBOLIZE_H
#define SAMPLER_SYMBOLIZE_H

#include <stddef.h>

#include "sampler/images/images.h"
#include "sampler/writer/store.h"

/* Writes the symbols. images[n_images]: by the store's number of the module - 1; NULL: code without
 * a file. Addresses that are not found are left out, which is no error. Returns 0 or -errno. */
int symbolize(struct store *store, struct image *const *images, size_t n_images);

#endif
