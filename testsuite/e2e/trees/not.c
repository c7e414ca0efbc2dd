/* CINSTR_NOT: all but one. */
#include "nesting.c"
