#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# fetch.sh - the sources of lua5.4 and sqlite3 as Debian has them, into $BUILD/world/{lua,sqlite}, the latter with
# its amalgamation sqlite3.c. Does nothing when they are there. No root: apt works in a folder of its own, with the
# machine's package sources turned into deb-src. SOURCES=FOLDER: take lua5.4-* and sqlite3-* from there instead.
set -eu
: "${BUILD:=$(cd "$(dirname "$0")/../.." && pwd)/build}"
world=$BUILD/world
mkdir -p "$world"
cd "$world"

apt_source() # apt_source PACKAGE...
{
	mkdir -p apt/sources.list.d apt/lists/partial apt/cache/archives/partial
	local file
	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*debian*.sources; do
		[ -s "$file" ] || continue
		sed -E 's/^Types:.*/Types: deb-src/; s/^deb /deb-src /' "$file" > "apt/sources.list.d/$(basename "$file")"
	done
	[ -e apt/sources.list.d/sources.list ] && mv apt/sources.list.d/sources.list apt/sources.list.d/main.list
	local options=(-o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$world/apt/sources.list.d"
		-o "Dir::State::lists=$world/apt/lists" -o "Dir::Cache=$world/apt/cache" -o APT::Sandbox::User=root)
	apt-get "${options[@]}" -qq update &&
		apt-get "${options[@]}" -qq source "$@"
}

if [ ! -e lua/src/lua.c ] || [ ! -e sqlite/sqlite3.c ]; then
	if [ -n "${SOURCES-}" ]; then
		cp -r "$SOURCES"/lua5.4-5* "$SOURCES"/sqlite3-3* .
	else
		command -v dpkg-source >/dev/null && command -v apt-get >/dev/null || {
			echo "needs Debian's apt-get and dpkg-source, or SOURCES=FOLDER with lua5.4-* and sqlite3-*" >&2
			exit 1
		}
		echo "fetching the sources of lua5.4 and sqlite3" >&2
		apt_source lua5.4 sqlite3 >apt.log 2>&1 || { cat apt.log >&2; exit 1; }
	fi
	rm -rf lua sqlite
	mv lua5.4-5*/ lua
	mv sqlite3-3*/ sqlite
fi

# The amalgamation is made by sqlite's own makefile (needs tclsh), or by its own script.
if [ ! -e sqlite/sqlite3.c ]; then
	(cd sqlite && ./configure --disable-tcl --disable-readline && make sqlite3.c shell.c) >sqlite.log 2>&1 || {
		tail -n 5 sqlite.log >&2
		exit 1
	}
fi
