-- SPDX-License-Identifier: GPL-3.0-or-later
-- arg: FILE TIMES SCALE: does FILE's work of that scale so many times; for mixed.py. (One run of a
-- larger scale does not do: much of the work grows faster than the scale.)
local file, times = arg[1], tonumber(arg[2])
arg = { [0] = file, arg[3] }
for _ = 1, times do dofile(file) end
