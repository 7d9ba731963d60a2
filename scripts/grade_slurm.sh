#!/usr/bin/env bash
# Grades a class on a cluster: `gpulab grade` as a Slurm job array, and one job that collects.
#
# usage: scripts/grade_slurm.sh [OPTION…] ASSIGNMENT OUTPUT SUBMISSION… [-- OPTION OF GRADE…]
#   --chunk N            submissions of a task [25]
#   --throttle N         tasks at a time [8]
#   --cpus N             CPUs of a task, as many submissions at a time [2]
#   --partition P        of the array and of what collects [the cluster's default]
#   --sbatch OPTIONS     more for sbatch, as in --sbatch '--account=cs149 --qos=low'
#   --gpu-partition P    a second array there, behind the first: times what the first left pending (items of kind speed)
#   --gpu-gres GRES      of each task of the second array [gpu:1]; gpu:a100:1 times the whole class on one model
#   --gpu-sbatch OPTIONS more for sbatch, of the second array alone
#   --gpulab PROGRAM     [build/gpulab of this tree]; on a file system that all nodes see, as are all other paths
#   --wait               comes back when all is collected
# Options of grade go to every task (--key FILE, --profile NAME …), but --roster, --export and --pages to what collects.
#
# OUTPUT gets what `gpulab grade --output OUTPUT` writes: a file for each submission, the gradebook. OUTPUT/slurm has lists,
# logs and each task's own folder. The same command again goes on where the last one stopped: what is done of the
# same submission, assignment and key is kept, chunks keep their submissions, new ones come in new chunks. What collects
# grades by itself what a lost task has left; what waits for a GPU then stays pending, and the report says which chunk
# was not timed, and why. Prints a line 'JOB WHAT' for each job.
set -euo pipefail
self=$(readlink -f "${BASH_SOURCE[0]}")
root=$(dirname "$(dirname "$self")")

fail() {
  echo "error: $1" >&2
  [ -z "${2-}" ] || echo "  hint: $2" >&2
  exit 2
}

# --- on a node -----------------------------------------------------------------------------------------------------------
# on_chunk CHUNK KIND: a chunk's submissions, in a folder of the task's own; for no two processes write one folder.
on_chunk() {
  mapfile -t submissions < "$slurm/chunks/$1"
  [ ${#submissions[@]} -gt 0 ] || return 0
  # Half a file is never there, and a task that is killed is begun again by whoever comes next.
  "$gpulab" grade "$assignment" "${grade[@]}" "${@:3}" --jobs "${SLURM_CPUS_PER_TASK:-1}" --resume --fresh \
    --output "$slurm/$2/$1" --submission "${submissions[@]}" > /dev/null
}

# standing CHUNK: the second array's lines that hold. A result of it is one of the first with times: it stands for that one
# where both are of the same submission, assignment and key (a line's second word), or where the first has none.
standing() {
  local cpu=$slurm/cpu/$1/.done gpu=$slurm/gpu/$1/.done
  [ -e "$gpu" ] || return 0
  [ -e "$cpu" ] || cpu=/dev/null
  awk 'NF != 3 { next }
       array == "cpu" { first[$1] = $2; next }
       { basis[$1] = $2; line[$1] = $0 }
       END { for (name in line) if (!(name in first) || first[name] == basis[name]) print line[name] }' \
    array=cpu "$cpu" array=gpu "$gpu"
}

# carry_over CHUNK: what the first array made becomes the second one's, where that has nothing of the same: grade then
# finds it done, but for what is pending.
carry_over() {
  local from=$slurm/cpu/$1 to=$slurm/gpu/$1 file name known
  mkdir -p "$to"
  known=$'\n'$(standing "$1")
  for file in "$from"/*.json; do
    name=${file##*/}
    [[ -e $file && $known != *$'\n'"$name "* ]] || continue
    # First the file: of one that is cut off, the journal has another digest, and it counts as none.
    cp "$file" "$to/$name"
    awk -v name="$name" '$1 == name { line = $0 } END { print "\n" line }' "$from/.done" >> "$to/.done"
  done
}

# time_chunk CHUNK: as on_chunk, with times. CHUNK.untimed says why not, until all is timed.
time_chunk() {
  local untimed=$slurm/gpu/$1.untimed node=${SLURMD_NODENAME:-$(hostname)} code=0
  echo "its task on $node came to no end: $slurm/log-gpu-$((10#$1)).txt" > "$untimed"
  carry_over "$1"
  on_chunk "$1" gpu --device gpu 2> "$untimed.part" || code=$?
  cat "$untimed.part" >&2
  if [ $code = 0 ]; then
    rm "$untimed"
  else
    sed -n "s/^error: /on $node: /p" "$untimed.part" | grep . > "$untimed.why" && mv "$untimed.why" "$untimed"
  fi
  rm -f "$untimed.part" "$untimed.why"
  return $code
}

# take CHUNK: a chunk's results into OUTPUT. Prints their lines.
take() {
  local cpu=$slurm/cpu/$1 name line
  if [ -e "$cpu/.done" ]; then
    find "$cpu" -maxdepth 1 -name '*.json' -exec cp -t "$output" {} +
    cat "$cpu/.done" && echo
  fi
  standing "$1" | while read -r name line; do cp "$slurm/gpu/$1/$name" "$output" && echo "$name $line"; done
}

# collect KIND: the tasks' files into OUTPUT, then grade itself, which finds all done and writes what is of the class.
collect() {
  local output chunk untimed
  output=$(dirname "$slurm")
  mapfile -t submissions < "$slurm/all"
  cat "$output/.done" > "$slurm/done" 2> /dev/null || true  # what was collected before, and what that had to grade
  for chunk in "$slurm/chunks/"*; do take "${chunk##*/}" >> "$slurm/done"; done
  awk 'NF == 3 { last[$1] = $0 } END { for (name in last) print last[name] }' "$slurm/done" > "$slurm/done.part"
  mv "$slurm/done.part" "$output/.done"
  rm "$slurm/done"
  "$gpulab" grade "$assignment" "${grade[@]}" "${whole[@]}" --jobs "${SLURM_CPUS_PER_TASK:-1}" --resume --fresh \
    --output "$output" --submission "${submissions[@]}" > "$slurm/report.part"
  for untimed in "$slurm/gpu/"*.untimed; do
    [ "$1" = gpu ] && [ -e "$untimed" ] || continue
    chunk=$(basename "$untimed" .untimed)
    [ ! -s "$slurm/chunks/$chunk" ] ||
      echo "not timed: chunk $chunk (submissions: $(wc -l < "$slurm/chunks/$chunk")): $(head -n 1 "$untimed")" >> "$slurm/report.part"
  done
  mv "$slurm/report.part" "$slurm/report.txt"
}

# on-node WHAT DIR KIND
if [ "${1-}" = on-node ]; then
  slurm=$3
  . "$slurm/settings"
  case $2-$4 in
    task-cpu) on_chunk "$(printf '%04d' "$SLURM_ARRAY_TASK_ID")" cpu ;;
    task-gpu) time_chunk "$(printf '%04d' "$SLURM_ARRAY_TASK_ID")" ;;
    collect-*) collect "$4" ;;
  esac
  exit
