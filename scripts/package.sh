#!/usr/bin/env bash
# What people install, built from this tree: a Debian package, a Python wheel.
#
# usage: scripts/package.sh deb|wheel|all [FOLDER]     FOLDER gets them [build-package/packages]
#   GPULAB_BUILD_DIR=folder        where to build (build-package/)
# Both hold one program for all CPUs of this machine's architecture, with its libraries inside and nothing but the C library to
# be found outside; the labs' kernels are in it, so that no compiler is needed to run them. Prints the files' paths.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
export GPULAB_BUILD_DIR=${GPULAB_BUILD_DIR:-$root/build-package}
. "$root/scripts/setup.sh"
what=${1-}
[[ $what =~ ^(deb|wheel|all)$ ]] || fail 2 "what is to be built? deb, wheel or all" "as in: scripts/package.sh deb"
build=$(mkdir -p "$build" && cd "$build" && pwd)
folder=${2:-$build/packages}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

lock_build
set_up
configure release -DGPULAB_ISA_LEVELS=all -DGPULAB_STATIC_LIBRARIES=ON -DGPULAB_ZSH_COMPLETIONS=share/zsh/vendor-completions
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
  rm -f "$folder"/gpulab-*.whl
  python3 "$root/scripts/wheel.py" "$build/stage" "$folder"
fi
unlock_build
