/* SPDX-License-Identifier: GPL-3.0-or-later */
/* page.h - the page around the data: page/, as joined by the Makefile. */
#ifndef REPORT_HTML_PAGE_H
#define REPORT_HTML_PAGE_H

#include <stddef.h>

/* head: before the sections: head, styles; tail: after them: the code. */
extern const unsigned char html_page_head[], html_page_tail[];
extern const size_t html_page_head_size, html_page_tail_size;

#endif
