#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# fetch.sh [NAME...] - sources of programs as Debian has them, patches applied, into
# $BUILD/world/NAME; of sqlite also its amalgamation sqlite3.c. NAME: see `package`; default: lua
# sqlite. Does nothing for what is there. No root: apt works in a folder of its own, with the
# machine's package sources turned into deb-src. SOURCES=FOLDER: take unpacked sources,
# FOLDER/PACKAGE-VERSION, from there instead.
set -eu
: "${BUILD:=$(cd "$(dirname "$0")/../.." && pwd)/build}"
world=$BUILD/world
mkdir -p "$world"
cd "$world"

declare -A package=([lua]=lua5.4 [sqlite]=sqlite3 [bzip2]=bzip2 [jq]=jq [zstd]=libzstd [redis]=redis [git]=git
	[cjson]=cjson [tinyxml2]=tinyxml2 [perl]=perl [ruby]=ruby3.1 [luajit]=luajit [openssl]=openssl [lapack]=lapack [x264]=x264 [haproxy]=haproxy)

fail() # fail MESSAGE [LOG]
{
	echo "fetch.sh: $1" >&2
	[ -z "${2-}" ] || tail -n 8 "$2" >&2
	exit 1
}

apt_options()
{
	options=(-o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$world/apt/sources.list.d"
		-o "Dir::State::lists=$world/apt/lists" -o "Dir::Cache=$world/apt/cache" -o APT::Sandbox::User=root)
}

apt_update() # The lists of source packages; at most once a day.
{
	local file
	[ -z "$(find apt/updated -mmin -1440 2>/dev/null)" ] || return 0
	mkdir -p apt/sources.list.d apt/lists/partial apt/cache/archives/partial
	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*debian*.sources; do
		[ -s "$file" ] || continue
		sed -E 's/^Types:.*/Types: deb-src/; s/^deb /deb-src /' "$file" > "apt/sources.list.d/$(basename "$file")"
	done
	[ -e apt/sources.list.d/sources.list ] && mv apt/sources.list.d/sources.list apt/sources.list.d/main.list
	apt-get "${options[@]}" -qq update && touch apt/updated
}

# A mirror's newest version may be gone from it already, or not be there yet: then the one before.
apt_source() # apt_source PACKAGE TARGET
{
	local version
	apt_update || return 1
	for version in $(apt-cache "${options[@]}" showsrc "$1" | sed -n 's/^Version: //p' | sort -rVu); do
		rm -rf download && mkdir download
		(cd download && apt-get "${options[@]}" -qq --download-only source "$1=$version") || continue
		dpkg-source --no-copy -x download/*.dsc "$2.new" && mv "$2.new" "$2" && rm -rf download && return 0
		rm -rf "$2.new"
	done
	return 1
}

get() # get NAME
{
	local from=${package[$1]-}
	[ -n "$from" ] || fail "'$1' is none of: ${!package[*]}"
	[ ! -d "$1" ] || return 0
	if [ -n "${SOURCES-}" ]; then
		cp -r "$SOURCES/$from"-[0-9]* "$1" || fail "no $SOURCES/$from-VERSION"
		return
	fi
	command -v dpkg-source >/dev/null && command -v apt-get >/dev/null ||
		fail "needs Debian's apt-get and dpkg-source, or SOURCES=FOLDER with $from-VERSION"
	echo "fetching the source of $from" >&2
	apt_source "$from" "$1" >apt.log 2>&1 || fail "no source of $from" apt.log
}

# The amalgamation is made by sqlite's own makefile (needs tclsh).
amalgamation()
{
	[ ! -e sqlite/sqlite3.c ] || return 0
	(cd sqlite && ./configure --disable-tcl --disable-readline && make sqlite3.c shell.c) >sqlite.log 2>&1 ||
		fail "cannot make sqlite3.c" sqlite.log
}

apt_options
[ $# -gt 0 ] || set -- lua sqlite
for name; do
	get "$name"
	[ "$name" != sqlite ] || amalgamation
done
