#include "labs/lab.h"

#include <algorithm>

#include "labs/contract_parts.h"
#include "labs/segsum/bags.h"
#include "labs/segsum/round_trip.h"
#include "labs/vendor.h"

namespace gpulab::labs::segsum {
namespace {

std::int64_t bags(const Case& c) { return c.params.integer("bags"); }

/// Multiples of 2^-8 in [-1, 1): sums of up to 2^16 of them are exact in float, in any order, so that a row that is
/// lost or taken twice shows at once.
std::vector<std::byte> fractions(const Case& c, std::size_t count, std::uint64_t stream) {
  const auto random = random_values(Scalar::i32, count, c.seed, -256, 255, stream);
  std::vector<float> values(count);
  std::ranges::transform(view_as<int>(random), values.begin(), [](int k) { return static_cast<float>(k) * 0x1p-8F; });
  return bytes_of(std::span<const float>(values));
}

Problem problem(const Case& c) {
  const auto first_row = first_rows(lengths(c));
  const std::size_t elements = static_cast<std::size_t>(first_row.back()) * features;
  const std::size_t sums = static_cast<std::size_t>(bags(c)) * features;
  Problem p;
  p.buffers = {
      {"x", Scalar::f32, elements, BufferRole::input, fractions(c, elements, 3)},
      {"first_row", Scalar::i32, first_row.size(), BufferRole::input, bytes_of(std::span<const int>(first_row))},
      {"fallback", Scalar::f32, features, BufferRole::input, fractions(c, features, 4)},
      {"out", Scalar::f32, sums, BufferRole::output}};
  std::vector<float> out(sums);
  sum_bags(view_as<float>(p.buffers[0].initial), first_row, view_as<float>(p.buffers[2].initial), out);
  p.expected = {{.buffer = "out", .exact = bytes_of(std::span<const float>(out))}};
  return p;
}

/// Pieces of bags are added to zeros.
void from_zeros(const Case& c, Problem& p) {
  p.buffers[3].initial.assign(static_cast<std::size_t>(bags(c)) * features * sizeof(float), std::byte{0});
}

std::vector<Argument> arguments(const Case& c) {
  return {BufferArgument{"x"}, BufferArgument{"first_row"}, BufferArgument{"fallback"}, BufferArgument{"out"},
          static_cast<std::int32_t>(bags(c))};
}

std::vector<Step> launch_per_bag(const Case& c) {
  std::vector<Step> steps;
  for (std::int32_t bag = 0; bag < bags(c); ++bag) {
    auto with_bag = arguments(c);
    with_bag.emplace_back(bag);
    steps.push_back({"segsum_one_bag", c.grid, c.block, 0, std::move(with_bag)});
  }
  return steps;
}

Dim3 one_block(const Case&) { return {1, 1, 1}; }
Dim3 bag_per_warp(const Case& c) { return {c.block.x / 32}; }
Dim3 items_per_block(const Case& c) {
  const auto rows = lengths(c);
  const std::int64_t items = first_rows(rows).back() + bags(c);
  return {blocks_for(items, std::int64_t{items_per_warp} * c.block.x / 32)};
}

/// With what a launch costs, and all bags in one.
Commentary in_launches(Commentary commentary, double launches) {
  commentary.metrics.push_back({"launches", launches, ""});
  return commentary;
}
Commentary of_launches(const Case& c, const ReadBuffer&) {
  const auto rows = lengths(c);
  Commentary commentary;
  if (!rows.empty())
    commentary.lines = {"One launch per bag: the longest has " + std::to_string(std::ranges::max(rows)) +
                        " rows, the shortest " + std::to_string(std::ranges::min(rows)) +
                        ", and each waits for the one before."};
  return in_launches(commentary, static_cast<double>(bags(c)));
}
Commentary of_threads(const Case& c, const ReadBuffer&) {
  return in_launches(spread(thread_per_bag(lengths(c), c.block.x)), 1);
}
Commentary of_warps(const Case& c, const ReadBuffer&) { return in_launches(spread(warp_per_bag(lengths(c))), 1); }
Commentary of_items(const Case& c, const ReadBuffer&) { return in_launches(spread(balanced(lengths(c))), 1); }
Commentary nothing(const Case&, const ReadBuffer&) { return {}; }

void sum_on_host(const HostCall& call) {
  const auto as_floats = [&](const char* name) {
    return view_as<float>(std::span<const std::byte>(call.buffers.at(name)));
  };
  sum_bags(as_floats("x"), view_as<int>(std::span<const std::byte>(call.buffers.at("first_row"))),
           as_floats("fallback"), view_as<float>(call.buffers.at("out")));
}

const BlockRule warps{.whole_warps = true, .min_threads = 32, .why = "a warp works on one bag"};

std::vector<Variant> ladder() {
  std::vector<Variant> v{
      {.name = "kernel_per_bag",
       .summary = "what array code does: a launch for each bag, a thread for each feature",
       .strides = true,
       .automatic_grid = one_block,
       .steps = launch_per_bag,
       .commentary = of_launches},
      {.name = "thread_per_bag",
       .summary = "one launch; but the lanes of a warp walk through 32 bags, and wait for the longest",
       .kernel = "segsum_thread_per_bag",
       .claims = {falls("launches")},
       .commentary = of_threads},
      {.name = "warp_per_bag",
       .summary = "lanes take the features of one bag: coalesced, no divergence; warps of short bags end early",
       .kernel = "segsum_warp_per_bag",
       .blocks = warps,
       .covers = bag_per_warp,
       .claims = {rises("warp_execution_efficiency"), rises("global_load_efficiency"), falls("global_load_sectors")},
       .commentary = of_warps},
      {.name = "balanced",
       .summary = "every warp takes 32 rows, wherever bags begin and end; pieces of a bag meet by atomics",
       .kernel = "segsum_balanced",
       .blocks = warps,
       .automatic_grid = items_per_block,
       .adjust = from_zeros,
       .claims = {falls("busiest_warp_rows"), falls("load_imbalance"), rises("warp_instructions")},
       .commentary = of_items}};
  v.push_back({.name = "cub",
               .summary = "NVIDIA's cub::DeviceSegmentedReduce, a block per bag and feature: the yardstick",
               .commentary = nothing,
               .vendor = vendor_code("segsum.cub")});
  v.push_back({.name = "cpu_round_trip",
               .summary = "all rows to the host, a loop on the CPU, the sums back: what beat the lecture's GPU code",
               .commentary = nothing,
               .vendor = round_trip()});
  v.push_back({.name = "cpu",
               .summary = "the loop on the CPU alone, its data there already",
               .commentary = nothing,
               .host = sum_on_host});
  return v;
}

std::vector<Contract> contracts() {
  Contract one{.name = "bags",
               .signature = "(const float* x, const int* first_row, const float* fallback, float* out, int bags)",
               .summary =
                   "out[b] = sum of rows first_row[b] to first_row[b + 1] - 1 of x, or fallback where there is none; "
                   "rows have 128 floats; out starts with 0"};
  one.launches = {{{128}, {1}}, {{256}, {1}}, {{32}, {1}}, {{512}, {1}}};
  one.grid =
      "a block for each bag, in x, of 2048 at most; a kernel that gives a bag to a warp or a thread has blocks to "
      "spare";
  one.shared = "a float for each thread";
  one.dynamic_shared_bytes = [](const Case& c) { return static_cast<std::uint32_t>(sizeof(float)) * c.block.x; };
  one.before = "out is all 0";
  one.precision = "numbers are such that their sums are exact in any order";
  one.params = {{"order", "mixed"}, {"empty", std::int64_t{30}}};
  one.reference = {{"bags", std::int64_t{111}}};
  one.rungs = {"thread_per_bag", "warp_per_bag", "balanced"};
  const auto points = [](std::initializer_list<std::int64_t> all, std::int64_t empty) {
    std::vector<std::map<std::string, ParamValue, std::less<>>> made;
    for (const auto n : all) made.push_back({{"bags", n}, {"empty", empty}});
    return made;
  };
  one.classes = {
      {"usual", "bags that all have rows", "the answer itself is wrong: start with one bag by hand", points({32}, 0)},
      {"empty", "no bags, or none that has a row", "an empty bag takes the fallback", {}},
      {"one", "a single bag", "all other blocks or warps have no bag", points({1}, 0)},
      {"gaps", "bags of which some have no row", "an empty bag takes the fallback, and its neighbours their own rows",
       points({33, 100, 300}, 30)},
  };
  one.classes[1].points = points({0}, 0);
  one.classes[1].points.push_back(points({20}, 100).front());
  // The bags are those of one seed, so that other numbers fill the same memory.
  one.problem = [](const Case& c, Values) {
    Case bags_of = c;
    bags_of.seed = 42;
    auto p = problem(bags_of);
    p.buffers[0].initial = fractions(c, p.buffers[0].count, 3);
    p.buffers[2].initial = fractions(c, features, 4);
    sum_bags(view_as<float>(p.buffers[0].initial), view_as<int>(p.buffers[1].initial),
             view_as<float>(p.buffers[2].initial), view_as<float>(p.expected[0].exact));
    from_zeros(c, p);
    return p;
  };
  one.arguments = arguments;
  return {one};
}

}  // namespace

Lab lab() {
  Lab lab;
  lab.lecture = 14;
  lab.topic = "irregular work";
  lab.question = "How is work divided whose pieces differ in size by a factor of 1000?";
  lab.headline = "balanced";
  lab.prerequisites = {"divergence", "reduce"};
  lab.params = {{"bags", "bags of rows of 128 features", std::int64_t{1110}, {}, 0, 2048},
                {"empty", "percent of the bags that have no row", std::int64_t{0}, {}, 0, 100, {0, 30, 100}},
                {"order", "long bags among the short ones, or behind them", "mixed", {"mixed", "by_class"}}};
  lab.block_presets = {{128}, {256}, {512}};
  lab.extent = [](const Case& c) { return Dim3{static_cast<std::uint32_t>(bags(c))}; };
  lab.problem = problem;
  lab.arguments = arguments;
  lab.work = [](const Case& c) {
    const double rows = first_rows(lengths(c)).back(), row_bytes = features * sizeof(float);
    return Work{.bytes = (rows + static_cast<double>(bags(c))) * row_bytes, .flops = rows * features, .elements = rows};
  };
  lab.metrics = {{"busiest_warp_rows", "rows", "rows that the warp with most work adds up, one step of the warp each"},
                 {"lanes_busy", "ratio", "of the lanes of the warps' steps, those that have an element"},
                 {"load_imbalance", "", "rows of the busiest warp / rows of a warp on average; 1: all work alike"},
                 {"launches", "", "kernel launches in one run"}};
  lab.contracts = contracts();
  lab.subject = {"warp_execution_efficiency", "block_imbalance"};
  lab.variants = ladder();
  return lab;
}

}  // namespace gpulab::labs::segsum
