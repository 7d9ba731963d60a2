#!/usr/bin/env bash
# Tests of this machine, from a clean clone: set-up, build with warnings as errors, tests, format and lint.
#
# usage: scripts/test.sh [--all | --sanitize] [--no-lint]
#   (nothing)    what CI runs; lint of the 8 files that changed last
#   --all        everything, more than an hour on two cores: also the lint of all files, the tests that take long (every instruction on
#                emulated CPUs), all tests under ASan and UBSan (build-asan/), README's commands and packages in a clean Debian, arm64 (qemu)
#   --sanitize   the tests under ASan and UBSan instead, in build-asan/
#   --no-lint    without clang-tidy
# Ends with the plain line 'N passed, N failed' (test cases and checks); exits 0 only if none failed.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
preset=release
checks="format limits" lint=tidy_newest all=
for argument in "$@"; do
  case $argument in
    --all) all=yes lint=${lint:+tidy} ;;
    --sanitize) preset=asan checks= lint= ;;
    --no-lint) lint= ;;
    *)
      sed -n '4,9s/^# \{0,1\}//p' "$0" >&2
      exit 2
      ;;
  esac
done
[ $preset = release ] || export GPULAB_BUILD_DIR=${GPULAB_BUILD_DIR:-$root/build-$preset}
. "$root/scripts/setup.sh"
step() { say "[${SECONDS} s] $*"; }

# Catch2's closing lines (v2 and v3) and a script's plain one, of a ctest log: "PASSED FAILED". A test program that
# fails without having counted its cases counts as one.
count_cases() {
  awk '
    / tests? passed|assertions? in [0-9]+ test case/ && /All tests passed/ {
      sub(/.*assertions? in /, ""); passed += $1; counted = 1 }
    /^test cases: / { for (i = 2; i <= NF; i++) { if ($i ~ /^passed/) passed += $(i - 1); if ($i ~ /^failed/) failed += $(i - 1) }
      counted = 1 }
    /^[0-9]+ passed, [0-9]+ failed/ { passed += $1; failed += $3; counted = 1 }
    /^Test (Passed|Failed)\./ { if (!counted) { if ($2 == "Passed.") passed++; else failed++ } counted = 0 }
    END { print passed + 0, failed + 0 }' "$1"
}

# "750 s in all; exec 170, unit 95, …": what a ctest log's tests took, so that it is seen when they grow.
slowest() {
  awk '
    /^[0-9]+\/[0-9]+ Test: / { name = $3 }
    /^Test time = / { all += $4; printf "%d %s\n", $4 + 0.5, name }
    END { printf "%d in all\n", 1e6 + all }' "$1" | sort -rn | head -n 9 |
    awk 'NR == 1 { printf "%d s in all;", $1 - 1e6; next } { printf "%s %s %d", (NR > 2 ? "," : ""), $2, $1 }'
}

# A part with a script of its own, whose last lines say how many passed and failed, or why it was skipped: part NAME COMMAND…
part() {
  local name=$1 code=0 said part_passed part_failed
  shift
  step "$name"
  said=$(mktemp)
  "$@" 2>&1 | sed 's/^/  | /' | tee "$said" || code=${PIPESTATUS[0]}
  read -r part_passed part_failed < <(sed -n 's/^  | \([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$said" | tail -n 1) || true
  rm "$said"
  if [ $code = 77 ]; then return; fi
  [ $code = 0 ] || [ "${part_failed:-0}" -gt 0 ] || part_failed=1 # it ended before it counted
  passed=$((passed + ${part_passed:-0})) failed=$((failed + ${part_failed:-0}))
}

# Vendor code takes nvcc minutes, and nothing runs it where there is no GPU: that it compiles is left to --all.
vendor=yes
has_gpu || { vendor_architectures= vendor=$all; }
# Labels of tests (tests/CMakeLists.txt): CI runs neither the `long` nor the `slow` ones, --sanitize the slow ones, too.
labels=long
[ $preset != release ] || labels="$labels|slow"
[ -n "$vendor" ] || labels="$labels|vendor"
# This CPU's level of the instruction tables; --all: every one, those of newer CPUs compiled alone; --sanitize: what can run here.
levels=native
[ -z "$all" ] || levels=all
[ $preset = release ] || levels=runnable
lock_build
step "set-up"
set_up test ${all:+all}
step "configure and build in ${build#"$root/"}"
configure $preset -DGPULAB_WERROR=ON -DGPULAB_ISA_LEVELS="$levels"
compile all ${vendor:+gpulab_vendor}

step "tests"
ctest_failed=0
without=(-LE "$labels")
[ -z "$all" ] || without=()
ctest --test-dir "$build" --output-on-failure --no-tests=error -j "$(nproc)" "${without[@]}" || ctest_failed=1
step "tests one by one: $(slowest "$build/Testing/Temporary/LastTest.log")"
read -r passed failed < <(count_cases "$build/Testing/Temporary/LastTest.log")
[ $ctest_failed = 0 ] || [ "$failed" -gt 0 ] || failed=1 # a crash or a time-out
[ "$((passed + failed))" -gt 0 ] || failed=1              # the log that is counted was lost

for check in $checks $lint; do
  step "check $check"
  if "$root/scripts/check.sh" "$check"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
unlock_build
if [ -n "$all" ]; then
  part "all tests under ASan and UBSan" env -u GPULAB_BUILD_DIR "$root/scripts/test.sh" --sanitize
  part "README's commands in a clean Debian" "$root/scripts/newcomer_test.sh"
  part "package and wheel in a clean Debian" env -u GPULAB_BUILD_DIR "$root/scripts/package_test.sh"
  part "arm64 under qemu, beside this machine's results" env -u GPULAB_BUILD_DIR "$root/scripts/arm64_test.sh" "$build/gpulab"
fi
step "done"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
