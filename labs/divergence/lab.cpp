#include "labs/lab.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "labs/contract_parts.h"

namespace gpulab::labs::divergence {
namespace {

/// What a rung does with an element: steps of a path.
struct Task {
  std::uint32_t path;
  std::int32_t steps;
};
/// Tasks by element.
using Tasks = std::function<std::vector<Task>(const Case&)>;

std::size_t size(const Case& c) { return static_cast<std::size_t>(c.n()); }
std::int32_t work(const Case& c) { return static_cast<std::int32_t>(c.params.integer("work")); }

/// Steps of the rungs whose loops differ in length: 0 to `work`.
std::vector<std::byte> lengths(const Case& c) { return random_values(Scalar::i32, size(c), c.seed, 0, work(c), 1); }

/// Elements by length, shortest first, equal ones in their order.
std::vector<std::int32_t> by_length(const Case& c) {
  const auto bytes = lengths(c);
  const auto steps = view_as<std::int32_t>(bytes);
  std::vector<std::int32_t> order(size(c));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::int32_t i) { return steps[static_cast<std::size_t>(i)]; });
  return order;
}

/// `path_of`: of an element's number, and how many paths there are.
template <typename PathOf>
Tasks equally_long(PathOf path_of) {
  return [=](const Case& c) {
    std::vector<Task> tasks(size(c));
    const auto paths = static_cast<std::size_t>(c.params.integer("paths"));
    const std::int32_t steps = work(c);
    for (std::size_t i = 0; i < tasks.size(); ++i) tasks[i] = {static_cast<std::uint32_t>(path_of(i, paths)), steps};
    return tasks;
  };
}

const Tasks by_thread = equally_long([](std::size_t i, std::size_t) { return i % 2; });
const Tasks by_warp = equally_long([](std::size_t i, std::size_t) { return i / 32 % 2; });
const Tasks multiway = equally_long([](std::size_t i, std::size_t paths) { return i % paths; });
std::vector<Task> loop_lengths(const Case& c) {
  const auto bytes = lengths(c);
  std::vector<Task> tasks;
  for (const auto steps : view_as<std::int32_t>(bytes)) tasks.push_back({0, steps});
  return tasks;
}

/// Of lanes that take the elements in another order than they lie.
std::vector<Task> loop_lengths_sorted(const Case& c) {
  const auto tasks = loop_lengths(c);
  std::vector<Task> sorted;
  for (const auto i : by_length(c)) sorted.push_back(tasks[static_cast<std::size_t>(i)]);
  return sorted;
}

Expected answer(const std::vector<std::byte>& in, std::span<const Task> tasks) {
  Expected expected{.buffer = "out", .exact = in};
  const auto values = view_as<std::uint32_t>(expected.exact);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto [path, steps] = tasks[i];
    for (std::int32_t k = 0; k < steps; ++k) values[i] = (2 * path + 3) * values[i] + path + 1;
  }
  return expected;
}

Problem problem(const Case& c) {
  Problem p;
  p.buffers = {
      {"in", Scalar::u32, size(c), BufferRole::input, random_values(Scalar::u32, size(c), c.seed, 0, 0x1p32 - 1)},
      {"out", Scalar::u32, size(c), BufferRole::output}};
  p.expected = {answer(p.buffers[0].initial, by_thread(c))};
  return p;
}

/// Steps that a warp issues whose lanes have these tasks: on each path that one of them takes, as many as the longest.
std::int64_t branching(std::span<const Task> lanes) {
  std::array<std::int32_t, 8> longest{};
  for (const auto& lane : lanes) longest[lane.path] = std::max(longest[lane.path], lane.steps);
  return std::accumulate(longest.begin(), longest.end(), std::int64_t{0});
}
/// Both of two paths, whatever the lanes want.
std::int64_t predicated(std::span<const Task> lanes) { return 2 * std::int64_t{lanes.front().steps}; }

using Issued = std::int64_t (*)(std::span<const Task>);

