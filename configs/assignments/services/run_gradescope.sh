#!/usr/bin/env bash
# What Gradescope starts as /autograder/run_autograder: grades /autograder/submission, writes /autograder/results.
# AUTOGRADER and GRADER: other folders than /autograder and /grader, for trying it.
# GRADE_OPTIONS: more for gpulab grade, as --no-isolation where the host has no Landlock (gpulab doctor says).
set -uo pipefail
at=${AUTOGRADER:-/autograder} grader=${GRADER:-/grader}
mkdir -p "$at/results"
# Without a file Gradescope says that the autograder failed, and gives no score: no grade of an earlier run may lie there.
rm -f "$at/results/results.json"
key=()
[ ! -e "$grader/key.json" ] || key=(--key "$grader/key.json")
# shellcheck disable=SC2086
exec gpulab grade "$grader/assignment.json" --submission "$at/submission" "${key[@]}" ${GRADE_OPTIONS-} \
  --export "gradescope=$at/results/results.json"
