-- SPDX-License-Identifier: GPL-3.0-or-later
-- check(name, got, wanted): one line for each thing that the scripts in lua/ test.
local function show(value)
	return math.type(value) == "float" and string.format("%.14g", value) or tostring(value)
end

return function(name, got, wanted)
	if got == wanted then
		print("ok " .. name .. ": " .. show(got))
	else
		print("not ok " .. name .. ": " .. show(got) .. ", wanted " .. show(wanted))
	end
end
