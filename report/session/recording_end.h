/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * recording_end.h - for a process that goes on recording, the time at which its file was read ends
 * the recording.
 */
#ifndef REPORT_SESSION_RECORDING_END_H
#define REPORT_SESSION_RECORDING_END_H

struct data;

/* Sets the end of the recording and the threads' processor time in data that data_load() has read;
 * does nothing if the process has ended. Callable from any thread. */
void recording_note_end(struct data *data);

#endif
