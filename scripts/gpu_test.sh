#!/usr/bin/env bash
# The tests that need a GPU, in one command of a few minutes, on a machine that may have no compiler of its own.
#
# usage: scripts/gpu_test.sh --pack    builds and gathers what the suite needs in build-gpu/
#        scripts/gpu_test.sh           runs the suite from build-gpu/, on a machine with a GPU
#        scripts/gpu_test.sh --float   floating point alone, each IEEE instruction on a million operands and more
# Logs and documents go to $OUT (default build-gpu/out). Ends with a summary and 'N passed, N failed'; exits 0 only if
# none failed. Steps: doctor, the tests of the device layer, all labs verified on the GPU over types, operations,
# sizes and blocks, times, compute-sanitizer, and the simulator's counters against Nsight Compute's: on both labs and
# on the fidelity suite (tests/fidelity), and random kernels on both (tests/differential).
set -uo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
cd "$root" || exit 2
bin=$root/build-gpu

# --- packing ---------------------------------------------------------------------------------------------------------
# Libraries that the other machine has: glibc and GCC's, at least as new as here. Any other is packed beside the
# programs, which look there first.
everywhere='linux-vdso|ld-linux|libc\.|libm\.|libdl\.|librt\.|libpthread\.|libstdc\+\+|libgcc_s'

pack() {
  local build=${GPULAB_BUILD_DIR:-$root/build} generator=() program library
  [ -e "$build/CMakeCache.txt" ] || generator=(-G Ninja)
  cmake -S . -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DCMAKE_BUILD_RPATH='$ORIGIN' || exit 2
  cmake --build "$build" -j "${JOBS:-$(nproc)}" --target gpulab gpu_tests labs_tests fidelity_run differential || exit 2
  rm -rf "$bin" && mkdir -p "$bin" || exit 2
  for program in "$build/gpulab" "$build/tests/gpu_tests" "$build"/tests/{labs_tests,fidelity_run,differential}; do
    strip -o "$bin/${program##*/}" "$program" || exit 2
    for library in $(ldd "$program" | grep -Ev "$everywhere" | awk '/=> \// { print $3 }'); do
      cp -L "$library" "$bin/" || exit 2
    done
  done
  ls -lh "$bin"
  echo "carry build-gpu ($(du -sm "$bin" | cut -f1) MiB) and run scripts/gpu_test.sh there"
}

# --- running ---------------------------------------------------------------------------------------------------------
passed=0 failed=0 summary=()
deadline=${GPU_TEST_SECONDS:-540} # of the whole suite: what is not done by then has failed

# step NAME SECONDS COMMAND…: runs it with its output in a log, and notes how it ended.
step() {
  local name=$1 limit=$2 start=$SECONDS left=$((deadline - SECONDS)) code verdict
  shift 2
  [ "$limit" -lt "$left" ] || limit=$((left > 1 ? left : 1))
  printf '== %s: %s\n' "$name" "$*" >> "$out/suite.log"
  timeout -k 5 "$limit" "$@" > "$work/$name.log" 2>&1 < /dev/null
  code=$?
  cat "$work/$name.log" >> "$out/suite.log"
  if [ $code = 0 ]; then
    passed=$((passed + 1)) verdict=ok
  else
    failed=$((failed + 1)) verdict="FAILED (exit code $code)"
    [ $code != 124 ] || verdict="FAILED (not done in $limit s)"
  fi
  summary+=("$(printf '%-26s %4d s  %s' "$name" $((SECONDS - start)) "$verdict")")
  echo "${summary[-1]}"
  [ $code = 0 ] || tail -n 25 "$work/$name.log" | cut -c1-300 | sed 's/^/  | /'
  return $code
}

