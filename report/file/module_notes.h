/* SPDX-License-Identifier: GPL-3.0-or-later */
/* module_notes.h - iterates over the plugin's notes in a module's copy of its notes. */
#ifndef REPORT_FILE_MODULE_NOTES_H
#define REPORT_FILE_MODULE_NOTES_H

#include "modules.h"

/* A note of the plugin. Offsets are in the module's `notes`. */
struct module_note {
	uint32_t type; /* CINSTR_NOTE_TABLE etc. */
	uint64_t begin, descriptor;
	uint64_t bytes; /* of the descriptor */
};
/* Finds the plugin's next note from *at on and moves *at past it. Returns 1; 0: there are no more;
 * -1: the note at *at exceeds the notes. */
int module_note_next(const struct module *module, uint64_t *at, struct module_note *note);

#endif
