/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The only file of the plugin that includes headers of GCC, in the order that they need.
 * Differences between the supported releases (11 to 16) are handled only here: by features where
 * the compiler can detect them, else by the release's number.
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
#include "insn-attr.h"
#include "recog.h"
#include "except.h"
#include "output.h"
#include "cgraph.h"
#include "varasm.h"
#include "stringpool.h"
#include "attribs.h"
#include "diagnostic-core.h"
#include "diagnostic.h"
#include "intl.h"
#include "opts.h"
#include "context.h"
#include "debug.h"  /* dwarf2out_do_cfi_asm */
#include "cfgrtl.h" /* compute_bb_for_insn */
#include "toplev.h"
#include "file-prefix-map.h"
#include "tree-pass.h"
#include "hash-map.h"
#include "gimple.h"
#include "gimple-iterator.h"

#define GCC_FIRST 11
#define GCC_LAST 16
#if GCCPLUGIN_VERSION_MAJOR < GCC_FIRST || GCCPLUGIN_VERSION_MAJOR > GCC_LAST
#error "cinstr.so has been written for GCC 11 to 16"
#endif

#if GCCPLUGIN_VERSION < 12000
/* GCC 11 writes vzeroupper as a plain instruction, not as a call. */
#define FAKE_CALL_P(call) ((void)(call), false)

static inline bool startswith(const char *string, const char *prefix)
{
	return !strncmp(string, prefix, strlen(prefix));
}
#endif

/* Returns true if -Werror was given. A member of the context until GCC 13, since then with
 * functions; `int` is the better match. */
template <typename context>
static inline auto werror_get(context *dc, int) -> decltype(dc->warning_as_error_requested_p())
{
	return dc->warning_as_error_requested_p();
}

template <typename context>
static inline bool werror_get(context *dc, long)
{
	return dc->warning_as_error_requested;
}

template <typename context>
static inline auto werror_set(context *dc, bool value, int)
	-> decltype(dc->set_warning_as_error_requested(value))
{
	dc->set_warning_as_error_requested(value);
}

template <typename context>
static inline void werror_set(context *dc, bool value, long)
{
	dc->warning_as_error_requested = value;
}

/* While an object of this class exists, -Werror does not turn warnings into errors: the plugin's
 * warnings must not end a build. */
class no_werror
{
	bool saved = werror_get(global_dc, 0);

      public:
	no_werror()
	{
		werror_set(global_dc, false, 0);
	}
	~no_werror()
	{
		werror_set(global_dc, saved, 0);
	}
};

/*
 * libiberty's demangler, which every front end contains and exports; its header is not installed
 * for plugins.
 */
extern "C" char *cplus_demangle_v3(const char *mangled, int options);
enum { DMGL_NO_OPTS = 0, DMGL_PARAMS = 1, DMGL_ANSI = 2, DMGL_RET_DROP = 64 };

/* Reads the static variable of plugin-version.h, so that no file warns about not using it. */
static inline struct plugin_gcc_version *gcc_built_for(void)
{
	return &gcc_version;
}

#endif
