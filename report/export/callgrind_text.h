/* SPDX-License-Identifier: GPL-3.0-or-later */
/* callgrind_text.h - writes text and names in callgrind's format. */
#ifndef REPORT_EXPORT_CALLGRIND_TEXT_H
#define REPORT_EXPORT_CALLGRIND_TEXT_H

#include "lib/util.h"
#include "sink.h"

#define CALLGRIND_UNKNOWN "???"

/* Writes a line of the header. */
void callgrind_put_text(struct sink *sink, const char *before, const char *text);
/* Writes "fl=(12) name", or "fl=(12)" if the name was written before; name NULL: not known. */
void callgrind_put_numbered(struct sink *sink, struct map *map, const char *key, const char *name);

#endif
