-- Coroutines: yields across calls, iterators, metamethods and protected calls; errors and closing.
-- SPDX-License-Identifier: GPL-3.0-or-later
package.path = arg[0]:match(".*/") .. "../?.lua"
local check = require "check"

local function numbers(n) return coroutine.wrap(function() for i = 1, n do coroutine.yield(i) end end) end

local sum = 0
for i in numbers(10000) do sum = sum + i end
check("generator", sum, 50005000)

local inside = coroutine.create(function() local good, x = pcall(function() return coroutine.yield(1) + 1 end); return good, x end)
check("yield in pcall", select(2, coroutine.resume(inside)), 1)
check("back into pcall", select(3, coroutine.resume(inside, 41)), 42)
check("dead", coroutine.status(inside), "dead")

local meta = setmetatable({}, { __index = function(_, k) return coroutine.yield(k) end })
local lookup = coroutine.wrap(function() return meta.key .. "!" end)
check("yield in __index", lookup(), "key")
check("result of it", lookup("value"), "value!")

local broken = coroutine.create(function() error("in it", 0) end)
check("error in coroutine", select(2, coroutine.resume(broken)), "in it")

local function permute(a, n)
	if n == 0 then coroutine.yield(a) end
	for i = 1, n do
		a[n], a[i] = a[i], a[n]
		permute(a, n - 1)
		a[n], a[i] = a[i], a[n]
	end
end
local count = 0
for _ in coroutine.wrap(function() permute({ 1, 2, 3, 4, 5, 6, 7 }, 7) end) do count = count + 1 end
check("permutations", count, 5040)

local chain = coroutine.wrap(function() return 0 end)
for _ = 1, 150 do
	local before = chain
	chain = coroutine.wrap(function() return before() + 1 end)
end
check("nested 150 deep", chain(), 150)

local closed
local open = coroutine.create(function() local x <close> = setmetatable({}, { __close = function() closed = true end }); coroutine.yield() end)
coroutine.resume(open)
check("close", coroutine.close(open) and closed, true)
check("yield in sort", pcall(coroutine.wrap(function() table.sort({ 3, 2, 1 }, coroutine.yield) end)), false)
