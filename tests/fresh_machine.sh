#!/usr/bin/env bash
# The README's two commands on a bare Debian 12, in a chroot made for it: packages, build, program, all tests.
#   tests/fresh_machine.sh FOLDER [COMMAND]...
# FOLDER becomes the chroot (made anew if it is not one; FOLDER-base.tar, if there, spares the download). Commands
# default to the two of the README. Run as root; needs debootstrap, git and tar. RECKON_MIRROR: another Debian mirror.
set -eu -o pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
chroot_folder=${1:?"usage: tests/fresh_machine.sh FOLDER [COMMAND]..."}
shift
[ $# -gt 0 ] || set -- './dev run examples/tour.rk' './dev test'
base=${chroot_folder%/}-base.tar

[ "$(id -u)" -eq 0 ] || { echo "fresh_machine.sh: must be root" >&2; exit 2; }
case $(realpath -m "$chroot_folder") in / | "$root" | "$root"/*) echo "not there" >&2; exit 2 ;; esac

if [ ! -x "$chroot_folder/usr/bin/dpkg" ]; then
  mkdir -p "$chroot_folder"
  if [ ! -e "$base" ]; then
    echo "debootstrap into $chroot_folder"
    debootstrap --variant=minbase bookworm "$chroot_folder" "${RECKON_MIRROR:-http://deb.debian.org/debian}" \
      >"$base.log" 2>&1 || { tail "$base.log"; exit 1; }
    tar -C "$chroot_folder" -cf "$base" .
  else
    echo "unpacking $base"
    tar -C "$chroot_folder" -xf "$base"
  fi
fi

# The tree as a clone would have it, with what is not committed yet.
rm -rf "$chroot_folder/reckon"
mkdir "$chroot_folder/reckon"
git -C "$root" ls-files -z -co --exclude-standard --deduplicate |
  while IFS= read -r -d '' file; do
    if [ -e "$root/$file" ]; then printf '%s\0' "$file"; fi
  done | tar -C "$root" --null -T - -cf - | tar -C "$chroot_folder/reckon" --no-same-owner -xf -

mount -t proc proc "$chroot_folder/proc"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$chroot_folder/dev/pts"
ln -sf pts/ptmx "$chroot_folder/dev/ptmx"
trap 'umount "$chroot_folder/dev/pts" "$chroot_folder/proc"' EXIT

for command in "$@"; do
  echo "== $command"
  start=$SECONDS status=0
  env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb \
    ${http_proxy:+"http_proxy=$http_proxy"} ${https_proxy:+"https_proxy=$https_proxy"} \
    chroot "$chroot_folder" sh -c "cd /reckon && $command" || status=$?
  echo "== status $status after $((SECONDS - start)) s: $command"
  [ "$status" -eq 0 ] || exit "$status"
done
