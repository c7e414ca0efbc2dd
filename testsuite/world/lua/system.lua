-- Files, processes, other states of the interpreter: os, io, load.
-- SPDX-License-Identifier: GPL-3.0-or-later
package.path = arg[0]:match(".*/") .. "../?.lua"
local check = require "check"

local name = os.tmpname()
local file = assert(io.open(name, "w+"))
for i = 1, 2000 do file:write(i, " ", i * i, "\n") end
file:seek("set")
check("read numbers", select(2, file:read("n", "n")), 1)
file:close()
local sum = 0
for line in io.lines(name) do sum = sum + tonumber(line:match("%d+$")) end
check("lines", sum, 2668667000)
check("remove", os.remove(name), true)
check("no such file", (select(2, io.open(name))):match("No such file") or "", "No such file")
check("closed file", pcall(file.read, file), false)

local pipe = io.popen(arg[-1] .. " -e 'print(6 * 7)'")
check("popen of ourselves", pipe:read("a"), "42\n")
check("its status", select(3, pipe:close()), 0)
check("execute", select(3, os.execute(arg[-1] .. " -e 'os.exit(3)'")), 3)
check("killed", select(2, os.execute("exec " .. arg[-1] .. " -e 'os.execute(\"kill -9 $PPID\") while true do end'")), "signal")
check("exit with closed state", select(3, os.execute(arg[-1] .. " -e 'os.exit(true, true)'")), 0)
check("error leaves with 1", select(3, os.execute(arg[-1] .. " -e 'error(1)' 2>/dev/null")), 1)

local chunk = string.dump(load("local a = ... return a * 2"))
check("dump and load", load(chunk, "c", "b")(21), 42)
check("environment", load("x = 1; return x", "c", "t", {})(), 1)
check("date", os.date("!%Y-%m-%d", 86400), "1970-01-02")
check("hook", (function()
	local calls = 0
	debug.sethook(function() calls = calls + 1 end, "c")
	for _ = 1, 10 do string.rep("a", 1) end
	debug.sethook()
	return calls >= 10
end)(), true)
