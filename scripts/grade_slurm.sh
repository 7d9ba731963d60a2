#!/usr/bin/env bash
# Grades a class on a cluster: `gpulab grade` as a Slurm job array, and one job that collects.
#
# usage: scripts/grade_slurm.sh [OPTION…] ASSIGNMENT OUTPUT SUBMISSION… [-- OPTION OF GRADE…]
#   --chunk N            submissions of a task [25]
#   --throttle N         tasks at a time [8]
#   --cpus N             CPUs of a task, as many submissions at a time [2]
#   --partition P        of the array and of what collects [the cluster's default]
#   --gpu-partition P    a second array there, a GPU for each task: the same with times (--device gpu)
#   --sbatch OPTIONS     more for sbatch, as in --sbatch '--account=cs149 --qos=low'
#   --gpulab PROGRAM     [build/gpulab of this tree]; on a file system that all nodes see, as are all other paths
#   --wait               comes back when all is collected
# Options of grade go to every task (--key FILE, --profile NAME …), but --roster and --export to what collects.
#
# OUTPUT gets what `gpulab grade --output OUTPUT` writes: a file for each submission, the gradebook. OUTPUT/slurm has lists,
# logs and each task's own folder. The same command again goes on where the last one stopped: what is done of the
# same submission, assignment and key is kept, chunks keep their submissions, new ones come in new chunks. What collects
# grades by itself what a lost task has left. Prints a line 'JOB WHAT' for each job.
set -euo pipefail
self=$(readlink -f "${BASH_SOURCE[0]}")
root=$(dirname "$(dirname "$self")")

fail() {
  echo "error: $1" >&2
  [ -z "${2-}" ] || echo "  hint: $2" >&2
  exit 2
}

