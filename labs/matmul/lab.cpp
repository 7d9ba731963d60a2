#include "labs/lab.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "labs/contract_parts.h"
#include "labs/cublas.h"
#include "labs/matmul/reference.h"

namespace gpulab::labs::matmul {
namespace {

std::uint32_t tile_of(const Case& c) { return static_cast<std::uint32_t>(std::stoul(c.params.word("tile"))); }

double count(std::int64_t a, std::int64_t b) { return static_cast<double>(a) * static_cast<double>(b); }

/// How a rung shares out the work: the piece of c that the threads of a block compute from what they load together, and
/// the piece that one thread computes from what it takes into registers.
struct Shares {
  std::int64_t block_rows = 1, block_cols = 1;
  double thread_rows = 1, thread_cols = 1;
  bool in_shared = false;
};

/// What was asked of global memory, and how often each element that came was used.
Commentary commentary_of(const Case& c, const Shares& shares) {
  const auto [m, n, k] = sizes(c.params);
  const double multiply_adds = count(m, n) * static_cast<double>(k), size = static_cast<double>(size_of(c.type()));
  const double loaded = count(m, k) * static_cast<double>(blocks_for(n, shares.block_cols)) +
                        count(k, n) * static_cast<double>(blocks_for(m, shares.block_rows));
  const double least = count(m, k) + count(k, n);
  if (multiply_adds == 0) return {};
  Commentary commentary;
  commentary.metrics = {{"reuse", multiply_adds / loaded, ""},
                        {"flops_per_loaded_byte", 2 * multiply_adds / (loaded * size), "FLOP/B"}};
  std::string line = fmt::format(
      "Each element that is loaded from global memory serves {:.3g} multiply-adds; {:.4g} if every element were loaded "
      "once.",
      multiply_adds / loaded, multiply_adds / least);
  if (shares.in_shared) {
    const double loads = 1 / shares.thread_rows + 1 / shares.thread_cols;
    commentary.metrics.push_back({"shared_loads_per_multiply_add", loads, ""});
    line += fmt::format(" From shared memory: {:.3g} loads per multiply-add.", loads);
  }
  commentary.lines = {line};
  return commentary;
}
std::function<Commentary(const Case&, const ReadBuffer&)> commentaries(const Shares& shares) {
  return [shares](const Case& c, const ReadBuffer&) { return commentary_of(c, shares); };
}

Work work(const Case& c) {
  const auto [m, n, k] = sizes(c.params);
  return {.bytes = (count(m, k) + count(k, n) + count(m, n)) * static_cast<double>(size_of(c.type())),
          .flops = 2 * count(m, n) * static_cast<double>(k),
          .elements = count(m, n)};
}

std::vector<Argument> arguments(const Case& c) {
  const auto [m, n, k] = sizes(c.params);
  return {BufferArgument{"a"},          BufferArgument{"b"},          BufferArgument{"c"},
          static_cast<std::int32_t>(m), static_cast<std::int32_t>(n), static_cast<std::int32_t>(k)};
}

std::size_t prepare_cublas(const VendorCall&) {
  cublas::prepare();
  return 0;
}
void run_cublas(const VendorCall& call) {
  const auto [m, n, k] = sizes(*call.params);
  cublas::multiply(*scalar_named(call.params->word("type")), call.buffers.at("a"), call.buffers.at("b"),
                   call.buffers.at("c"), static_cast<std::int32_t>(m), static_cast<std::int32_t>(n),
                   static_cast<std::int32_t>(k));
}

void run_cublas_tf32(const VendorCall& call) {
  const auto [m, n, k] = sizes(*call.params);
  cublas::multiply_tf32(call.buffers.at("a"), call.buffers.at("b"), call.buffers.at("c"), static_cast<std::int32_t>(m),
                        static_cast<std::int32_t>(n), static_cast<std::int32_t>(k));
}

const BlockRule any_shape{.dimensions = 2};
const BlockRule whole_tile{
    .dimensions = 2, .only = {{32, 32}, {16, 16}, {8, 8}}, .why = "each of its threads computes one element of a tile"};
const BlockRule threads_512{.only = {{512}}, .why = "64 x 64 elements are shared out by 8 to a thread"};
const BlockRule threads_256{.only = {{256}}, .why = "128 x 128 elements are shared out by 8 x 8 to a thread"};
const BlockRule threads_128{.only = {{128}}, .why = "128 x 128 elements are shared out by 16 x 8 to a thread"};

using Words = std::map<std::string, std::vector<std::string>>;
const Words all_but_bf16{{"type", {"float", "int", "half", "double"}}};
const Words half_and_float{{"type", {"float", "half"}}};

Variant tiled(const std::string& name, const std::string& summary, int padding, std::vector<Claim> claims) {
  return {.name = name,
          .summary = summary,
          .kernel = fmt::format("matmul_tiled<{{type}}, {{tile}}, {}>", padding),
          .blocks = whole_tile,
          .block =
              [](const Case& c) {
                return Dim3{tile_of(c), tile_of(c)};
              },
          .only = all_but_bf16,
          .claims = std::move(claims),
          .commentary =
              [](const Case& c, const ReadBuffer&) {
                return commentary_of(c, {.block_rows = tile_of(c), .block_cols = tile_of(c), .in_shared = true});
              }};
}

/// 128 x 128 elements of c by 256 threads. The rung's kernel is named after it.
Variant large_tile(const std::string& name, const std::string& summary, const Words& only, std::vector<Claim> claims) {
  return {.name = name,
          .summary = summary,
          .kernel = "matmul_" + name + "<{type}>",
          .blocks = threads_256,
          .only = only,
          .covers =
              [](const Case&) {
                return Dim3{128, 128};
              },
          .claims = std::move(claims),
          .commentary = commentaries({128, 128, 8, 8, true})};
}

/// What it hides is latency.
Variant asynchronous(Variant v) {
  v.about_time = true;
  return v;
}
Variant on_sm80(Variant v) {
  v.file = "kernels_sm80.cu";
  v.min_compute_capability = 80;
  return v;
}

Variant against(const std::string& rung, Variant v) {
  v.builds_on = rung;
  return v;
}

/// 16 x 8 elements of each thread.
Variant prefetched() {
  Variant v = asynchronous(large_tile(
      "prefetched", "the next slice comes while this one is multiplied, the next step's vectors too; 16 x 8 per thread",
      {{"type", {"float"}}}, {falls("barriers"), falls("shared_load_requests")}));
  v.blocks = threads_128;
  v.commentary = commentaries({128, 128, 16, 8, true});
  return v;
}

/// A warp's fragments serve 64 x 32 elements.
Variant tensor(Variant v) {
  v.adjust = allow_for_tensor_core;
  v.commentary = commentaries({128, 128, 64, 32, true});
  return v;
}

/// A tensor map's rows start on 16 bytes, and no extent is 0.
std::int64_t mapped_cols(const Case& c, std::int64_t cols) {
  const auto together = static_cast<std::int64_t>(16 / size_of(c.type()));
  return std::max(together, (cols + together - 1) / together * together);
}
std::int64_t mapped_rows(std::int64_t rows) { return std::max<std::int64_t>(1, rows); }
bool is_mappable(const Case& c, std::int64_t rows, std::int64_t cols) {
  return rows == mapped_rows(rows) && cols == mapped_cols(c, cols);
}

/// A matrix of the problem as a tensor map takes it: itself, or its copy with rows of mapped_cols.
struct Mapped {
  std::string name;
  std::int64_t rows, cols;
};
std::string copied(const Mapped& matrix) { return matrix.name + "_padded"; }
TensorMapArgument map_of(const Case& c, const Mapped& matrix, std::uint32_t box_rows, std::uint32_t box_cols) {
  return {is_mappable(c, matrix.rows, matrix.cols) ? matrix.name : copied(matrix), mapped_rows(matrix.rows),
          mapped_cols(c, matrix.cols), box_rows, box_cols};
}
void pad(const Case& c, const Mapped& matrix, std::vector<Step>& steps) {
  if (is_mappable(c, matrix.rows, matrix.cols)) return;
  const std::int64_t elements = mapped_rows(matrix.rows) * mapped_cols(c, matrix.cols);
  steps.push_back({.kernel = "matmul_pad<{type}>",
                   .grid = {blocks_for(elements, 256)},
                   .block = {256},
                   .arguments = {BufferArgument{matrix.name}, BufferArgument{copied(matrix)},
                                 static_cast<std::int32_t>(matrix.rows), static_cast<std::int32_t>(matrix.cols),
                                 static_cast<std::int32_t>(mapped_cols(c, matrix.cols)), elements}});
}
void scratch_for(const Case& c, const Mapped& matrix, std::vector<Buffer>& copies) {
  if (is_mappable(c, matrix.rows, matrix.cols)) return;
  const auto elements = static_cast<std::size_t>(mapped_rows(matrix.rows) * mapped_cols(c, matrix.cols));
  copies.push_back({copied(matrix), c.type(), elements, BufferRole::scratch});
}

std::vector<Buffer> hopper_scratch(const Case& c) {
  const auto [m, n, k] = sizes(c.params);
  std::vector<Buffer> copies;
  scratch_for(c, {"a", m, k}, copies);
  scratch_for(c, {"b", k, n}, copies);
  return copies;
}
std::vector<Step> hopper_steps(const Case& c) {
  const auto [m, n, k] = sizes(c.params);
  constexpr std::uint32_t stages = 4, stage_bytes = 2 * 128 * 64 * 2, barrier_bytes = 8;
  const Mapped a{"a", m, k}, b{"b", k, n};
  std::vector<Step> steps;
  pad(c, a, steps);
  pad(c, b, steps);
  steps.push_back(
      {.kernel = "matmul_hopper",
       .grid = c.grid,
       .block = c.block,
       .dynamic_shared_bytes = stages * (stage_bytes + barrier_bytes),
       .arguments = {map_of(c, a, 128, 64), map_of(c, b, 64, 64), BufferArgument{"c"}, static_cast<std::int32_t>(m),
                     static_cast<std::int32_t>(n), static_cast<std::int32_t>(k)}});
  return steps;
}

/// Floats are multiplied as TF32, for which b is turned: n rows of k elements.
const char* const turned = "b_turned";
std::vector<Buffer> specialized_scratch(const Case& c) {
  if (c.type() != Scalar::f32) return hopper_scratch(c);
  const auto [m, n, k] = sizes(c.params);
  std::vector<Buffer> copies;
  scratch_for(c, {"a", m, k}, copies);
  copies.push_back(
      {turned, c.type(), static_cast<std::size_t>(mapped_rows(n) * mapped_cols(c, k)), BufferRole::scratch});
  return copies;
}

/// Blocks of 128 x 256 elements, `cluster` of them one above the other.
std::vector<Step> specialized_steps(const Case& c, std::uint32_t cluster) {
  const auto [m, n, k] = sizes(c.params);
  constexpr std::uint32_t stages = 4, stage_bytes = (128 + 256) * 128, results_bytes = 4 * 64 * 128, barrier_bytes = 16;
  const bool floats = c.type() == Scalar::f32;
  const Mapped a{"a", m, k}, b{"b", k, n};
  std::vector<Step> steps;
  pad(c, a, steps);
  if (!floats) pad(c, b, steps);
  const auto padded = static_cast<std::int32_t>(mapped_cols(c, k));
  if (floats && n > 0) {
    steps.push_back({.kernel = "matmul_turn",
                     .grid = {blocks_for(n, 32), blocks_for(padded, 32)},
                     .block = {32, 8},
                     .arguments = {BufferArgument{"b"}, BufferArgument{turned}, static_cast<std::int32_t>(k),
                                   static_cast<std::int32_t>(n), padded}});
  }
  const TensorMapArgument from_a = map_of(c, a, 128, floats ? 32 : 64);
  // Where rows of c do not start on 16 bytes, its threads store c, and take no map.
  const bool by_map = !floats && is_mappable(c, m, n);
  steps.push_back(
      {.kernel = fmt::format("matmul_specialized<{{type}}, {}>", cluster),
       .grid = {(c.grid.x + cluster - 1) / cluster * cluster},
       .block = c.block,
       .dynamic_shared_bytes = stages * (stage_bytes + barrier_bytes) + results_bytes,
       .arguments = {
           from_a, floats ? TensorMapArgument{turned, mapped_rows(n), padded, 256 / cluster, 32} : map_of(c, b, 64, 64),
           by_map ? map_of(c, {"c", m, n}, 64, 64) : from_a, BufferArgument{"c"}, static_cast<std::int32_t>(m),
           static_cast<std::int32_t>(n), static_cast<std::int32_t>(k)}});
  return steps;
}

/// What one warp group takes from shared memory serves 64 x 128 elements.
Variant hopper() {
  Variant v = tensor(large_tile("hopper",
                                "the TMA copies tiles by itself, wgmma multiplies them where they lie in shared memory",
                                {{"type", {"bf16"}}}, {}));
  v.kernel.clear();
  v.steps = hopper_steps;
  v.scratch = hopper_scratch;
  v.file = "kernels_sm90a.cu";
  v.commentary = commentaries({128, 128, 64, 128, true});
  v.about_time = true;
  v.gpu_only = true;
  v.min_compute_capability = 90;
  return v;
}

const BlockRule threads_384{.only = {{384}}, .why = "one warp group of 128 fetches, two multiply"};

/// A consumer's instruction takes 64 x 256 elements from shared memory.
Variant specialized(const std::string& name, const std::string& summary, std::uint32_t cluster, Words types) {
  Variant v{.name = name, .summary = summary, .file = "kernels_sm90a.cu", .blocks = threads_384};
  v.only = std::move(types);
  v.strides = true;
  v.automatic_grid = [cluster](const Case& c) {
    const auto [m, n, k] = sizes(c.params);
    const std::uint32_t tiles = std::max(1u, blocks_for(m, 128 * cluster) * blocks_for(n, 256));
    const auto resident = std::max(1u, static_cast<std::uint32_t>(c.sm_count) / cluster);
    return Dim3{cluster * (cluster == 1 ? tiles : std::min(tiles, resident))};
  };
  v.steps = [cluster](const Case& c) { return specialized_steps(c, cluster); };
  v.scratch = specialized_scratch;
  v.adjust = allow_for_truncation;
  v.commentary = commentaries({128 * cluster, 256, 64, 256, true});
  v.about_time = true;
  v.gpu_only = true;
  v.min_compute_capability = 90;
  return v;
}

std::vector<Variant> ladder() {  // NOLINT(readability-function-size): a table
  return {
      {.name = "naive",
       .summary = "a thread per element, x along the rows: every lane loads and stores a sector of its own",
       .kernel = "matmul_naive<{type}>",
       .blocks = any_shape,
       .only = all_but_bf16,
       .automatic_grid =
           [](const Case& c) {
             const auto [m, n, k] = sizes(c.params);
             return Dim3{blocks_for(m, c.block.x), blocks_for(n, c.block.y)};
           },
       .commentary = commentaries({})},
      {.name = "coalesced",
       .summary = "x along the columns: the lanes of a warp share an element of a and load neighbours of b",
       .kernel = "matmul_coalesced<{type}>",
       .blocks = any_shape,
       .only = all_but_bf16,
       .claims = {falls("global_load_sectors"), falls("global_store_sectors")},
       .commentary = commentaries({})},
      tiled("tiled", "squares of a and b in shared memory: each element that is loaded is used `tile` times", 0,
            {falls("global_load_sectors"), rises("flops_per_loaded_byte")}),
      tiled("tiled_padded",
            "the transpose's padding, for conflicts that this kernel lacks; its rows start off 16 bytes: no wide loads",
            1, {}),
      {.name = "register_1d",
       .summary = "8 elements per thread, one below the other: an element of b serves 8 multiply-adds from a register",
       .kernel = "matmul_register_1d<{type}>",
       .blocks = threads_512,
       .only = all_but_bf16,
       .covers =
           [](const Case&) {
             return Dim3{64, 64};
           },
       .builds_on = "tiled",
       .claims = {falls("shared_load_requests"), falls("global_load_sectors")},
       .commentary = commentaries({64, 64, 8, 1, true})},
      large_tile("register_2d", "8 x 8 elements per thread: 16 loads into registers serve 64 multiply-adds",
                 all_but_bf16, {falls("shared_load_requests"), falls("global_load_sectors")}),
      large_tile("vectorized", "four elements per load, a turned in shared memory: a quarter of the loads",
                 half_and_float, {falls("global_load_requests"), falls("shared_load_requests")}),
      large_tile("warp_tiled", "lanes stand 8 x 4 in a tile of their warp: their vectors lie side by side, no conflict",
                 half_and_float, {falls("shared_load_bank_conflicts"), falls("shared_load_wavefronts")}),
      prefetched(),
      against(
          "warp_tiled",
          asynchronous(on_sm80(large_tile(
              "double_buffered",
              "cp.async fills the next tiles meanwhile, but a by 4 bytes: instructions that hurt where SMs are full",
              {{"type", {"float"}}}, {falls("barriers")})))),
      tensor(on_sm80(
          large_tile("tensor", "tensor cores: 16 x 16 x 8 multiply-adds (TF32) or twice as many per instruction",
                     {{"type", {"float", "bf16"}}}, {falls("warp_instructions"), falls("shared_load_wavefronts")}))),
      hopper(),
      specialized("hopper_specialized",
                  "one warp group fetches, two multiply 64 x 256 elements at a time: nobody waits for a whole block", 1,
                  {{"type", {"bf16"}}}),
      specialized("hopper_clusters",
                  "two blocks share what they fetch of b, and stay for all tiles; floats as TF32, b turned first", 2,
                  {{"type", {"bf16", "float"}}}),
      {.name = "cublas",
       .summary = "NVIDIA's cublasGemmEx: the yardstick (float without TF32)",
       .only = {{"type", {"float", "half", "bf16", "double"}}},
       .adjust =
           [](const Case& c, Problem& p) {
             if (size_of(c.type()) == 2) allow_for_tensor_core(c, p);
           },
       .vendor = {prepare_cublas, run_cublas, cublas::lack}},
      {.name = "cublas_tf32",
       .summary = "the same with floats cut to TF32: what tensor and hopper_clusters have to be measured by",
       .only = {{"type", {"float"}}},
       .adjust = allow_for_truncation,
       .vendor = {prepare_cublas, run_cublas_tf32, cublas::lack}},
      {.name = "cpu",
       .summary = "three nested loops on the CPU, in the same type, along the rows",
       .only = {{"type", {"float", "int", "double"}}},
       .host = multiply_on_host},
  };
}

/// Multiples of 1/16 below 2: products are multiples of 1/256, and their sums are exact in float.
Problem exact_problem(const Case& c) {
  const auto [m, n, k] = sizes(c.params);
  const auto factors = [&](std::int64_t count, std::uint64_t stream) {
    auto values = random_values(Scalar::i32, static_cast<std::size_t>(count), c.seed, -31, 31, stream);
    std::vector<float> made;
    for (const auto x : view_as<std::int32_t>(values)) made.push_back(static_cast<float>(x) / 16);
    return bytes_of(std::span<const float>(made));
  };
  const auto a = factors(m * k, 0), b = factors(k * n, 1);
  const auto left = view_as<float>(a), right = view_as<float>(b);
  std::vector<float> product(static_cast<std::size_t>(m * n));
  for (std::size_t row = 0; row < static_cast<std::size_t>(m); ++row) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i) {
      const auto columns = static_cast<std::size_t>(n);
      for (std::size_t col = 0; col < columns; ++col)
        product[row * columns + col] += left[row * static_cast<std::size_t>(k) + i] * right[i * columns + col];
    }
  }
  return {.buffers = {{"a", Scalar::f32, left.size(), BufferRole::input, a},
                      {"b", Scalar::f32, right.size(), BufferRole::input, b},
                      {"c", Scalar::f32, product.size(), BufferRole::output}},
          .expected = {{.buffer = "c", .exact = bytes_of(std::span<const float>(product))}}};
}

