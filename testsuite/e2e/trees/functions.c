/* CINSTR_PROBES=functions: entry and exit only; functions without probes have no rows. */
#include "nesting.c"
