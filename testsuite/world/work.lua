-- A deterministic piece of work for lua: arg[1] scales it. Recursion, strings, patterns, tables, sorting, closures,
-- coroutines, errors (longjmp in the interpreter), metatables, garbage.
local scale = tonumber(arg and arg[1]) or 1

local function fib(n)
  if n < 2 then return n end
  return fib(n - 1) + fib(n - 2)
end

local function random(seed)
  return function(n)
    seed = (seed * 1103515245 + 12345) % 2147483648
    return seed % n
  end
end

local function strings(n)
  local parts, total = {}, 0
  for i = 1, n do
    parts[#parts + 1] = string.format("%05d:%s", i, ("x"):rep(i % 17))
  end
  local text = table.concat(parts, ",")
  for number, tail in text:gmatch("(%d+):(x*)") do
    total = total + tonumber(number) * #tail
  end
  return total, #text:gsub("x+", string.upper), (text:find("04999", 1, true) or 0)
end

local function sorting(n)
  local next_random, list = random(42), {}
  for i = 1, n do list[i] = next_random(1000000) end
  table.sort(list, function(a, b) return a < b end)
  local sum = 0
  for i = 1, n, 97 do sum = sum + list[i] * i end
  return sum
end

local function generators(n)
  local function count(limit)
    return coroutine.wrap(function()
      for i = 1, limit do coroutine.yield(i * i) end
    end)
  end
  local sum = 0
  for i = 1, n do
    for square in count(i % 10) do sum = sum + square end
  end
  return sum
end

local function errors(n)
  local caught = 0
  for i = 1, n do
    local ok, reason = pcall(function()
      if i % 3 == 0 then error({ code = i }) end
      return (nil)[i]
    end)
    if not ok then caught = caught + (type(reason) == "table" and reason.code or 1) end
  end
  return caught
end

local Vector = {}
Vector.__index = Vector
Vector.__add = function(a, b) return setmetatable({ a[1] + b[1], a[2] + b[2] }, Vector) end
Vector.__eq = function(a, b) return a[1] == b[1] and a[2] == b[2] end

local function objects(n)
  local v = setmetatable({ 0, 0 }, Vector)
  for i = 1, n do v = v + setmetatable({ i, -i }, Vector) end
  return v[1], v[2], v == setmetatable({ v[1], v[2] }, Vector)
end

print("fib", fib(20 + scale))
print("strings", strings(6000 * scale))
print("sorting", sorting(12000 * scale))
print("generators", generators(2000 * scale))
print("errors", errors(4000 * scale))
print("objects", objects(30000 * scale))
