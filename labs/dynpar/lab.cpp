#include "labs/lab.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "labs/contract_parts.h"
#include "labs/dynpar/launch_log.h"
#include "labs/dynpar/launch_tree.h"

namespace gpulab::labs::dynpar {
namespace {

/// Levels that grids may be nested, and so the depths that depth_print may reach.
constexpr std::size_t most_levels = 24;
/// At 32 threads per block, the fewest that the reductions take, 2^16 elements are 1024 blocks, each of which launches
/// a child: half of the launches that may be pending (2048).
constexpr std::int64_t most_elements = 1 << 16;

Problem problem(const Case& c) {
  const auto n = static_cast<std::size_t>(c.n());
  Problem p;
  p.buffers = {
      {"data", Scalar::i32, n, BufferRole::input, random_values(Scalar::i32, n, c.seed, 0, 9999)},
      {"out", Scalar::i32, 1, BufferRole::output, std::vector<std::byte>(sizeof(int))},
      {"threads_at", Scalar::i32, most_levels, BufferRole::output, std::vector<std::byte>(most_levels * sizeof(int))}};
  const auto data = view_as<int>(p.buffers[0].initial);
  const int sum = std::accumulate(data.begin(), data.end(), 0);
  p.expected = {{.buffer = "out", .exact = bytes_of(std::span(&sum, 1))}};
  return p;
}

/// Half as many threads at each depth.
void expect_halving(const Case& c, Problem& p) {
  std::vector<int> threads(most_levels);
  for (std::size_t depth = 0; depth < most_levels; ++depth) threads[depth] = static_cast<int>(c.block.x >> depth);
  p.expected = {{.buffer = "threads_at", .exact = bytes_of(std::span<const int>(threads))}};
}
void expect_sorted(const Case&, Problem& p) {
  auto bytes = p.buffers[0].initial;
  std::ranges::sort(view_as<int>(std::span(bytes)));
  p.expected = {{.buffer = "data", .exact = std::move(bytes)}};
}

std::vector<Buffer> log(const Case& c) {
  return {
      {"log", Scalar::i32, sizeof(LaunchLog) / sizeof(int), BufferRole::scratch, log_of_host_launch(c.grid, c.block)}};
}
std::vector<Buffer> log_and_spare(const Case& c) {
  auto buffers = log(c);
  buffers.push_back({"spare", Scalar::i32, static_cast<std::size_t>(c.n()), BufferRole::scratch});
  return buffers;
}

/// The host's launch is place 0 of the log, at depth 0.
std::vector<Argument> with_log(std::vector<Argument> arguments) {
  arguments.insert(arguments.end(), {BufferArgument{"log"}, std::int32_t{0}, std::int32_t{0}});
  return arguments;
}
std::vector<Argument> flat_arguments(const Case& c) {
  return {BufferArgument{"data"}, BufferArgument{"out"}, static_cast<std::int32_t>(c.n())};
}
std::vector<Argument> nested_arguments(const Case& c) { return with_log(flat_arguments(c)); }
std::vector<Argument> fewer_arguments(const Case& c) {
  auto arguments = flat_arguments(c);
  arguments.emplace_back(static_cast<std::int32_t>(2 * c.block.x));
  return with_log(arguments);
}
std::vector<Argument> print_arguments(const Case&) { return with_log({BufferArgument{"threads_at"}}); }
std::vector<Argument> sort_arguments(const Case& c) {
  return with_log({BufferArgument{"data"}, BufferArgument{"spare"}, static_cast<std::int32_t>(c.n())});
}

Dim3 two_per_thread(const Case& c) { return {2 * c.block.x}; }
Dim3 one_block(const Case&) { return {1, 1, 1}; }

Commentary commentary(const Case&, const ReadBuffer& read) { return launch_commentary(read("log")); }
/// It launches nothing, and so has no log.
Commentary of_flat(const Case& c, const ReadBuffer&) { return launch_commentary(log_of_host_launch(c.grid, c.block)); }

Work no_data(const Case&) { return {}; }
/// Read and written once, at least.
Work sort_work(const Case& c) {
  const auto n = static_cast<double>(c.n());
  return {.bytes = 2 * n * sizeof(int), .elements = n};
}

const BlockRule tree{.power_of_two = true, .min_threads = 32, .why = "every step halves the threads"};
const BlockRule legible{.only = {{16}, {1}, {2}, {4}, {8}, {32}, {64}},
                        .why = "every step halves the threads, and each prints a line"};
const BlockRule warps{.whole_warps = true, .min_threads = 32, .why = "all lanes of a warp vote"};

/// A reduction: what they have in common.
Variant rung(const std::string& name, const std::string& summary, const std::string& kernel) {
  return {.name = name,
          .summary = summary,
          .kernel = kernel,
          .file = "kernels_rdc.cu",
          .blocks = tree,
          .covers = two_per_thread,
          .scratch = log,
          .arguments = nested_arguments,
          .writes_input = true};
}

std::vector<Variant> ladder() {
  Variant nested = rung("nested_reduce", "recursion: each part of the data launches its next step, by tail launches",
                        "nested_reduce");
  Variant forget = rung("fire_and_forget", "the same, but children start at once, beside their parent and each other",
                        "nested_reduce_fire_and_forget");
  forget.about_time = true;
  Variant fewer =
      rung("nested_reduce_fewer", "one thread of the grid launches the next step for all parts", "nested_reduce_fewer");
  fewer.arguments = fewer_arguments;
  fewer.claims = {falls("device_launches"), rises("mean_threads"), falls("warp_instructions")};
  Variant flat =
      rung("flat", "no nesting: the recursion as a loop, a barrier of the block for every launch", "flat_reduce");
  flat.scratch = {};
  flat.arguments = flat_arguments;
  flat.claims = {falls("device_launches"), rises("warp_instructions")};  // idle warps wait at the barriers
  flat.commentary = of_flat;
  return {{.name = "depth_print",
           .summary = "each grid launches one of half its threads: who launches whom (--print)",
           .kernel = "depth_print<{print}>",
           .file = "kernels_rdc.cu",
           .blocks = legible,
           .strides = true,
           .automatic_grid = one_block,
           .scratch = log,
           .arguments = print_arguments,
           .adjust = expect_halving,
           .work = no_data},
          nested,
          forget,
          fewer,
          flat,
          {.name = "quicksort",
           .summary = "nesting where it belongs: the pivot decides how the work divides, each side is a launch",
           .kernel = "quicksort",
           .file = "kernels_rdc.cu",
           .blocks = warps,
           .strides = true,
           .automatic_grid = one_block,
           .scratch = log_and_spare,
           .arguments = sort_arguments,
           .adjust = expect_sorted,
           .writes_input = true,
           .work = sort_work,
           .starts = true}};
}

std::vector<Contract> contracts() {
  auto total = row_contract("total", "(int* data, int* out, int n)",
                            "adds the sum of data[0..n) to *out, which starts with 0; data may be overwritten");
  total.about_barriers = true;
  total.before = "*out is 0";
  total.shared = "two ints for each thread";
  total.dynamic_shared_bytes = [](const Case& c) { return 2 * static_cast<std::uint32_t>(sizeof(int)) * c.block.x; };
  total.may_write = {"data"};
  total.precision = "modulo 2^32";
  total.reference = {{"n", std::int64_t{1} << 13}};
  total.rungs = {"nested_reduce", "flat"};
  total.place = {};
  total.problem = [](const Case& c, Values values) {
    const auto n = static_cast<std::size_t>(c.n());
    Problem p;
    p.buffers = {{"data", Scalar::i32, n, BufferRole::input, integers(Scalar::i32, n, c.seed, values)},
                 {"out", Scalar::i32, 1, BufferRole::output, std::vector<std::byte>(sizeof(int))}};
    const auto data = view_as<std::uint32_t>(p.buffers[0].initial);
    const auto sum = std::accumulate(data.begin(), data.end(), std::uint32_t{0});
    p.expected = {{.buffer = "out", .exact = bytes_of(std::span(&sum, 1))}};
    return p;
  };
  return {total};
}

}  // namespace

Lab lab() {
  Lab lab;
  lab.lecture = 7;
  lab.topic = "dynamic parallelism";
  lab.question = "What does it cost, and what does it buy, that a kernel launches kernels?";
  lab.headline = "nested_reduce";
  lab.prerequisites = {"reduce"};
  lab.params = {{"n", "elements", std::int64_t{1} << 14, {}, 0, most_elements},
                {"print", "each thread of depth_print says its depth", "false", {"false", "true"}}};
  lab.block_presets = {{32}, {64}, {128}, {256}, {512}, {1024}};
  lab.extent = [](const Case& c) { return Dim3{static_cast<std::uint32_t>(c.n())}; };
  lab.problem = problem;
  lab.arguments = flat_arguments;
  lab.work = [](const Case& c) {
    const auto n = static_cast<double>(c.n());
    return Work{.bytes = (n + 1) * sizeof(int), .flops = std::max(0.0, n - 1), .elements = n};
  };
  lab.commentary = commentary;
  lab.metrics = {{"device_launches", "grids", "grids that kernels launch, in one run"},
                 {"deepest", "levels", "levels of launches below the one of the host"},
                 {"mean_threads", "threads", "threads of a grid that a kernel launches, on average"},
                 {"launches_depth_N", "grids", "grids that are launched N levels below the host's"}};
  lab.contracts = contracts();
  lab.variants = ladder();
  return lab;
}

}  // namespace gpulab::labs::dynpar
