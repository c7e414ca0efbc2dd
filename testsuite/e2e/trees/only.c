/* CINSTR_ONLY: two functions out of four; the others cost nothing and do not appear. */
#include "nesting.c"
