-- Errors (longjmp in the interpreter), protected calls, stack overflows.
-- SPDX-License-Identifier: GPL-3.0-or-later
package.path = arg[0]:match(".*/") .. "../?.lua"
local check = require "check"

local function fails(f, ...)
	local good, message = pcall(f, ...)
	return not good and tostring(message):gsub("^.-:%d+: ", "") or "no error"
end

check("error", fails(error, "text", 0), "text")
check("error object", select(2, pcall(error, { code = 7 })).code, 7)
check("arithmetic on nil", fails(function() local a; return a + 1 end):match("arithmetic") or "", "arithmetic")
check("call of number", fails(function() local a = 1; a() end):match("call") or "", "call")
check("nested", fails(function() pcall(error, "inner"); error("outer", 0) end), "outer")

local depth = 0
local function deep() depth = depth + 1; return 1 + deep() end
check("stack overflow", fails(deep):match("stack overflow") or "", "stack overflow")
check("deep enough", depth > 1000, true)
check("C stack overflow", fails(function() return load(("("):rep(300) .. "1" .. (")"):rep(300)) or error("C stack", 0) end),
	"C stack")
check("error in error handler", select(2, xpcall(error, function() error("again") end, "x")) ~= nil, true)

local trail = {}
local function closing(name)
	return setmetatable({}, { __close = function(_, e) trail[#trail + 1] = name .. ":" .. tostring(e) end })
end
pcall(function()
	local a <close> = closing("a")
	local b <close> = closing("b")
	error("bang", 0)
end)
check("to be closed", table.concat(trail, " "), "b:bang a:bang")

local thrown = 0
for i = 1, 20000 do
	if not pcall(function() if i % 3 == 0 then error(i) end end) then thrown = thrown + 1 end
end
check("many errors", thrown, 6666)
check("tail calls", (function() local function f(n) if n == 0 then return "end" end return f(n - 1) end return f(1000000) end)(),
	"end")
check("load error", (select(2, load("x = = 1", "=c"))):match("near '='"), "near '='")
