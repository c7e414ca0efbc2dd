/* SPDX-License-Identifier: GPL-3.0-or-later */
/* repeated_calls.c - see repeated_calls.h. */
#include "repeated_calls.h"

#include "moved_words.h"

int repeated_calls_is_outweighing(const struct operating *operating, const struct kernel_site *site)
{
	long double questions = 0;

	if ((site->kind != CALL_READ && site->kind != CALL_WRITE) ||
	    !moved_is_little(site, REPEATED_CALLS_SHORT_NS))
		return 0;
	for (size_t i = 0; i < operating->n_sites; i++)
		if (operating->sites[i].caller == site->caller &&
		    kernel_site_is_question(&operating->sites[i]))
			questions += operating->sites[i].on_cpu;
	return site->on_cpu > questions;
}

int repeated_calls_has(const struct operating *operating, const struct kernel_site *site)
{
	return (kernel_site_is_question(site) || site->kind == CALL_READ || site->kind == CALL_WRITE) &&
	       kernel_site_enters(site) && !kernel_site_is_answer(operating, site) &&
	       !repeated_calls_is_outweighing(operating, site);
}

struct repeated_calls repeated_calls_in(const struct operating *operating, uint32_t caller)
{
	struct repeated_calls all = { 0 };

	for (size_t i = 0; i < operating->n_sites; i++) {
		const struct kernel_site *site = &operating->sites[i];

		if (site->caller != caller || !repeated_calls_has(operating, site))
			continue;
		all.on_cpu += site->on_cpu;
		if (kernel_site_is_question(site) && (!all.most || site->on_cpu > all.most->on_cpu))
			all.most = site;
	}
	return all;
}
