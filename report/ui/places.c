/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "places.h"

#include <stdlib.h>
#include <string.h>

/* ---- keeping --------------------------------------------------------------------------------- */

static void place_keep(struct place *place, struct page *page)
{
	const char *key;

	*place = (struct place){ .remake = page->kind->remake, .cursor = page->cursor, .top = page->top };
	if (place->remake) {
		key = ui_function_key(page->kind->about(page), &place->n_function);
		place->function = xcalloc(place->n_function + 1, 1);
		memcpy(place->function, key ? key : "", key ? place->n_function : 0);
	}
	if (page->kind->keep)
		page->kind->keep(page, place);
}

void places_keep(struct places *places, const struct browser *browser)
{
	*places = (struct places){ .tab = browser->tab,
				   .set = browser->session->view->set,
				   .needle = xstrdup(browser->needle.text) };
	for (unsigned i = 0; i < TABS; i++) {
		size_t at;

		for (struct page *page = browser->tabs[i]; page; page = page->below)
			places->n[i]++;
		places->list[i] = xcalloc(places->n[i], sizeof(*places->list[i]));
		at = places->n[i];
		for (struct page *page = browser->tabs[i]; page; page = page->below)
			place_keep(&places->list[i][--at], page);
	}
}

/* ---- going there ----------------------------------------------------------------------------- */

static void place_restore(const struct place *place, struct page *page)
{
	page->cursor = place->cursor;
	page->top = place->top;
	if (page->kind->restore)
		page->kind->restore(page, place);
}

/* What was above a page that is not there any more goes with it; so do pages of text. */
static void pages_restore(const struct place *list, size_t n, struct browser *browser)
{
	place_restore(&list[0], browser_page(browser));
	for (size_t i = 1; i < n && list[i].remake; i++) {
		struct ui_function function = ui_function_of_key(browser->session->functions->names,
								 list[i].function, list[i].n_function);
		struct page *page = function.names ? list[i].remake(browser->session, function) : NULL;

		if (!page)
			return;
		browser_push(browser, page);
		place_restore(&list[i], page);
	}
}

void places_restore(const struct places *places, struct browser *browser)
{
	browser->session->view->set = places->set;
	strbuf_clear(&browser->needle);
	strbuf_puts(&browser->needle, places->needle);
	for (browser->tab = 0; browser->tab < TABS; browser->tab++)
		pages_restore(places->list[browser->tab], places->n[browser->tab], browser);
	browser_go_to_tab(browser, places->tab);
}

void places_release(struct places *places)
{
	for (unsigned i = 0; i < TABS; i++) {
		for (size_t k = 0; k < places->n[i]; k++) {
			struct place *place = &places->list[i][k];

			free(place->function);
			free(place->line);
			free(place->filter);
			int_map_release(&place->open);
		}
		free(places->list[i]);
	}
	free(places->needle);
	*places = (struct places){ 0 };
}
