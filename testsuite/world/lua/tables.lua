-- Tables, metatables, garbage collection with finalisers, weak tables.
-- SPDX-License-Identifier: GPL-3.0-or-later
package.path = arg[0]:match(".*/") .. "../?.lua"
local check = require "check"

local t = {}
for i = 1, 20000 do t[i] = (i * 7919) % 20011 end
table.sort(t)
check("sorted", (function() for i = 2, #t do if t[i - 1] > t[i] then return i end end return "yes" end)(), "yes")
table.sort(t, function(a, b) return a > b end)
check("sorted down", t[1] > t[20000], true)
check("bad comparison", type(pcall(table.sort, { 1, 2, 3, 4, 5, 1, 2, 3 }, function() return true end)), "boolean")
check("concat", table.concat({ 1, 2, 3 }, ","), "1,2,3")
check("move", table.concat(table.move({ 1, 2, 3 }, 1, 3, 2), ","), "1,1,2,3")
check("unpack", select("#", table.unpack({}, 1, 200)), 200)
check("next", (function() local n = 0; for _ in pairs({ a = 1, b = 2, 3 }) do n = n + 1 end return n end)(), 3)

local V = {}
V.__index, V.__add = V, function(a, b) return setmetatable({ x = a.x + b.x }, V) end
V.__eq, V.__lt = function(a, b) return a.x == b.x end, function(a, b) return a.x < b.x end
V.__call, V.__len, V.__concat = function(self, n) return self.x * n end, function() return 99 end, function() return "cat" end
local v = setmetatable({ x = 3 }, V)
check("__add", (v + v).x, 6)
check("__eq", v == setmetatable({ x = 3 }, V), true)
check("__lt", v < v + v, true)
check("__call", v(5), 15)
check("__len", #v, 99)
check("__concat", v .. "x", "cat")

local finalised = 0
for _ = 1, 1000 do setmetatable({}, { __gc = function() finalised = finalised + 1 end }) end
collectgarbage()
check("finalisers", finalised, 1000)
local weak = setmetatable({}, { __mode = "k" })
weak[{}] = 1
collectgarbage()
check("weak keys", next(weak), nil)
collectgarbage("generational")
local list
for i = 1, 50000 do list = { i, i % 100 ~= 0 and list or nil } end
check("generational", list ~= nil and collectgarbage("count") < 100000, true)
collectgarbage("incremental")
check("gc error", pcall(function() setmetatable({}, { __gc = function() error("lost") end }); collectgarbage() end), true)
