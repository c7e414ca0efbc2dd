#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# make packages [DISTRO="trixie bookworm"] [GCCS="13 14"] - the packages of `make deb`, as a user
# gets them.
#
# For each release of Debian: in a root with what building needs they are made out of a clean clone
# of HEAD, for each GCC of that release, and looked at by lintian. In another one, fresh from
# debootstrap, they are installed with nothing else, and used; each further compiler's plugin; all
# are removed, and nothing may be left. Then README.md's lines are copied into a third, fresh as
# well. As root, with a network; else skipped. Logs in $BUILD/packages. Prints "ok NAME" or "FAIL
# NAME: why", ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 2
: "${BUILD:=$PWD/build}" "${DISTRO:=trixie bookworm}"
export DISTROS_CACHE=${PACKAGES_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/cinstr/packages}
logs=$BUILD/packages
root=testsuite/distros/root.sh
passed=0 failed=0
mkdir -p "$logs"

ok() { echo "ok $1"; passed=$((passed + 1)); }
fail() { echo "FAIL $1: $2"; failed=$((failed + 1)); }

# A root as debootstrap left it, but for git and make. name-build is kept: what building needs is
# installed there once.
fresh() # fresh DISTRO AS
{
	local from to
	from=$($root path "$1") to=$($root path "$2")
	rm -rf --one-file-system "$to"
	cp -a --reflink=auto "$from" "$to"
	# As users have it.
	sed -i '/Install-Recommends/d' "$to/etc/apt/apt.conf.d/99host"
}

# A step in a root: bash -e with what stdin says.
step() # step NAME ROOT < SCRIPT
{
	local log
	log="$logs/$(echo "$1" | tr -c 'a-zA-Z0-9\n' -).log"
	if $root enter "$2" bash -e -c "export DEBIAN_FRONTEND=noninteractive; $(cat)" > "$log" 2>&1 < /dev/null; then
		ok "$1"
	else
		fail "$1" "$(tail -n 1 "$log") ($log)"
		return 1
	fi
}

program() # program FOLDER
{
	cat > "$1/app.c" <<-'END'
		#include <stdio.h>
		__attribute__((noinline)) int leaf(int n) { int sum = 0; for (int i = 0; i < n; i++) sum ^= i * n; return sum; }
		int main(void) { int sum = 0; for (int i = 0; i < 10; i++) sum += leaf(i * 1000); printf("%d\n", sum); return 0; }
	END
}

build() # build DISTRO: the packages, in $packages
{
	local folder
	folder=$($root path "$1-build")/var/tmp/cinstr
	[ -e "$($root path "$1-build")/etc/debian_version" ] || fresh "$1" "$1-build"
	rm -rf "$folder" && git clone -q "file://$PWD" "$folder" || return
	step "$1: make deb" "$1-build" <<-END || return
		apt-get update
		apt-get dist-upgrade -y
		cd /var/tmp/cinstr
		make deb GCCS='${GCCS-all}'
	END
	packages=$folder/build/deb
	cp "$packages/build.log" "$logs/$1-build.log"
}

