#!/usr/bin/env bash
# A new lab: a folder with two rungs that work, to be changed into yours.
#
# usage: scripts/new_lab.sh NAME [FOLDER]
#   NAME     lower case letters, digits and _, letter first: the lab's folder and command
#   FOLDER   where the lab's folder goes [labs/ of this tree]
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
fail() {
  printf 'error: %s\n  hint: %s\n' "$1" "$2" >&2
  exit 2
}
[ $# = 1 ] || [ $# = 2 ] || { sed -n '4,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
name=$1 place=${2:-$root/labs}/$1
[[ $name =~ ^[a-z][a-z0-9_]*$ ]] || fail "'$name' cannot name a lab" "lower case letters, digits and _, letter first: warp_votes"
[ ! -e "$place" ] || fail "$place exists" "take another name, or remove it first"
mkdir -p "$place"

# write FILE < TEMPLATE, with @NAME@ replaced
write() { sed "s/@NAME@/$name/g" > "$place/$1"; }

write kernels.cu << 'END'
// @NAME@: say what this lab teaches. The rungs below square each element, four per thread.

// --- 1: each thread takes four neighbours ---------------------------------------------------------
// The way a CPU's threads share work. But each load of a warp touches every sector of 512 bytes for a quarter of it.
__global__ void @NAME@_neighbours(const float* in, float* out, int n) {
  const long first = 4 * (long(blockIdx.x) * blockDim.x + threadIdx.x);
  for (long i = first; i < first + 4; ++i)
    if (i < n) out[i] = in[i] * in[i];
}

// --- 2: neighbouring lanes take neighbours --------------------------------------------------------
// The same four elements per thread, a block apart: each load of a warp is 128 bytes in a row, four sectors.
__global__ void @NAME@_coalesced(const float* in, float* out, int n) {
  for (int k = 0; k < 4; ++k) {
    const long i = (4L * blockIdx.x + k) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
  }
}
END

write lab.cpp << 'END'
#include "labs/lab.h"

namespace gpulab::labs::@NAME@ {

static Problem problem(const Case& c) {
  const auto n = static_cast<std::size_t>(c.n());
  const auto in = random_values(Scalar::f32, n, c.seed, -1000, 1000);
  std::vector<float> squares;  // one multiplication, rounded to nearest: the GPU's answer, bit for bit
  for (const float x : view_as<float>(in)) squares.push_back(x * x);
  return {.buffers = {{"in", Scalar::f32, n, BufferRole::input, in}, {"out", Scalar::f32, n, BufferRole::output}},
          .expected = {{.buffer = "out", .exact = bytes_of<float>(squares)}}};
}

static Dim3 four_per_thread(const Case& c) { return {4 * c.block.x}; }

Lab lab() {
  Lab lab;
  lab.lecture = 99;
  lab.topic = "@NAME@";
  lab.question = "Which question does this lab answer?";
  lab.headline = "coalesced";
  lab.params = {{"n", "elements", std::int64_t{1} << 20, {}, 0, 2147483647}};
  lab.extent = [](const Case& c) { return Dim3{static_cast<std::uint32_t>(c.n())}; };
  lab.problem = problem;
  lab.arguments = [](const Case& c) -> std::vector<Argument> {
    return {BufferArgument{"in"}, BufferArgument{"out"}, static_cast<std::int32_t>(c.n())};
  };
  lab.work = [](const Case& c) { return Work{.bytes = 8.0 * static_cast<double>(c.n())}; };
  lab.contracts = {{"@NAME@", "(const float* in, float* out, int n)", "squares each element"}};
  lab.variants = {{.name = "neighbours",
                   .summary = "each thread takes four neighbours: lanes are four elements apart",
                   .kernel = "@NAME@_neighbours",
                   .covers = four_per_thread},
                  {.name = "coalesced",
                   .summary = "lanes side by side: a quarter of the sectors for the same bytes",
                   .kernel = "@NAME@_coalesced",
                   .covers = four_per_thread,
                   .claims = {falls("global_load_sectors"), rises("global_load_efficiency")}}};
  return lab;
}

}  // namespace gpulab::labs::@NAME@
END

mkdir "$place/solutions"
write "solutions/$name.cu" << 'END'
// The reference: an element for each thread, neighbours for neighbours.
//! item {"name": "coalesced", "kind": "require", "points": 30, "require": ["global_load_efficiency>=0.9", "global_store_efficiency>=0.9"]}
__global__ void @NAME@(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  //! coalesced strided: const int i = blockIdx.x * blockDim.x + threadIdx.x % 32 * (blockDim.x / 32) + threadIdx.x / 32;
  if (i < n) out[i] = in[i] * in[i];
  //! correct no_test: out[i] = in[i] * in[i];
  //! correct copied: if (i < n) out[i] = in[i];
}
END

write README.md << 'END'
# @NAME@: its topic

The idea, in a paragraph.

    scripts/gpulab @NAME@ --variant all

## The ladder (`kernels.cu`)

- `neighbours`: what it does, and what that costs.
- `coalesced`: what changed, and which counter shows it.

## Counters to look at

## Exercises

## Famous bugs
END
printf '%s\n' "$place: kernels.cu, lab.cpp, README.md, solutions/$name.cu" "next: scripts/gpulab $name --variant all"
