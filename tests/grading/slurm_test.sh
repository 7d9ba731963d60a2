#!/usr/bin/env bash
# scripts/grade_slurm.sh on a real Slurm, controller and node on this host: slurm_test.sh GPULAB
#
# Needs Debian's slurm-wlm and munge, and root (exit code 77 without); starts daemons of its own on ports of its own, with a
# folder of its own, and ends them. Closes with 'N passed, N failed'.
set -uo pipefail
root=$(dirname "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")")
[ $# -gt 0 ] || { sed -n '2,5s/^# \{0,1\}//p' "$0"; exit 2; }
gpulab=$(realpath "$1")
export PATH=$PATH:/usr/sbin:/sbin
for program in slurmctld slurmd munged sbatch; do
  command -v $program > /dev/null || { echo "skipped: no $program here (Debian: slurm-wlm, munge)"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "skipped: slurmd runs as root"; exit 77; }

at=$(mktemp -d /tmp/gpulab-slurm-XXXXXX)
daemons=()
end() {
  local pid
  for pid in "${daemons[@]}"; do kill "$pid" 2> /dev/null; done
  wait
  rm -rf "$at"
}
trap end EXIT
passed=0 failed=0
expect() { # WHAT COMMAND…
  local what=$1
  shift
  if "$@" > "$at/said" 2>&1; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "FAILED: $what"
    head -n 30 "$at/said"
  fi
}

# --- a cluster of one node -----------------------------------------------------------------------------------------------
start_cluster() {
  local host port=$((20000 + RANDOM % 20000))
  host=$(hostname -s)
  mkdir -p "$at/munge" "$at/state" "$at/spool"
  chmod 755 "$at"
  head -c 128 /dev/urandom > "$at/munge/key" && chmod 600 "$at/munge/key"
  munged --foreground --force --key-file="$at/munge/key" --socket="$at/munge/socket" --pid-file="$at/munge/pid" \
    --log-file="$at/munge/log" --seed-file="$at/munge/seed" > /dev/null 2>&1 &
  daemons+=($!)
  cat > "$at/slurm.conf" <<END
ClusterName=gpulab
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$at/munge/socket
CryptoType=crypto/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$at/state
SlurmdSpoolDir=$at/spool
SlurmctldPidFile=$at/slurmctld.pid
SlurmdPidFile=$at/slurmd.pid
SlurmctldLogFile=$at/slurmctld.log
SlurmdLogFile=$at/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=1,bf_interval=1
GresTypes=gpu
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=2000 Gres=gpu:h200:1 State=UNKNOWN
PartitionName=cpu Default=YES Nodes=$host MaxTime=10
PartitionName=gpu Nodes=$host MaxTime=10
END
  echo "Name=gpu Type=h200 Count=1 File=/dev/null" > "$at/gres.conf"
  echo "CgroupPlugin=cgroup/v1" > "$at/cgroup.conf"
  export SLURM_CONF=$at/slurm.conf
  for _ in $(seq 50); do [ -S "$at/munge/socket" ] && break || sleep 0.1; done
  slurmctld -D -f "$SLURM_CONF" > "$at/ctld.out" 2>&1 &
  daemons+=($!)
  slurmd -D -f "$SLURM_CONF" -N "$host" > "$at/slurmd.out" 2>&1 &
  daemons+=($!)
  for _ in $(seq 150); do
    [ "$(sinfo -h -o %T 2> /dev/null | head -n 1)" = idle ] && return 0
    sleep 0.2
  done
  tail -n 20 "$at"/*.log "$at"/*.out
  return 1
}

# --- a class -------------------------------------------------------------------------------------------------------------
make_class() {
  local assignment=$root/configs/assignments/transpose name
  mkdir -p "$at/class" && cd "$at" || exit 2
  printf '{"schema": "gpulab.key.v1", "secret": "of nobody but this test"}' > key.json
  for name in ada "bob o'neil" cem dora; do mkdir -p "class/$name"; done
  cp "$assignment/reference.cu" class/ada/t.cu
  cp "$assignment/starter.cu" "class/bob o'neil/t.cu"
  cp "$assignment/wrong/conflicts.cu" class/cem/t.cu
  sed 's/$/  \/\/ mine/' "$assignment/reference.cu" > class/dora/t.cu
  printf 'submission,name\nada,Ada\ncem,Cem\n' > roster.csv
  cp "$assignment/reference.cu" class/eve.cu
}

jobs_left() { squeue -h 2> /dev/null | wc -l; }
assignment=$root/configs/assignments/transpose/assignment.json
slurm_grade() { "$root/scripts/grade_slurm.sh" --gpulab "$gpulab" --chunk 2 --throttle 2 --cpus 1 "$@"; }
alone() { # FOLDER: the same by one process
  "$gpulab" grade "$assignment" --key key.json --roster roster.csv --output "$1" --submission class/* > /dev/null
}
same_results() { # FOLDER FOLDER
  diff -r -x slurm -x .done "$1" "$2"
}

start_cluster || { echo "0 passed, 1 failed"; exit 1; }
make_class
expect "grade by itself" alone alone

expect "an array grades, a job collects" slurm_grade --wait "$assignment" results class/* -- --key key.json --roster roster.csv \
  --export markdown=page.md --export=gradescope=gs/
expect "its report is shown" grep -q "^5 of 5 submissions graded" results/slurm/report.txt
expect "it is what one process makes, byte for byte" same_results alone results
expect "exports are where they were asked for" test -e page.md -a -e gs/ada/results.json
expect "three chunks" test "$(find results/slurm/chunks -type f | wc -l)" = 3

# What is done is not done again; a new submission comes in a new chunk, a changed one is graded anew.
cp -p results/slurm/cpu/0000/ada.json before.json
rm -r class/dora && cp "$root/configs/assignments/transpose/starter.cu" class/cem/t.cu
cp class/eve.cu class/finn.cu
expect "again" slurm_grade --wait "$assignment" results class/* -- --key key.json --roster roster.csv
expect "what was done is kept" test ! results/slurm/cpu/0000/ada.json -nt before.json
alone alone2
expect "gradebook of the new class" cmp alone2/gradebook.csv results/gradebook.csv
expect "the new one has a chunk" grep -q finn results/slurm/chunks/0003

# A task is lost in the middle: what collects does its work.
lose_a_task() {
  local job
  rm -rf lost
  job=$(slurm_grade "$assignment" lost class/* -- --key key.json --roster roster.csv | awk '$2 == "grades" { print $1 }')
  scancel "${job}_1"
  for _ in $(seq 600); do [ "$(jobs_left)" = 0 ] && break || sleep 0.2; done
  cmp alone2/gradebook.csv lost/gradebook.csv
}
expect "a lost task's submissions are graded all the same" lose_a_task

# --- a second array, of times ---------------------------------------------------------------------------------------------
# An assignment with an item of the kind speed; every call of the program leaves a line in `calls`.
make_timed() {
  mkdir timed && cp "$root/configs/assignments/transpose/"*.cu timed
  sed 's/"items": \[/&\n    {"name": "fast", "kind": "speed", "points": 20, "rung": "tiled_padded", "full_at": 1.2, "zero_at": 3},/; /"wrong\//d; s/"wrong": {/"wrong": {"starter.cu": "correct"/' \
    "$assignment" > timed/assignment.json
  cat > called << END
#!/bin/bash
echo "\$SLURM_JOB_PARTITION \${CUDA_VISIBLE_DEVICES-none} \$SLURM_JOB_NAME \$*" >> "$at/calls"
exec "\${play:-$gpulab}" "\$@"
END
  # No GPU is here. This one stands for a program that has one: what waits for a time gets one, of all others nothing changes.
  cat > plays_gpu << END
#!/usr/bin/python3
import glob, hashlib, json, os, subprocess, sys
words = sys.argv[1:]
timed = "--device" in words
if timed:
    at = words.index("--device")
    del words[at:at + 2]
code = subprocess.run(["$gpulab", *words]).returncode
out = words[words.index("--output") + 1] if timed else ""
lines = [line.split() for line in open(out + "/.done")] if timed else []
for path in glob.glob(out + "/*.json") if timed else ():
    grade = json.load(open(path))
    if grade["status"] != "pending":
        continue
    for item in grade["items"]:
        if item["kind"] == "speed" and item["status"] == "pending":
            item.update(status="passed", earned=20, reason="as fast as the stand-in says")
            grade.update(status="graded", score=grade["score_so_far"] + 20, score_so_far=grade["score_so_far"] + 20)
    text = json.dumps(grade, indent=2) + "\n"
    digest = hashlib.sha256(f"{len(text)}:{text}".encode()).hexdigest()  # as the program's own
    name = os.path.basename(path)
    basis = [line[1] for line in lines if line[:1] == [name]][-1]
    open(path, "w").write(text)
    open(out + "/.done", "a").write(f"{name} {basis} {digest}\n")
sys.exit(code)
END
  chmod +x called plays_gpu
}
timed_grade() { # OUTPUT OPTION…
  "$root/scripts/grade_slurm.sh" --gpulab called --chunk 2 --cpus 1 --partition cpu --wait "${@:2}" timed/assignment.json "$1" class/* \
    -- --key key.json
}
calls() { grep -c -e "$1" calls; }

make_timed
cp "$root/configs/assignments/transpose/starter.cu" class/eve.cu  # with cem, a chunk in which nothing is to be timed
"$gpulab" grade timed/assignment.json --key key.json --output alone3 --submission class/* > alone3.txt
expect "on a node without a GPU all ends" timed_grade no_gpu --gpu-partition gpu
expect "items stay pending" cmp alone3/gradebook.csv no_gpu/gradebook.csv
expect "and the report is that of one process" diff alone3.txt <(grep -v "^not timed: " no_gpu/slurm/report.txt)
expect "which chunk was not timed, and why" grep -q "^not timed: chunk 0000 (submissions: 2): on .*: --device gpu: this machine has no GPU that works: " no_gpu/slurm/report.txt
expect "a chunk with nothing to time needs no GPU" bash -c '! grep -q "chunk 0001" no_gpu/slurm/report.txt'

export play=$at/plays_gpu && : > calls
expect "the same command again times what is pending" timed_grade no_gpu --gpu-partition gpu
expect "nothing is untimed" bash -c '! grep -q "not timed" no_gpu/slurm/report.txt'
expect "who is right gets the points for speed" grep -q "^ada,.*graded,120,120" no_gpu/gradebook.csv
expect "who is wrong gets none" bash -c "! grep '^bob' no_gpu/gradebook.csv | grep -q pending"
chunks=$(find no_gpu/slurm/chunks -type f | wc -l)
expect "each chunk's task has a GPU, on that partition" test "$(calls "^gpu 0 gpulab-gpu grade ")" = "$chunks"
expect "all others have none" test "$(calls "^cpu none ")" = "$((chunks + 2))"
expect "the first array is told of no GPU, nor is what collects" test "$(calls "^cpu .*--device")" = 0
expect "a task of the second goes on in its folder" grep -q -e "--key $at/key.json --device gpu --jobs 1 --resume --fresh --output $at/no_gpu/slurm/gpu/0000 --submission $at/class/ada $at/class/bob o'neil$" calls
expect "it comes after all of the first, and what collects is last" test "$(awk '{ print $3 }' calls | uniq | tr '\n' ' ')" = \
  "gpulab-cpu gpulab-cpu-collect gpulab-gpu gpulab-gpu-collect "

expect "without a second array times stay" timed_grade no_gpu
expect "as they were" grep -q "^ada,.*graded,120,120" no_gpu/gradebook.csv
echo "// anew" >> class/ada/t.cu
expect "of a changed submission" timed_grade no_gpu
expect "they are no more" grep -q "^ada,.*pending,,120" no_gpu/gradebook.csv
expect "the second array" timed_grade no_gpu --gpu-partition gpu --gpu-gres gpu:h200:1 --gpu-sbatch --comment=times
expect "times it anew" grep -q "^ada,.*graded,120,120" no_gpu/gradebook.csv
expect "what it has done it keeps" test "$(grep -c . no_gpu/slurm/gpu/0000/.done)" -le 6
unset play

refuses() { # TEXT WORD…
  local text=$1
  shift
  ! "$root/scripts/grade_slurm.sh" "$@" > said_here 2>&1 && grep -qF -- "$text" said_here
}
expect "no words" refuses "error: which assignment, output folder and submissions?" a.json
expect "a number" refuses "error: --chunk: '0' is no number from 1 to 99999" --chunk 0
expect "a value" refuses "error: --chunk needs a value" --chunk
expect "an option" refuses "error: unknown option '--jobs'" --jobs 3
expect "its own words" refuses "error: '--resume' is this script's own to say" a b c -- --resume
expect "a program" refuses "error: there is no program 'nowhere'" --gpulab nowhere a b c
expect "an assignment" refuses "error: there is no assignment 'nowhere'" --gpulab "$gpulab" nowhere b c
expect "a submission" refuses "error: there is no submission 'nowhere'" --gpulab "$gpulab" "$assignment" b nowhere
expect "times" refuses "error: --gpu-partition: there is nothing to time" --gpulab "$gpulab" --gpu-partition gpu "$assignment" b class/ada
expect "a GPU of no array" refuses "error: --gpu-gres and --gpu-sbatch are of a second array" --gpulab "$gpulab" --gpu-gres gpu:2 a b c
expect "a name of two lines" refuses "error: a submission's name has a line end: rename 'a b'" --gpulab "$gpulab" "$assignment" b $'a\nb'
expect "a chunk of 10^5" refuses "error: --chunk: '100000' is no number" --chunk 100000
PATH=/usr/bin:/bin expect "help" "$root/scripts/grade_slurm.sh" --help
without_slurm() { mkdir -p bin && ln -sf /bin/{bash,dirname,readlink,sed,grep} bin/ && PATH=$at/bin refuses "error: there is no sbatch here" a b c; }
expect "no Slurm" without_slurm

echo "$passed passed, $failed failed"
[ $failed = 0 ]
