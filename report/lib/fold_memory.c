/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fold_memory.h"

#include <stdlib.h>

#include "runtime/fold/fold.h"
#include "util.h"

#define FIRST_SLOTS 1024

int index_grow(struct fold *fold)
{
	struct fold_index old = fold->index;
	uint32_t n = old.n_slots ? old.n_slots * 2 : FIRST_SLOTS;

	fold->index = (struct fold_index){ xcalloc(n, sizeof(uint32_t)), n, 0 };
	for (uint32_t i = 0; i < old.n_slots; i++)
		if (old.slots[i])
			fold_index_add(fold, old.slots[i]);
	free(old.slots);
	return 0;
}
