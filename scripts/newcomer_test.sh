#!/usr/bin/env bash
# What a newcomer does: README's two commands, in a clean clone, in a Debian 12 that holds nothing else (made by debootstrap in
# a temporary folder, removed afterwards). The clone is of what is committed here.
#
# usage: scripts/newcomer_test.sh
#   GPULAB_DEBIAN_MIRROR=URL   where Debian's packages come from (http://deb.debian.org/debian)
#   PIP_CERT=FILE              certificates that pip is to trust, where the network has its own
# Ends with the plain line 'N passed, N failed'; where it cannot run here, with 'skipped: REASON' and exit code 77.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
mirror=${GPULAB_DEBIAN_MIRROR:-http://deb.debian.org/debian}

skip() {
  echo "skipped: $*"
  exit 77
}
[ "$(id -u)" = 0 ] || skip "only root can make a Debian to change into"
for program in debootstrap git chroot; do
  command -v $program > /dev/null || skip "no $program (apt-get install debootstrap git)"
done
git -C "$root" rev-parse -q --verify HEAD > /dev/null || skip "this tree is no git clone"
python3 - "$mirror/dists/bookworm/InRelease" 2> /dev/null << 'END' || skip "no answer from $mirror"
import sys, urllib.request
urllib.request.urlopen(sys.argv[1], timeout=20).read(100)
END

debian=$(mktemp -d "${TMPDIR:-/tmp}/gpulab-newcomer.XXXXXX")
clean_up() {
  umount "$debian/proc" "$debian/dev/pts" 2> /dev/null || true
  rm -rf --one-file-system "$debian"
}
trap clean_up EXIT
debootstrap --variant=minbase bookworm "$debian" "$mirror" > "$debian.log" 2>&1 || {
  tail -n 5 "$debian.log"
  skip "debootstrap failed; $debian.log says why"
}
rm "$debian.log"
mount -t proc proc "$debian/proc" && mount -t devpts -o newinstance,ptmxmode=0666 devpts "$debian/dev/pts" || skip "no right to mount"
ln -sf pts/ptmx "$debian/dev/ptmx"
cp -L /etc/resolv.conf "$debian/etc/resolv.conf"
git clone -q --no-hardlinks "$root" "$debian/root/gpulab"
git -C "$debian/root/gpulab" checkout -q "$(git -C "$root" rev-parse HEAD)"

# A login's environment; of this one's, only the way to the network.
network=$(env | grep -i -E '^(https?_proxy|no_proxy|pip_index_url)=' || true)
if [ -n "${PIP_CERT-}" ]; then # the certificates of a network that signs its own
  cp -L "$PIP_CERT" "$debian/etc/network.pem"
  network+=" PIP_CERT=/etc/network.pem"
fi
passed=0 failed=0
newcomer() {
  local start=$SECONDS
  echo "\$ $*"
  # shellcheck disable=SC2086
  if env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 $network chroot "$debian" \
    bash -c 'cd /root/gpulab && exec "$@"' - "$@" < /dev/null; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
  fi
  echo "took $((SECONDS - start)) s"
}
newcomer scripts/gpulab reduce --variant warp --block 256
# The first command compiles with an empty cache, as at a newcomer's. The build for the tests may use what this machine has compiled
# (where its compiler is Debian 12's, too): a copy of its cache, so that what happens to this folder cannot reach the cache itself.
if cache=$(ccache --get-config cache_dir 2> /dev/null) && [ -d "$cache" ]; then
  mkdir -p "$debian/root/.cache/ccache" && cp -a --reflink=auto "$cache/." "$debian/root/.cache/ccache/" || rm -rf "$debian/root/.cache/ccache"
fi
newcomer scripts/test.sh
echo "$passed passed, $failed failed"
[ $failed = 0 ]