std::vector<InputClass> product_classes() {
  const auto points = [](std::initializer_list<std::array<std::int64_t, 3>> all) {
    std::vector<std::map<std::string, ParamValue, std::less<>>> made;
    for (const auto& [m, n, k] : all) made.push_back({{"m", m}, {"n", n}, {"k", k}});
    return made;
  };
  return {
      {"usual", "whole tiles", "the answer itself is wrong: start with one tile by hand", points({{64, 64, 64}})},
      {"rectangle", "m, n and k of whole tiles that all differ", "rows and columns are mixed up somewhere",
       points({{32, 96, 64}, {96, 64, 32}})},
      {"empty", "no rows, no columns, or sums of nothing, which are 0", "threads are there all the same",
       points({{0, 5, 5}, {5, 0, 5}, {5, 7, 0}})},
      {"one", "a single element, row or column", "all other threads have no element",
       points({{1, 1, 1}, {1, 40, 9}, {40, 1, 9}})},
      {"odd", "sizes that no tile divides", "the last tiles are not full: what stands behind their edges counts as 0",
       points({{31, 33, 17}, {65, 33, 130}, {3, 700, 5}})},  // one side longer than any block
      {"large", "more elements than 16 bits count, more tiles in a row than 8 do",
       "which variable holds an index, and how many bits has it?", points({{260, 256, 3}, {1, 8300, 2}})},
      {"fine", "numbers that use all digits of a float", "is something rounded to half, bfloat16 or TF32?",
       points({{48, 40, 56}}), Values::fine},
  };
}

