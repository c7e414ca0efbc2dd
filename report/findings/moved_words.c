/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moved_words.c - see moved_words.h. */
#include "moved_words.h"

#include "lib/util.h"

#define SMALL_BYTES 2048

/* Returns what the site's calls have moved, or NULL: it is not known. */
static const struct moved_sums *moved_by_site(const struct kernel_site *site)
{
	const struct os_counts *os = site->edge->os;
	enum cinstr_amount_kind kind = site->kind == CALL_WRITE ? CINSTR_AMOUNT_WRITTEN : CINSTR_AMOUNT_READ;

	return os && os->inclusive.moved[kind].calls ? &os->inclusive.moved[kind] : NULL;
}

int moved_is_little(const struct kernel_site *site, long double short_ns)
{
	const struct moved_sums *moved = moved_by_site(site);

	if (moved)
		return moved->bytes < moved->calls * SMALL_BYTES;
	return site->usual >= 0 && site->usual <= short_ns;
}

void moved_put_mean(struct strbuf *text, const struct kernel_site *site)
{
	const struct moved_sums *moved = moved_by_site(site);
	uint64_t bytes;

	if (!moved)
		return;
	bytes = util_rounded((long double)moved->bytes / (long double)moved->calls);
	strbuf_thousands(text, bytes);
	strbuf_puts(text, bytes == 1 ? " byte and " : " bytes and ");
}

void moved_put_opened(const struct finder *finder, struct strbuf *text, const struct kernel_site *site)
{
	const struct file_facts *facts = &finder->input->edges->files;
	const struct file_fact *most = NULL;
	uint64_t opened = 0, written = 0;

	for (size_t i = 0; i < facts->n; i++) {
		const struct file_fact *fact = &facts->list[i];

		if (fact->kind != CINSTR_AMOUNT_OPENED || fact->place.entity != site->caller)
			continue;
		opened += fact->sums.calls;
		if (facts->files[fact->file].name && (!most || fact->sums.calls > most->sums.calls))
			most = fact;
	}
	if (site->kind != CALL_OPEN || !most || most->sums.calls * 2 <= opened)
		return;
	for (size_t i = 0; i < facts->n; i++)
		if (facts->list[i].kind == CINSTR_AMOUNT_WRITTEN && facts->list[i].file == most->file &&
		    facts->list[i].place.entity == site->caller)
			written += facts->list[i].sums.bytes;
	strbuf_puts(text, most->sums.calls == opened ? ", of " : ", most of ");
	strbuf_visible(text, util_basename(facts->files[most->file].name));
	if (written) {
		strbuf_puts(text, ", into which it writes ");
		strbuf_thousands(text, written);
		strbuf_puts(text, " bytes");
	}
}
