/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of the C library and of languages' own libraries that enter the kernel at times, mainly
 * those that read and write streams: names sorted by strcmp(), and prefixes of names. The probe
 * after a call of one of them detects whether it did (doc/semantics.md, R11). Not here: functions
 * that may leave any number in any register, as one register is checked (malloc), and those that
 * enter the kernel only to wait, which the kernel counts anyway (mutexes).
 */
#ifndef CINSTR_PLUGIN_STREAMS_H
#define CINSTR_PLUGIN_STREAMS_H

/* clang-format off */
static const char *const stream_names[] = {
	"_IO_getc", "_IO_putc", "__dprintf_chk", "__fgets_chk", "__fgets_unlocked_chk",
	"__fgetws_chk", "__fprintf_chk", "__fread_chk", "__fread_unlocked_chk", "__fwprintf_chk",
	"__getdelim", "__gets_chk", "__isoc23_fscanf", "__isoc23_scanf", "__isoc23_vfscanf",
	"__isoc23_vscanf", "__isoc99_fscanf", "__isoc99_scanf", "__isoc99_vfscanf",
	"__isoc99_vscanf", "__overflow", "__printf_chk", "__uflow", "__underflow", "__vdprintf_chk",
	"__vfprintf_chk", "__vprintf_chk", "__wprintf_chk", "closedir", "dprintf", "fclose",
	"fcloseall", "fdopen", "fdopendir", "fflush", "fflush_unlocked", "fgetc", "fgetc_unlocked",
	"fgets", "fgets_unlocked", "fgetwc", "fgetws", "fopen", "fopen64", "fprintf", "fputc",
	"fputc_unlocked", "fputs", "fputs_unlocked", "fputwc", "fputws", "fread", "fread_unlocked",
	"freopen", "freopen64", "fscanf", "fseek", "fseeko", "fseeko64", "fsetpos", "fsetpos64",
	"ftell", "ftello", "ftello64", "fwprintf", "fwrite", "fwrite_unlocked", "fwscanf", "getc",
	"getc_unlocked", "getchar", "getchar_unlocked", "getdelim", "getline", "gets", "getw",
	"getwc", "getwchar", "mkdtemp", "mkostemp", "mkstemp", "mkstemp64", "opendir", "pclose",
	"perror", "popen", "printf", "psignal", "putc", "putc_unlocked", "putchar",
	"putchar_unlocked", "puts", "putw", "putwc", "putwchar", "readdir", "readdir64",
	"readdir64_r", "readdir_r", "realpath", "remove", "rewind", "rewinddir", "scandir",
	"scandir64", "scanf", "seekdir", "setbuf", "tmpfile", "tmpfile64", "vdprintf", "vfprintf",
	"vfscanf", "vfwprintf", "vprintf", "vscanf", "vwprintf", "wprintf", "wscanf",
};

/* C++, Fortran, Ada */
static const char *const stream_prefixes[] = {
	"_ZNSi", "_ZNSo", "_ZNSd", "_ZNSt13basic_filebuf", "_ZNSt13basic_fstream",
	"_ZNSt14basic_ifstream", "_ZNSt14basic_ofstream", "_ZSt16__ostream_insert", "_ZSt4endl",
	"_ZSt5flush", "_ZSt7getline", "_ZStls", "_ZStrs", "_gfortran_flush_", "_gfortran_st_",
	"_gfortran_transfer_", "ada__sequential_io__", "ada__streams__stream_io__",
	"ada__text_io__",
};
/* clang-format on */

#endif
