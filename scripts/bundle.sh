#!/usr/bin/env bash
# gpulab, the libraries that it needs and CUDA's compiler in one folder, which any Linux of x86-64 with a g++ runs: for the
# images of autograders, whose system is not ours to choose.
#
# usage: scripts/bundle.sh FOLDER     an absolute path, and the one where it will lie in the image: /opt/gpulab
#   GPULAB_PROGRAM=FILE   a program that is built already (for all CPUs: -DGPULAB_ISA_LEVELS=all)
# Needs patchelf. FOLDER/bin/gpulab is the program.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
. "$root/scripts/setup.sh"
folder=${1-}
[[ $folder = /* ]] || fail 2 "which folder? an absolute path" "as in: scripts/bundle.sh /opt/gpulab"
command -v patchelf > /dev/null || fail 3 "there is no patchelf" "apt-get install patchelf"

program=${GPULAB_PROGRAM-}
if [ -z "$program" ]; then
  lock_build
  set_up
  configure release -DGPULAB_ISA_LEVELS=all -DGPULAB_LAB_CODE=all
  compile gpulab
  unlock_build
  program=$build/gpulab
else
  nvcc=$(find_nvcc) || fail 3 "there is no CUDA compiler" "set GPULAB_NVCC=/path/to/nvcc"
fi

# Also the loader and the C library: the program's own may be newer than the image's.
mkdir -p "$folder/lib" "$folder/bin" "$folder/cuda"
ldd "$program" | grep -o '/[^ ]*' | sort -u | xargs -r cp -Lt "$folder/lib"
cp "$program" "$folder/lib/gpulab"
patchelf --set-interpreter "$folder/lib/ld-linux-x86-64.so.2" --force-rpath --set-rpath "$folder/lib" "$folder/lib/gpulab"

# Of the toolkit what compiles; its libraries are for host code, which nobody runs here.
toolkit=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
for part in bin nvvm include crt; do
  [ ! -e "$toolkit/$part" ] || cp -rLT "$toolkit/$part" "$folder/cuda/$part"
done
cat > "$folder/bin/gpulab" << END
#!/bin/sh
GPULAB_NVCC=\${GPULAB_NVCC:-$folder/cuda/bin/nvcc} exec $folder/lib/gpulab "\$@"
END
chmod +x "$folder/bin/gpulab"
say "$folder: $(du -sh "$folder" | cut -f 1)"