/// Foretells from the tasks, in the order of threads, what the counters show: steps that warps issue, against those of
/// warps whose 32 lanes are all at work.
Commentary commentary(const Case& c, std::span<const Task> tasks, Issued issued) {
  std::int64_t warps = 0, steps = 0, of_lanes = 0;
  for (std::size_t block = 0; block < tasks.size(); block += c.block.x) {
    const auto of_block = tasks.subspan(block, std::min<std::size_t>(c.block.x, tasks.size() - block));
    for (std::size_t warp = 0; warp < of_block.size(); warp += 32) {
      steps += issued(of_block.subspan(warp, std::min<std::size_t>(32, of_block.size() - warp)));
      ++warps;
    }
  }
  for (const auto& task : tasks) of_lanes += task.steps;
  if (of_lanes == 0) return {};
  const double per_warp = static_cast<double>(steps) / static_cast<double>(warps);
  const double cost = static_cast<double>(steps) / (static_cast<double>(of_lanes) / 32);
  return {.metrics = {{"steps_per_warp", per_warp, "steps"}, {"cost", cost, "times"}},
          .lines = {fmt::format("A warp issues {:.1f} steps on average: {:.2f} times the steps of warps whose 32 lanes "
                                "are all at work.",
                                per_warp, cost)}};
}

std::vector<Argument> with_paths(const Case& c) {
  return {BufferArgument{"in"}, BufferArgument{"out"}, static_cast<std::int32_t>(c.n()), work(c),
          static_cast<std::int32_t>(c.params.integer("paths"))};
}
std::vector<Argument> with_lengths(const Case& c) {
  return {BufferArgument{"in"}, BufferArgument{"lengths"}, BufferArgument{"out"}, static_cast<std::int32_t>(c.n())};
}
std::vector<Argument> with_order(const Case& c) {
  return {BufferArgument{"in"}, BufferArgument{"lengths"}, BufferArgument{"order"}, BufferArgument{"out"},
          static_cast<std::int32_t>(c.n())};
}
std::vector<Buffer> lengths_buffer(const Case& c) {
  return {{"lengths", Scalar::i32, size(c), BufferRole::input, lengths(c)}};
}
std::vector<Buffer> order_buffers(const Case& c) {
  const auto order = by_length(c);
  return {{"lengths", Scalar::i32, size(c), BufferRole::input, lengths(c)},
          {"order", Scalar::i32, size(c), BufferRole::input, bytes_of(std::span(order))}};
}

Variant rung(const std::string& name, const std::string& summary, const Tasks& tasks, Issued issued = branching) {
  Variant v{.name = name, .summary = summary, .kernel = "divergence_" + name};
  v.adjust = [=](const Case& c, Problem& p) { p.expected = {answer(p.buffers[0].initial, tasks(c))}; };
  v.commentary = [=](const Case& c, const ReadBuffer&) { return commentary(c, tasks(c), issued); };
  return v;
}

std::vector<Variant> ladder() {
  std::vector<Variant> v{
      rung("by_thread", "even threads one way, odd ones the other: every warp goes both ways, half of its lanes off",
           by_thread),
      rung("by_thread_predicated",
           "every lane takes both steps and keeps its own: one loop, not two, with as much for nothing", by_thread,
           predicated),
      rung("by_warp", "the path changes from warp to warp: the same branch, and no warp diverges", by_warp),
      rung("multiway", "a switch whose lanes take --paths ways: the warp goes all of them, one after the other",
           multiway),
      rung("loop_lengths", "as many steps as each element wants, 0 to --work: a warp loops as long as its longest lane",
           loop_lengths),
      rung("loop_lengths_sorted", "sorted by length: the lanes of a warp end together, but their elements lie apart",
           loop_lengths),
  };
  v[1].claims = {falls("divergent_branches"), falls("warp_instructions"), rises("warp_execution_efficiency")};
  v[2].builds_on = "by_thread";
  v[2].claims = {falls("warp_instructions"), falls("divergent_branches"), rises("warp_execution_efficiency")};
  v[3].builds_on = "by_thread";
  v[3].arguments = with_paths;
  v[4].starts = true;
  v[4].scratch = lengths_buffer;
  v[4].arguments = with_lengths;
  v[5].scratch = order_buffers;
  v[5].arguments = with_order;
  v[5].commentary = [](const Case& c, const ReadBuffer&) { return commentary(c, loop_lengths_sorted(c), branching); };
  v[5].claims = {falls("warp_instructions"), rises("warp_execution_efficiency")};
  return v;
}