fi

# --- where it is called --------------------------------------------------------------------------------------------------
chunk=25 throttle=8 cpus=2 partition='' gpu_partition='' gres='' gpulab=$root/build/gpulab wait=''
sbatch=() gpu_sbatch=() grade=() whole=() words=()
number() { [[ $2 =~ ^[1-9][0-9]{0,4}$ ]] || fail "$1: '$2' is no number from 1 to 99999"; }
while [ $# -gt 0 ]; do
  case $1 in
    --chunk | --throttle | --cpus | --partition | --gpu-partition | --gpu-gres | --sbatch | --gpu-sbatch | --gpulab)
      [ $# -gt 1 ] || fail "$1 needs a value"
      case $1 in
        --chunk) number "$1" "$2" && chunk=$2 ;;
        --throttle) number "$1" "$2" && throttle=$2 ;;
        --cpus) number "$1" "$2" && cpus=$2 ;;
        --partition) partition=$2 ;;
        --gpu-partition) gpu_partition=$2 ;;
        --gpu-gres) gres=$2 ;;
        --gpu-sbatch) read -r -a gpu_sbatch <<< "$2" ;;
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
    --roster | --export | --fail-under | --fail-on | --pages)
      [ $# -gt 1 ] || fail "$1 needs a value"
      [ "$1" != --pages ] || set -- "$1" "$(realpath -m "$2")" "${@:3}"
      whole+=("$1" "$2") && shift
      ;;
    --output* | --resume | --fresh | --jobs* | --submission* | --device*) fail "'$1' is this script's own to say" ;;
    *) grade+=("$1") ;;
  esac
  shift
done
[ ${#words[@]} -ge 3 ] || fail "which assignment, output folder and submissions?" "as in: $0 assignment.json results class/*"
command -v sbatch > /dev/null || fail "there is no sbatch here" "without Slurm: gpulab grade --jobs N"
[ -x "$gpulab" ] || fail "there is no program '$gpulab'" "scripts/gpulab builds it; --gpulab names another"
gpulab=$(realpath "$gpulab")
[ -n "$gpu_partition" ] || [ -z "$gres${gpu_sbatch[*]-}" ] || fail "--gpu-gres and --gpu-sbatch are of a second array" "--gpu-partition P"
assignment=$(realpath "${words[0]}") && [ -f "$assignment" ] || fail "there is no assignment '${words[0]}'"
[ -z "$gpu_partition" ] || grep -q '"speed"' "$assignment" ||
  fail "--gpu-partition: there is nothing to time" "the assignment has no item of the kind speed"
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

array() { # KIND SBATCH…: one task a chunk
  array=$(submit "$1" --array="0-$last%$throttle" --output="$slurm/log-$1-%a.txt" "${@:2}" -- task "$slurm" "$1")
  echo "$array grades $((last + 1)) chunks ($1)"
}
collecting() { # KIND: behind that array, and where the first one runs: it needs no GPU
  collecting=$(submit "$1-collect" --output="$slurm/log-$1-collect.txt" --dependency="afterany:$array" "${where[@]}" -- collect "$slurm" "$1")
  echo "$collecting collects ($1): $output/gradebook.csv"
}

where=()
[ -z "$partition" ] || where=(--partition="$partition")
array cpu "${where[@]}"
collecting cpu
[ -z "$gpu_partition" ] || {
  mkdir -p "$slurm/gpu"
  for list in "$slurm/chunks/"*; do echo "its task did not begin" > "$slurm/gpu/${list##*/}.untimed"; done
  array gpu --dependency="afterany:$collecting" --partition="$gpu_partition" --gres="${gres:-gpu:1}" "${gpu_sbatch[@]}"
  collecting gpu
}
[ -z "$wait" ] || {
  while [ -n "$(squeue -h -j "$collecting" 2> /dev/null)" ]; do sleep 1; done
  [ -e "$slurm/report.txt" ] || fail "nothing was collected" "$slurm/log-*-collect.txt says why"
  cat "$slurm/report.txt"
}
