# What scripts/gpulab and scripts/test.sh share: packages, the CUDA compiler, configure, build. Sourced by bash with
# `root` set to the source tree. Everything said here goes to stderr; stdout belongs to the report.
#
# Exit codes (configs/schema/README.md): 3 where this machine lacks something, 2 where the tree does not build.

build=${GPULAB_BUILD_DIR:-$root/build}
log=$build/setup.log

say() { printf 'gpulab: %s\n' "$*" >&2; }

# fail CODE WHAT [HINT…]
fail() {
  local code=$1 hint
  printf 'error: %s\n' "$2" >&2
  for hint in "${@:3}"; do printf '  hint: %s\n' "$hint" >&2; done
  exit "$code"
}

# Runs a command with its output in the log; on failure shows the log's end. logged CODE WHAT HINT COMMAND…
logged() {
  local code=$1 what=$2 hint=$3 mark
  shift 3
  printf '\n== %s\n' "$*" >> "$log"
  mark=$(wc -l < "$log")
  "$@" >> "$log" 2>&1 < /dev/null && return
  tail -n +"$((mark + 1))" "$log" | tail -n 20 | sed 's/^/  | /' >&2
  fail "$code" "$what" "$hint" "the whole log is $log"
}

# One build of a tree at a time; the lock ends with the script, or with unlock_build.
lock_build() {
  mkdir -p "$build" 2> /dev/null && touch "$build/.lock" 2> /dev/null ||
    fail 3 "cannot write to $build" "set GPULAB_BUILD_DIR to a folder you can write to"
  exec 9> "$build/.lock"
  flock -n 9 || { say "waiting for another build of this tree"; flock 9; }
}
unlock_build() { exec 9>&-; }

has_header() {
  local place
  for place in /usr/include /usr/local/include; do [ -e "$place/$1" ] && return; done
  return 1
}

# Debian's and Ubuntu's names of what `gpulab` (with "test" the tests, with "test all" those that take long) needs and does not find.
missing_packages() {
  command -v g++ > /dev/null || echo g++
  command -v cmake > /dev/null || echo cmake
  command -v ninja > /dev/null || echo ninja-build
  command -v python3 > /dev/null || echo python3
  has_header CLI/CLI.hpp || echo libcli11-dev
  has_header fmt/format.h || echo libfmt-dev
  has_header nlohmann/json.hpp || echo nlohmann-json3-dev
  has_header png.h || echo libpng-dev
  has_header nettle/sha2.h || echo nettle-dev
  has_header catch2/catch.hpp || has_header catch2/catch_all.hpp || echo catch2
  # Python's own installer, where a CUDA compiler has to be fetched.
  if ! find_nvcc > /dev/null; then
    python3 -c 'import ensurepip, venv' 2> /dev/null || echo python3-venv
    [ -e /etc/ssl/certs/ca-certificates.crt ] || echo ca-certificates
  fi
  if [ "${1-}" = test ]; then
    # Version 14 by name: Debian 12 and Ubuntu 24.04 both have it, and each version formats a little differently.
    command -v clang-format-14 > /dev/null || echo clang-format-14
    command -v clang-tidy-14 > /dev/null || echo clang-tidy-14
    command -v qemu-x86_64 > /dev/null || echo qemu-user
    command -v ccache > /dev/null || echo ccache
    python3 -c 'import jsonschema' 2> /dev/null || /usr/bin/python3 -c 'import jsonschema' 2> /dev/null || echo python3-jsonschema
  fi
  if [ "${2-}" = all ]; then
    command -v debootstrap > /dev/null || echo debootstrap # clean Debians
    # Pages in a browser. (Ubuntu's package of that name wants snapd.)
    command -v chromium chromium-browser google-chrome > /dev/null || ! grep -qsx 'ID=debian' /etc/os-release || echo chromium
    # tests/grading: a cluster of one node, bundles, the schema of JUnit XML
    command -v xmllint > /dev/null || echo libxml2-utils
    command -v patchelf > /dev/null || echo patchelf
    [ -e /usr/sbin/slurmctld ] || echo slurm-wlm
    [ -e /usr/sbin/munged ] || echo munge
    command -v aarch64-linux-gnu-g++ > /dev/null || echo g++-aarch64-linux-gnu
    command -v dpkg-shlibdeps > /dev/null || echo dpkg-dev # packages, manual page, completions
    command -v groff > /dev/null || echo groff-base
    command -v zsh > /dev/null || echo zsh
    command -v fish > /dev/null || echo fish
  fi
}

