#include "labs/lab.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/text.h"
#include "labs/contract_parts.h"

namespace gpulab::labs::warps {
namespace {

constexpr std::uint64_t warp_size = 32;
constexpr std::uint64_t most_drawn = 32;  ///< warps: all of a block of 1024

std::uint64_t warps_of(std::uint64_t threads) { return (threads + warp_size - 1) / warp_size; }

/// Block, thread, warp and lane of each thread, by its number in the grid: whatever the grid's shape.
std::vector<std::byte> ids(const Case& c) {
  const auto per_block = static_cast<std::int64_t>(c.block.volume());
  std::vector<std::int32_t> ids;
  ids.reserve(4 * static_cast<std::size_t>(c.n()));
  for (std::int64_t id = 0; id < c.n(); ++id) {
    const std::int64_t block = id / per_block, thread = id % per_block;
    for (const std::int64_t number : {block, thread, thread / 32, thread % 32}) {
      ids.push_back(static_cast<std::int32_t>(number));
    }
  }
  return bytes_of<std::int32_t>(ids);
}

Problem problem(const Case& c) {
  Problem p;
  p.buffers = {{"ids", Scalar::i32, 4 * static_cast<std::size_t>(c.n()), BufferRole::output}};
  p.expected = {{.buffer = "ids", .exact = ids(c)}};
  return p;
}

std::string coordinates(const Dim3& block, std::uint64_t thread) {
  return fmt::format("({},{},{})", thread % block.x, thread / block.x % block.y, thread / block.x / block.y);
}

/// One line per warp: a mark for each lane, and which threads these are.
std::vector<std::string> drawing(const Dim3& block) {
  const std::uint64_t threads = block.volume(), warps = warps_of(threads);
  std::vector<std::string> lines;
  for (std::uint64_t warp = 0; warp < std::min(warps, most_drawn); ++warp) {
    const std::uint64_t first = warp * warp_size, last = std::min(threads, first + warp_size) - 1;
    const auto lanes = static_cast<std::size_t>(last - first + 1);
    lines.push_back(fmt::format("  warp {:2}  {}{}  threads {} to {}", warp, std::string(lanes, '#'),
                                std::string(warp_size - lanes, '.'), coordinates(block, first),
                                coordinates(block, last)));
  }
  return lines;
}

/// Threads whose warp is not threadIdx.x / 32.
std::uint64_t mistaken(const Dim3& block) {
  std::uint64_t wrong = 0;
  for (std::uint64_t thread = 0; thread < block.volume(); ++thread) {
    if (thread / warp_size != thread % block.x / warp_size) ++wrong;
  }
  return wrong;
}

Commentary commentary(const Case& c, const ReadBuffer&) {
  const std::uint64_t threads = c.block.volume(), warps = warps_of(threads), idle = warps * warp_size - threads;
  const double used = static_cast<double>(threads) / static_cast<double>(warps * warp_size);
  const std::string idle_text =
      idle == 0 ? "every lane is a thread"
                : fmt::format("{} of the last one {} no thread", plural(idle, "lane"), idle == 1 ? "is" : "are");
  Commentary a{.metrics = {{"warps_per_block", static_cast<double>(warps), ""},
                           {"inactive_lanes", static_cast<double>(idle), "per block"},
                           {"lane_use", used, "ratio"}},
               .lines = {fmt::format("A block of {} is {} in {}; {}.", dim_text(c.block), plural(threads, "thread"),
                                     plural(warps, "warp"), idle_text)}};
  const auto lines = drawing(c.block);
  a.lines.insert(a.lines.end(), lines.begin(), lines.end());
  if (const auto wrong = mistaken(c.block); wrong > 0) {
    a.lines.push_back(fmt::format("threadIdx.x / 32, the warp of a one-dimensional block, is wrong here for {} of {}.",
                                  wrong, plural(threads, "thread")));
  }
  return a;
}

/// The lecture's arithmetic: threads, blocks and warps against the cores of a GPU.
Commentary calculate(const Case& c) {
  const auto threads = static_cast<std::uint64_t>(c.n()), per_block = c.block.volume();
  const auto sms = static_cast<std::uint64_t>(c.params.integer("sms")),
             cores = static_cast<std::uint64_t>(c.params.integer("cores"));
  const std::uint64_t blocks = (threads + per_block - 1) / per_block, warps = blocks * warps_of(per_block);
  const std::uint64_t at_once = cores / warp_size, lanes = sms * cores;
  const std::uint64_t rounds = at_once == 0 ? 0 : (warps + sms * at_once - 1) / (sms * at_once);
  const auto resident = static_cast<std::uint64_t>(c.max_threads_per_sm) / warp_size;
  const auto metric = [](const char* name, std::uint64_t value) {
    return Metric{name, static_cast<double>(value), ""};
  };
  return {
      .metrics = {metric("blocks", blocks), metric("warps_per_block", warps_of(per_block)), metric("warps", warps),
                  metric("warps_at_once_per_sm", at_once), metric("lanes_at_once", lanes), metric("rounds", rounds)},
      .lines = {
          fmt::format("{} threads in blocks of {}: {} blocks of {} each, {} warps in all.", grouped(threads),
                      dim_text(c.block), grouped(blocks), plural(warps_of(per_block), "warp"), grouped(warps)),
          fmt::format(
              "{} SMs of {} cores: {} lanes in each clock cycle, {} at a time on each SM. One instruction for all "
              "threads takes {} rounds.",
              sms, cores, grouped(lanes), plural(at_once, "warp"), grouped(rounds)),
          fmt::format(
              "Cores say how many lanes are served in a cycle, not how many threads are there: an SM of the GPU "
              "modelled here holds {} warps, and while some wait for memory it serves others.",
              resident)}};
}

/// Of a smaller grid there are fewer threads to record.
void adjust(const Case& c, Problem& p) {
  const auto threads = std::min(static_cast<std::uint64_t>(c.n()), c.grid.volume() * c.block.volume());
  p.expected[0].exact.resize(static_cast<std::size_t>(threads) * sizeof(std::int32_t[4]));
}

/// Blocks for n threads, as near to a square or a cube as it gets.
Dim3 spread(const Case& c, bool cube) {
  const auto blocks = static_cast<double>(blocks_for(c.n(), static_cast<std::int64_t>(c.block.volume())));
  const auto up = [](double x) { return static_cast<std::uint32_t>(std::ceil(x)); };
  const std::uint32_t z = cube ? up(std::cbrt(blocks)) : 1;
  const std::uint32_t y = up(std::sqrt(blocks / z));
  return {up(blocks / (static_cast<double>(y) * z)), y, z};
}

Variant rung(int dimensions, const std::string& summary) {
  const auto name = fmt::format("ids_{}d", dimensions);
  return {.name = name,
          .summary = summary,
          .kernel = "warps_" + name + "<{print}>",
          .blocks = {.dimensions = dimensions},
          .strides = true,
          .automatic_grid = [=](const Case& c) { return spread(c, dimensions == 3); },
          .adjust = adjust};
}

/// The grids are of several dimensions where blocks are, so that one-dimensional numbers do not pass.
std::vector<Contract> contracts() {
  auto one =
      row_contract("ids", "(int4* ids, int n)",
                   "writes block, thread, warp and lane of each thread to ids[its number in the grid], x fastest");
  one.launches = {{{42}}, {{256}}, {{40, 2}}, {{8, 5, 3}}, {{2}}};  // of two threads: more blocks than 15 bits count
  one.every_launch = true;
  one.grid =
      "n threads or more; blocks and grids of one, two and three dimensions; threads beyond n write nothing; x is "
      "the block's number in the grid, y the thread's in its block, z the warp's in its block, w the lane";
  one.params = {{"print", "false"}};
  one.reference = {{"n", std::int64_t{1} << 14}};
  one.rungs = {"ids_1d", "ids_2d", "ids_3d"};
  std::erase_if(one.classes, [](const InputClass& c) { return c.values == Values::extreme; });
  one.extent = [](const Case& c) {
    if (c.block.y == 1) return Dim3{static_cast<std::uint32_t>(c.n())};
    const auto grid = spread(c, c.block.z > 1);
    return Dim3{grid.x * c.block.x, grid.y * c.block.y, grid.z * c.block.z};
  };
  one.problem = [](const Case& c, Values) { return problem(c); };
  one.place = {};
  return {one};
}

}  // namespace

Lab lab() {
  Lab lab;
  lab.lecture = 2;
  lab.topic = "threads, warps, blocks, ids";
  lab.question = "Which threads share a warp, and how many lanes has a block for nothing?";
  lab.headline = "ids_1d";
  lab.params = {{"n", "threads that record who they are", std::int64_t{168}, {}, 0, 2147483647},
                {"print", "each thread says who it is", "false", {"false", "true"}},
                {"sms", "streaming multiprocessors (calculator)", std::int64_t{13}, {}, 1, 10000, {13, 132}},
                {"cores", "cores of an SM (calculator)", std::int64_t{128}, {}, 32, 1024, {64, 128}}};
  lab.block_presets = {{42}, {128}, {512}, {40, 2}, {64, 2}, {8, 5, 3}};
  lab.default_block = {42};
  lab.problem = problem;
  lab.arguments = [](const Case& c) -> std::vector<Argument> {
    return {BufferArgument{"ids"}, static_cast<std::int32_t>(c.n())};
  };
  lab.work = [](const Case& c) {
    const auto n = static_cast<double>(c.n());
    return Work{.bytes = 16 * n, .elements = n};
  };
  lab.commentary = commentary;
  lab.metrics = {
      {"warps_per_block", "", "warps of a block: its threads / 32, rounded up"},
      {"inactive_lanes", "per block", "lanes of a block's last warp that are no thread"},
      {"lane_use", "ratio", "threads of a block / lanes of its warps"},
      {"blocks", "", "blocks that the threads fill"},
      {"warps", "", "warps of all blocks"},
      {"warps_at_once_per_sm", "", "warps whose lanes the cores of an SM serve in one clock cycle: its cores / 32"},
      {"lanes_at_once", "", "lanes that the cores of all SMs serve in one clock cycle"},
      {"rounds", "", "warps of all blocks / warps that all SMs serve at once, rounded up"}};
  lab.contracts = contracts();
  lab.variants = {
      rung(1, "a row of threads: the warp is threadIdx.x / 32"),
      rung(2, "rows of threads: warps go on from one row to the next"),
      rung(3, "planes of rows of threads: x fastest, then y, then z"),
      {.name = "calculator",
       .summary = "no kernel: threads, blocks and warps against the cores of a GPU (--n, --block, --sms, --cores)",
       .calculate = calculate},
  };
  return lab;
}

}  // namespace gpulab::labs::warps
