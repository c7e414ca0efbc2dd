#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# recipes.sh - contrib/rpm/cinstr.spec and contrib/arch/PKGBUILD, as far as they can be run on
# another distribution: the packages of the one are built by Debian's rpmbuild, unpacked, and used;
# of the other the functions are run. What Fedora and Arch call the packages that these need is not
# seen here. Prints "ok NAME", "FAIL NAME: why" or "skip NAME: why", ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 2
version=$(sed -n 's/^VERSION := //p' Makefile)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

ok() { echo "ok $1"; passed=$((passed + 1)); }
fail() { echo "FAIL $1: $2"; failed=$((failed + 1)); }
unset CC CXX CFLAGS MAKEFLAGS MAKELEVEL

git archive --prefix="cinstr-$version/" -o "$work/cinstr-$version.tar.gz" HEAD || exit 2
cat > "$work/app.c" <<'END'
#include <stdio.h>
__attribute__((noinline)) int leaf(int n) { int sum = 0; for (int i = 0; i < n; i++) sum ^= i * n; return sum; }
int main(void) { int sum = 0; for (int i = 0; i < 10; i++) sum += leaf(i * 1000); printf("%d\n", sum); return 0; }
END

used() # used NAME ROOT: a profile by what is in ROOT
{
	local plugin command=$2/usr/bin/cinstr
	plugin=$(find "$2" -path '*/cinstr/gcc-*/cinstr.so')
	if (cd "$work" && rm -rf cinstr.data* && gcc -O2 -g -fplugin="$plugin" app.c -o app && ./app && "$command" report) 2>&1 | grep -qE '^ +10 .* leaf +app'; then
		ok "$1: used"
	else
		fail "$1: used" "no profile"
	fi
}

spec()
{
	local evr=12.3.4-5.test top=$work/rpm
	command -v rpmbuild >/dev/null || { echo "skip rpm: rpmbuild is not installed"; return; }
	mkdir -p "$top/SOURCES" "$work/root"
	cp "$work/cinstr-$version.tar.gz" "$top/SOURCES"
	if ! rpmbuild -bb --nodeps --define "_topdir $top" --define "gcc_evr $evr" --define 'debug_package %{nil}' \
		contrib/rpm/cinstr.spec > "$work/rpm.log" 2>&1; then
		fail "rpm: built" "$(grep -iE 'error|not found' "$work/rpm.log" | head -n 3)"
		return
	fi
	ok "rpm: built"
	for package in cinstr cinstr-libs cinstr-devel gcc-plugin-cinstr; do
		if rpm -qp --qf '%{NAME}\n' "$top"/RPMS/*/*.rpm | grep -qx "$package"; then ok "rpm: $package"; else fail "rpm: $package" "there is none"; fi
	done
	if rpm -qp --requires "$top"/RPMS/*/gcc-plugin-cinstr-*.rpm | grep -qx "gcc = $evr"; then ok "rpm: exact compiler"; else fail "rpm: exact compiler" "not required"; fi
	for package in "$top"/RPMS/*/*.rpm; do
		rpm2archive "$package" && tar -xf "$package.tgz" -C "$work/root"
	done
	used rpm "$work/root"
}

arch()
{
	bash -n contrib/arch/PKGBUILD || { fail "arch: PKGBUILD" "is not bash"; return; }
	mkdir -p "$work/arch/src" "$work/arch/cinstr" "$work/arch/gcc-plugin-cinstr"
	tar -xf "$work/cinstr-$version.tar.gz" -C "$work/arch/src"
	if ! (
		set -e
		pacman() { echo "gcc 12.3.4-5"; }
		# shellcheck disable=SC1091
		. contrib/arch/PKGBUILD
		[ "$pkgver" = "$version" ] || { echo "pkgver is $pkgver"; exit 1; }
		srcdir=$work/arch/src
		all=("${pkgname[@]}")
		(cd "$srcdir" && build)
		for pkgname in "${all[@]}"; do
			pkgdir=$work/arch/$pkgname
			(cd "$srcdir" && "package_$pkgname" && echo "depends ${depends[*]}")
		done
	) > "$work/arch.log" 2>&1; then
		fail "arch: built" "$(tail -n 2 "$work/arch.log")"
		return
	fi
	ok "arch: built"
	if grep -q '^depends gcc=12.3.4-5 cinstr=' "$work/arch.log"; then ok "arch: exact compiler"; else fail "arch: exact compiler" "$(grep ^depends "$work/arch.log")"; fi
	if (cd "$work/arch/cinstr" && find . -type f) | (cd "$work/arch/gcc-plugin-cinstr" && xargs ls -d 2>/dev/null) | grep -q .; then
		fail "arch: two packages" "they share files"
	else
		ok "arch: two packages"
	fi
	cp -a "$work/arch/cinstr" "$work/arch/both" && cp -a "$work/arch/gcc-plugin-cinstr/." "$work/arch/both"
	used arch "$work/arch/both"
}

spec
arch
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
