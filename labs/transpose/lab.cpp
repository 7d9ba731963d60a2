#include "labs/lab.h"

#include <algorithm>

#include "labs/contract_parts.h"
#include "labs/cublas.h"

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
  p.buffers = {{"in", c.type(), count, BufferRole::input, random_values(c.type(), count, c.seed, low, high)},
               {"out", c.type(), count, BufferRole::output}};
  p.expected = {{.buffer = "out", .exact = answer(c, p.buffers[0].initial)}};
  return p;
}

std::vector<Argument> arguments(const Case& c) {
  return {BufferArgument{"in"}, BufferArgument{"out"}, static_cast<std::int32_t>(rows(c)),
          static_cast<std::int32_t>(cols(c))};
}

const BlockRule any_shape{.dimensions = 2};
const BlockRule whole_tile{
    .dimensions = 2, .only = {{32, 32}}, .why = "each of its threads moves one element of a 32 x 32 tile"};
const BlockRule quarter_tile{
    .dimensions = 2, .only = {{32, 8}}, .why = "a tile is 32 x 32, and each of its threads moves four elements"};
Dim3 tile(const Case&) { return {32, 32}; }
const BlockRule eighth_of_large_tile{
    .dimensions = 2, .only = {{32, 16}}, .why = "512 threads move a tile of 64 x 64 (of doubles 64 x 32) elements"};
Dim3 large_tiles(const Case& c) {
  const int tile_cols = c.params.word("type") == "double" ? 32 : 64;
  return {blocks_for(c.params.integer("cols"), tile_cols), blocks_for(c.params.integer("rows"), 64)};
}
Dim3 large_tiles_down(const Case& c) {
  const Dim3 across = large_tiles(c);
  return {across.y, across.x};
}

void expect_copy(const Case&, Problem& p) { p.expected[0].exact = p.buffers[0].initial; }

/// A block of the output's index space, which is the input's turned.
Dim3 over_output(const Case& c) {
  return {blocks_for(c.params.integer("rows"), c.block.x), blocks_for(c.params.integer("cols"), c.block.y)};
}

/// The rung's kernel is named after it. One element of the tile per thread, or several.
Variant tiled(const std::string& name, const std::string& summary, std::vector<Claim> claims) {
  return {.name = name,
          .summary = summary,
          .kernel = "transpose_" + name + "<{type}>",
          .blocks = whole_tile,
          .covers = tile,
          .claims = std::move(claims)};
}
Variant coarsened(const std::string& name, const std::string& summary, std::vector<Claim> claims) {
  Variant v = tiled(name, summary, std::move(claims));
  v.blocks = quarter_tile;
  return v;
}
Variant large(const std::string& name, const std::string& summary, Dim3 (*grid)(const Case&)) {
  Variant v = tiled(name, summary, {});
  v.blocks = eighth_of_large_tile;
  v.covers = {};
  v.automatic_grid = grid;
  return v;
}
/// To the same place, by way of a tile.
Variant copying(Variant v, const std::string& kernel) {
  v.kernel = kernel;
  v.adjust = expect_copy;
  return v;
}

Variant built_on(const std::string& rung, Variant v) {
  v.builds_on = rung;
  return v;
}

std::size_t prepare_cublas(const VendorCall&) {
  cublas::prepare();
  return 0;
}
void run_cublas(const VendorCall& call) {
  const Params& params = *call.params;
  cublas::transpose(*scalar_named(params.word("type")), call.buffers.at("in"), call.buffers.at("out"),
                    static_cast<std::int32_t>(params.integer("rows")),
                    static_cast<std::int32_t>(params.integer("cols")));
}

