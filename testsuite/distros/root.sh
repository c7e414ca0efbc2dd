#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# root.sh may | make NAME | enter NAME COMMAND... | path NAME | drop NAME - a Debian of another
# release in a folder, as root.
#
# may:  is it possible here? If not, says why.
# make:  debootstrap into $DISTROS_CACHE/NAME (default ~/.cache/cinstr/distros), unless it is there.
#        With git and make: the rest is what contrib/install-deps installs. Mirror and settings of
#        the network are those of this machine's apt (MIRROR=URL: another). What is made halfway
#        does not count.
# enter: a command there, with /proc and /dev as the program needs them. They are mounted in a mount
#        namespace of its own, so that nothing is left mounted. SOURCE=FOLDER is /source there.
set -u
cache=${DISTROS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/cinstr/distros}

die()
{
	echo "root.sh: $*" >&2
	exit 1
}

# This machine's mirror of Debian, if it has one.
mirror()
{
	local of
	[ -n "${MIRROR-}" ] && { echo "$MIRROR"; return; }
	of=$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(LABEL)' 2>/dev/null | awk '$2 == "Debian" && $3 == "Debian" { print $1; exit }')
	echo "${of:-http://deb.debian.org/debian}"
}

# What apt was told of the network here (proxies, clocks that are off), for the apt inside.
# Unstable's Release may be older than it wants to be.
apt_settings()
{
	apt-config dump | grep -E '^Acquire::(http|https|Retries|Check-Date|ForceIPv4)' | grep -v '""'
	echo 'Acquire::Check-Valid-Until "false";'
	echo 'Acquire::Languages "none";'
	echo 'APT::Install-Recommends "false";'
}

may()
{
	[ "$(id -u)" -eq 0 ] || die "only root makes roots of other distributions"
	command -v debootstrap >/dev/null || die "debootstrap is missing: contrib/install-deps distros"
	unshare --mount --propagation private mount -t tmpfs tmpfs /mnt 2>/dev/null || die "nothing may be mounted here"
}

make_root() # make_root NAME
{
	local root=$cache/$1 half=$cache/.$1.half from
	[ -e "$root/etc/debian_version" ] && return
	may
	from=$(mirror)
	mkdir -p "$cache" && rm -rf "$half"
	debootstrap --variant=minbase --include=ca-certificates,git,make "$1" "$half" "$from" >"$cache/$1.log" 2>&1 ||
		{ tail -n 5 "$cache/$1.log" >&2; die "debootstrap $1 failed: $cache/$1.log"; }
	apt_settings >"$half/etc/apt/apt.conf.d/99host"
	cp -L /etc/resolv.conf /etc/hosts "$half/etc/"
	rm -f "$half"/var/cache/apt/archives/*.deb
	mv "$half" "$root"
}

enter() # enter NAME COMMAND...
{
	local root=$cache/$1
	shift
	[ -e "$root/etc/debian_version" ] || die "no root in $root: root.sh make"
	cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
	# Processes outside are seen: tests ask /proc for themselves only. A name space of processes
	# of its own would make their numbers differ from those that the kernel puts into samples.
	# shellcheck disable=SC2016
	exec unshare --mount --propagation private bash -c '
		root=$1; shift
		# Not a chroot but the root of the name space: tests make others within, and look at
		# one another by /proc.
		mount --bind "$root" "$root" || exit 2
		mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" && mount --rbind /sys "$root/sys" || exit 2
		mount -t tmpfs -o mode=1777 tmpfs "$root/run"
		if [ -n "${SOURCE-}" ]; then mkdir -p "$root/source" && mount --bind "$SOURCE" "$root/source" || exit 2; fi
		cd "$root" && pivot_root . . && umount -l . && cd / || exit 2
		exec env -i HOME=/root TERM=dumb LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
	' enter "$root" "$@"
}

case ${1-} in
may) may ;;
make) make_root "$2" ;;
enter) shift; enter "$@" ;;
path) echo "$cache/$2" ;;
drop) case ${2-} in ''|*/*|.*) die "drop what?" ;; esac; rm -rf --one-file-system "${cache:?}/$2" "$cache/.$2.half" "$cache/$2.log" ;;
*) echo "usage: root.sh may | make NAME | enter NAME COMMAND... | path NAME | drop NAME" >&2; exit 2 ;;
esac
