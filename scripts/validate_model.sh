#!/usr/bin/env bash
# Are modelled times (--model) as good as tests/timing/marks.json says they are?
#
# usage: scripts/validate_model.sh [--small] [--write] [--timing FILE] GPULAB
#   GPULAB         the binary: build/gpulab
#   --small        the launches of tests/timing/launches_small.txt: seconds; else those of launches.txt: minutes
#   --write        what is reached now, and a little room, become the marks
#   --timing FILE  what the model is to know of the GPU (the option of that name): tests break it on purpose
# On a machine with a GPU that the model knows, all launches of launches.txt are measured first, three sizes each with a cold L2
# (minutes), and kept in tests/data/timing_launches_GPU.csv; elsewhere the times kept there are compared, of each GPU.
# Exits 0 if every mark is reached, 1 if one is missed, 2 on wrong usage.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
size=all write=() timing=() gpulab=
while [ $# -gt 0 ]; do
  case $1 in
    --small) size=small ;;
    --write) write=(--write) ;;
    --timing)
      [ $# -gt 1 ] || { echo "validate_model.sh: --timing takes a file" >&2; exit 2; }
      timing=(--timing "$2")
      shift
      ;;
    -*)
      sed -n '4,8s/^# \{0,1\}//p' "$0" >&2
      exit 2
      ;;
    *) gpulab=$1 ;;
  esac
  shift
done
if ! [ -x "$gpulab" ]; then
  echo "validate_model.sh: ${gpulab:-no program} cannot be run: name the binary, build/gpulab" >&2
  exit 2
fi
launches=$root/tests/timing/launches.txt
[ $size = all ] || launches=$root/tests/timing/launches_small.txt

# The profile of a GPU of this machine, where the model knows it; empty elsewhere.
present=
if [ ${#timing[@]} = 0 ] && "$gpulab" saxpy --device gpu --n 1024 --variant naive --no-counters --format json > /dev/null 2>&1; then
  present=$("$gpulab" saxpy --device gpu --n 1024 --variant naive --no-counters --format json |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["device"]["profile"] or "")')
  [ -e "$root/configs/timing/$present.json" ] || present=
fi
if [ -n "$present" ]; then
  echo "measuring on this machine's $present"
  python3 "$root/scripts/measure_launches.py" "$gpulab" "$root/tests/data/timing_launches_$present.csv"
fi

# compare DATA GPU LAUNCHES MARKS
compare() {
  echo "$2, launches of $(basename "$3")"
  python3 "$root/scripts/compare_model.py" "$gpulab" "$1" --profile "$2" --launches "$3" --worst 10 --marks "$4" \
    "${write[@]}" "${timing[@]}" || failed=1
}

# The GPU that a file given with --timing is of: others are not compared with its numbers.
told=
if [ ${#timing[@]} -gt 0 ]; then
  told=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["gpu"])' "${timing[1]}")
fi
failed=0
for data in "$root"/tests/data/timing_launches_*.csv; do
  gpu=$(basename "${data#*timing_launches_}" .csv)
  if [[ $gpu = other_* ]]; then # timed once, on one GPU, after the model was done: too many to compare each time
    gpu=${gpu#other_}
    [ $size = small ] || [ -n "$present" ] || [ "${told:-$gpu}" != "$gpu" ] || compare "$data" "$gpu" "$root/tests/timing/launches_other.txt" "${gpu}_other"
    continue
  fi
  if ! [ -e "$root/configs/timing/$gpu.json" ]; then
    echo "$gpu: launches were timed, but configs/timing has no numbers of it"
    continue
  fi
  [ -z "$present" ] || [ "$present" = "$gpu" ] || continue
  [ -z "$told" ] || [ "$told" = "$gpu" ] || continue
  compare "$data" "$gpu" "$launches" "${gpu}_$size"
done
exit $failed
