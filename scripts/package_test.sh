#!/usr/bin/env bash
# The Debian package and the Python wheel (scripts/package.sh) as their users meet them: installed in a Debian 12 that holds nothing
# else (made by debootstrap in a temporary folder, removed afterwards), run there without a compiler, and removed again.
#
# usage: scripts/package_test.sh [FOLDER]     FOLDER with packages that are built already; else they are built
#   GPULAB_DEBIAN_MIRROR=URL   where Debian's packages come from (http://deb.debian.org/debian)
# Ends with the plain line 'N passed, N failed'; where it cannot run here, with 'skipped: REASON' and exit code 77.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
mirror=${GPULAB_DEBIAN_MIRROR:-http://deb.debian.org/debian}

skip() {
  echo "skipped: $*"
  exit 77
}
[ "$(id -u)" = 0 ] || skip "only root can make a Debian to change into"
for program in debootstrap chroot dpkg-shlibdeps objdump; do
  command -v $program > /dev/null || skip "no $program (apt-get install debootstrap dpkg-dev binutils)"
done
python3 - "$mirror/dists/bookworm/InRelease" 2> /dev/null << 'END' || skip "no answer from $mirror"
import sys, urllib.request
urllib.request.urlopen(sys.argv[1], timeout=20).read(100)
END
packages=${1-}
if [ -z "$packages" ]; then
  packages=$(mktemp -d "${TMPDIR:-/tmp}/gpulab-packages.XXXXXX")
  "$root/scripts/package.sh" all "$packages"
fi
deb=$(ls "$packages"/gpulab_*.deb)
wheel=$(ls "$packages"/gpulab-*.whl)
du -h "$deb" "$wheel"

debian=$(mktemp -d "${TMPDIR:-/tmp}/gpulab-clean.XXXXXX")
clean_up() {
  umount "$debian/proc" 2> /dev/null || true
  rm -rf --one-file-system "$debian"
  [ -n "${1-}" ] || rm -rf "$packages"
}
trap 'clean_up "${1-}"' EXIT
debootstrap --variant=minbase bookworm "$debian" "$mirror" > "$debian.log" 2>&1 || {
  tail -n 5 "$debian.log"
  skip "debootstrap failed; $debian.log says why"
}
rm "$debian.log"
mount -t proc proc "$debian/proc" || skip "no right to mount"
cp -L /etc/resolv.conf "$debian/etc/resolv.conf"
mkdir "$debian/packages"
cp "$deb" "$wheel" "$debian/packages"
deb=/packages/$(basename "$deb") wheel=/packages/$(basename "$wheel")
network=$(env | grep -i -E '^(https?_proxy|no_proxy)=' || true)
inside() {
  # shellcheck disable=SC2086
  env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive $network chroot "$debian" "$@" < /dev/null
}

passed=0 failed=0
# expect WHAT COMMAND…: the command, within the clean Debian, ends with 0.
expect() {
  local what=$1 said
  shift
  if said=$(inside "$@" 2>&1); then
    echo "ok      $what"
    passed=$((passed + 1))
  else
    printf 'FAILED  %s\n%s\n' "$what" "$(tail -n 20 <<< "$said")"
    failed=$((failed + 1))
  fi
}
# Every file and link; caches of apt and dpkg's records of what it did are not what a package leaves.
files() {
  find "$debian" -xdev \( -path "$debian/proc" -o -path "$debian/var/cache" -o -path "$debian/var/log" -o -path "$debian/var/lib/apt" \
    -o -path "$debian/var/lib/dpkg" -o -path "$debian/packages" -o -path "$debian/tmp" \) -prune -o -printf '%P %l\n' | LC_ALL=C sort
}
# unchanged WHAT BEFORE: nothing is there that was not there before.
unchanged() {
  local left
  left=$(diff <(cat <<< "$2") <(files)) && echo "ok      $1" && passed=$((passed + 1)) && return
  printf 'FAILED  %s\n%s\n' "$1" "$(head -n 20 <<< "$left")"
  failed=$((failed + 1))
}
# README's first command: right, its counters shown, and at once.
first_command='start=$(date +%s%N); gpulab reduce --variant warp --block 256 > /tmp/said && grep -q "8,093,696" /tmp/said || exit 1
  took=$((($(date +%s%N) - start) / 1000000)); echo "README'\''s first command took $took ms" > /tmp/took; cat /tmp/took; [ $took -le 1000 ]'
every_lab='labs=$(gpulab --help | sed -n "/^Labs:/,/^$/s/^  \([a-z0-9_]*\) .*/\1/p"); [ "$(wc -w <<< "$labs")" -ge 16 ] || exit 1
  for lab in $labs; do gpulab $lab --device sim --no-counters > /dev/null || { echo "$lab"; exit 1; }; done'

before=$(files)
expect "the package installs with apt, with what it depends on" apt-get -q -y install --no-install-recommends "$deb"
expect "there is no compiler" bash -c '! command -v g++ && ! command -v cc && ! command -v nvcc'
expect "README's first command takes a second at most" bash -c "$first_command"
cat "$debian/tmp/took" || true
expect "each lab runs" bash -c "$every_lab"
expect "doctor says what is here" gpulab doctor
expect "gpulab-nvcc is gpulab" bash -c '[ "$(readlink -f /usr/bin/gpulab-nvcc)" = /usr/bin/gpulab ] && [ -x /usr/bin/gpulab ]'
expect "bash completes a variant" bash -c '. /usr/share/bash-completion/completions/gpulab
  COMP_WORDS=(gpulab reduce --variant shared_s) COMP_CWORD=3; _gpulab; [[ " ${COMPREPLY[*]} " = *" shared_strided "* ]]'
expect "the package says what the program is licensed by" grep -q "MIT License" /usr/share/doc/gpulab/copyright
expect "manual page and completions are in their places" ls /usr/share/man/man1/gpulab.1.gz \
  /usr/share/zsh/vendor-completions/_gpulab /usr/share/fish/vendor_completions.d/gpulab.fish
expect "dpkg finds every file as it was packed" bash -c '[ -z "$(dpkg --verify gpulab)" ]'
expect "the package is removed" dpkg -r gpulab
unchanged "nothing of it is left" "$before"

expect "Python is installed" bash -c 'apt-get -q update && apt-get -q -y install --no-install-recommends python3-venv'
expect "a virtual environment" python3 -m venv /root/venv
before=$(files)
expect "the wheel installs without a network" /root/venv/bin/pip install -q --no-index --no-compile "$wheel"
expect "README's first command takes a second at most, from the wheel" bash -c "PATH=/root/venv/bin:\$PATH; $first_command"
cat "$debian/tmp/took" || true
expect "gpulab.run() gives the JSON as objects" env PYTHONDONTWRITEBYTECODE=1 /root/venv/bin/python -c '
import gpulab
report = gpulab.run("reduce", variant="warp", block=256)
assert report.results[0].counters.warp_instructions == 8093696 and "<table>" in report._repr_html_()'
expect "pip finds nothing wrong" /root/venv/bin/pip check
expect "the wheel is uninstalled" /root/venv/bin/pip uninstall -q -y gpulab
unchanged "nothing of the wheel is left" "$before"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