look() # look DISTRO
{
	local errors
	command -v lintian >/dev/null || { echo "skip $1: lintian: it is not installed"; return; }
	errors=$(lintian --fail-on none "$packages"/*.deb "$packages"/more/*.deb 2>&1 | tee "$logs/$1-lintian.log" | grep '^E:' | head -n 3)
	if [ -z "$errors" ]; then ok "$1: lintian"; else fail "$1: lintian" "$errors"; fi
	for package in "$packages"/gcc-*.deb "$packages"/more/gcc-*.deb; do
		dpkg-deb -f "$package" Depends | grep -qE 'gcc-[0-9]+ \(>= [^)]+\), gcc-[0-9]+ \(<< ' ||
			fail "$1: $(basename "$package")" "no exact compiler: $(dpkg-deb -f "$package" Depends)"
	done
}

use() # use DISTRO
{
	local name=$1-fresh n
	fresh "$1" "$name"
	cp -r "$packages" "$($root path "$name")/var/tmp/deb"
	program "$($root path "$name")/var/tmp"
	step "$1: installed with nothing else" "$name" <<-'END' || return
		apt-get update
		apt-get install -y /var/tmp/deb/*.deb
	END
	step "$1: quick start" "$name" <<-'END'
		cd /var/tmp
		gcc -O2 -g -fplugin=cinstr app.c -o app && ./app && cinstr report > table
		cat table
		grep -E ' 10 .* leaf +app' table
		[ "$(cinstr --plugin-path)" = /usr/lib/x86_64-linux-gnu/cinstr/gcc-$(gcc -dumpversion)/cinstr.so ]
	END
	step "$1: static, and the interface" "$name" <<-'END'
		cd /var/tmp && rm -rf cinstr.data*
		gcc -O2 -g -static -fplugin=cinstr app.c -o app -lcinstr && ./app && cinstr report | grep -E ' 10 .* leaf +app'
		printf '#include <cinstr.h>\nint main(void) { return cinstr_mark(1); }\n' > api.c
		gcc -fplugin=cinstr api.c -o api && ./api
	END
	step "$1: samples by timers" "$name" <<-'END'
		cd /var/tmp && rm -rf cinstr.data*
		cinstr record --sample --sample-source=timers -- sh -c 'i=0; while [ $i -lt 500000 ]; do i=$((i + 1)); done'
		cinstr report | grep -E ' (dash|sh)$'
	END
	step "$1: another user" "$name" <<-'END'
		su -s /bin/sh nobody -c 'cd $(mktemp -d) && gcc -O2 -fplugin=cinstr /var/tmp/app.c -o app && ./app && cinstr report' | grep -E ' 10 .* leaf +app'
	END
	for n in $(cd "$packages/more" 2>/dev/null && ls gcc-*.deb | sed 's/gcc-\([0-9]*\).*/\1/'); do
		step "$1: gcc-$n" "$name" <<-END
			apt-get install -y /var/tmp/deb/more/gcc-$n-plugin-cinstr_*.deb
			cd /var/tmp && rm -rf cinstr.data*
			gcc-$n -O2 -g -fplugin=cinstr app.c -o app && ./app && cinstr report | grep -E ' 10 .* leaf +app'
		END
	done
	step "$1: removed, nothing is left" "$name" <<-'END'
		apt-get purge -y '*cinstr*'
		rm -rf /var/tmp/* /tmp/*
		find / -xdev -name '*cinstr*' ! -path '/proc/*' ! -path '/sys/*' ! -path '/dev/*' ! -path '/var/cache/apt/*' > left
		cat left
		[ ! -s left ]
	END
	$root drop "$name"
}

# From source, below /usr/local, and another compiler's plugin beside; then nothing is left of it.
from_source() # from_source DISTRO
{
	step "$1: make install" "$1-build" <<-'END' || return
		cd /var/tmp/cinstr
		find / -xdev ! -path '/proc/*' ! -path '/sys/*' ! -path '/dev/*' ! -path '/var/*' ! -path '/tmp/*' | sort > /var/tmp/before
		make -j2
		make install
		other=$(cd build/deb/more && ls gcc-*.deb | sed 's/\(gcc-[0-9]*\).*/\1/' | head -n 1)
		if [ -n "$other" ]; then make -j2 CC=$other O=build/$other install-plugin; fi
		cd "$(mktemp -d)"
		cp /var/tmp/app.c .
		for cc in gcc $other; do
			rm -rf cinstr.data*
			$cc -O2 -g -fplugin=cinstr app.c -o app && ./app
			cinstr report | grep -E ' 10 .* leaf +app'
		done
		cp app /var/tmp/app
	END
	step "$1: make uninstall" "$1-build" <<-'END'
		cd /var/tmp/cinstr
		make uninstall
		find / -xdev ! -path '/proc/*' ! -path '/sys/*' ! -path '/dev/*' ! -path '/var/*' ! -path '/tmp/*' | sort > /var/tmp/after
		diff /var/tmp/before /var/tmp/after
		cd /var/tmp && ./app && [ ! -e cinstr.data ]
	END
}

# The lines below "## Install", as they are, but for where the source is.
lines()
{
	awk '/^## Install/ { on = 1; next } on && /^    / { print substr($0, 5); seen = 1; next } seen { exit }' README.md | sed "s|git clone \.\.\.|git clone file:///srv/cinstr.git cinstr|"
}

copied() # copied DISTRO
{
	local name=$1-readme script
	fresh "$1" "$name"
	$root enter "$name" apt-get update > "$logs/$1-readme-update.log" 2>&1
	script=$(lines | sed 's/sudo apt install /apt install -y /')
	[ "$(lines | wc -l)" -eq 4 ] || { fail "$1: README's lines" "there are not four: $(lines)"; return; }
	mkdir -p "$($root path "$name")/srv/work"
	git clone -q --bare "file://$PWD" "$($root path "$name")/srv/cinstr.git"
	program "$($root path "$name")/srv/work"
	# They go into the clone; the program to look at is the user's, and lies there, too.
	step "$1: README's lines" "$name" <<-END
		cd /srv/work
		cd() { builtin cd "\$@" && cp /srv/work/app.c .; }
		$script
	END
	grep -qE ' 10 .* leaf +app' "$logs/$1--README-s-lines.log" || fail "$1: README's lines" "they show no profile"
	$root drop "$name"
}

if ! why=$($root may 2>&1); then
	echo "skip packages: ${why#*: }"
	echo "0 passed, 0 failed"
	exit 0
fi
for distro in $DISTRO; do
	$root make "$distro" || { fail "$distro" "no root"; continue; }
	if build "$distro"; then
		look "$distro"
		use "$distro"
		program "$($root path "$distro-build")/var/tmp"
		from_source "$distro"
	fi
	copied "$distro"
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
