#include "labs/lab.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "labs/contract_parts.h"

namespace gpulab::labs::launch {
namespace {

std::size_t rows(const Case& c) { return static_cast<std::size_t>(c.params.integer("rows")); }
std::size_t cols(const Case& c) { return static_cast<std::size_t>(c.params.integer("cols")); }
std::size_t elements(const Case& c) { return rows(c) * cols(c); }
bool takes_max(const Case& c) { return c.params.word("op") == "max"; }

constexpr double u = 0x1p-24;  ///< unit roundoff of float
/// With a weight of 1, the lecture's, sin^2 + cos^2 is 1 whatever is read: a kernel that reads the wrong elements would
/// pass.
constexpr float weight = 2;

/// The answer for every column. A mean whose elements pass through `depth` additions, and one division, is off by at
/// most (depth + 1) u / (1 - (depth + 1) u) times the mean of magnitudes (Higham, Accuracy and Stability, 4.2).
Expected answer(const Case& c, std::span<const float> in, double depth) {
  Expected expected{.buffer = "out"};
  double largest = 0;
  for (std::size_t col = 0; col < cols(c); ++col) {
    const auto column = in.subspan(col * rows(c), rows(c));
    double sum = 0, magnitudes = 0, max = column[0];
    for (const double x : column) {
      sum += x;
      magnitudes += std::abs(x);
      max = std::max(max, x);
    }
    const auto count = static_cast<double>(rows(c));
    expected.real.push_back(takes_max(c) ? max : sum / count);
    largest = std::max(largest, magnitudes / count);
  }
  const double off = (depth + 1) * u;
  expected.tolerance = takes_max(c) ? 0 : off / (1 - off) * largest;
  return expected;
}

/// Additions that an element passes through: of its thread's share, then of the tree.
double in_block(const Case& c) {
  return std::ceil(static_cast<double>(rows(c)) / c.block.x) + std::bit_width(c.block.x);
}

Problem problem(const Case& c) {
  Problem p;
  p.buffers = {
      {"in", Scalar::f32, elements(c), BufferRole::input, random_values(Scalar::f32, elements(c), c.seed, -1, 2)},
      {"out", Scalar::f32, cols(c), BufferRole::output}};
  p.expected = {answer(c, view_as<float>(p.buffers[0].initial), in_block(c))};
  return p;
}

/// One value per element instead of one per column. CUDA's sinf and cosf are right to 2 units in the last place
/// (Programming Guide, Mathematical Functions), here at most 2 u; a square then has an error of 2 * 2 u and one more of
/// its own rounding, 5 u; weighted and added: 5 u + weight (5 u), and 2 * (1 + weight) u for the last two roundings.
void maps(const Case& c, Problem& p) {
  p.buffers[1].count = elements(c);
  Expected expected{.buffer = "out", .tolerance = 1.01 * 7 * (1 + static_cast<double>(weight)) * u};
  expected.real.reserve(elements(c));
  for (const double x : view_as<float>(p.buffers[0].initial)) {
    const double s = std::sin(x), cosine = std::cos(x);
    expected.real.push_back(s * s + static_cast<double>(weight) * cosine * cosine);
  }
  p.expected = {std::move(expected)};
}

std::vector<Argument> column_arguments(const Case& c) {
  return {BufferArgument{"in"}, BufferArgument{"out"}, static_cast<std::int32_t>(rows(c)),
          static_cast<std::int32_t>(cols(c))};
}
std::uint32_t word_per_thread(const Case& c) { return static_cast<std::uint32_t>(sizeof(float)) * c.block.x; }
Dim3 one_element(const Case&) { return {1, 1, 1}; }

std::vector<Step> launch_per_column(const Case& c) {
  std::vector<Step> steps;
  steps.reserve(cols(c));
  for (std::size_t col = 0; col < cols(c); ++col) {
    steps.push_back({.kernel = "columns<{Op}>",
                     .block = c.block,
                     .dynamic_shared_bytes = word_per_thread(c),
                     .arguments = {BufferArgument{"in", col * rows(c)}, BufferArgument{"out", col},
                                   static_cast<std::int32_t>(rows(c)), std::int32_t{1}}});
  }
  return steps;
}

std::int64_t count(const Case& c) { return static_cast<std::int64_t>(elements(c)); }
Dim3 grid_over_elements(const Case& c) { return {blocks_for(count(c), c.block.x)}; }

std::vector<Step> operation_by_operation(const Case& c) {
  const auto step = [&](const char* kernel, const char* from, const char* to) -> Step {
    return {.kernel = kernel,
            .grid = c.grid,
            .block = c.block,
            .arguments = {BufferArgument{from}, BufferArgument{to}, count(c)}};
  };
  Step sum = step("add_weighted", "sines_squared", "cosines_squared");
  sum.arguments = {BufferArgument{"sines_squared"}, BufferArgument{"cosines_squared"}, BufferArgument{"out"}, count(c),
                   weight};
  return {step("sine", "in", "sines"), step("square", "sines", "sines_squared"), step("cosine", "in", "cosines"),
          step("square", "cosines", "cosines_squared"), sum};
}

std::vector<Buffer> temporaries(const Case& c) {
  std::vector<Buffer> all;
  for (const auto* name : {"sines", "sines_squared", "cosines", "cosines_squared"})
    all.push_back({name, Scalar::f32, elements(c), BufferRole::scratch});
  return all;
}

/// With what the lab is about: how many kernels a run starts, by how many calls, and what it keeps in memory between
/// them.
Variant counted(Variant v) {
  v.host_clock = true;
  v.commentary = [steps = v.steps, scratch = v.scratch, graph = v.graph](const Case& c, const ReadBuffer&) {
    const auto launches = static_cast<double>(steps ? steps(c).size() : 1);
    double bytes = 0;
    if (scratch)
      for (const auto& buffer : scratch(c))
        bytes += static_cast<double>(buffer.count) * static_cast<double>(size_of(buffer.type));
    return Commentary{.metrics = {{"launches", launches, ""},
                                  {"submissions", graph ? std::min(launches, 1.0) : launches, ""},
                                  {"temporary_bytes", bytes, "B"}}};
  };
  return v;
}

Work map_work(const Case& c) {
  const auto n = static_cast<double>(elements(c));
  return {.bytes = 2 * n * sizeof(float), .elements = n};
}

const BlockRule tree{.power_of_two = true, .why = "each step halves the threads that work"};

std::vector<Variant> ladder() {
  return {
      counted(
          {.name = "unsynchronized_timing",
           .summary = "a thread per column, slow on purpose: a clock that does not wait for it sees the launch alone",
           .kernel = "columns_by_thread<{Op}>",
           .adjust =
               [](const Case& c, Problem& p) {
                 p.expected = {answer(c, view_as<float>(p.buffers[0].initial), static_cast<double>(rows(c)))};
               },
           .about_time = true}),
      counted({.name = "kernel_per_column",
               .summary = "a block per column, and a launch for each: thousands of launches, each of microseconds",
               .blocks = tree,
               .steps = launch_per_column,
               .about_time = true,
               .claims = {falls("global_load_sectors")}}),
      counted({.name = "kernel_per_column_graph",
               .summary = "the same launches, recorded once and submitted as one graph: the GPU starts them by itself",
               .blocks = tree,
               .steps = launch_per_column,
               .about_time = true,
               .graph = true,
               .claims = {falls("submissions")}}),
      counted({.name = "one_kernel",
               .summary = "the same kernel over all columns at once: one launch, and blocks that run side by side",
               .kernel = "columns<{Op}>",
               .blocks = tree,
               .covers = one_element,
               .dynamic_shared_bytes = word_per_thread,
               .claims = {falls("launches")}}),
      counted({.name = "map_unfused",
               .summary = "sin^2 + 2 cos^2, an array operation at a time: five kernels, four temporaries in memory",
               .automatic_grid = grid_over_elements,
               .scratch = temporaries,
               .steps = operation_by_operation,
               .adjust = maps,
               .work = map_work,
               .starts = true}),
      counted({.name = "map_fused",
               .summary = "the same in one kernel: what was a temporary array is a register",
               .kernel = "fused",
               .automatic_grid = grid_over_elements,
               .arguments = [](const Case& c) -> std::vector<Argument> {
                 return {BufferArgument{"in"}, BufferArgument{"out"}, count(c), weight};
               },
               .adjust = maps,
               .work = map_work,
               .claims = {falls("launches"), falls("temporary_bytes"), falls("global_bytes_loaded"),
                          falls("global_bytes_stored")}}),
  };
}

std::vector<Contract> contracts() {
  Contract columns{.name = "columns",
                   .signature = "(const float* in, float* out, int rows, int cols)",
                   .summary = "writes the mean of each column, rows elements side by side, to out[column]"};
  columns.launches = {{{256}, {1}}, {{128}, {1}}, {{32}, {1}}, {{512}, {1}}, {{1024}, {1}}};
  columns.takes_any_block = true;
  columns.grid = "a block for each column, in x";
  columns.shared = "a float for each thread";
  columns.dynamic_shared_bytes = word_per_thread;
  columns.precision = "sums in any order, in float; then one division, or a product with 1 / rows";
  columns.params = {{"op", "mean"}};
  columns.reference = {{"rows", std::int64_t{1024}}, {"cols", std::int64_t{64}}};
  columns.rungs = {"one_kernel", "kernel_per_column"};
  columns.classes = matrix_classes("rows", "cols", 33'000);  // more blocks than 15 bits count
  for (auto& one : columns.classes)
    std::erase_if(one.points, [](const auto& point) { return std::get<std::int64_t>(point.at("rows")) == 0; });
  columns.problem = [](const Case& c, Values) {
    auto p = problem(c);
    p.expected = {answer(c, view_as<float>(p.buffers[0].initial), static_cast<double>(rows(c)) + 1)};
    return p;
  };
  columns.arguments = column_arguments;
  return {columns};
}

}  // namespace

Lab lab() {
  Lab lab;
  lab.lecture = 1;
  lab.topic = "launches, synchronisation, fusion";
  lab.question = "What does it cost to start a kernel, and who waits for it?";
  lab.headline = "one_kernel";
  lab.params = {{"rows", "rows of the matrix, the elements of a column", std::int64_t{1024}, {}, 1, 2147483647},
                {"cols", "its columns", std::int64_t{1024}, {}, 0, 65536},
                {"op", "what becomes of a column", "mean", {"mean", "max"}}};
  lab.block_presets = {{32}, {64}, {128}, {256}, {512}, {1024}};
  lab.extent = [](const Case& c) { return Dim3{static_cast<std::uint32_t>(cols(c))}; };
  lab.problem = problem;
  lab.arguments = column_arguments;
  lab.work = [](const Case& c) {
    const auto n = static_cast<double>(elements(c));
    return Work{.bytes = (n + static_cast<double>(cols(c))) * sizeof(float), .flops = n, .elements = n};
  };
  lab.metrics = {{"launches", "", "kernel launches in one run"},
                 {"submissions", "", "times that the host hands work over in one run: a graph of many launches is one"},
                 {"temporary_bytes", "B", "bytes of arrays that one kernel writes for the next to read"}};
  lab.contracts = contracts();
  lab.variants = ladder();
  return lab;
}

}  // namespace gpulab::labs::launch
