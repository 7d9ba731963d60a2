#!/usr/bin/env bash
# The tests that need a GPU, on a machine that may have no compiler of its own, in parts of less than ten minutes each.
#
# usage: scripts/gpu_test.sh --pack    builds and packs what the suite needs: build-gpu/pack.tar.xz, the one file to carry
#        scripts/gpu_test.sh [PART…]   runs parts of the suite, or all of it, on a machine with a GPU
# Parts:
#   device        the tests of the device layer, doctor, kernels of files of one's own
#   labs          every lab's ladder, verified and timed
#   awkward       every lab over types, operations, sizes and blocks
#   counters      the simulator's counters against Nsight Compute's: labs and the fidelity suite (tests/fidelity)
#   differential  random kernels on both (tests/differential); GPU_TEST_KERNELS: how many (5000)
#   sanitizer     compute-sanitizer finds nothing in the labs' kernels
#   grading       items of the kind speed: how far five gradings differ, tricks that must gain nothing
#   measuring     samples and clocks, runs that repeat, two kernels in turn, ceilings: two minutes (tests/gpu/measuring.py)
#   float         floating point bit by bit on a million operands and more: not among all, since it takes minutes
# $OUT (default build-gpu/out) gets suite.log, and results.tgz with all logs and documents. A part may take
# $GPU_TEST_SECONDS (540): steps that are not done by then have failed. What this machine lacks a tool for is named as
# not done. Ends with a summary and 'N passed, N failed, N not done'; exits 0 only if none failed.
set -uo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
cd "$root" || exit 2
packed=$root/build-gpu/pack.tar.xz
bin=$root/build-gpu/unpacked

# --- packing ---------------------------------------------------------------------------------------------------------
# Libraries that the other machine has: glibc and GCC's, at least as new as here. Any other is packed beside the
# programs, which look there first.
everywhere='linux-vdso|ld-linux|libc\.|libm\.|libdl\.|librt\.|libpthread\.|libstdc\+\+|libgcc_s'

pack() {
  local build=${GPULAB_BUILD_DIR:-$root/build} generator=() program library
  [ -e "$build/CMakeCache.txt" ] || generator=(-G Ninja)
  cmake -S . -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DCMAKE_BUILD_RPATH='$ORIGIN' || exit 2
  cmake --build "$build" -j "${JOBS:-$(nproc)}" --target gpulab gpulab_vendor gpu_tests labs_tests fidelity_run differential || exit 2
  rm -rf "$bin" "$packed" && mkdir -p "$bin" || exit 2
  for program in "$build/gpulab" "$build/tests/gpu_tests" "$build"/tests/{labs_tests,fidelity_run,differential}; do
    strip -o "$bin/${program##*/}" "$program" || exit 2
    for library in $(ldd "$program" | grep -Ev "$everywhere" | awk '/=> \// { print $3 }'); do
      cp -L "$library" "$bin/" || exit 2
    done
  done
  [ ! -e "$build/libgpulab_vendor.so" ] || strip -o "$bin/libgpulab_vendor.so" "$build/libgpulab_vendor.so" || exit 2
  # The programs share most of their code: found where xz looks as far back as three of them are long.
  tar -cf - -C "$bin" . | xz -T1 --lzma2=preset=1,dict=128MiB > "$packed" && rm -r "$bin" || exit 2
  echo "carry build-gpu/pack.tar.xz ($(du -sm "$packed" | cut -f1) MiB) and run scripts/gpu_test.sh there"
}

# On first use, and again when another pack has come.
unpack() {
  [ -e "$packed" ] || { echo "error: build-gpu/pack.tar.xz is not here: scripts/gpu_test.sh --pack" >&2; return 3; }
  [ "$bin/gpulab" -nt "$packed" ] && return
  rm -rf "$bin" && mkdir -p "$bin" && xz -dc "$packed" | tar -xmf - -C "$bin"
}