std::vector<Contract> contracts() {
  Contract one{.name = "matmul",
               .signature = "(const float* a, const float* b, float* c, int m, int n, int k)",
               .summary = "writes the product of a, m x k, and b, k x n, to c, m x n; all row-major"};
  one.launches = {{{32, 32}},
                  {{16, 16}},
                  {{8, 8}},
                  {{32, 8}},
                  {{256}, {128, 128}},
                  {{512}, {64, 64}},
                  {{256}, {64, 64}},
                  {{16, 16}, {64, 64}},
                  {{16, 16}, {32, 32}},
                  {{16, 16}, {128, 128}},
                  {{8, 8}, {32, 32}}};
  one.grid =
      "a thread for each element of c, x along its columns, y along its rows; or a block for each tile of "
      "32x32, 64x64 or 128x128 elements";
  one.precision = "float: sums in any order, fused or not; half, bfloat16 and TF32 are too short";
  one.params = {{"type", "float"}, {"tile", "32"}};
  one.reference = {{"m", std::int64_t{128}}, {"n", std::int64_t{128}}, {"k", std::int64_t{128}}};
  one.rungs = {"naive", "coalesced", "tiled", "register_2d"};
  one.classes = product_classes();
  one.problem = [](const Case& c, Values values) { return values == Values::fine ? problem(c) : exact_problem(c); };
  one.place = [](const Case& c, std::uint64_t index) {
    const auto columns = static_cast<std::uint64_t>(sizes(c.params).n);
    return Dim3{static_cast<std::uint32_t>(index % columns), static_cast<std::uint32_t>(index / columns), 0};
  };
  return {one};
}

}  // namespace

