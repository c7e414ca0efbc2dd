/* SPDX-License-Identifier: GPL-3.0-or-later */
/* page.h - the page around the data: page/ as the Makefile has put it together. */
#ifndef REPORT_HTML_PAGE_H
#define REPORT_HTML_PAGE_H

#include <stddef.h>

/* Before the sections: head, styles; behind them: the code. */
extern const unsigned char html_page_head[], html_page_tail[];
extern const size_t html_page_head_size, html_page_tail_size;

#endif
