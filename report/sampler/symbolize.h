/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * symbolize.h - at the end of a recording, names and lines for all addresses of a data file, so
 * that it can be read elsewhere, and when the files that the code came from are gone. Files are
 * opened once for all stores.
 */
#ifndef SAMPLER_SYMBOLIZE_H
#define SAMPLER_SYMBOLIZE_H

#include <stddef.h>

#include "sampler/images/images.h"
#include "sampler/writer/store.h"

/*
 * images[n_images]: by the store's number of the module - 1; NULL: code without a file. 0 or
 * -errno: of what is not found, nothing is written, which is no error.
 */
int symbolize(struct store *store, struct image *const *images, size_t n_images);

#endif
