#!/usr/bin/env bash
# The last rungs beside their vendors, and every ladder from bottom to top, on the GPU of this machine: a table of ratios
# measured in one run, cold and warm.
#
# usage: scripts/gpu_ladder.sh [marks] [monotonic] [LAB…]    (both parts, where neither is named; all labs, where none is)
#   marks       each last rung's time against its vendor's; the clock and the power that the card had meanwhile. The marks
#               are of an H200; on another GPU they are 5 % lower
#   monotonic   at a large size, which rungs are slower than the rung that they are built on
# The program: $GPULAB_PROGRAM, or what scripts/gpu_test.sh --pack has packed, or build/gpulab. $OUT, if set, gets
# all figures as JSON. Exits 1 where a mark is missed, or a ladder goes down, that scripts/gpu_ladder.py does
# not list as an exception with its reason; 3 without a GPU.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
packed=$root/build-gpu/pack.tar.xz unpacked=$root/build-gpu/unpacked
if [ -z "${GPULAB_PROGRAM-}" ] && [ -e "$packed" ]; then
  [ "$unpacked/gpulab" -nt "$packed" ] || { rm -rf "$unpacked" && mkdir -p "$unpacked" && xz -dc "$packed" | tar -xmf - -C "$unpacked"; }
  GPULAB_PROGRAM=$unpacked/gpulab
fi
export GPULAB_PROGRAM=${GPULAB_PROGRAM:-${GPULAB_BUILD_DIR:-$root/build}/gpulab}
[ -x "$GPULAB_PROGRAM" ] || { echo "error: no program at $GPULAB_PROGRAM: scripts/gpu_test.sh --pack" >&2; exit 3; }
exec python3 "$root/scripts/gpu_ladder.py" "$@"
