/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbolize.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/util.h"
#include "symbols/symbols.h"

/* The payload of the SYMBOLS segment, as it grows. */
struct writing {
	struct cinstr_symbol_address *addresses;
	size_t n_addresses;
	struct cinstr_symbol_frame *frames;
	size_t n_frames, size;
	struct map strings; /* to their offsets, by number */
	uint32_t *offsets;
	struct strbuf text; /* of all strings, one behind another */
};

/* Offset of the string; NULL is "", at 0. */
static uint32_t string_add(struct writing *w, const char *string)
{
	int is_new;
	size_t number = map_add(&w->strings, string ? string : "", string ? strlen(string) : 0, &is_new);

	if (is_new) {
		ARRAY_ONE_MORE(w->offsets, number);
		w->offsets[number] = (uint32_t)w->text.length;
		strbuf_add(&w->text, string ? string : "", string ? strlen(string) + 1 : 1);
	}
	return w->offsets[number];
}

static void frame_add(struct writing *w, const struct symbol_frame *frame)
{
	ARRAY_ROOM(w->frames, w->n_frames, w->size, 256);
	w->frames[w->n_frames++] = (struct cinstr_symbol_frame){
		.entry = frame->entry,
		.name = string_add(w, frame->name),
		.file = string_add(w, frame->file),
		.line = frame->file ? frame->line : 0,
		.decl_file = string_add(w, frame->decl_file),
		.decl_line = frame->decl_file ? frame->decl_line : 0,
		.flags = (frame->is_inlined ? CINSTR_SYMBOL_INLINED : 0u) |
			 (frame->is_guessed ? CINSTR_SYMBOL_GUESSED : 0u),
	};
}

static void address_add(struct writing *w, const struct store_address *address, struct symbols *symbols)
{
	struct symbol_frame frames[SYMBOL_FRAMES_MAX];
	size_t n = symbols ? symbols_frames(symbols, address->address, frames, SYMBOL_FRAMES_MAX) : 0;

	if (!n || w->n_frames + n > UINT32_MAX || w->text.length > UINT32_MAX / 2)
		return;
	w->addresses[w->n_addresses++] = (struct cinstr_symbol_address){
		.address = address->address,
		.module = address->module,
		.first_frame = (uint32_t)w->n_frames,
		.n_frames = (uint32_t)n,
	};
	for (size_t i = 0; i < n; i++)
		frame_add(w, &frames[i]);
}

static struct symbols *symbols_of(const struct image *image)
{
	return image ? symbols_shared(image->fd, image->path, image->build_id, image->build_id_bytes) : NULL;
}

int symbolize(struct store *store, struct image *const *images, size_t n_images)
{
	struct writing w = { 0 };
	struct cinstr_symbols head = { 0 };
	struct symbols *symbols = NULL;
	struct store_address *addresses;
	uint32_t module = 0;
	size_t n;
	int status;

	addresses = store_addresses(store, &n);
	w.addresses = xcalloc(n, sizeof(*w.addresses));
	string_add(&w, NULL);
	for (size_t i = 0; i < n; i++) {
		if (!addresses[i].module || addresses[i].module > n_images)
			continue;
		if (addresses[i].module != module) {
			module = addresses[i].module;
			symbols = symbols_of(images[module - 1]);
		}
		address_add(&w, &addresses[i], symbols);
	}
	head.n_addresses = (uint32_t)w.n_addresses;
	head.n_frames = (uint32_t)w.n_frames;
	head.strings_bytes = w.text.length;
	status = store_symbols(store, &head, w.addresses, w.frames, w.text.text);
	free(addresses);
	free(w.addresses);
	free(w.frames);
	free(w.offsets);
	map_release(&w.strings);
	strbuf_release(&w.text);
	return status;
}