# --- running ---------------------------------------------------------------------------------------------------------
passed=0 failed=0 not_done=0 summary=()
declare -A is_ok # the steps that passed
lacks=77 # the exit code of a step for which this machine lacks something; its last line says what

# step NAME SECONDS COMMAND…: runs it with its output in a log, and notes how it ended.
step() {
  local name=$1 limit=$2 start=$SECONDS left=$((deadline - SECONDS)) code verdict
  shift 2
  [ "$limit" -lt "$left" ] || limit=$((left > 1 ? left : 1))
  printf '== %s: %s\n' "$name" "$*" >> "$out/suite.log"
  timeout -k 5 "$limit" "$@" > "$work/$name.log" 2>&1 < /dev/null
  code=$?
  cat "$work/$name.log" >> "$out/suite.log"
  case $code in
    0) passed=$((passed + 1)) verdict=ok is_ok[$name]=1 ;;
    "$lacks") not_done=$((not_done + 1)) verdict="not done: $(tail -n 1 "$work/$name.log")" ;;
    124 | 137) failed=$((failed + 1)) verdict="FAILED (not done in $limit s)" ;;
    *) failed=$((failed + 1)) verdict="FAILED (exit code $code)" ;;
  esac
  summary+=("$(printf '%-26s %4d s  %s' "$name" $((SECONDS - start)) "$verdict")")
  echo "${summary[-1]}"
  case $code in 0 | "$lacks") ;; *) tail -n 25 "$work/$name.log" | cut -c1-300 | sed 's/^/  | /' ;; esac
}