std::vector<Variant> ladder() {
  return {
      {.name = "copy",
       .summary = "no transpose: as many bytes in the order of memory, one element per thread",
       .kernel = "transpose_copy<{type}>",
       .blocks = any_shape,
       .adjust = expect_copy},
      {.name = "naive_row",
       .summary = "reads rows, writes columns: each lane of a store touches a sector of its own",
       .kernel = "transpose_naive_row<{type}>",
       .blocks = any_shape},
      {.name = "naive_col",
       .summary = "reads columns, writes rows: now the loads touch a sector per lane, but the L1 cache keeps the rest",
       .kernel = "transpose_naive_col<{type}>",
       .blocks = any_shape,
       .automatic_grid = over_output,
       .claims = {falls("global_store_sectors")}},
      built_on("copy",
               copying(tiled("tiled_copy",
                             "a copy through a tile in shared memory: what the detour costs, without turning", {}),
                       "transpose_tiled_copy<{type}, 0>")),
      copying(tiled("tiled_copy_padded", "the same with a padded tile: padding costs a copy nothing", {}),
              "transpose_tiled_copy<{type}, 1>"),
      built_on(
          "naive_row",
          tiled("tiled", "turns the tile in shared memory: both sides coalesced, but a column of the tile is one bank",
                {falls("global_store_sectors"), falls("global_load_sectors", "naive_col")})),
      tiled("tiled_padded", "one unused word per row of the tile: a column lies in 32 different banks",
            {falls("shared_load_bank_conflicts")}),
      built_on("tiled", tiled("tiled_swizzled",
                              "columns of the tile permuted by row (c ^ r): no conflict either, and no word unused",
                              {falls("shared_load_bank_conflicts")})),
      built_on(
          "tiled_copy",
          copying(
              coarsened("coarsened_copy",
                        "the copy by a quarter of the threads, four elements each, whose loads are under way together",
                        {falls("barriers"), falls("warp_instructions")}),
              "transpose_coarsened_copy<{type}, 0>")),
      copying(coarsened("coarsened_copy_padded", "the same with a padded tile: padding costs a copy nothing", {}),
              "transpose_coarsened_copy<{type}, 1>"),
      built_on(
          "tiled",
          coarsened("coarsened",
                    "`tiled` by a quarter of the threads: four loads under way together, one barrier for four elements",
                    {falls("barriers"), falls("warp_instructions")})),
      coarsened("coarsened_padded", "coarsened, and a column of the tile in 32 different banks: both remedies",
                {falls("shared_load_bank_conflicts")}),
      coarsened("coarsened_vec", "vectors of up to 16 bytes in and out: a quarter of the loads and stores of floats",
                {falls("global_load_requests"), falls("global_store_requests"), falls("warp_instructions")}),
      large("large_tile",
            "a tile of 64 x 64: as many sectors, but 256 bytes side by side at DRAM, whose pages are not modelled",
            large_tiles),
      large("large_tile_down",
            "blocks below one another follow each other: written together, for DRAM's pages, which are not modelled",
            large_tiles_down),
      {.name = "cublas",
       .summary = "NVIDIA's cublas<t>geam: the yardstick",
       .only = {{"type", {"float", "double"}}},
       .vendor = {prepare_cublas, run_cublas, cublas::lack}},
  };
}

std::vector<Contract> contracts() {
  Contract one{.name = "transpose",
               .signature = "(const float* in, float* out, int rows, int cols)",
               .summary = "writes the transpose of in, rows x cols, to out, cols x rows; both row-major"};
  one.launches = {{{32, 32}}, {{32, 8}, {32, 32}}, {{16, 16}}, {{32, 8}}, {{16, 16}, {32, 32}},
                  {{8, 8}},   {{32, 16}, {32, 32}}};
  one.grid =
      "a thread for each element of in, x along its columns, y along its rows; with 32x8, 32x16 or 16x16 "
      "also a block for each tile of 32x32";
  one.precision = "moved as it is, bit for bit: NaN, infinities and -0, too";
  one.params = {{"type", "float"}};
  one.reference = {{"rows", std::int64_t{512}}, {"cols", std::int64_t{256}}};
  one.rungs = {"naive_row", "naive_col", "tiled", "tiled_padded", "coarsened_padded"};
  one.classes = with_special(matrix_classes("rows", "cols", 40000));  // a side that 16 bits do not count
  one.problem = [](const Case& c, Values values) {
    const std::size_t count = rows(c) * cols(c);
    const auto in = floats(count, c.seed, 1, values);
    return Problem{
        .buffers = {{"in", Scalar::f32, count, BufferRole::input, in}, {"out", Scalar::f32, count, BufferRole::output}},
        .expected = {{.buffer = "out", .exact = answer(c, in)}}};
  };
  one.place = [](const Case& c, std::uint64_t index) {
    return Dim3{static_cast<std::uint32_t>(index / rows(c)), static_cast<std::uint32_t>(index % rows(c)), 0};
  };
  return {one};
}

}  // namespace

Lab lab() {
  Lab lab;
  lab.lecture = 8;
  lab.topic = "memory access, tiles";
  lab.question = "Why is moving data in another order so slow, and what does shared memory do about it?";
  lab.headline = "coarsened_padded";
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
  lab.contracts = contracts();
  lab.subject = {"global_load_efficiency", "global_store_efficiency", "bank_conflicts_per_worse_shared_request"};
  lab.variants = ladder();
  return lab;
}

}  // namespace gpulab::labs::transpose