install_packages() {
  local missing sudo=
  missing=$(missing_packages "$@" | tr '\n' ' ')
  missing=${missing% }
  [ -n "$missing" ] || return 0
  local by_hand="install by hand: apt-get install $missing"
  command -v apt-get > /dev/null ||
    fail 3 "these packages are missing and there is no apt-get: $missing" \
      "install them under this system's names (CLI11, fmt 9 or newer, nlohmann/json, libpng, nettle, Catch2, CMake, ninja, g++ 12 or newer)"
  if [ "$(id -u)" != 0 ]; then
    command -v sudo > /dev/null ||
      fail 3 "packages are missing and you are neither root nor have sudo: $missing" "ask an administrator to run: apt-get install $missing"
    sudo=sudo
    # Asks for the password here, where it can be seen, not inside a logged command.
    sudo -n true 2> /dev/null || { [ -t 0 ] && sudo -v; } ||
      fail 3 "packages are missing and sudo wants a password: $missing" "run in a terminal, or first: sudo apt-get install $missing"
  fi
  say "installing packages: $missing"
  local apt=($sudo env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o DPkg::Lock::Timeout=120)
  logged 3 "apt-get update failed" "check the network, /etc/apt/sources.list and any proxy; or $by_hand" "${apt[@]}" update
  # shellcheck disable=SC2086
  logged 3 "apt-get could not install: $missing" "on Ubuntu the component 'universe' must be enabled; or $by_hand" \
    "${apt[@]}" install --no-install-recommends $missing
}

# "13.0" of an nvcc, nothing of what is not one.
nvcc_version() { "$1" --version 2> /dev/null | sed -n 's/.*release \([0-9]*\.[0-9]*\),.*/\1/p'; }

# "12.4": the newest CUDA that this machine's driver runs; nothing where there is no driver.
driver_version() {
  python3 - 2> /dev/null << 'END'
import ctypes
version = ctypes.c_int()
if ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(version)) == 0 and version.value:
    print(f"{version.value // 1000}.{version.value % 1000 // 10}")
END
}

# True if version $1 <= version $2.
not_newer() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

# Path of the CUDA compiler to use. One that is newer than the driver is passed over: the driver would refuse its PTX.
find_nvcc() {
  if [ -n "${GPULAB_NVCC-}" ]; then
    echo "$GPULAB_NVCC"
    return
  fi
  local driver nvcc version
  driver=$(driver_version) || driver=
  for nvcc in "$(command -v nvcc)" "${CUDA_HOME-}/bin/nvcc" "${CUDA_PATH-}/bin/nvcc" /usr/local/cuda/bin/nvcc \
    "$root/.cuda/nvcc"; do
    [ -x "$nvcc" ] || continue
    version=$(nvcc_version "$nvcc")
    [ -n "$version" ] && not_newer 12.0 "$version" || continue
    if [ -z "$driver" ] || not_newer "$version" "$driver"; then
      readlink -f "$nvcc"
      return
    fi
  done
  return 1
}

# Fetches NVIDIA's compiler as Python wheels into .cuda/VERSION and points .cuda/nvcc at it.
#   no driver, or CUDA 13 and newer: nvcc 13.0, whose PTX every such driver takes
#   driver of CUDA 12.x: no wheel has nvcc 12, so NVRTC, ptxas and headers of 12.x, behind nvcc's options (nvrtc.py)
install_cuda() {
  local driver version wheels place
  driver=$(driver_version) || driver=
  version=13.0
  if [ -n "$driver" ] && ! not_newer 13.0 "$driver"; then
    version=$driver
    [ "$driver" != 12.7 ] || version=12.6 # 12.7 came with a driver, never with a toolkit
    not_newer 12.0 "$driver" ||
      fail 3 "this machine's NVIDIA driver is of CUDA $driver; CUDA 12.0 (driver 525) is the oldest that works" \
        "update the driver"
  fi
  place=$root/.cuda/$version
  if [ ! -e "$place/complete" ]; then
    case $version in
      13.*) wheels=(nvidia-{cuda-nvcc,nvvm,cuda-crt,cuda-runtime,cuda-cccl,cuda-nvrtc}"==$version.*") ;;
      # The C++ library is of one version: the older wheels of it lack the files without extension.
      *) wheels=(nvidia-cuda-{nvrtc,nvcc,runtime}-cu12"==$version.*" nvidia-cuda-cccl-cu12==12.9.*) ;;
    esac
    say "fetching the CUDA $version compiler (about 200 MB) into .cuda${driver:+, as the driver is of CUDA $driver}"
    rm -rf "$place"
    mkdir -p "$root/.cuda"
    logged 3 "could not make a Python environment in $place" "check the disk; or install CUDA and set GPULAB_NVCC" \
      python3 -m venv "$place"
    logged 3 "pip could not fetch the CUDA compiler" \
      "check the network and any proxy; or install the CUDA Toolkit 12 or 13 and set GPULAB_NVCC=/path/to/nvcc" \
      "$place/bin/python" -m pip --disable-pip-version-check install --only-binary :all: "${wheels[@]}"
    if [ "${version%.*}" = 12 ]; then
      cat > "$place/bin/nvcc" << 'END'
