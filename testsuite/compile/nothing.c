/* SPDX-License-Identifier: GPL-3.0-or-later */
/* No code: nothing may be added. */
int variable = 1;