tool() { # NAME: where CUDA's tool is
  command -v "$1" && return
  ls -d /usr/local/cuda*/bin/"$1" /opt/nvidia/nsight-compute/*/"$1" 2> /dev/null | tail -n 1
}
need() { # NAME: the same, or the reason why the step is not done
  local path
  path=$(tool "$1")
  [ -n "$path" ] || { echo "no $1 here" >&2; return "$lacks"; }
  echo "$path"
}

# verified FILE SUMMARY_OPTION LAB ARGUMENTS…: gpulab's document into FILE; every result must be as it must be. gpulab's
# exit code 1 (a wrong answer) is what a variant that races on purpose gives: the summary knows which those are.
verified() {
  local file=$1 option=$2 code=0
  shift 2
  "$bin/gpulab" "$@" --format json --output "$file" > /dev/null || code=$?
  [ -e "$file" ] || return $((code > 0 ? code : 1))
  scripts/summarize_run.py $option "$file" || return
  [ $code -le 1 ]
}

# sanitized TOOL LAB ARGUMENTS…: compute-sanitizer has looked, and found nothing.
sanitized() {
  local program code=0 log
  program=$(need compute-sanitizer) || return
  log=$(mktemp)
  "$program" --tool "$1" --target-processes all --error-exitcode 9 --print-limit 5 "$bin/gpulab" "${@:2}" --device gpu \
    --reps 1 --warmup 0 > "$log" 2>&1 || code=$?
  tail -n 25 "$log"
  [ $code = 0 ] && grep -q 'SUMMARY: 0 ' "$log" && ! grep -q 'SUMMARY: [1-9]' "$log"
}
# Shows that compute-sanitizer finds faults here: the GPU tests contain a kernel that stores far outside of its buffer.
planted() {
  local program
  program=$(need compute-sanitizer) || return
  "$program" --target-processes all "$bin/gpu_tests" 'a fault has the*' > "$work/planted.txt" 2>&1
  tail -n 25 "$work/planted.txt"
  grep -q 'Invalid __global__ write' "$work/planted.txt"
}

# A kernel of a file of one's own: the GPU leaves what the simulator leaves.
run_file() {
  local command=(run tests/cli/files/add_one.ptx --arg 'data:i32[1000]=random' --arg n:u32=999 --block 1024 --grid 1)
  "$bin/gpulab" "${command[@]}" --device sim --dump "data=$work/simulated.bin" || return
  "$bin/gpulab" "${command[@]}" --device gpu --expect "data=@$work/simulated.bin" --counters
}
run_cu_file() {
  local command=(run tests/cli/files/add.cu --arg 'a:f32[2^20]=random' --arg 'b:f32[2^20]=random' --arg 'sum:f32[2^20]=none'
    --arg n:i32=2^20)
  "$bin/gpulab" doctor | grep -q '^ok  *run ' || { echo "no compiler for .cu files here"; return "$lacks"; }
  "$bin/gpulab" "${command[@]}" --device sim --dump "sum=$work/sum.bin" || return
  "$bin/gpulab" "${command[@]}" --device gpu --expect "sum=@$work/sum.bin" --block 64,256
}

# Every lab's tests in processes of their own, as many at a time as there are CPUs: the CPU's answers take the time.
awkward() {
  local jobs=() lab cases
  for lab in $(labs); do
    for cases in 'every variant is right on*' 'every variant is right for*' 'every variant is right with*' 'surplus blocks*,another seed*'; do
      jobs+=("$lab" "$cases")
    done
  done
  printf '%s\0' "${jobs[@]}" | xargs -0 -n 2 -P "$(nproc)" bash -c 'awkward_job "$@"' awkward_job
}
awkward_job() { # LAB CASES
  local start=$SECONDS log code=0
  log="$work/awkward_$1_${2//[^a-z]/_}.txt"
  GPULAB_LABS=$1 GPULAB_LABS_DEVICE=gpu "$bin/labs_tests" "$2" > "$log" 2>&1 || code=$?
  if [ $code = 0 ]; then
    echo "ok      $1, $2: $((SECONDS - start)) s"
  else
    printf 'FAILED  %s\n%s\n' "$1, $2: exit code $code, $((SECONDS - start)) s" \
      "$(grep -v '^$' "$log" | head -n 40 | cut -c1-250 | sed 's/^/        /')"
    return 1
  fi
}
labs() { "$bin/gpulab" list | sed -n 's/^  \([a-z][a-z0-9_]*\)  .*/\1/p'; }

# The same case on the simulator and under Nsight Compute: what both count must be the same.
counters() { # LAB ARGUMENTS…
  local lab=$1 ncu
  ncu=$(need ncu) || return
  "$bin/gpulab" "$@" --variant all --device sim --format json --output "$results/${lab}_sim.json" || return
  "$ncu" --csv --page raw --print-units base --print-kernel-base function --clock-control none \
    --target-processes all --metrics "$("$ncu" --query-metrics | scripts/compare_counters.py --metrics)" \
    --kernel-name "$(scripts/compare_counters.py --kernels "$results/${lab}_sim.json")" --log-file "$work/ncu_$lab.csv" \
    "$bin/gpulab" "$@" --variant all --device gpu --reps 1 --warmup 0 ||
    { tail -n 5 "$work/ncu_$lab.csv"; return 1; }
  scripts/compare_counters.py "$work/ncu_$lab.csv" "$results/${lab}_sim.json"
}
fidelity() {
  need ncu > /dev/null || return
  scripts/fidelity.py "$bin/fidelity_run" "$results"
}

driver_version() { nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1; }

# --- the parts -------------------------------------------------------------------------------------------------------
on_gpu() { # NAME SECONDS FILE LAB ARGUMENTS…: a step that runs a lab and keeps its document
  step "$1" "$2" bash -c 'verified "$@"' verified "$results/$3" "" "${@:4}" --device gpu
}
quietly() { # NAME SECONDS LAB ARGUMENTS…: many cases, of which only what is bad is shown
  step "$1" "$2" bash -c 'verified "$@"' verified "$work/$1.json" --quiet "${@:3}" --device gpu --variant all --reps 1 --warmup 0
}

part_device() {
  step doctor 30 "$bin/gpulab" doctor
  step devices 30 "$bin/gpulab" devices
  step gpu_tests 300 env GPULAB_REQUIRE_GPU=1 GPULAB_FLOAT_VECTORS="$results/float_vectors.tsv" \
    GPULAB_DRIVER_VERSION="$(driver_version)" "$bin/gpu_tests" --durations yes
  step run_file 60 bash -c run_file
  step run_cu_file 60 bash -c run_cu_file
}

part_labs() {
  local lab
  step headline 60 "$bin/gpulab" reduce --variant warp --block 256 --device gpu
  step headline_counters 60 "$bin/gpulab" reduce --variant warp --block 256 --device gpu --counters
  # Every lab's ladder with its defaults, then the sizes at which the rungs differ most.
  for lab in $(labs); do
    on_gpu "lab_$lab" 90 "lab_$lab.json" "$lab" --variant all --allow-racy
  done
  on_gpu reduce_times_2^28 60 reduce_gpu_large.json reduce --n 2^28 \
    --variant shared_sequential,first_add,unroll_last_warp,shuffle_last_warp,warp,grid_stride_vec4,single_pass,cub
  on_gpu transpose_times 60 transpose_gpu.json transpose --variant all --rows 8192 --cols 8192
  on_gpu transfer_times 60 transfer_gpu.json transfer --variant all --n 2^10,2^14,2^18,2^22,2^26
  on_gpu launch_times 60 launch_gpu.json launch --variant all --rows 10,1024 --op mean,max
  on_gpu matmul_times 120 matmul_gpu.json matmul --variant all --m 2048 --n 2048 --k 2048
  on_gpu matmul_times_short 60 matmul_gpu_short.json matmul --m 2048 --n 2048 --k 2048 --variant tensor,hopper,cublas --type bf16
  on_gpu scan_times_2^26 60 scan_gpu_large.json scan --n 2^26 \
    --variant hillis_steele,blelloch,blelloch_padded,warp_scan,three_phase,look_back,cub
  on_gpu coalescing_strides 60 coalescing_gpu_strides.json coalescing --variant stride --n 2^22 --stride 1,2,3,4,8,16,32,33
}

# Awkward sizes, choices, blocks and grids as the simulator is tested with; then products of them.
part_awkward() {
  step labs_awkward 400 bash -c awkward
  quietly reduce_matrix 150 reduce --type int,long,float,double --op sum,product,min,max --n 0,1,31,33,1000,65537
  quietly reduce_blocks 60 reduce --block 64,128,512,1024 --n 1000003
  quietly transpose_matrix 60 transpose --rows 1,31,33,1000 --cols 1,32,63,999
  quietly transfer_matrix 60 transfer --n 0,1,33,100003 --direction to_device,to_host --chunks 1,3,64
  quietly launch_matrix 60 launch --rows 1,33,1000 --cols 0,1,31,999 --op mean,max
  quietly matmul_matrix 90 matmul --type int,half,bf16,float,double --m 1,33,256 --n 1,45,130 --k 0,7,123
}

part_counters() {
  step counters_reduce 150 bash -c 'counters reduce --n 2^20'
  step counters_transpose 60 bash -c 'counters transpose --rows 1000 --cols 1024'
  step counters_coalescing 60 bash -c 'counters coalescing --n 2^20'
  # Memory first, counters then; leaves fidelity_<gpu>.csv, to be committed in tests/data.
  step fidelity_results 60 "$bin/fidelity_run" --device gpu
  step fidelity_counters 300 bash -c fidelity
}

# Confirmed results are left in differential_hashes.txt, for tests/data.
part_differential() {
  cp tests/data/differential_hashes.txt "$results/"
  step differential_stored 120 "$bin/differential" --device gpu --opcodes tests/data/differential_opcodes.txt \
    --hashes "$results/differential_hashes.txt"
  step differential 400 scripts/differential.py "$bin/differential" --device gpu --kernels "${GPU_TEST_KERNELS:-5000}" \
    --first 1000 --opcodes tests/data/differential_opcodes.txt --out "$results"
}

part_sanitizer() {
  local tool
  step planted_error 60 bash -c planted
  for tool in memcheck racecheck; do
    step ${tool}_reduce 120 bash -c "sanitized $tool reduce --variant all --n 10007"
    step ${tool}_transpose 60 bash -c "sanitized $tool transpose --variant all --rows 77 --cols 45"
    step ${tool}_matmul 60 bash -c "sanitized $tool matmul --variant all --m 77 --n 45 --k 33"
    step ${tool}_scan 120 bash -c "sanitized $tool scan --variant all --n 10007"
  done
}

part_grading() {
  step grading 400 python3 tests/grading/gpu_test.py "$bin/gpulab"
}

part_measuring() {
  step measuring 200 python3 tests/gpu/measuring.py "$bin/gpulab" "$results"
}

# Leaves float_vectors.tsv, moved to tests/data: the GPU's results for CI.
part_float() {
  step float 540 env GPULAB_REQUIRE_GPU=1 GPULAB_FLOAT_TRIES="${GPULAB_FLOAT_TRIES:-1048576}" \
    GPULAB_DRIVER_VERSION="$(driver_version)" GPULAB_FLOAT_VECTORS="$results/float_vectors.tsv" \
    "$bin/gpu_tests" --durations yes 'every IEEE instruction*,approximations are within*'
}

# What a reader wants of the logs of steps that passed; of the others the end has been shown.
digest() {
  local log name
  for log in "$work"/*.log; do
    name=${log##*/} name=${name%.log}
    [ -n "${is_ok[$name]-}" ] || continue
    case $name in
      doctor | devices | headline*) echo "--- $name"; cut -c1-200 "$log" ;;
      lab_* | *_times* | coalescing_strides) cut -c1-160 "$log" ;;
      gpu_tests | labs_awkward | fidelity_counters | differential* | counters_* | grading | measuring | float)
        echo "--- $name"; grep -v '^seeds .* 0 differences' "$log" | tail -n 12 | cut -c1-200 ;;
    esac
  done
}

