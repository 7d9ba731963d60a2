#!/usr/bin/env bash
# An entry point for PrairieLearn: grades /grade/student by /grade/tests/assignment.json, writes /grade/results.
# GRADE: another folder than /grade, for trying it. GRADE_OPTIONS: more for gpulab grade.
set -uo pipefail
at=${GRADE:-/grade}
mkdir -p "$at/results"
rm -f "$at/results/results.json"
key=()
[ ! -e "$at/tests/key.json" ] || key=(--key "$at/tests/key.json")
# shellcheck disable=SC2086
exec gpulab grade "$at/tests/assignment.json" --submission "$at/student" "${key[@]}" ${GRADE_OPTIONS-} \
  --export "prairielearn=$at/results/results.json"
