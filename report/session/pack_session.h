/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pack_session.h - packs or unpacks the data files of a session that is no longer recorded, several
 * at once. */
#ifndef REPORT_PACK_SESSION_H
#define REPORT_PACK_SESSION_H

#include <stddef.h>

#include "file/pack.h"
#include "session.h"

enum pack_way { PACK, PACK_UNDO };

struct pack_result {
	struct pack_sizes sizes; /* of all files, changed or not */
	size_t n_changed;
	size_t n_failed;
};

/* Packs or unpacks all files. `limits` apply to PACK. Prints an error for each file that fails. */
void pack_session(const struct session *input, enum pack_way way, const struct pack_limits *limits,
		  struct pack_result *result);

#endif
