#include "labs/lab.h"

#include <algorithm>
#include <array>

#include "labs/contract_parts.h"

namespace gpulab::labs::transfer {
namespace {

std::size_t count(const Case& c) { return static_cast<std::size_t>(c.n()); }
std::int32_t terms(const Case& c) { return static_cast<std::int32_t>(c.params.integer("work")); }

/// What `series` computes, in double precision; by parts that stay in the CPU's first-level cache.
std::vector<double> sums(std::span<const float> in, std::int32_t work) {
  constexpr std::size_t part = 256;
  std::vector<double> out(in.size(), 1);
  for (std::size_t first = 0; first < in.size(); first += part) {
    const std::size_t end = std::min(in.size(), first + part);
    for (std::int32_t term = 0; term < work; ++term) {
      for (std::size_t i = first; i < end; ++i) out[i] = out[i] * static_cast<double>(in[i]) + 1;
    }
  }
  return out;
}

/// With |x| <= 1, after k terms the sum is at most k + 1. Term k rounds a product of at most k and a sum of at most
/// k + 1 (a fused multiply-add only the latter), and no later term enlarges an error: u (3 + 5 + … + 2 work + 1)
/// = u work (work + 2), u = 2^-24. A hundredth more covers the errors of errors, while 2 u work < 1/100.
double tolerance(const Case& c) {
  const double work = terms(c);
  return 1.01 * 0x1p-24 * work * (work + 2);
}

Problem problem(const Case& c) {
  Problem p;
  p.buffers = {
      {"in", Scalar::f32, count(c), BufferRole::input, random_values(Scalar::f32, count(c), c.seed, -1, 1), true},
      {"out", Scalar::f32, count(c), BufferRole::output, {}, true}};
  p.expected = {
      {.buffer = "out", .real = sums(view_as<float>(p.buffers[0].initial), terms(c)), .tolerance = tolerance(c)}};
  return p;
}

bool to_device(const Case& c) { return c.params.word("direction") == "to_device"; }

Step copy(const std::string& to, const std::string& from, std::size_t first, std::size_t elements,
          std::uint32_t stream = 0) {
  Step step;
  step.stream = stream;
  step.copy = {to, from, first, elements};
  return step;
}

Step compute(const Case& c, std::size_t first, std::size_t elements, Dim3 grid, std::uint32_t stream = 0) {
  return {.kernel = "series",
          .grid = grid,
          .block = c.block,
          .arguments = {BufferArgument{"device_in", first}, BufferArgument{"device_out", first},
                        static_cast<std::int32_t>(elements), terms(c)},
          .stream = stream};
}

std::vector<Step> round_trip(const Case& c) {
  return {copy("device_in", "in", 0, count(c)), compute(c, 0, count(c), c.grid),
          copy("out", "device_out", 0, count(c))};
}

/// Enough for one chunk on its way in, one at work and one on its way out, and one to spare.
constexpr std::size_t streams = 4;

std::vector<Step> in_chunks(const Case& c) {
  const auto chunks = static_cast<std::size_t>(c.params.integer("chunks"));
  std::vector<Step> steps;
  for (std::size_t k = 0; k < chunks; ++k) {
    const std::size_t first = count(c) * k / chunks, elements = count(c) * (k + 1) / chunks - first;
    if (elements == 0) continue;
    const auto stream = static_cast<std::uint32_t>(1 + k % streams);
    const Dim3 grid{blocks_for(static_cast<std::int64_t>(elements), c.block.x)};
    steps.push_back(copy("device_in", "in", first, elements, stream));
    steps.push_back(compute(c, first, elements, grid, stream));
    steps.push_back(copy("out", "device_out", first, elements, stream));
  }
  return steps;
}

std::vector<Buffer> on_device(const Case& c) {
  return {{"device_in", Scalar::f32, count(c), BufferRole::scratch},
          {"device_out", Scalar::f32, count(c), BufferRole::scratch}};
}

Work there_and_back(const Case& c) {
  const auto n = static_cast<double>(c.n());
  return {.bytes = 8 * n, .flops = 2 * n * terms(c), .elements = n, .over_link = true};
}

/// A copy in one direction and nothing else; what arrives must be what was sent.
Variant one_way(const std::string& name, const std::string& summary, bool pinned) {
  return {.name = name,
          .summary = summary,
          .scratch = [](const Case& c) -> std::vector<Buffer> {
            if (to_device(c)) return {{"device_in", Scalar::f32, count(c), BufferRole::scratch}};
            return {{"device_out", Scalar::f32, count(c), BufferRole::input,
                     random_values(Scalar::f32, count(c), c.seed, -1, 1)}};
          },
          .steps = [](const Case& c) -> std::vector<Step> {
            return {to_device(c) ? copy("device_in", "in", 0, count(c)) : copy("out", "device_out", 0, count(c))};
          },
          .adjust =
              [](const Case& c, Problem& p) {
                p.expected = {{.buffer = to_device(c) ? "device_in" : "out", .exact = p.buffers[0].initial}};
              },
          .about_time = true,
          .pinned = pinned};
}

/// `series` on the CPU. Sixteen elements side by side: each is a chain of dependent operations, sixteen chains keep its
/// vector units busy.
void on_cpu(const HostCall& call) {
  const auto in = view_as<float>(std::span<const std::byte>(call.buffers.at("in")));
  const auto out = view_as<float>(call.buffers.at("out"));
  const auto work = call.params->integer("work");
  constexpr std::size_t lanes = 16;
  for (std::size_t first = 0; first < in.size(); first += lanes) {
    const std::size_t used = std::min(lanes, in.size() - first);
    std::array<float, lanes> x{}, sum{};
    std::copy_n(in.begin() + static_cast<std::ptrdiff_t>(first), used, x.begin());
    sum.fill(1);
    for (std::int64_t term = 0; term < work; ++term) {
      for (std::size_t lane = 0; lane < lanes; ++lane) sum[lane] = sum[lane] * x[lane] + 1;
    }
    std::copy_n(sum.begin(), used, out.begin() + static_cast<std::ptrdiff_t>(first));
  }
}

Commentary break_even(const Case&, const ReadBuffer&) {
  return {.lines = {"One size tells nothing of the break-even: on a GPU, '--variant round_trip,async_streams,cpu "
                    "--n 2^6:2^20' measures from which size on the trip is worth it."}};
}

std::vector<Variant> ladder() {
  return {
      one_way("pageable", "from ordinary memory: the driver copies it to a page-locked buffer of its own first", false),
      one_way("pinned", "from page-locked memory: the copy engine fetches it by itself, at the link's speed", true),
      {.name = "round_trip",
       .summary = "copy there, compute, copy back, one after the other: what a GPU costs whoever has data on the host",
       .scratch = on_device,
       .steps = round_trip,
       .about_time = true,
       .pinned = true,
       .host_clock = true,
       .work = there_and_back,
       .commentary = break_even},
      {.name = "async_streams",
       .summary = "the same in chunks, on four streams: while one computes, others travel, in both directions",
       .scratch = on_device,
       .steps = in_chunks,
       .about_time = true,
       .pinned = true,
       .host_clock = true,
       .work = there_and_back,
       .commentary = break_even},
      {.name = "cpu", .summary = "no trip: one core of the CPU, vectorised, where the data are", .host = on_cpu},
  };
}

std::vector<Contract> contracts() {
  auto series = row_contract("series", "(const float* in, float* out, int n, int work)",
                             "writes 1 + x + x^2 + ... + x^work to out[i], with x = in[i]");
  series.precision =
      "|x| < 1; work * (work + 2) half units in the last place of 1, enough for Horner's scheme and for a sum of "
      "powers";
  series.rungs = {"round_trip"};
  series.reference = {{"n", std::int64_t{1} << 14}, {"work", std::int64_t{32}}};
  std::erase_if(series.classes, [](const InputClass& c) { return c.values == Values::extreme; });
  series.classes =
      with_param(series.classes, "work", {std::int64_t{5}, std::int64_t{0}, std::int64_t{1}, std::int64_t{16}});
  series.problem = [](const Case& c, Values) {
    Problem p;
    const auto in = random_values(Scalar::f32, count(c), c.seed, -1, 1);
    p.buffers = {{"in", Scalar::f32, count(c), BufferRole::input, in},
                 {"out", Scalar::f32, count(c), BufferRole::output}};
    // Powers may be made one by one: each has rounded as often as its exponent says, and the sum has work + 1 terms.
    const double k = terms(c);
    p.expected = {
        {.buffer = "out", .real = sums(view_as<float>(in), terms(c)), .tolerance = tolerance(c) + 0x1p-24 * k * k}};
    return p;
  };
  series.arguments = [](const Case& c) -> std::vector<Argument> {
    return {BufferArgument{"in"}, BufferArgument{"out"}, static_cast<std::int32_t>(c.n()), terms(c)};
  };
  return {series};
}

}  // namespace

Lab lab() {
  Lab lab;
  lab.lecture = 15;
  lab.topic = "host and device memory";
  lab.question = "When is the GPU worth the way there and back?";
  lab.headline = "pinned";
  lab.prerequisites = {"launch"};
  lab.params = {{"n", "elements (floats)", std::int64_t{1} << 22, {}, 0, 2147483647},
                {"direction", "of pageable and pinned", "to_device", {"to_device", "to_host"}},
                {.name = "work",
                 .help = "multiply-adds per element",
                 .fallback = std::int64_t{32},
                 .min = 0,
                 .max = 10000,
                 .tested = {std::int64_t{0}, std::int64_t{1}, std::int64_t{32}}},
                {.name = "chunks",
                 .help = "parts that travel by themselves (async_streams)",
                 .fallback = std::int64_t{8},
                 .min = 1,
                 .max = 1024,
                 .tested = {std::int64_t{1}, std::int64_t{3}, std::int64_t{8}}}};
  lab.block_presets = {{128}, {256}, {512}};
  lab.extent = [](const Case& c) { return Dim3{static_cast<std::uint32_t>(c.n())}; };
  lab.problem = problem;
  lab.work = [](const Case& c) {
    const auto n = static_cast<double>(c.n());
    return Work{.bytes = 4 * n, .elements = n, .over_link = true};
  };
  lab.contracts = contracts();
  lab.break_even = {"n", {"round_trip", "async_streams"}};
  lab.variants = ladder();
  return lab;
}

}  // namespace gpulab::labs::transfer
