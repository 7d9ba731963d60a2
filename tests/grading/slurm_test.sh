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
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=2000 Gres=gpu:1 State=UNKNOWN
PartitionName=cpu Default=YES Nodes=$host MaxTime=10
PartitionName=gpu Nodes=$host MaxTime=10
END
  echo "Name=gpu Count=1 File=/dev/null" > "$at/gres.conf"
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

# No GPU here: a program that takes --device for granted stands for one that has one.
cat > with_gpu <<END
#!/bin/bash
words=() timed=
[ "\$2" != --help ] || { echo "  --device gpu" && exit; }
for word in "\$@"; do
  case \$word in --device) timed=yes ;; gpu) [ -n "\$timed" ] || words+=(gpu) ;; *) words+=("\$word") ;; esac
done
[ -z "\$timed" ] || echo "\$SLURM_JOB_PARTITION \$CUDA_VISIBLE_DEVICES" >> "$at/timed"
exec "$gpulab" "\${words[@]}"
END
chmod +x with_gpu
expect "a second array has GPUs" "$root/scripts/grade_slurm.sh" --gpulab with_gpu --cpus 1 --gpu-partition gpu --wait "$assignment" timed_results \
  class/* -- --key key.json --roster roster.csv
expect "each task has one, on that partition" grep -qx "gpu 0" timed
expect "and its grades are collected last" cmp alone2/gradebook.csv timed_results/gradebook.csv

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
cat > without_gpu <<< '#!/bin/sh' && chmod +x without_gpu
expect "times" refuses "error: --gpu-partition: this gpulab's grade measures no times" --gpulab without_gpu --gpu-partition gpu a b c
expect "a name of two lines" refuses "error: a submission's name has a line end: rename 'a b'" --gpulab "$gpulab" "$assignment" b $'a\nb'
expect "a chunk of 10^5" refuses "error: --chunk: '100000' is no number" --chunk 100000
PATH=/usr/bin:/bin expect "help" "$root/scripts/grade_slurm.sh" --help
without_slurm() { mkdir -p bin && ln -sf /bin/{bash,dirname,readlink,sed,grep} bin/ && PATH=$at/bin refuses "error: there is no sbatch here" a b c; }
expect "no Slurm" without_slurm

echo "$passed passed, $failed failed"
[ $failed = 0 ]
