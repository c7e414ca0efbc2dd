/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "module_notes.h"

#include <elf.h>
#include <string.h>

int module_note_next(const struct module *module, uint64_t *at, struct module_note *found)
{
	uint64_t end = module->notes_bytes;

	while (*at + sizeof(Elf64_Nhdr) <= end) {
		Elf64_Nhdr note;
		uint64_t name = *at + sizeof(note), desc;

		memcpy(&note, module->notes + *at, sizeof(note));
		if (!note.n_namesz && !note.n_descsz && !note.n_type) {
			*at += 4; /* padding between sections */
			continue;
		}
		desc = name + (((uint64_t)note.n_namesz + 3) & ~3ull);
		if (desc + note.n_descsz > end)
			return -1;
		*found = (struct module_note){ note.n_type, *at, desc, note.n_descsz };
		*at = desc + (((uint64_t)note.n_descsz + 3) & ~3ull);
		if (note.n_namesz == sizeof(CINSTR_NOTE_NAME) &&
		    !memcmp(module->notes + name, CINSTR_NOTE_NAME, sizeof(CINSTR_NOTE_NAME)))
			return 1;
	}
	return 0;
}
