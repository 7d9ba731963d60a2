#!/usr/bin/env bash
# Format and lint of the tree's own sources: clang-format, length limits, clang-tidy.
#
# usage: scripts/check.sh [format|limits|tidy_newest|tidy]...   default: format limits tidy_newest
#   tidy_newest   clang-tidy of the 12 files that changed last, a minute; what scripts/test.sh does
#   tidy          clang-tidy of all files, four seconds each; what scripts/test.sh --all does
# clang-tidy needs a configured build (build/). Ends with a line for each check; exits 1 if one failed.
set -uo pipefail
cd "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")" || exit 2
build=${GPULAB_BUILD_DIR:-build}

# The tree's own files, also before they are known to git.
sources() { find common labs runner tests -type f \( "$@" \) | LC_ALL=C sort; }

# Kernels in tests/ptx keep the format they have: the PTX that is kept beside them names their lines. Those in tests/grading
# and tests/exec are as students write them, also such that no compiler can read, each with a line that says what is to come of it.
check_format() {
  sources -name '*.cpp' -o -name '*.h' -o -name '*.cu' | grep -v '^tests/\(ptx\|grading\|exec\)/' |
    xargs -r -n 32 -P "$(nproc)" clang-format-14 --dry-run -Werror --ferror-limit=3
}

# Files: 500 lines at most; tables (one row after another) exempt. Functions: clang-tidy's readability-function-size.
check_limits() {
  sources -name '*.cpp' -o -name '*.h' -o -name '*.cu' -o -name '*.py' -o -name '*.sh' | { cat; find scripts -type f; } |
    grep -v '^common/simt/isa/[a-z]*/' | xargs -r wc -l |
    awk '$2 != "total" && $1 > 500 { print $2 ": " $1 " lines, 500 are the limit"; bad = 1 } END { exit bad }'
}

# The instruction tables are lambdas in template arguments, more than clang 14 can follow; g++ is their only compiler.
tidy_sources() { sources -name '*.cpp' | grep -v '^common/simt/isa/[a-z]*/' | grep -v '^tests/fuzz/'; }

# What is not committed first, then by the newest commit. Without git: by date.
check_tidy_newest() {
  local newest
  newest=$( (git diff --name-only HEAD; git log --format= --name-only) 2> /dev/null | awk '!seen[$0]++' |
    grep -Fx -f <(tidy_sources) | head -n 12)
  lint "${newest:-$(tidy_sources | xargs ls -t | sed -n 1,12p)}"
}

# Without the check for reserved names, which takes a quarter of the time: a file that stays as it is gets none, and of one that changes
# tidy_newest sees them.
check_tidy() { lint "$(tidy_sources)" --checks=-bugprone-reserved-identifier; }

# One line for each finding; the counts of what was suppressed in system headers are noise. Each file is compiled by itself and without
# precompiled headers, so that clang sees, too, that each includes what it uses. lint FILES [OPTION of clang-tidy]
lint() {
  [ -e "$build/compile_commands.json" ] || { echo "no $build/compile_commands.json: configure first" >&2; return 1; }
  mkdir -p "$build/lint"
  scripts/lint_commands.py "$build/compile_commands.json" > "$build/lint/compile_commands.json" || return
  echo "clang-tidy of $(wc -l <<< "$1") files"
  xargs -r -n 1 -P "$(nproc)" clang-tidy-14 -p "$build/lint" --quiet --extra-arg=-Wno-unknown-warning-option "${@:2}" \
    <<< "$1" 2> >(grep -v 'warnings\? generated\|^$' >&2)
}

failed=0
for check in "${@:-format limits tidy_newest}"; do
  for name in $check; do
    if "check_$name"; then echo "check $name: passed"; else
      echo "check $name: FAILED"
      failed=1
    fi
  done
done
exit $failed
