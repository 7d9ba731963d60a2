#include "labs/lab.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "labs/contract_parts.h"

namespace gpulab::labs::coalescing {
namespace {

constexpr std::int64_t sector_bytes = 32, line_bytes = 128, lanes = 32;
constexpr std::int64_t fields = 4;  ///< of a Particle

std::int64_t stride(const Case& c) { return c.params.integer("stride"); }
std::int64_t offset(const Case& c) { return c.params.integer("offset"); }

/// As in kernels.cu.
std::int64_t random_position(std::uint32_t i, std::uint32_t n) {
  i = (i ^ (i >> 16)) * 0x7feb352dU;
  i = (i ^ (i >> 15)) * 0x846ca68bU;
  return static_cast<std::int64_t>(std::uint64_t{i ^ (i >> 16)} * n >> 32);
}

/// What the place of an element may depend on.
struct Layout {
  std::int64_t n, stride, offset;
};
Layout layout_of(const Case& c) { return {c.n(), stride(c), offset(c)}; }

/// Which element of `in` becomes out[i].
using Source = std::int64_t (*)(const Layout&, std::int64_t i);
std::int64_t same(const Layout&, std::int64_t i) { return i; }

Problem problem(const Case& c) {
  const std::int64_t count = c.n() * std::max(fields, stride(c)) + offset(c);
  constexpr std::int64_t most = std::int64_t{1} << 30;
  if (count > most) {
    throw usage_error(fmt::format("--stride {}: {} elements that far apart are {} GB of input", stride(c), c.n(),
                                  count * 4 / 1'000'000'000),
                      "choose a smaller --n or --stride");
  }
  const auto size = static_cast<std::size_t>(count);
  Problem p;
  p.buffers = {{"in", Scalar::f32, size, BufferRole::input, random_values(Scalar::f32, size, c.seed, -1, 1)},
               {"out", Scalar::f32, static_cast<std::size_t>(c.n()), BufferRole::output}};
  p.expected = {{.buffer = "out"}};
  return p;
}

std::vector<Argument> arguments(const Case& c) {
  return {BufferArgument{"in"}, BufferArgument{"out"}, static_cast<std::int32_t>(c.n())};
}

std::vector<Argument> with(const Case& c, std::int64_t more) {
  auto all = arguments(c);
  all.emplace_back(static_cast<std::int32_t>(more));
  return all;
}

double formula(std::int64_t stride) { return std::max(1.0 / static_cast<double>(stride), 1.0 / 8); }

/// The lanes of the first warp by sector: "  line 0: 8 8 8 8", a line of the cache is four sectors.
std::vector<std::string> sectors(const std::map<std::int64_t, int>& lanes_in) {
  std::vector<std::string> lines{
      "Lanes of the first warp that load from each sector, four sectors to a line of 128 bytes:"};
  constexpr std::int64_t per_line = line_bytes / sector_bytes;
  std::int64_t drawn = -1;
  for (const auto& [sector, count] : lanes_in) {
    const std::int64_t line = sector / per_line;
    if (line == drawn) continue;
    if (lines.size() > 8) {
      lines.emplace_back("  and so on");
      break;
    }
    drawn = line;
    std::string row = fmt::format("  line {:>7}  ", line);
    for (std::int64_t s = line * per_line; s < (line + 1) * per_line; ++s) {
      const auto found = lanes_in.find(s);
      row += found == lanes_in.end() ? "  ." : fmt::format("{:>3}", found->second);
    }
    lines.push_back(row);
  }
  return lines;
}

/// DRAM brings two neighbouring sectors at once: strides of 8 and of 32 words touch 32 sectors each, in 16 and 32
/// pairs.
std::string pairs_text(std::size_t touched, std::size_t pairs) {
  const auto whole = touched - pairs;  // pairs of which both sectors are wanted
  return fmt::format(
      "DRAM brings two neighbouring sectors, 64 bytes, at once: {} sectors in {} pairs, {}.", touched, pairs,
      2 * pairs == touched ? "all of which the warp wants"
      : whole == 0         ? "of each of which it wants one: twice the traffic, which no counter of sectors shows"
                           : fmt::format("of {} of which it wants one sector", pairs - whole));
}

/// What the first warp's load touches, from the source of each of its elements; `width` elements per lane.
Commentary commentary(const Case& c, Source source, std::int64_t width) {
  std::map<std::int64_t, int> lanes_in;
  const std::int64_t active = std::min({lanes, static_cast<std::int64_t>(c.block.x), c.n() / width});
  const Layout layout = layout_of(c);
  for (std::int64_t lane = 0; lane < active; ++lane) {
    ++lanes_in[source(layout, lane * width) * 4 / sector_bytes];  // 16 bytes from a multiple of 16 lie in one sector
  }
  Commentary commentary;
  std::set<std::int64_t> pairs;
  for (const auto& [sector, count] : lanes_in) pairs.insert(sector / 2);
  commentary.metrics = {{"sectors_of_first_request", static_cast<double>(lanes_in.size()), "sectors"},
                        {"pairs_of_first_request", static_cast<double>(pairs.size()), "pairs"}};
  if (active > 0) {
    commentary.lines = sectors(lanes_in);
    commentary.lines.push_back(pairs_text(lanes_in.size(), pairs.size()));
  }
  return commentary;
}

Commentary stride_commentary(const Case& c, Source source) {
  Commentary commentary = coalescing::commentary(c, source, 1);
  commentary.metrics.push_back({"formula_efficiency", formula(stride(c)), "ratio"});
  Curve curve;
  curve.name = "max(1 / stride, 1 / 8)";
  curve.x_label = "stride (words)";
  curve.y_label = "load efficiency";
  for (std::int64_t s = 1; s <= std::max<std::int64_t>(40, stride(c)); ++s) {
    curve.x.push_back(static_cast<double>(s));
    curve.y.push_back(formula(s));
  }
  curve.y_max = 1;
  curve.marked = static_cast<double>(stride(c));
  commentary.curve = std::move(curve);
  return commentary;
}

Variant copies(const std::string& name, const std::string& summary, Source source) {
  Variant v{.name = name, .summary = summary, .kernel = "copy_" + name};
  v.adjust = [source](const Case& c, Problem& p) {
    const auto in = view_as<float>(p.buffers[0].initial);
    std::vector<float> out(static_cast<std::size_t>(c.n()));
    const Layout layout = layout_of(c);
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = in[static_cast<std::size_t>(source(layout, static_cast<std::int64_t>(i)))];
    p.expected[0].exact = bytes_of(std::span<const float>(out));
  };
  v.commentary = [source](const Case& c, const ReadBuffer&) { return commentary(c, source, 1); };
  return v;
}

std::vector<Variant> ladder() {
  Variant random = copies("random", "from anywhere: each lane loads from a sector of its own",
                          [](const Layout& layout, std::int64_t i) {
                            return random_position(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(layout.n));
                          });

  const Source strided = [](const Layout& layout, std::int64_t i) { return i * layout.stride; };
  Variant stride = copies("stride", "every stride-th word: 1 / stride of each sector is used, 1 / 8 at least", strided);
  stride.arguments = [](const Case& c) { return with(c, coalescing::stride(c)); };
  stride.commentary = [strided](const Case& c, const ReadBuffer&) { return stride_commentary(c, strided); };
  stride.claims = {rises("global_load_efficiency"), falls("global_load_sectors")};

  Variant offset = copies("offset", "side by side from the middle of a sector: five sectors instead of four",
                          [](const Layout& layout, std::int64_t i) { return i + layout.offset; });
  offset.arguments = [](const Case& c) { return with(c, coalescing::offset(c)); };
  offset.claims = {rises("global_load_efficiency"), falls("global_load_sectors")};

  Variant aos = copies("aos", "one field of an array of structures: a stride of four words",
                       [](const Layout&, std::int64_t i) { return i * fields; });
  aos.builds_on = "stride";

  Variant soa = copies("soa", "an array per field: neighbours side by side, four sectors, all used", same);
  soa.claims = {rises("global_load_efficiency"), falls("global_load_sectors")};

  Variant vectors = copies("vectors", "16 bytes per lane: as many sectors, by a quarter of the instructions", same);
  vectors.covers = [](const Case& c) { return Dim3{4 * c.block.x}; };
  vectors.commentary = [](const Case& c, const ReadBuffer&) { return commentary(c, same, 4); };
  vectors.claims = {falls("global_load_requests"), falls("warp_instructions")};

  return {random, stride, offset, aos, soa, vectors};
}

std::vector<Contract> contracts() {
  auto copy = row_contract("copy", "(const float* in, float* out, int n)", "copies in to out");
  copy.precision = "moved as it is, bit for bit: NaN, infinities and -0, too";
  copy.rungs = {"stride", "offset", "vectors"};
  copy.classes = with_special(copy.classes);
  copy.problem = [](const Case& c, Values values) {
    const auto n = static_cast<std::size_t>(c.n());
    const auto in = floats(n, c.seed, 1, values);
    return Problem{
        .buffers = {{"in", Scalar::f32, n, BufferRole::input, in}, {"out", Scalar::f32, n, BufferRole::output}},
        .expected = {{.buffer = "out", .exact = in}}};
  };
  copy.arguments = arguments;
  return {copy};
}

}  // namespace

Lab lab() {
  Lab lab;
  lab.lecture = 9;
  lab.topic = "global memory access";
  lab.question = "What does a load of a warp cost, and who pays for the bytes that nobody asked for?";
  lab.headline = "stride";
  lab.prerequisites = {"warps"};
  lab.params = {
      {"n", "floats to copy", std::int64_t{1} << 20, {}, 0, 2147483647},
      {"stride",
       "words from one lane to the next (stride)",
       std::int64_t{2},
       {},
       1,
       1024,
       {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{8}, std::int64_t{32}, std::int64_t{33}}},
      {"offset",
       "words before the first one (offset)",
       std::int64_t{1},
       {},
       0,
       1024,
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{8}, std::int64_t{31}}}};
  lab.block_presets = {{32}, {64}, {128}, {256}, {512}, {1024}};
  lab.extent = [](const Case& c) { return Dim3{static_cast<std::uint32_t>(c.n())}; };
  lab.problem = problem;
  lab.arguments = arguments;
  lab.work = [](const Case& c) {
    const auto n = static_cast<double>(c.n());
    return Work{.bytes = 2 * 4 * n, .elements = n};  // useful ones
  };
  lab.metrics = {{"sectors_of_first_request", "sectors", "32-byte sectors that the first warp's load touches"},
                 {"pairs_of_first_request", "pairs",
                  "pairs of neighbouring sectors, as DRAM brings them, that it touches: what tells strides of 8 and of "
                  "32 words apart"},
                 {"formula_efficiency", "ratio",
                  "max(1 / stride, 1 / 8): bytes that are used / bytes of the sectors, by the formula"}};
  lab.contracts = contracts();
  lab.subject = {"global_load_efficiency", "global_store_efficiency"};
  lab.variants = ladder();
  return lab;
}

}  // namespace gpulab::labs::coalescing