Lab lab() {
  Lab lab;
  lab.lecture = 12;
  lab.topic = "matrix multiplication, tiling, tensor cores";
  lab.question = "Every element is needed hundreds of times: how few times can it be loaded?";
  lab.headline = "tiled";
  lab.prerequisites = {"transpose"};
  lab.params = {{"m", "rows of a and c", std::int64_t{512}, {}, 0, 1 << 20},
                {"n", "columns of b and c", std::int64_t{512}, {}, 0, 1 << 20},
                {"k", "columns of a, rows of b", std::int64_t{512}, {}, 0, 1 << 20},
                {"type", "element type", "float", {"int", "half", "bf16", "float", "double"}},
                {"tile", "side of a tile (tiled, tiled_padded)", "32", {"8", "16", "32"}}};
  lab.block_presets = {{32, 32}, {16, 16}, {32, 8}, {8, 8}};
  lab.default_block = {32, 32};
  lab.extent = [](const Case& c) {
    const auto [m, n, k] = sizes(c.params);
    return Dim3{static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(m)};
  };
  lab.problem = problem;
  lab.arguments = arguments;
  lab.work = work;
  lab.metrics = {
      {"reuse", "", "multiply-adds / elements that are loaded from global memory"},
      {"flops_per_loaded_byte", "FLOP/B", "operations / bytes that are loaded from global memory"},
      {"shared_loads_per_multiply_add", "", "elements that a thread loads from shared memory / its multiply-adds"}};
  lab.contracts = contracts();
  lab.subject = {"sectors_per_worse_global_request", "bank_conflicts_per_worse_shared_request"};
  lab.variants = ladder();
  return lab;
}

}  // namespace gpulab::labs::matmul
