/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * recording_end.h - of a process that goes on recording: the moment at which its file was read is
 * the end of what has been recorded.
 */
#ifndef REPORT_SESSION_RECORDING_END_H
#define REPORT_SESSION_RECORDING_END_H

struct data;

/* Notes it in what data_load() has loaded, and the threads' processor time. Any thread. */
void recording_note_end(struct data *data);

#endif
