/* SPDX-License-Identifier: GPL-3.0-or-later */
/* page.c - see page.h. html_page.inc is made by make-page of page/. */
#include "page.h"

const unsigned char html_page_head[] = {
#define PAGE_HEAD
#include "html_page.inc"
#undef PAGE_HEAD
};
const unsigned char html_page_tail[] = {
#define PAGE_TAIL
#include "html_page.inc"
#undef PAGE_TAIL
};
const size_t html_page_head_size = sizeof(html_page_head), html_page_tail_size = sizeof(html_page_tail);