/// The same rung, built without optimisation.
Variant debug_build(const Variant& rung) {
  Variant v = rung;
  v.name += "_debug";
  v.summary = fmt::format("`{}` as nvcc -G builds it: nothing is optimised, each instruction waits for the one before",
                          rung.name);
  v.kernel = "debug::" + rung.kernel;
  v.file = "kernels_debug.cu";
  v.starts = false;
  v.builds_on = rung.name;
  v.claims = {rises("warp_instructions")};
  return v;
}

std::vector<Contract> contracts() {
  auto parity =
      row_contract("parity", "(const unsigned* in, unsigned* out, int n, int work)",
                   "writes in[i] after `work` steps of x = 3x + 1 where i is even, of x = 5x + 2 where it is odd");
  parity.precision = "modulo 2^32";
  parity.rungs = {"by_thread", "by_thread_predicated"};
  parity.reference = {{"n", std::int64_t{1} << 14}, {"work", std::int64_t{64}}};
  parity.classes =
      with_param(parity.classes, "work", {std::int64_t{5}, std::int64_t{0}, std::int64_t{1}, std::int64_t{32}});
  parity.problem = [](const Case& c, Values values) {
    const auto in = integers(Scalar::u32, size(c), c.seed, values);
    return Problem{.buffers = {{"in", Scalar::u32, size(c), BufferRole::input, in},
                               {"out", Scalar::u32, size(c), BufferRole::output}},
                   .expected = {answer(in, by_thread(c))}};
  };
  parity.arguments = [](const Case& c) -> std::vector<Argument> {
    return {BufferArgument{"in"}, BufferArgument{"out"}, static_cast<std::int32_t>(c.n()), work(c)};
  };
  return {parity};
}

}  // namespace

Lab lab() {
  Lab lab;
  lab.lecture = 3;
  lab.topic = "warp divergence";
  lab.question = "What does an `if` cost when the 32 threads of a warp disagree?";
  lab.headline = "by_thread";
  lab.prerequisites = {"warps"};
  lab.params = {
      {"n", "elements", std::int64_t{1} << 20, {}, 0, 2147483647},
      {"work", "steps of an element (of loop_lengths: at most)", std::int64_t{32}, {}, 0, 1000000, {0, 1, 33}},
      {"paths", "ways through the switch of multiway", std::int64_t{8}, {}, 1, 8, {1, 2, 7, 8}}};
  lab.block_presets = {{32}, {128}, {256}, {1024}};
  lab.extent = [](const Case& c) { return Dim3{static_cast<std::uint32_t>(c.n())}; };
  lab.problem = problem;
  lab.arguments = [](const Case& c) -> std::vector<Argument> {
    return {BufferArgument{"in"}, BufferArgument{"out"}, static_cast<std::int32_t>(c.n()), work(c)};
  };
  lab.work = [](const Case& c) {
    const auto n = static_cast<double>(c.n());
    return Work{.bytes = 8 * n, .elements = n};
  };
  lab.metrics = {{"steps_per_warp", "steps",
                  "steps of the loops that a warp issues, on average: the longest lane's, of each path"},
                 {"cost", "times", "steps that warps issue / steps if all 32 lanes were always at work"}};
  lab.contracts = contracts();
  lab.subject = {"branch_efficiency", "warp_execution_efficiency"};
  lab.variants = ladder();
  for (const auto& rung : ladder()) lab.variants.push_back(debug_build(rung));
  // The `if` that only assigned is a branch again.
  lab.variants[7].claims.push_back(rises("divergent_branches", "by_thread_predicated"));
  return lab;
}

}  // namespace gpulab::labs::divergence
