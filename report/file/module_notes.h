/* SPDX-License-Identifier: GPL-3.0-or-later */
/* module_notes.h - the notes that the plugin made, in a module's copy of its notes. */
#ifndef REPORT_FILE_MODULE_NOTES_H
#define REPORT_FILE_MODULE_NOTES_H

#include "modules.h"

/* A note that the plugin made: offsets in the module's `notes`. */
struct module_note {
	uint32_t type; /* CINSTR_NOTE_TABLE and the others */
	uint64_t begin, descriptor;
	uint64_t bytes; /* of the descriptor */
};
/*
 * Finds the first of the plugin's notes from *at on, and moves *at behind the note. Returns 1; 0:
 * there are no more; -1: the note at *at is longer than what is there.
 */
int module_note_next(const struct module *module, uint64_t *at, struct module_note *note);

#endif
