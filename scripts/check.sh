#!/usr/bin/env bash
# Format and lint of the tree's own sources: clang-format, length limits, clang-tidy.
#
# usage: scripts/check.sh [format|limits|tidy]...   default: all. tidy needs a configured build (build/).
#   GPULAB_TIDY_SINCE=COMMIT   clang-tidy only for files changed since then
#   GPULAB_TIDY_TESTS=1        clang-tidy for tests/ too: twice the time, so not in CI
# Ends with a line for each check; exits 1 if one failed.
set -uo pipefail
cd "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")" || exit 2
build=${GPULAB_BUILD_DIR:-build}

# The tree's own files, also before they are known to git.
sources() { find common labs runner tests -type f \( "$@" \) | LC_ALL=C sort; }

# Not what tests/ptx compiles from: its PTX is kept beside it and names its lines.
check_format() {
  sources -name '*.cpp' -o -name '*.h' -o -name '*.cu' | grep -v '^tests/ptx/' |
    xargs -r -n 32 -P "$(nproc)" clang-format-14 --dry-run -Werror --ferror-limit=3
}

# Files: 500 lines at most; tables (one row after another) exempt. Functions: clang-tidy's readability-function-size.
check_limits() {
  sources -name '*.cpp' -o -name '*.h' -o -name '*.cu' -o -name '*.py' -o -name '*.sh' | { cat; find scripts -type f; } |
    grep -v '^common/simt/isa/[a-z]*/' | xargs -r wc -l |
    awk '$2 != "total" && $1 > 500 { print $2 ": " $1 " lines, 500 are the limit"; bad = 1 } END { exit bad }'
}

check_tidy() {
  local files
  [ -e "$build/compile_commands.json" ] || { echo "no $build/compile_commands.json: configure first" >&2; return 1; }
  # The instruction tables are lambdas in template arguments, more than clang 14 can follow; g++ is their only compiler.
  files=$(sources -name '*.cpp' | grep -v '^common/simt/isa/[a-z]*/' | grep -v '^tests/fuzz/')
  [ -n "${GPULAB_TIDY_TESTS-}" ] || files=$(grep -v '^tests/' <<< "$files")
  if [ -n "${GPULAB_TIDY_SINCE-}" ]; then
    files=$(grep -Fxf <(git diff --name-only "$GPULAB_TIDY_SINCE") <<< "$files")
  fi
  # One line for each finding; the counts of what was suppressed in system headers are noise.
  # clang does not know g++'s -Wno-restrict.
  xargs -r -n 1 -P "$(nproc)" clang-tidy-14 -p "$build" --quiet --extra-arg=-Wno-unknown-warning-option \
    <<< "$files" 2> >(grep -v 'warnings\? generated\|^$' >&2)
}

failed=0
for check in "${@:-format limits tidy}"; do
  for name in $check; do
    if "check_$name"; then echo "check $name: passed"; else
      echo "check $name: FAILED"
      failed=1
    fi
  done
done
exit $failed
