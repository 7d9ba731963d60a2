#include "labs/lab.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "labs/contract_parts.h"

namespace gpulab::labs::unroll {
namespace {

std::uint32_t per_thread(const Case& c) { return static_cast<std::uint32_t>(c.params.integer("per_thread")); }

/// Elements that a block adds up.
using Covers = std::function<std::uint32_t(const Case&)>;

/// out[b] is the sum of part b; of parts past the end, nothing.
void set_answer(std::size_t parts, std::size_t part, Problem& p) {
  const auto in = view_as<std::int32_t>(p.buffers[0].initial);
  std::vector<std::int32_t> sums(parts, 0);
  for (std::size_t b = 0; b < parts && b * part < in.size(); ++b) {
    const auto of_block = in.subspan(b * part, std::min(part, in.size() - b * part));
    sums[b] = std::accumulate(of_block.begin(), of_block.end(), 0);
  }
  p.buffers[1].count = parts;
  p.expected = {{.buffer = "out", .exact = bytes_of<std::int32_t>(sums)}};
}

/// The lecture's values, 0 to 99: what a block adds up is far from 2^31 (1024 threads x 1024 elements x 99).
Problem problem(const Case& c) {
  const auto n = static_cast<std::size_t>(c.n());
  Problem p;
  p.buffers = {{"in", Scalar::i32, n, BufferRole::input, random_values(Scalar::i32, n, c.seed, 0, 99)},
               {"out", Scalar::i32, 0, BufferRole::output}};
  set_answer(blocks_for(c.n(), c.block.x), c.block.x, p);
  return p;
}

std::vector<Argument> arguments(const Case& c) {
  return {BufferArgument{"in"}, BufferArgument{"out"}, static_cast<std::int32_t>(c.n())};
}
std::vector<Argument> loop_arguments(const Case& c) {
  return {BufferArgument{"in"}, BufferArgument{"out"}, static_cast<std::int32_t>(c.n()),
          static_cast<std::int32_t>(per_thread(c))};
}

const BlockRule tree{.power_of_two = true, .why = "each step halves the threads that work"};
const BlockRule warps{.power_of_two = true, .min_threads = 32, .why = "a lane's elements lie a warp apart"};
const BlockRule last_warp{.power_of_two = true, .min_threads = 64, .why = "its last warp starts with 64 values"};
const BlockRule compiled{.only = {{256}, {64}, {128}, {512}, {1024}}, .why = "there is a kernel for each of these"};

Variant rung(const std::string& name, const std::string& summary, const std::string& kernel, const BlockRule& blocks,
             const Covers& covers) {
  Variant v{.name = name, .summary = summary, .kernel = kernel, .blocks = blocks};
  v.covers = [=](const Case& c) { return Dim3{covers(c)}; };
  v.dynamic_shared_bytes = [](const Case& c) { return static_cast<std::uint32_t>(sizeof(std::int32_t)) * c.block.x; };
  v.adjust = [=](const Case& c, Problem& p) { set_answer(c.grid.x, covers(c), p); };
  return v;
}

Variant loop(int factor) {
  const auto summary =
      factor == 1
          ? std::string("adds --per_thread elements in a loop: two instructions of work, four to count and branch")
          : fmt::format("#pragma unroll {0}: the loop counts and branches once for {0} elements", factor);
  Variant v = rung(fmt::format("loop_{}", factor), summary, fmt::format("unroll_loop<{}>", factor), warps,
                   [](const Case& c) { return per_thread(c) * c.block.x; });
  v.arguments = loop_arguments;
  if (factor > 1) v.claims = {falls("instructions_per_element"), falls("branches")};
  return v;
}

Variant over_blocks(std::uint32_t blocks) {
  const auto summary =
      blocks == 1 ? std::string("no loop: a thread for each element, a tree and its barriers for each block")
                  : fmt::format("a block takes the parts of {0} blocks: {0} elements per thread, one tree", blocks);
  Variant v = rung(fmt::format("unroll_{}", blocks), summary, fmt::format("unroll_blocks<{}>", blocks), tree,
                   [=](const Case& c) { return blocks * c.block.x; });
  if (blocks == 1) v.builds_on = "loop_1";
  if (blocks > 1) v.claims = {falls("instructions_per_element"), falls("barriers")};
  return v;
}

std::vector<Variant> ladder() {
  const Covers eight = [](const Case& c) { return 8 * c.block.x; };
  std::vector<Variant> v;
  for (const int factor : {1, 2, 4, 8, 16}) v.push_back(loop(factor));
  for (const std::uint32_t blocks : {1, 2, 4, 8}) v.push_back(over_blocks(blocks));
  v.push_back(rung("unroll_last_warp", "the last six steps are one warp's: written out, without barriers of the block",
                   "unroll_last_warp", last_warp, eight));
  v.back().claims = {falls("instructions_per_element"), falls("barriers")};
  v.push_back(rung("complete_runtime", "all steps written out, each behind a question about the block's size",
                   "unroll_complete_runtime", last_warp, eight));
  v.back().claims = {falls("instructions_per_element")};
  v.push_back(rung("complete_template", "the block's size is a template parameter: the compiler answers the questions",
                   "unroll_complete_template<{block}>", compiled, eight));
  v.back().claims = {falls("instructions_per_element"), falls("branches")};
  return v;
}

std::vector<Contract> contracts() {
  auto partials = row_contract("partials", "(const int* in, int* out, int n)",
                               "writes the sum of each block's elements to out[blockIdx.x], 8 per thread");
  partials.about_barriers = true;
  partials.launches.clear();
  for (const std::uint32_t threads : {256U, 128U, 512U, 1024U, 64U, 32U})
    partials.launches.push_back({{threads}, {8 * threads}});
  partials.grid = "a thread for 8 elements, in x; the kernel chooses which, if each is added once";
  partials.shared = "an int for each thread";
  partials.dynamic_shared_bytes = [](const Case& c) { return static_cast<std::uint32_t>(sizeof(int)) * c.block.x; };
  partials.may_write = {"in"};
  partials.precision = "modulo 2^32";
  partials.rungs = {"unroll_8", "unroll_last_warp", "complete_template"};
  partials.place = {};
  // Of 8 elements a thread, too, more blocks than a byte counts.
  std::ranges::find(partials.classes, "large", &InputClass::name)->points = {{{"n", std::int64_t{600'001}}}};
  partials.problem = [](const Case& c, Values values) {
    const auto n = static_cast<std::size_t>(c.n());
    Problem p;
    p.buffers = {{"in", Scalar::i32, n, BufferRole::input, integers(Scalar::i32, n, c.seed, values)},
                 {"out", Scalar::i32, c.grid.x, BufferRole::output}};
    std::vector<std::uint32_t> sums(c.grid.x);
    const auto in = view_as<std::uint32_t>(p.buffers[0].initial);
    for (std::size_t i = 0; i < n; ++i) sums[i / (8 * c.block.x)] += in[i];
    p.expected = {{.buffer = "out", .exact = bytes_of(std::span<const std::uint32_t>(sums))}};
    return p;
  };
  partials.settle = [](const Case&, const Problem&, std::span<const std::byte> got, Expected& expected) {
    const auto sum = [](std::span<const std::byte> bytes) {
      const auto parts = view_as<std::uint32_t>(bytes);
      return std::accumulate(parts.begin(), parts.end(), std::uint32_t{0});
    };
    if (sum(got) == sum(expected.exact)) expected.exact.assign(got.begin(), got.end());
  };
  return {partials};
}

}  // namespace

Lab lab() {
  Lab lab;
  lab.lecture = 6;
  lab.topic = "unrolling";
  lab.question = "How many instructions does an element cost, and which of them do no work?";
  lab.headline = "complete_template";
  lab.prerequisites = {"reduce"};
  lab.params = {{"n", "elements", std::int64_t{1} << 22, {}, 0, 2147483647},
                {"per_thread", "elements of a thread (loop_…)", std::int64_t{64}, {}, 1, 1024, {1, 7, 16, 64}}};
  lab.block_presets = {{64}, {128}, {256}, {512}, {1024}};
  lab.extent = [](const Case& c) { return Dim3{static_cast<std::uint32_t>(c.n())}; };
  lab.problem = problem;
  lab.arguments = arguments;
  lab.work = [](const Case& c) {
    const auto n = static_cast<double>(c.n());
    return Work{.bytes = 4 * n, .elements = n, .instructions_per_element = true};
  };
  lab.contracts = contracts();
  lab.subject = {"warp_instructions", "barriers"};
  lab.variants = ladder();
  return lab;
}

}  // namespace gpulab::labs::unroll
