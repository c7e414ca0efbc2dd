/* SPDX-License-Identifier: GPL-3.0-or-later */
/* buffer_records.h - how far the records in a thread's buffer are valid. */
#ifndef REPORT_FILE_BUFFER_RECORDS_H
#define REPORT_FILE_BUFFER_RECORDS_H

#include <stddef.h>

#include "cinstr/format.h"

/* Returns the number of records up to the end of what is valid (struct cinstr_thread). */
size_t buffer_records(const struct cinstr_record *records, size_t n);
/* Returns how many of n are whole groups: the last event may be one of a group whose other records
 * are not there yet. */
size_t buffer_whole_groups(const struct cinstr_record *records, size_t n);

#endif
