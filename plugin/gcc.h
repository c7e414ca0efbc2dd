/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The only file of the plugin that includes headers of GCC, in the order that they need.
 * Differences between the releases we build for (11 to 13) are settled here and nowhere else.
 */
#ifndef CINSTR_PLUGIN_GCC_H
#define CINSTR_PLUGIN_GCC_H

#include "gcc-plugin.h"
#include "plugin-version.h"

#include "backend.h"
#include "tree.h"
#include "rtl.h"
#include "df.h"
#include "regs.h" /* function-abi.h and emit-rtl.h need it */
#include "memmodel.h"
#include "emit-rtl.h"
#include "function-abi.h"
#include "tm_p.h"
#include "insn-config.h" /* recog.h needs it */
#include "insn-codes.h"
#include "recog.h"
#include "except.h"
#include "output.h"
#include "cgraph.h"
#include "stringpool.h"
#include "attribs.h"
#include "diagnostic-core.h"
#include "intl.h"
#include "context.h"
#include "toplev.h"
#include "file-prefix-map.h"
#include "tree-pass.h"
#include "hash-map.h"

#if GCCPLUGIN_VERSION < 11000 || GCCPLUGIN_VERSION >= 14000
#error "cinstr.so has been written for GCC 11 to 13"
#endif
#ifndef __x86_64__
#error "cinstr.so has been written for x86-64"
#endif

#if GCCPLUGIN_VERSION < 12000
/* GCC 11 writes vzeroupper as a plain instruction, not as a call. */
#define FAKE_CALL_P(call) ((void)(call), false)

static inline bool startswith(const char *string, const char *prefix)
{
	return !strncmp(string, prefix, strlen(prefix));
}
#endif

/* Reads the static variable of plugin-version.h, so that no file warns about not using it. */
static inline struct plugin_gcc_version *gcc_built_for(void)
{
	return &gcc_version;
}

#endif
