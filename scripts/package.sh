#!/usr/bin/env bash
# What people install, built from this tree: a Debian package, a Python wheel.
#
# usage: scripts/package.sh [--arm64] deb|wheel|all [FOLDER]     FOLDER gets them [build-package/packages]
#   --arm64                        a wheel for arm64, cross-compiled by Debian's g++-aarch64-linux-gnu
#   GPULAB_DEBIAN_MIRROR=URL       for --arm64: where Debian's packages come from (http://deb.debian.org/debian)
#   GPULAB_BUILD_DIR=folder        where to build (build-package/)
# Both hold one program for all CPUs of this machine's architecture, with its libraries inside and nothing but the C library to
# be found outside; the labs' kernels are in it, so that no compiler is needed to run them. Prints the files' paths.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
export GPULAB_BUILD_DIR=${GPULAB_BUILD_DIR:-$root/build-package}
. "$root/scripts/setup.sh"
arm64=
[ "${1-}" != --arm64 ] || { arm64=yes && shift; }
what=${1-}
[[ $what =~ ^(deb|wheel|all)$ ]] || fail 2 "what is to be built? deb, wheel or all" "as in: scripts/package.sh deb"
[ -z "$arm64" ] || [ "$what" = wheel ] || fail 2 "for arm64 a wheel is made here" "a Debian package: scripts/package.sh deb on such a machine"
build=$(mkdir -p "$build" && cd "$build" && pwd)
folder=${2:-$build/packages}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

lock_build
set_up
architecture=()
if [ -n "$arm64" ]; then
  for needed in aarch64-linux-gnu-g++ aarch64-linux-gnu-objdump qemu-aarch64; do
    command -v $needed > /dev/null || fail 3 "there is no $needed" "apt-get install g++-aarch64-linux-gnu qemu-user"
  done
  . "$root/scripts/arm64_libraries.sh"
  arm64_libraries "${GPULAB_DEBIAN_MIRROR:-http://deb.debian.org/debian}" || fail 3 "$why_not"
  architecture=(-DCMAKE_TOOLCHAIN_FILE="$root/scripts/cmake/arm64_linux.cmake")
  export OBJDUMP=aarch64-linux-gnu-objdump
fi
configure release "${architecture[@]}" -DGPULAB_ISA_LEVELS=all -DGPULAB_LAB_CODE=all -DGPULAB_STATIC_LIBRARIES=ON -DGPULAB_ZSH_COMPLETIONS=share/zsh/vendor-completions
say "building ($build)"
compile gpulab

if [ $what != wheel ]; then
  command -v dpkg-shlibdeps > /dev/null || fail 3 "there is no dpkg-shlibdeps" "apt-get install dpkg-dev"
  rm -rf "$build/cpack"
  logged 2 "cpack failed" "the log says why" cpack --config "$build/CPackConfig.cmake" -G DEB -B "$build/cpack"
  cp "$build"/cpack/*.deb "$folder"
  ls "$folder"/gpulab_*.deb
fi
if [ $what != deb ]; then
  command -v objdump > /dev/null || fail 3 "there is no objdump" "apt-get install binutils"
  rm -rf "$build/stage"
  logged 2 "cmake --install failed" "the log says why" cmake --install "$build" --prefix "$build/stage"
  python3 "$root/scripts/wheel.py" "$build/stage" "$folder"
fi
unlock_build
