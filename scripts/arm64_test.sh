#!/usr/bin/env bash
# gpulab for Linux on arm64, built here by Debian's cross compiler and run under qemu: instructions, labs, and the results and counters
# of every lab beside those of this machine's own build, which they must equal but for times by the clock.
#
# usage: scripts/arm64_test.sh [PROGRAM]     PROGRAM: this machine's gpulab [build/gpulab]
#   GPULAB_DEBIAN_MIRROR=URL   where Debian's packages come from (http://deb.debian.org/debian)
# What starts processes of its own kind (grade, check, workers) is not tried, nor what limits memory: qemu-user does neither.
# Ends with the plain line 'N passed, N failed'; where it cannot run here, with 'skipped: REASON' and exit code 77.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
mirror=${GPULAB_DEBIAN_MIRROR:-http://deb.debian.org/debian}
program=$(readlink -f "${1:-$root/build/gpulab}")
export GPULAB_BUILD_DIR=${GPULAB_BUILD_DIR:-$root/build-arm64}
. "$root/scripts/setup.sh"

skip() {
  echo "skipped: $*"
  exit 77
}
[ "$(uname -m)" = x86_64 ] || skip "this machine is no x86-64, whose results are what arm64's are compared with"
for needed in aarch64-linux-gnu-g++ qemu-aarch64 apt-get dpkg-deb; do
  command -v $needed > /dev/null || skip "no $needed (apt-get install g++-aarch64-linux-gnu qemu-user)"
done
[ -x "$program" ] || skip "$program is not built"

. "$root/scripts/arm64_libraries.sh"
arm64_libraries "$mirror" || skip "$why_not"

lock_build
nvcc=$(find_nvcc) || skip "there is no CUDA compiler"
configure release -DCMAKE_TOOLCHAIN_FILE="$root/scripts/cmake/arm64_linux.cmake" -DGPULAB_WERROR=ON
say "building for arm64 ($build)"
compile gpulab unit_tests labs_tests
unlock_build

libraries=$GPULAB_ARM64_LIBRARIES/usr/lib/aarch64-linux-gnu:$GPULAB_ARM64_LIBRARIES/lib/aarch64-linux-gnu
emulated=(qemu-aarch64 -L /usr/aarch64-linux-gnu -E "LD_LIBRARY_PATH=$libraries")
# An emulated program keeps one core busy: as many run side by side as there are cores.
tally=$(mktemp)
trap 'rm -f "$tally"' EXIT
# expect WHAT COMMAND…: in the background.
expect() {
  [ "$(jobs -rp | wc -l)" -lt "$(nproc)" ] || wait -n || true
  judge "$@" &
}
# judge WHAT COMMAND…: prints what came of it, and adds a line to the tally.
judge() {
  local what=$1 said
  shift
  if said=$("$@" 2>&1); then
    echo "ok      $what"
    echo ok >> "$tally"
  else
    printf 'FAILED  %s\n%s\n' "$what" "$(tail -n 30 <<< "$said")"
    echo FAILED >> "$tally"
  fi
}
# A line for each lab, its name and options: small sizes, all element types.
small_runs() {
  "$program" list --format json | python3 -c '
import json, sys
for lab in json.load(sys.stdin)["labs"]:
    words = [lab["name"]]
    for parameter in lab["params"]:
        if parameter["kind"] == "integer" and parameter["default"] >= 512:
            words += ["--" + parameter["name"], "3000" if parameter["default"] >= 65536 else "96"]
        elif parameter["name"] == "type":
            words += ["--type", ",".join(parameter["choices"])]
    print(*words)'
}
# The JSON of both machines but for what clocks say: of the simulation, and of variants that the CPU runs.
same_results() {
  local clocks='"(wall|min|q1|median|q3|mean|stddev)_ms"|"samples"|"effective_|"speedup'
  diff <("$program" "$@" --variant all --device sim --format json | grep -vE "$clocks") \
    <("${emulated[@]}" "$build/gpulab" "$@" --variant all --device sim --format json | grep -vE "$clocks")
}
cd "$root"
mapfile -t runs < <(small_runs) # before anything runs: what lists them would count as a job
# The longest first.
expect "unit tests" "${emulated[@]}" "$build/tests/unit_tests" "~*mutants*" "~[vendor-library]" "~limits of size are a child's own"
expect "labs over awkward shapes" "${emulated[@]}" "$build/tests/labs_tests"
for run in "${runs[@]}"; do
  read -r -a words <<< "$run"
  expect "${words[0]}: results and counters are x86-64's" same_results "${words[@]}"
done
wait
failed=$(grep -c FAILED "$tally" || true)
echo "$(grep -c ok "$tally" || true) passed, $failed failed"
[ "$failed" = 0 ]