tool() { # NAME: where CUDA's tool is
  command -v "$1" && return
  ls -d /usr/local/cuda*/bin/"$1" /opt/nvidia/nsight-compute/*/"$1" 2> /dev/null | tail -n 1
}

# verified FILE SUMMARY_OPTION LAB ARGUMENTS…: gpulab's document into FILE; its exit code and every result must be good.
verified() {
  local file=$1 option=$2 code=0
  shift 2
  "$bin/gpulab" "$@" --format json --output "$file" > /dev/null || code=$?
  [ -e "$file" ] || return $code
  scripts/summarize_run.py $option "$file" && return $code
}

# sanitized TOOL LAB ARGUMENTS…: compute-sanitizer has looked, and found nothing.
sanitized() {
  local code=0
  sanitize "$@" --device gpu --reps 1 --warmup 0 > "$work/sanitized.txt" 2>&1 || code=$?
  tail -n 25 "$work/sanitized.txt"
  [ $code = 0 ] && grep -q 'SUMMARY: 0 ' "$work/sanitized.txt" && ! grep -q 'SUMMARY: [1-9]' "$work/sanitized.txt"
}
sanitize() {
  local tool
  tool=$(tool compute-sanitizer)
  [ -n "$tool" ] || { echo "no compute-sanitizer here"; return 3; }
  "$tool" --tool "$1" --target-processes all --error-exitcode 9 --print-limit 5 "$bin/gpulab" "${@:2}"
}
# That it would find something: the GPU tests contain a kernel that stores far outside of its buffer.
planted() {
  "$(tool compute-sanitizer)" --target-processes all "$bin/gpu_tests" 'a fault has the*' > "$work/planted.txt" 2>&1
  tail -n 25 "$work/planted.txt"
  grep -q 'Invalid __global__ write' "$work/planted.txt"
}

# A kernel of a file of one's own: the GPU leaves what the simulator leaves. A .cu file where there is a compiler.
run_file() {
  local command=(run tests/cli/files/add_one.ptx --arg 'data:i32[1000]=random' --arg n:u32=999 --block 1024 --grid 1)
  "$bin/gpulab" "${command[@]}" --device sim --dump "data=$work/simulated.bin" || return
  "$bin/gpulab" "${command[@]}" --device gpu --expect "data=@$work/simulated.bin" --counters || return
  "$bin/gpulab" doctor | grep -q '^ok  *run ' || return 0
  command=(run tests/cli/files/add.cu --arg 'a:f32[2^20]=random' --arg 'b:f32[2^20]=random' --arg 'sum:f32[2^20]=none' --arg n:i32=2^20)
  "$bin/gpulab" "${command[@]}" --device sim --dump "sum=$work/sum.bin" || return
  "$bin/gpulab" "${command[@]}" --device gpu --expect "sum=@$work/sum.bin" --block 64,256
}

# The same case on the simulator and under Nsight Compute: what both count must be the same.
counters() { # LAB ARGUMENTS…
  local lab=$1 ncu
  ncu=$(tool ncu)
  [ -n "$ncu" ] || { echo "no ncu here"; return 3; }
  "$bin/gpulab" "$@" --variant all --device sim --format json --output "$out/${lab}_sim.json" || return
  "$ncu" --csv --page raw --print-units base --print-kernel-base function --clock-control none \
    --target-processes all --metrics "$("$ncu" --query-metrics | scripts/compare_counters.py --metrics)" \
    --kernel-name "$(scripts/compare_counters.py --kernels "$out/${lab}_sim.json")" --log-file "$work/ncu_$lab.csv" \
    "$bin/gpulab" "$@" --variant all --device gpu --reps 1 --warmup 0 ||
    { tail -n 5 "$work/ncu_$lab.csv"; return 1; }
  scripts/compare_counters.py "$work/ncu_$lab.csv" "$out/${lab}_sim.json"
}

driver_version() { nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1; }

# Bit by bit against the simulator; then build-gpu/out/float_vectors.tsv, moved to tests/data, keeps the GPU's results for
# CI. Differences and the approximations' errors are in float.log.
float_suite() {
  local out=${OUT:-$bin/out} code=0
  mkdir -p "$out"
  GPULAB_REQUIRE_GPU=1 GPULAB_FLOAT_TRIES=${GPULAB_FLOAT_TRIES:-1048576} GPULAB_DRIVER_VERSION=$(driver_version) \
    GPULAB_FLOAT_VECTORS=$out/float_vectors.tsv "$bin/gpu_tests" --durations yes \
    'every IEEE instruction*,approximations of a GPU*' > "$out/float.log" 2>&1 || code=$?
  tail -n 60 "$out/float.log"
  return $code
}

suite() {
  out=${OUT:-$bin/out}
  work=$(mktemp -d)
  mkdir -p "$out"
  : > "$out/suite.log"
  export -f tool verified sanitized sanitize planted run_file counters
  export bin out work
  nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.sm --format=csv,noheader 2>&1 | tee -a "$out/suite.log"

  "$bin/gpulab" reduce --device gpu --n 1 > /dev/null
  [ $? != 3 ] || return 3 # no GPU: gpulab has said why

  step doctor 30 "$bin/gpulab" doctor
  step devices 30 "$bin/gpulab" devices
  step gpu_tests 210 env GPULAB_REQUIRE_GPU=1 GPULAB_FLOAT_VECTORS="$out/float_vectors.tsv" \
    GPULAB_DRIVER_VERSION="$(driver_version)" "$bin/gpu_tests" --durations yes
  step headline 60 "$bin/gpulab" reduce --variant warp --block 256 --device gpu
  step headline_counters 60 "$bin/gpulab" reduce --variant warp --block 256 --device gpu --counters
  step reduce_times 120 bash -c 'verified $out/reduce_gpu.json "" reduce --device gpu --variant all'
  step reduce_times_2^28 60 bash -c 'verified $out/reduce_gpu_large.json "" reduce --device gpu --n 2^28 \
    --variant shared_sequential,first_add,unroll_last_warp,shuffle_last_warp,warp,grid_stride_vec4,single_pass,cub'
  step transpose_times 60 bash -c 'verified $out/transpose_gpu.json "" transpose --device gpu --variant all \
    --rows 8192 --cols 8192'
  step transfer_times 60 bash -c 'verified $out/transfer_gpu.json "" transfer --device gpu --variant all \
    --n 2^10,2^14,2^18,2^22,2^26'
  step launch_times 60 bash -c 'verified $out/launch_gpu.json "" launch --device gpu --variant all --rows 10,1024 \
    --op mean,max'
  step matmul_times 120 bash -c 'verified $out/matmul_gpu.json "" matmul --device gpu --variant all \
    --m 2048 --n 2048 --k 2048'
  step matmul_times_short 60 bash -c 'verified $out/matmul_gpu_short.json "" matmul --device gpu --m 2048 --n 2048 \
    --k 2048 --variant tensor,cublas --type bf16'
  step scan_times_2^26 60 bash -c 'verified $out/scan_gpu_large.json "" scan --device gpu --n 2^26 \
    --variant hillis_steele,blelloch,blelloch_padded,warp_scan,three_phase,look_back,cub'
  step coalescing_strides 60 bash -c 'verified $out/coalescing_gpu_strides.json "" coalescing --device gpu \
    --variant stride --n 2^22 --stride 1,2,3,4,8,16,32,33'
  # Every lab's ladder with its defaults; awkward sizes, choices, blocks and grids as the simulator is tested with.
  for lab in $("$bin/gpulab" list | sed -n 's/^  \([a-z][a-z0-9_]*\)  .*/\1/p'); do
    step "lab_$lab" 60 bash -c "verified $out/lab_$lab.json '' $lab --device gpu --variant all --allow-racy"
  done
  step labs_awkward 240 env GPULAB_LABS_DEVICE=gpu "$bin/labs_tests" 'every variant*,surplus blocks*,another seed*'
  step counters_reduce 150 bash -c 'counters reduce --n 2^20'
  step counters_transpose 60 bash -c 'counters transpose --rows 1000 --cols 1024'
  step counters_coalescing 60 bash -c 'counters coalescing --n 2^20'
  # Memory first, counters then; leaves $out/fidelity_<gpu>.csv, to be committed in tests/data.
  step fidelity_results 60 "$bin/fidelity_run" --device gpu
  step fidelity_counters 240 scripts/fidelity.py "$bin/fidelity_run" "$out"
  # Random kernels (100,000: scripts/differential.py alone). Confirmed results are left in $out, for tests/data.
  cp tests/data/differential_hashes.txt "$out/"
  step differential_stored 60 "$bin/differential" --device gpu --opcodes tests/data/differential_opcodes.txt \
    --hashes "$out/differential_hashes.txt"
  step differential 90 scripts/differential.py "$bin/differential" --device gpu --kernels 5000 --first 1000 \
    --opcodes tests/data/differential_opcodes.txt --out "$out"
  # Awkward sizes for every type and operation, and blocks other than the default one.
  step reduce_matrix 150 bash -c 'verified $work/reduce_matrix.json --quiet reduce --device gpu --variant all \
    --type int,long,float,double --op sum,product,min,max --n 0,1,31,33,1000,65537 --reps 1 --warmup 0'
  step reduce_blocks 60 bash -c 'verified $work/reduce_blocks.json --quiet reduce --device gpu --variant all \
    --block 64,128,512,1024 --n 1000003 --reps 1 --warmup 0'
  step transpose_matrix 60 bash -c 'verified $work/transpose_matrix.json --quiet transpose --device gpu --variant all \
    --rows 1,31,33,1000 --cols 1,32,63,999 --reps 1 --warmup 0'
  step transfer_matrix 60 bash -c 'verified $work/transfer_matrix.json --quiet transfer --device gpu --variant all \
    --n 0,1,33,100003 --direction to_device,to_host --chunks 1,3,64 --reps 1 --warmup 0'
  step launch_matrix 60 bash -c 'verified $work/launch_matrix.json --quiet launch --device gpu --variant all \
    --rows 1,33,1000 --cols 0,1,31,999 --op mean,max --reps 1 --warmup 0'
  step matmul_matrix 90 bash -c 'verified $work/matmul_matrix.json --quiet matmul --device gpu --variant all \
    --type int,half,bf16,float,double --m 1,33,256 --n 1,45,130 --k 0,7,123 --reps 1 --warmup 0'
  step run_file 60 bash -c run_file
  step planted_error 60 bash -c planted
  step memcheck_reduce 120 bash -c 'sanitized memcheck reduce --variant all --n 10007'
  step memcheck_transpose 60 bash -c 'sanitized memcheck transpose --variant all --rows 77 --cols 45'
  step memcheck_matmul 60 bash -c 'sanitized memcheck matmul --variant all --m 77 --n 45 --k 33'
  step memcheck_scan 120 bash -c 'sanitized memcheck scan --variant all --n 10007'
  step racecheck_reduce 120 bash -c 'sanitized racecheck reduce --variant all --n 10007'
  step racecheck_transpose 60 bash -c 'sanitized racecheck transpose --variant all --rows 77 --cols 45'
  step racecheck_matmul 60 bash -c 'sanitized racecheck matmul --variant all --m 77 --n 45 --k 33'
  step racecheck_scan 120 bash -c 'sanitized racecheck scan --variant all --n 10007'
  tar -czf "$out/logs.tgz" -C "$work" .

  echo
  for log in doctor devices headline headline_counters reduce_times reduce_times_2^28 transpose_times transfer_times \
    launch_times matmul_times matmul_times_short; do
    echo "--- $log"; cut -c1-200 "$work/$log.log"
  done
  echo "--- gpu_tests"; tail -n 3 "$work/gpu_tests.log"
  for log in counters_reduce counters_transpose; do
    echo "--- $log (what differs; all of it is in suite.log)"
    grep -E '^[a-z_0-9]+: |DIFFERS|agree' "$work/$log.log" | grep -B1 -E 'DIFFERS|agree' | grep -v '^--$'
  done
  echo "--- fidelity_counters (all of it is in suite.log)"; tail -n 20 "$work/fidelity_counters.log" | cut -c1-200
  echo "--- differential"; grep -v '^seeds .* 0 differences' "$work/differential.log" | tail -n 20 | cut -c1-200
  echo "--- summary"
  printf '%s\n' "${summary[@]}"
  rm -rf "$work"
  echo "$passed passed, $failed failed"
  [ $failed = 0 ]
}

case ${1-} in
  --pack) pack ;;
  --float) [ -x "$bin/gpu_tests" ] || { echo "error: build-gpu/ is not here: scripts/gpu_test.sh --pack" >&2; exit 3; }; float_suite ;;
  '') [ -x "$bin/gpulab" ] || { echo "error: build-gpu/ is not here: scripts/gpu_test.sh --pack" >&2; exit 3; }; suite ;;
  *) sed -n '4,11s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
