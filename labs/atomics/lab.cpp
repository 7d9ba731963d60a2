#include "labs/lab.h"

#include <fmt/format.h>

#include <algorithm>

#include "labs/atomics/contention.h"
#include "labs/contract_parts.h"
#include "labs/vendor.h"

namespace gpulab::labs::atomics {
namespace {

std::size_t bins(const Case& c) { return static_cast<std::size_t>(c.params.integer("bins")); }
std::size_t side(const Case& c) { return static_cast<std::size_t>(c.params.integer("side")); }

/// Uniform over all bins, but for `skew` percent of the elements: these go to one bin.
std::vector<std::byte> elements(const Case& c) {
  const auto n = static_cast<std::size_t>(c.n());
  auto bytes = random_values(Scalar::i32, n, c.seed, 0, static_cast<double>(bins(c) - 1));
  const auto percent = random_values(Scalar::u8, n, c.seed, 0, 99, 1);
  const auto in = view_as<int>(std::span(bytes));
  const auto dice = view_as<std::uint8_t>(percent);
  const auto skew = c.params.integer("skew");
  const auto fullest = static_cast<int>(bins(c) / 3);
  for (std::size_t i = 0; i < n; ++i)
    if (dice[i] < skew) in[i] = fullest;
  return bytes;
}

/// Two rectangles on a noisy ground, like the lecture's two squares. The levels are whole numbers below 256, so that
/// sums of up to 1024 of them are exact in float, in any order.
std::vector<std::byte> image(const Case& c) {
  const std::size_t s = side(c);
  auto bytes = random_values(Scalar::u8, s * s, c.seed, 0, 31, 2);
  std::vector<float> levels(s * s);
  for (std::size_t y = 0; y < s; ++y) {
    for (std::size_t x = 0; x < s; ++x) {
      const auto within = [&](std::size_t v, std::size_t from, std::size_t to) {
        return v * 50 >= from * s && v * 50 < to * s;
      };
      const bool dark = within(x, 10, 20) && within(y, 5, 20), bright = within(x, 35, 45) && within(y, 30, 45);
      const float ground = bright ? 224 : dark ? 112 : 0;
      levels[y * s + x] = ground + static_cast<float>(std::to_integer<int>(bytes[y * s + x]));
    }
  }
  return bytes_of(std::span<const float>(levels));
}

Problem problem(const Case& c) {
  Problem p;
  p.buffers = {{"in", Scalar::i32, static_cast<std::size_t>(c.n()), BufferRole::input, elements(c)},
               {"counts", Scalar::i32, bins(c), BufferRole::output, std::vector<std::byte>(bins(c) * sizeof(int))},
               {"image", Scalar::f32, side(c) * side(c), BufferRole::input, image(c)},
               {"out", Scalar::f32, side(c) * side(c), BufferRole::output,
                std::vector<std::byte>(side(c) * side(c) * sizeof(float))}};
  std::vector<int> counts(bins(c));
  for (const int bin : view_as<int>(p.buffers[0].initial)) ++counts[static_cast<std::size_t>(bin)];
  p.expected = {{.buffer = "counts", .exact = bytes_of(std::span<const int>(counts))}};
  return p;
}

/// Each column of `out` holds the column's sum in every row.
void expect_column_sums(const Case& c, Problem& p) {
  const std::size_t s = side(c);
  const auto pixels = view_as<float>(p.buffers[2].initial);
  std::vector<double> sums(s);
  for (std::size_t i = 0; i < s * s; ++i) sums[i % s] += pixels[i];
  std::vector<float> out(s * s);
  for (std::size_t i = 0; i < s * s; ++i) out[i] = static_cast<float>(sums[i % s]);
  p.expected = {{.buffer = "out", .exact = bytes_of(std::span<const float>(out))}};
}

std::vector<Argument> arguments(const Case& c) {
  return {BufferArgument{"in"}, BufferArgument{"counts"}, static_cast<std::int32_t>(c.n())};
}
std::vector<Argument> arguments_with_bins(const Case& c) {
  auto all = arguments(c);
  all.emplace_back(static_cast<std::int32_t>(bins(c)));
  return all;
}
std::vector<Argument> image_arguments(const Case& c) {
  return {BufferArgument{"image"}, BufferArgument{"out"}, static_cast<std::int32_t>(side(c))};
}
Dim3 image_grid(const Case& c) {
  const auto length = c.params.integer("side");
  return {blocks_for(length, c.block.x), blocks_for(length, c.block.y)};
}
/// Each pixel is read once, and added to `side` words: read and written.
Work image_work(const Case& c) {
  const auto s = static_cast<double>(side(c));
  return {.bytes = sizeof(float) * (s * s + 2 * s * s * s), .flops = s * s * s, .elements = s * s};
}
std::uint32_t one_word_per_bin(const Case& c) { return static_cast<std::uint32_t>(bins(c) * sizeof(int)); }

/// What the data does to the rung: the fullest bin, and the queues that follow.
Commentary queueing(const Case& c, const ReadBuffer& read, bool own_histograms, bool aggregated) {
  const auto bytes = read("in"), result = read("counts");
  const auto in = view_as<int>(bytes);
  const auto fullest = std::ranges::max_element(view_as<int>(result));
  const double share = in.empty() ? 0 : static_cast<double>(*fullest) / static_cast<double>(in.size());
  const Queues queues =
      own_histograms ? of_private(in, bins(c), c.block.x, c.grid.x, aggregated) : of_elements(in, bins(c));
  Commentary commentary;
  commentary.metrics = {{"fullest_bin_share", share, "ratio"},
                        {"global_queue", static_cast<double>(queues.global), "updates"}};
  std::string line = fmt::format(
      "The fullest of {} bins holds {:.1f}% of the elements. The busiest word of the result "
      "gets {} atomic updates, one after the other",
      bins(c), 100 * share, queues.global);
  if (own_histograms) {
    commentary.metrics.push_back({"shared_queue", static_cast<double>(queues.shared), "updates"});
    line += fmt::format("; the busiest word of a block's own histogram {}, in shared memory", queues.shared);
  }
  commentary.lines = {line + "."};
  return commentary;
}
Commentary of_global(const Case& c, const ReadBuffer& read) { return queueing(c, read, false, false); }
Commentary of_shared(const Case& c, const ReadBuffer& read) { return queueing(c, read, true, false); }
Commentary of_aggregated(const Case& c, const ReadBuffer& read) { return queueing(c, read, true, true); }

/// No queue but at the end, where each block adds what it has.
Commentary of_threads(const Case& c, const ReadBuffer& read) {
  const auto result = read("counts");
  const auto fullest = std::ranges::max_element(view_as<int>(result));
  const double share = c.n() == 0 ? 0 : static_cast<double>(*fullest) / static_cast<double>(c.n());
  Commentary commentary;
  commentary.metrics = {{"fullest_bin_share", share, "ratio"},
                        {"global_queue", static_cast<double>(std::min<std::int64_t>(c.grid.x, *fullest)), "updates"},
                        {"shared_queue", 0, "updates"}};
  commentary.lines = {
      fmt::format("The fullest of {} bins holds {:.1f}% of the elements, which does not matter: each thread counts in "
                  "bytes of its own. A word of the result gets an atomic update of each of {} blocks at most.",
                  bins(c), 100 * share, c.grid.x)};
  return commentary;
}

Commentary of_image(const Case& c, const ReadBuffer& read) {
  const auto pixels = read("image"), sums = read("out");
  Commentary commentary;
  commentary.metrics = {{"global_queue", static_cast<double>(side(c)), "updates"}};
  commentary.lines = {
      fmt::format("{} x {} pixels, each added to {} words: every word gets {} atomic updates, one after "
                  "the other. --image draws the image and, beside it, what became of it.",
                  side(c), side(c), side(c), side(c))};
  commentary.picture = picture_of(view_as<float>(pixels), view_as<float>(sums), side(c));
  return commentary;
}

Commentary of_racy_image(const Case& c, const ReadBuffer& read) {
  const auto pixels = read("image"), sums = read("out");
  Commentary commentary;
  commentary.lines = {
      fmt::format("{} x {} pixels, each added to {} words without an atomic: of the updates that meet, one stays. "
                  "--image draws the image and, beside it, what is left of its sums; image_atomic has them all.",
                  side(c), side(c), side(c))};
  commentary.picture = picture_of(view_as<float>(pixels), view_as<float>(sums), side(c));
  return commentary;
}

/// As many as the shared memory of an H200's SM holds, of the 16 elements that a thread takes at once.
Dim3 six_blocks_per_sm(const Case& c) {
  const auto held = 6 * static_cast<std::uint32_t>(c.sm_count);
  return {std::clamp(held, 1U, std::max(1U, blocks_for(c.n(), std::int64_t{16} * c.block.x)))};
}

const BlockRule warps{.whole_warps = true, .min_threads = 32, .why = "all lanes of a warp vote"};
const BlockRule flat_or_tall{.dimensions = 2,
                             .only = {{16, 16}, {32, 8}, {8, 32}, {32, 32}, {1, 256}, {7, 5}},
                             .why = "the image is two-dimensional; these shapes differ in the rows that a warp covers"};

std::vector<Variant> ladder() {  // NOLINT(readability-function-size): a table
  std::vector<Variant> v{
      {.name = "racy",
       .summary = "counts[bin] += 1: load, add, store; whoever comes in between is overwritten",
       .kernel = "histogram_racy",
       .racy = true},
      {.name = "global_atomic",
       .summary = "one indivisible addition per element: right, but all blocks queue at the same words",
       .kernel = "histogram_global_atomic",
       .commentary = of_global},
      {.name = "shared_private",
       .summary = "a histogram per block in shared memory, added to the result once: the queues are short and near",
       .kernel = "histogram_shared_private",
       .strides = true,
       .automatic_grid = resident_grid(16),
       .dynamic_shared_bytes = one_word_per_bin,
       .arguments = arguments_with_bins,
       .claims = {falls("global_atomic_requests"), falls("global_queue")},
       .commentary = of_shared},
      {.name = "warp_aggregated",
       .summary = "lanes of one bin find each other by match, one adds for all: no two lanes meet on an address",
       .kernel = "histogram_warp_aggregated",
       .file = "kernels_sm75.cu",
       .blocks = warps,
       .strides = true,
       .automatic_grid = resident_grid(16),
       .dynamic_shared_bytes = one_word_per_bin,
       .arguments = arguments_with_bins,
       .claims = {falls("shared_atomic_max_lanes"), falls("shared_queue"), rises("warp_instructions")},
       .commentary = of_aggregated,
       .min_compute_capability = 75},
  };
  v.push_back(
      {.name = "thread_private",
       .summary = "a shared histogram of bytes for each thread: no atomics; 64 bytes of input under way per thread",
       .kernel = "histogram_thread_private",
       .blocks = {.only = {{128}}, .why = "counters of 128 threads fill the shared memory of a block"},
       .strides = true,
       .automatic_grid = six_blocks_per_sm,
       .arguments = arguments_with_bins,
       .builds_on = "shared_private",
       .claims = {falls("shared_atomic_requests"), falls("shared_queue")},
       .commentary = of_threads});
  v.push_back(
      {.name = "cub", .summary = "NVIDIA's cub::DeviceHistogram: the yardstick", .vendor = vendor_code("atomics.cub")});
  v.push_back({.name = "image_racy",
               .summary = "pixels added to all of their column: threads of one column overwrite each other's sums",
               .kernel = "image_racy",
               .blocks = flat_or_tall,
               .automatic_grid = image_grid,
               .arguments = image_arguments,
               .adjust = expect_column_sums,
               .racy = true,
               .work = image_work,
               .starts = true,
               .commentary = of_racy_image});
  v.push_back(
      {.name = "image_atomic",
       .summary =
           "the same with atomicAdd: every pixel arrives, no load to wait for; the block's shape says how many meet",
       .kernel = "image_atomic",
       .blocks = flat_or_tall,
       .automatic_grid = image_grid,
       .arguments = image_arguments,
       .adjust = expect_column_sums,
       .work = image_work,
       .commentary = of_image});
  return v;
}

std::vector<Contract> contracts() {
  auto histogram =
      row_contract("histogram", "(const int* in, int* counts, int n, int bins)",
                   "adds to counts[b], which starts with 0, how many of in[0..n) are b; 0 <= in[i] < bins");
  histogram.before = "counts is all 0";
  histogram.shared = "an int for each bin; there are at most 1024";
  histogram.dynamic_shared_bytes = one_word_per_bin;
  histogram.params = {{"skew", std::int64_t{50}}, {"side", std::int64_t{1}}};
  histogram.reference = {{"n", std::int64_t{1} << 16}, {"bins", std::int64_t{256}}};
  histogram.rungs = {"global_atomic", "shared_private", "warp_aggregated"};
  histogram.place = {};
  std::erase_if(histogram.classes, [](const InputClass& c) { return c.values == Values::extreme; });
  histogram.classes = with_param(histogram.classes, "bins", {std::int64_t{256}, std::int64_t{100}, std::int64_t{1}});
  histogram.classes.push_back({"bins",
                               "few bins, many, and more than threads",
                               "a block's threads share out all bins in a loop",
                               {{{"n", std::int64_t{3000}}, {"bins", std::int64_t{7}}},
                                {{"n", std::int64_t{3000}}, {"bins", std::int64_t{1024}}}}});
  histogram.problem = [](const Case& c, Values) {
    auto p = problem(c);
    p.buffers.resize(2);
    return p;
  };
  histogram.arguments = arguments_with_bins;
  return {histogram};
}

}  // namespace

Lab lab() {
  Lab lab;
  lab.lecture = 10;
  lab.topic = "races, atomics, histograms";
  lab.question = "What happens when many threads update one word, and how do they keep out of each other's way?";
  lab.headline = "shared_private";
  lab.prerequisites = {"reduce"};
  lab.params = {{"n", "elements of the histogram", std::int64_t{1} << 22, {}, 0, 2147483647},
                {"bins", "bins of the histogram", std::int64_t{256}, {}, 1, 1 << 20, {1, 100, 256, 5000}},
                {"skew", "percent of the elements that go to one bin", std::int64_t{50}, {}, 0, 100, {0, 50, 100}},
                {"side", "rows and columns of the image", std::int64_t{50}, {}, 1, 1024, {1, 31, 50}}};
  lab.block_presets = {{128}, {256}, {512}, {1024}};
  lab.extent = [](const Case& c) { return Dim3{static_cast<std::uint32_t>(c.n())}; };
  lab.problem = problem;
  lab.arguments = arguments;
  lab.work = [](const Case& c) {
    const auto n = static_cast<double>(c.n());
    return Work{.bytes = sizeof(int) * (n + static_cast<double>(bins(c))), .elements = n};
  };
  lab.metrics = {
      {"fullest_bin_share", "ratio", "elements of the fullest bin / all elements"},
      {"global_queue", "updates", "atomic updates of the word in global memory that gets most, one after the other"},
      {"shared_queue", "updates", "the same of a block's own histogram in shared memory"}};
  lab.contracts = contracts();
  lab.subject = {"atomic_requests"};
  lab.variants = ladder();
  return lab;
}

}  // namespace gpulab::labs::atomics
