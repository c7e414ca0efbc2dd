# SPDX-License-Identifier: GPL-3.0-or-later
# The compiler's assembler of hook.c as C strings, a line each. Labels get names that no unit has; the
# sections are those of the hook's COMDAT group.
/^\t\.(file|ident|hidden\t\.L)/d
/^\t\.section\t\.note/,$d
s/\.L([A-Z]*[0-9]+)/.Lcinstr_hook_\1/g
s/(^|[\t ,-])(cinstr_)?hook_([a-z])/\1__cinstr_hook_\3/g
s/^\t\.text$/\t.section\t.text.cinstr_hook,"axG",@progbits,__cinstr_hook_v1,comdat/
s/^\t\.section\t\.rodata.*/\t.section\t.rodata.cinstr_hook,"aG",@progbits,__cinstr_hook_v1,comdat/
s/[\\"]/\\&/g
s/.*/"&\\n"/