#!/bin/sh
place=$(dirname "$(dirname "$(readlink -f "$0")")")
exec python3 "$place/../../scripts/nvrtc.py" "$place" "$@"
END
      chmod +x "$place/bin/nvcc"
      (cd "$place/bin" && ln -sfn ../lib/python3*/site-packages/nvidia/cuda_nvcc/bin/ptxas ptxas)
    fi
    touch "$place/complete"
  fi
  local nvcc
  for nvcc in "$place"/lib/python3*/site-packages/nvidia/cu13/bin/nvcc "$place/bin/nvcc"; do
    [ ! -x "$nvcc" ] || ln -sfn "${nvcc#"$root/.cuda/"}" "$root/.cuda/nvcc"
  done
  # The wheels' libraries lie where nvcc's linker does not look, and without the name that it looks for (gpulab exec).
  local libraries
  for libraries in "$place"/lib/python3*/site-packages/nvidia/cu13/lib; do
    [ -d "$libraries" ] || continue
    ln -sfn lib "${libraries}64"
    ln -sfn libcudart.so.13 "$libraries/libcudart.so"
  done
}

# Finds or fetches everything; sets nvcc.
set_up() {
  : > "$log"
  install_packages "$@"
  if ! nvcc=$(find_nvcc); then
    install_cuda
    nvcc=$(find_nvcc) || fail 3 "the CUDA compiler in $root/.cuda does not run" "remove .cuda and try again; see $log"
  fi
  [ -x "$nvcc" ] || fail 3 "GPULAB_NVCC is not a program: $nvcc" "unset it, or set it to the path of nvcc"
}

# Vendor code (CUB, Thrust) takes minutes to compile, so it is built only where a GPU can run it (vendor.cmake).
has_gpu() { [ -e /dev/nvidiactl ] || [ -e /dev/dxg ]; } # Linux; Linux in Windows

# What vendor code is compiled to machine code for, ten seconds each.
vendor_architectures="80;90"

# configure PRESET [CMAKE-OPTION…]. Not where that was done with the same compiler and options: ninja itself runs CMake again
# when a file that CMake read, or a folder that it scanned, has changed.
configure() {
  local command=(env -C "$root" cmake --preset "$1" -B "$build" -DGPULAB_NVCC="$nvcc"
    -DGPULAB_VENDOR_ARCHITECTURES="$vendor_architectures"
    -DCMAKE_CXX_COMPILER_LAUNCHER="$(command -v ccache || true)" "${@:2}")
  local configured
  configured="${command[*]} # CUDA $(nvcc_version "$nvcc"), CPU $(cpu_features | cksum)"
  [ ! -e "$build/build.ninja" ] || [ "$(cat "$build/.configured" 2> /dev/null)" != "$configured" ] || return 0
  rm -f "$build/.configured"
  # A tree that was moved or copied: CMake's cache holds the old paths.
  if [ -e "$build/CMakeCache.txt" ] && ! grep -qx "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt"; then
    rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles"
  fi
  logged 2 "cmake failed" "if the error is not yours: rm -rf $build, then once more" "${command[@]}"
  printf '%s' "$configured" > "$build/.configured"
}

# compile [TARGET…]: on a terminal a line says how far it is, else silence. ccache takes precompiled headers where it is told
# that a header's date and unused macros do not matter; what it keeps of one tree serves another where paths below the tree count
# from there (and where __FILE__ does: CMakeLists.txt). CCACHE_DEPEND: a file is known by the files it includes, comments and all.
# By preprocessed text, which has no comments, a header with a new comment would get the precompiled headers made of the old one,
# and gcc, which compares the files' contents at #pragma once, would then read it a second time and stop.
compile() {
  export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros} CCACHE_BASEDIR=${CCACHE_BASEDIR:-$root} CCACHE_DEPEND=1
  if [ -t 2 ]; then
    python3 "$root/scripts/build_steps.py" run "$build" "$@" || fail 2 "the build failed (messages above)" "mend the source it names, then once more"
  else
    logged 2 "the build failed" "mend the source it names, then once more" ninja -C "$build" -j "$(nproc)" "$@"
  fi
}

# What the CPU can do, for the instruction tables (isa.cmake).
cpu_features() { grep -m 1 '^flags' /proc/cpuinfo || true; }

# One line that changes when any source does (names, sizes and times), or the CPU that the tree was built for.
source_stamp() {
  (cd "$root" && { cpu_features; find CMakeLists.txt CMakePresets.json scripts labs runner common configs -printf '%p %T@ %s\n' || true; } \
    2> /dev/null | LC_ALL=C sort | cksum)
}
