#!/usr/bin/env bash
# Format and lint of the tree's own sources: clang-format, length limits, clang-tidy.
#
# usage: scripts/check.sh [format|limits|tidy_newest|tidy]...   default: format limits tidy_newest
#   tidy_newest   clang-tidy of the 8 files that changed last, half a minute; what scripts/test.sh does
#   tidy          clang-tidy of all files, in groups; what scripts/test.sh --all does
# clang-tidy needs a configured build (build/). Ends with a line for each check; exits 1 if one failed.
set -uo pipefail
cd "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")" || exit 2
build=${GPULAB_BUILD_DIR:-build}

# The tree's own files, also before they are known to git.
sources() { find common labs runner tests -type f \( "$@" \) | LC_ALL=C sort; }

# Kernels in tests/ptx keep the format they have: the PTX that is kept beside them names their lines. Those in tests/grading
# and tests/exec are as students write them, also such that no compiler can read, each with a line that says what is to come of it.
# Those in tests/libraries are tables of calls.
check_format() {
  sources -name '*.cpp' -o -name '*.h' -o -name '*.cu' | grep -v '^tests/\(ptx\|grading\|exec\|libraries\)/' |
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
    grep -Fx -f <(tidy_sources) | head -n 8)
  lint "${newest:-$(tidy_sources | xargs ls -t | sed -n 1,12p)}"
}

# Files that go together as one (lint_commands.py), a third of the time; and without the check for reserved names, which takes a quarter:
# a file that stays as it is gets none, and of one that changes tidy_newest sees them, and that it includes what it uses.
check_tidy() {
  local files groups
  files=$(tidy_sources)
  groups=$(lint_commands $files) || return
  echo "clang-tidy of $(wc -l <<< "$files") files in $(wc -l <<< "$groups") groups"
  xargs -n 1 -P "$(nproc)" bash -c 'tidy_group "$@"' tidy_group <<< "$groups"
}

# What a group says may be due to a name that two of its files use otherwise: what counts is what each says by itself.
tidy_group() {
  local options=--checks=-bugprone-reserved-identifier,-bugprone-suspicious-include
  clang_tidy $options <<< "$1" > /dev/null 2>&1 || sed -n 's/^#include "\(.*\)"$/\1/p' "$1" | clang_tidy $options
}
# Each file by itself, so that clang sees, too, that each includes what it uses.
lint() {
  lint_commands > /dev/null || return
  echo "clang-tidy of $(wc -l <<< "$1") files"
  lint_jobs=$(nproc) clang_tidy <<< "$1"
}

# What clang-tidy needs to know, in build/lint; without precompiled headers. Prints the groups of the files given.
lint_commands() {
  [ -e "$build/compile_commands.json" ] || { echo "no $build/compile_commands.json: configure first" >&2; return 1; }
  scripts/lint_commands.py "$build/lint" "$build/compile_commands.json" "$@"
}

# The files named on stdin. One line for each finding; the counts of what was suppressed in system headers are noise.
clang_tidy() {
  xargs -r -n 1 -P "${lint_jobs:-1}" clang-tidy-14 -p "$build/lint" --quiet --extra-arg=-Wno-unknown-warning-option "$@" \
    2> >(grep -v 'warnings\? generated\|^$' >&2)
}
export build
export -f tidy_group clang_tidy # for xargs

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
