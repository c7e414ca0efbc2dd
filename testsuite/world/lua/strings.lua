-- Strings, patterns, numbers, utf8.
-- SPDX-License-Identifier: GPL-3.0-or-later
package.path = arg[0]:match(".*/") .. "../?.lua"
local check = require "check"

check("format", string.format("%5.2f|%-6s|%x|%q|%i", 3.14159, "ab", 255, "a\nb", 7), " 3.14|ab    |ff|\"a\\\nb\"|7")
check("gsub function", (("hello world"):gsub("%w+", string.upper)), "HELLO WORLD")
check("gsub table", (("$a $b"):gsub("%$(%w)", { a = "1", b = "2" })), "1 2")
check("balanced", ("f(a(b)c)d"):match("%b()"), "(a(b)c)")
check("frontier", ("THE (quick) fox"):match("%f[%l]%l+%f[%L]"), "quick")
check("position captures", select(2, ("abc"):match("()b()")), 3)
check("backtracking", (("a"):rep(5000) .. "b"):match("^(a*)b$"), ("a"):rep(5000))
check("pack", string.unpack("<i4", string.pack("<i4", -2)), -2)
check("utf8", utf8.len("äöü€"), 4)
check("utf8 codes", (function() local s = 0; for _, c in utf8.codes("aé€") do s = s + c end return s end)(), 97 + 233 + 8364)
check("integer division", -7 // 2, -4)
check("modulo", -7 % 3, 2)
check("shift", 1 << 62 >> 60, 4)
check("overflow wraps", math.maxinteger + 1 == math.mininteger, true)
check("float to string", tostring(1e15) .. " " .. tostring(2^53), "1e+15 9.007199254741e+15")
check("tonumber", tonumber("0x1p4"), 16.0)
check("tonumber base", tonumber("zz", 36), 1295)
check("number not", tonumber("1e"), nil)
check("compare", ("a" < "b") and not ("b" < "a"), true)
check("rep and reverse", ("ab"):rep(3, "-"):reverse(), "ba-ba-ba")

local words = {}
for word in ("the quick brown fox jumps over the lazy dog "):rep(500):gmatch("%a+") do words[word] = (words[word] or 0) + 1 end
check("word count", words.the, 1000)