# --- on a node -----------------------------------------------------------------------------------------------------------
# task DIR KIND: a chunk's submissions, in a folder of the task's own; for no two processes write one folder.
run_task() {
  local slurm=$1 kind=$2 chunk
  chunk=$(printf '%04d' "$SLURM_ARRAY_TASK_ID")
  . "$slurm/settings"
  mapfile -t submissions < "$slurm/chunks/$chunk"
  [ ${#submissions[@]} -gt 0 ] || exit 0
  mkdir -p "$slurm/$kind"
  # Half a file is never there, and a task that is killed is begun again by whoever comes next.
  exec "$gpulab" grade "$assignment" "${grade[@]}" "${device[@]}" --jobs "${SLURM_CPUS_PER_TASK:-1}" --resume \
    --output "$slurm/$kind/$chunk" --submission "${submissions[@]}" > /dev/null
}

# collect DIR KIND: the tasks' files into OUTPUT, then grade itself, which finds all done and writes what is of the class.
collect() {
  local slurm=$1 kind=$2 output folder
  output=$(dirname "$slurm")
  . "$slurm/settings"
  mapfile -t submissions < "$slurm/all"
  : > "$slurm/done"
  for folder in "$slurm/$kind"/*/; do
    [ -e "$folder.done" ] || continue
    find "$folder" -maxdepth 1 -name '*.json' -exec cp -t "$output" {} +
    { cat "$folder.done"; echo; } >> "$slurm/done"
  done
  mv "$slurm/done" "$output/.done"
  "$gpulab" grade "$assignment" "${grade[@]}" "${device[@]}" "${whole[@]}" --jobs "${SLURM_CPUS_PER_TASK:-1}" --resume \
    --output "$output" --submission "${submissions[@]}" > "$slurm/report.part"
  mv "$slurm/report.part" "$slurm/report.txt"
}

# With a GPU the same grades, and times.
if [ "${1-}" = on-node ]; then
  device=()
  [ "$4" = cpu ] || device=(--device gpu)
  case $2 in
    task) run_task "$3" "$4" ;;
    collect) collect "$3" "$4" ;;
  esac
  exit
fi

# --- where it is called --------------------------------------------------------------------------------------------------
chunk=25 throttle=8 cpus=2 partition='' gpu_partition='' gpulab=$root/build/gpulab wait=''
sbatch=() grade=() whole=() words=()
number() { [[ $2 =~ ^[1-9][0-9]{0,4}$ ]] || fail "$1: '$2' is no number from 1 to 99999"; }
while [ $# -gt 0 ]; do
  case $1 in
    --chunk | --throttle | --cpus | --partition | --gpu-partition | --sbatch | --gpulab)
      [ $# -gt 1 ] || fail "$1 needs a value"
      case $1 in
        --chunk) number "$1" "$2" && chunk=$2 ;;
        --throttle) number "$1" "$2" && throttle=$2 ;;
        --cpus) number "$1" "$2" && cpus=$2 ;;
        --partition) partition=$2 ;;
        --gpu-partition) gpu_partition=$2 ;;
        --sbatch) read -r -a sbatch <<< "$2" ;;
        --gpulab) gpulab=$2 ;;
      esac
      shift
      ;;
    --wait) wait=yes ;;
    --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$self" && exit ;;
    --) shift && break ;;
    -*) fail "unknown option '$1'" "options of grade come behind --; $0 --help" ;;
    *) words+=("$1") ;;
  esac
  shift
done
# What is of the whole class is for one place alone.
while [ $# -gt 0 ]; do
  [[ $1 != --*=* ]] || set -- "${1%%=*}" "${1#*=}" "${@:2}"
  case $1 in
    --roster | --export | --fail-under)
      [ $# -gt 1 ] || fail "$1 needs a value"
      whole+=("$1" "$2") && shift
      ;;
    --output* | --resume | --jobs* | --submission* | --device*) fail "'$1' is this script's own to say" ;;
    *) grade+=("$1") ;;
  esac
  shift
done
[ ${#words[@]} -ge 3 ] || fail "which assignment, output folder and submissions?" "as in: $0 assignment.json results class/*"
command -v sbatch > /dev/null || fail "there is no sbatch here" "without Slurm: gpulab grade --jobs N"
[ -x "$gpulab" ] || fail "there is no program '$gpulab'" "scripts/gpulab builds it; --gpulab names another"
gpulab=$(realpath "$gpulab")
[ -z "$gpu_partition" ] || grep -q -e --device <<< "$("$gpulab" grade --help)" ||
  fail "--gpu-partition: this gpulab's grade measures no times" "without it, items of kind speed are pending"
assignment=$(realpath "${words[0]}") && [ -f "$assignment" ] || fail "there is no assignment '${words[0]}'"
mkdir -p "${words[1]}/slurm/chunks"
output=$(realpath "${words[1]}") slurm=$(realpath "${words[1]}/slurm")

# Files that options of grade name are files of this folder, wherever a task runs: --key FILE, --export canvas=FILE.
anchored() {
  local -n list=$1
  local i
  for i in "${!list[@]}"; do
    case ${list[i]} in
      -* | *=/*) ;;
      *=*) list[i]=${list[i]%%=*}=$PWD/${list[i]#*=} ;;
      *) [ ! -f "${list[i]}" ] || list[i]=$(realpath "${list[i]}") ;;
    esac
  done
}
anchored grade
anchored whole

# Chunks of before keep those of their submissions that are still meant; new ones come in new chunks.
: > "$slurm/all.part"
for submission in "${words[@]:2}"; do
  [[ $submission != *$'\n'* ]] || fail "a submission's name has a line end: rename '${submission//$'\n'/ }'"
  [ -e "$submission" ] || [ -L "$submission" ] || fail "there is no submission '$submission'"
  realpath -s "$submission" >> "$slurm/all.part"
done
mv "$slurm/all.part" "$slurm/all"
next=0
for list in "$slurm/chunks/"*; do
  [ -e "$list" ] || continue
  grep -Fxf "$slurm/all" "$list" > "$slurm/kept" || true
  mv "$slurm/kept" "$list"
  next=$((10#$(basename "$list") + 1))
done
cat "$slurm/chunks/"* 2> /dev/null > "$slurm/known" || true
grep -Fxvf "$slurm/known" "$slurm/all" > "$slurm/new" || true
[ ! -s "$slurm/known" ] && cp "$slurm/all" "$slurm/new"
[ ! -s "$slurm/new" ] || split -d -a 4 --numeric-suffixes="$next" -l "$chunk" "$slurm/new" "$slurm/chunks/"
rm -f "$slurm/known" "$slurm/new"
last=$(($(find "$slurm/chunks" -type f | wc -l) - 1))
declare -p gpulab assignment grade whole > "$slurm/settings"
rm -f "$slurm/report.txt"

# submit NAME SBATCH… -- WORD…: the job's number
submit() {
  local name=$1 options=()
  shift
  while [ "$1" != -- ]; do options+=("$1") && shift; done
  shift
  command sbatch --parsable --job-name="gpulab-$name" --cpus-per-task="$cpus" --mem-per-cpu=1200M --requeue --open-mode=append \
    --chdir="$output" "${options[@]}" "${sbatch[@]}" --wrap="$(printf '%q ' "$self" on-node "$@")" | cut -d ';' -f 1
}

# both KIND AFTER SBATCH…: the array, what collects, and their lines
both() {
  local kind=$1 after=$2
  shift 2
  array=$(submit "$kind" --array="0-$last%$throttle" --output="$slurm/log-$kind-%a.txt" ${after:+"--dependency=afterany:$after"} "$@" \
    -- task "$slurm" "$kind")
  echo "$array grades $((last + 1)) chunks ($kind)"
  collecting=$(submit "$kind-collect" --output="$slurm/log-$kind-collect.txt" --dependency="afterany:$array" "$@" -- collect "$slurm" "$kind")
  echo "$collecting collects ($kind): $output/gradebook.csv"
}

both cpu "" ${partition:+"--partition=$partition"}
[ -z "$gpu_partition" ] || both gpu "$collecting" --partition="$gpu_partition" --gres=gpu:1
[ -z "$wait" ] || {
  while [ -n "$(squeue -h -j "$collecting" 2> /dev/null)" ]; do sleep 1; done
  [ -e "$slurm/report.txt" ] || fail "nothing was collected" "$slurm/log-*-collect.txt says why"
  cat "$slurm/report.txt"
}