keep_results() {
  cp "$work"/*.log "$work"/*.txt "$work"/*.csv "$results/" 2> /dev/null
  tar -czf "$out/results.tgz" -C "$work" results
}

suite() { # PART…
  local part
  unpack || return
  out=${OUT:-$root/build-gpu/out}
  work=$(mktemp -d)
  results=$work/results
  mkdir -p "$out" "$results"
  : > "$out/suite.log"
  trap 'keep_results; rm -rf "$work"' EXIT
  trap 'exit 143' TERM
  export -f tool need verified sanitized planted run_file run_cu_file awkward awkward_job labs counters fidelity
  export bin out work results lacks
  nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.sm --format=csv,noheader 2>&1 | tee -a "$out/suite.log"

  "$bin/gpulab" reduce --device gpu --n 1 > /dev/null
  [ $? != 3 ] || return 3 # no GPU: gpulab has said why

  for part; do
    deadline=$((SECONDS + ${GPU_TEST_SECONDS:-540}))
    "part_$part"
  done
  echo
  digest
  echo "--- summary"
  printf '%s\n' "${summary[@]}"
  echo "$passed passed, $failed failed, $not_done not done"
  [ $failed = 0 ]
}

usage() { sed -n '4,20s/^# \{0,1\}//p' "$0"; }

parts=(device labs awkward counters differential sanitizer grading measuring)
case ${1-} in
  --pack) pack ;;
  --help) usage ;;
  '') suite "${parts[@]}" ;;
  *)
    for part; do
      [[ " ${parts[*]} float " == *" $part "* ]] || { usage >&2; exit 2; }
    done
    suite "$@"
    ;;
esac
