#include "labs/lab.h"

#include <algorithm>

namespace gpulab::labs::transpose {
namespace {

std::size_t rows(const Case& c) { return static_cast<std::size_t>(c.params.integer("rows")); }
std::size_t cols(const Case& c) { return static_cast<std::size_t>(c.params.integer("cols")); }

/// out[c][r] = in[r][c], in square tiles that stay in the CPU's first-level cache.
template <typename T>
std::vector<std::byte> transposed(std::span<const T> in, std::size_t rows, std::size_t cols) {
  constexpr std::size_t tile = 32;
  std::vector<std::byte> bytes(in.size_bytes());
  const auto out = view_as<T>(bytes);
  for (std::size_t top = 0; top < rows; top += tile) {
    for (std::size_t left = 0; left < cols; left += tile) {
      for (std::size_t c = left; c < std::min(cols, left + tile); ++c) {
        for (std::size_t r = top; r < std::min(rows, top + tile); ++r) out[c * rows + r] = in[r * cols + c];
      }
    }
  }
  return bytes;
}

std::vector<std::byte> answer(const Case& c, const std::vector<std::byte>& in) {
  switch (size_of(c.type())) {
    case 1:
      return transposed(view_as<std::uint8_t>(in), rows(c), cols(c));
    case 4:
      return transposed(view_as<std::uint32_t>(in), rows(c), cols(c));
    default:
      return transposed(view_as<std::uint64_t>(in), rows(c), cols(c));
  }
}

Problem problem(const Case& c) {
  const std::size_t count = rows(c) * cols(c);
  const double low = is_floating(c.type()) ? -1 : -0x1p31, high = is_floating(c.type()) ? 1 : 0x1p31;
  Problem p;
  p.buffers = {{"in", c.type(), count, Role::input, random_values(c.type(), count, c.seed, low, high)},
               {"out", c.type(), count, Role::output}};
  p.expected = {{.buffer = "out", .exact = answer(c, p.buffers[0].initial)}};
  return p;
}

std::vector<Argument> arguments(const Case& c) {
  return {BufferArgument{"in"}, BufferArgument{"out"}, static_cast<std::int32_t>(rows(c)),
          static_cast<std::int32_t>(cols(c))};
}

const BlockRule any_shape{.dimensions = 2};
const BlockRule tile_rows{.dimensions = 2,
                          .only = {{32, 8}, {32, 32}, {32, 16}, {32, 4}, {32, 2}, {32, 1}},
                          .why = "a tile is 32 wide and its 32 rows are walked in steps of the block's"};
Dim3 tile(const Case&) { return {32, 32}; }

}  // namespace

Lab lab() {
  Lab lab;
  lab.lecture = 8;
  lab.topic = "memory access, tiles";
  lab.question = "Why is moving data in another order so slow, and what does shared memory do about it?";
  lab.headline = "tiled_padded";
  lab.params = {{"rows", "rows of the input", std::int64_t{2048}, {}, 0, 2147483647},
                {"cols", "columns of the input", std::int64_t{2048}, {}, 0, 2147483647},
                {"type", "element type", "float", {"byte", "int", "float", "double"}}};
  lab.block_presets = {{32, 8}, {32, 32}, {1024, 1}, {1, 1024}};
  lab.default_block = {32, 8};
  lab.extent = [](const Case& c) {
    return Dim3{static_cast<std::uint32_t>(cols(c)), static_cast<std::uint32_t>(rows(c))};
  };
  lab.problem = problem;
  lab.arguments = arguments;
  lab.work = [](const Case& c) {
    const double elements = static_cast<double>(rows(c)) * static_cast<double>(cols(c));
    return Work{.bytes = 2 * elements * static_cast<double>(size_of(c.type())), .elements = elements};
  };
  lab.contracts = {{"transpose", "(const float* in, float* out, int rows, int cols)",
                    "writes the transpose of in, rows x cols, to out, cols x rows"}};
  lab.variants = {
      {.name = "copy",
       .summary = "no transpose: as many bytes in the order of memory, the ceiling for all others",
       .kernel = "transpose_copy<{type}>",
       .blocks = any_shape,
       .adjust = [](const Case&, Problem& p) { p.expected[0].exact = p.buffers[0].initial; }},
      {.name = "naive_row",
       .summary = "reads rows, writes columns: each lane of a store touches a sector of its own",
       .kernel = "transpose_naive_row<{type}>",
       .blocks = any_shape},
      {.name = "tiled",
       .summary = "turns a tile in shared memory: both sides coalesced, but a column of the tile is one bank",
       .kernel = "transpose_tiled<{type}>",
       .blocks = tile_rows,
       .covers = tile},
      {.name = "tiled_padded",
       .summary = "one unused word per row of the tile: a column lies in 32 different banks",
       .kernel = "transpose_tiled_padded<{type}>",
       .blocks = tile_rows,
       .covers = tile},
  };
  return lab;
}

}  // namespace gpulab::labs::transpose
