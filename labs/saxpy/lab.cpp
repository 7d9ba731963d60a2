#include "labs/lab.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "labs/cublas.h"
#include "labs/vendor.h"

namespace gpulab::labs::saxpy {
namespace {

float a_of(const Params& params) { return static_cast<float>(params.real("a")); }

/// Fused or not, depending on the compiler: a x and the sum round with a relative error of at most u each, so that
/// |error| <= u |a x| + u |a x (1 + u) + y|, and |x|, |y| <= 1.
double tolerance(double a, double y) {
  const double u = 0x1p-24;
  return u * std::fabs(a) + u * (std::fabs(a) * (1 + u) + y);
}

Problem problem(const Case& c) {
  const auto count = static_cast<std::size_t>(c.n());
  const double a = a_of(c.params);
  if (!(std::fabs(a) < 1e38)) {
    throw usage_error(fmt::format("--a {}: a times x leaves the range of float", c.params.real("a")),
                      "choose a number below 1e38");
  }
  Problem p;
  p.buffers = {{"x", Scalar::f32, count, BufferRole::input, random_values(Scalar::f32, count, c.seed, -1, 1, 0)},
               {"y", Scalar::f32, count, BufferRole::input, random_values(Scalar::f32, count, c.seed, -1, 1, 1)}};
  Expected expected;
  expected.buffer = "y";
  const auto x = view_as<float>(p.buffers[0].initial), y = view_as<float>(p.buffers[1].initial);
  for (std::size_t i = 0; i < count; ++i) expected.real.push_back(a * double{x[i]} + double{y[i]});
  expected.tolerance = tolerance(a, 1);
  p.expected = {std::move(expected)};
  return p;
}

std::vector<Argument> arguments(const Case& c) {
  return {a_of(c.params), BufferArgument{"x"}, BufferArgument{"y"}, static_cast<std::int32_t>(c.n())};
}

/// z = x + y: one rounding.
void expect_sum(const Case&, Problem& p) {
  const auto x = view_as<float>(p.buffers[0].initial), y = view_as<float>(p.buffers[1].initial);
  p.expected[0].buffer = "z";
  p.expected[0].tolerance = 0x1p-24 * 2;
  for (std::size_t i = 0; i < x.size(); ++i) p.expected[0].real[i] = double{x[i]} + double{y[i]};
}

/// How many threads find no element: `items` is what they have to share.
Commentary threads(const Case& c, std::int64_t items, std::int64_t workers) {
  const auto all = static_cast<std::int64_t>(c.grid.volume() * c.block.volume());
  const std::int64_t busy = std::min(all, workers);
  Commentary commentary;
  commentary.metrics = {
      {"threads", static_cast<double>(all), ""},
      {"threads_beyond_n", static_cast<double>(all - busy), ""},
      {"elements_per_busy_thread", busy > 0 ? static_cast<double>(items) / static_cast<double>(busy) : 0, ""}};
  commentary.lines = {
      fmt::format("{} threads for {} elements: {} have none, {} of those in the warp that straddles the end.", all,
                  items, all - busy, busy % 32 == 0 ? 0 : std::min(all - busy, 32 - busy % 32))};
  return commentary;
}

Commentary thread_per_element(const Case& c, const ReadBuffer&) { return threads(c, c.n(), c.n()); }
/// The surplus blocks of a larger grid leave at once.
Commentary one_block_commentary(const Case& c, const ReadBuffer&) {
  return threads(c, c.n(), std::min<std::int64_t>(c.n(), c.block.x));
}
Commentary thread_per_four(const Case& c, const ReadBuffer&) {
  return threads(c, c.n(), std::max(c.n() / 4, c.n() % 4));
}

std::size_t prepare_cublas(const VendorCall&) {
  cublas::prepare();
  return 0;
}
void run_cublas(const VendorCall& call) {
  cublas::saxpy(static_cast<std::int32_t>(call.params->integer("n")), a_of(*call.params),
                static_cast<const float*>(call.buffers.at("x")), static_cast<float*>(call.buffers.at("y")));
}

std::vector<Variant> ladder() {
  std::vector<Variant> v{
      {.name = "vadd",
       .summary = "the first kernel, z = x + y: a thread per element, and surplus threads that do nothing",
       .kernel = "vadd",
       .scratch = [](const Case& c) -> std::vector<Buffer> {
         return {{"z", Scalar::f32, static_cast<std::size_t>(c.n()), BufferRole::output}};
       },
       .arguments = [](const Case& c) -> std::vector<Argument> {
         return {BufferArgument{"x"}, BufferArgument{"y"}, BufferArgument{"z"}, static_cast<std::int32_t>(c.n())};
       },
       .adjust = expect_sum},
      {.name = "one_block",
       .summary = "one block walks over the array: no thread too many, but one SM at work and all others idle",
       .kernel = "saxpy_one_block",
       .strides = true,
       .automatic_grid = [](const Case&) { return Dim3{1}; },
       .about_time = true,
       .commentary = one_block_commentary},
      {.name = "naive",
       .summary = "a thread per element, enough blocks for all SMs; each warp runs a few instructions and ends",
       .kernel = "saxpy_naive",
       .claims = {falls("instructions_per_warp")}},
      {.name = "grid_stride",
       .summary = "as many blocks as the GPU holds; what a thread does once is paid once for several elements",
       .kernel = "saxpy_grid_stride",
       .strides = true,
       .automatic_grid = resident_grid(4),
       .claims = {falls("warp_instructions")}},
      {.name = "vec4",
       .summary = "16 bytes per load and store: as many bytes by a quarter of the memory instructions",
       .kernel = "saxpy_vec4",
       .covers = [](const Case& c) { return Dim3{4 * c.block.x}; },
       .claims = {falls("global_load_requests"), falls("global_store_requests"), falls("warp_instructions")},
       .commentary = thread_per_four},
  };
  v.push_back({.name = "thrust",
               .summary = "thrust::transform: arrays and a formula, no kernel, no index, no launch",
               .vendor = vendor_code("saxpy.thrust")});
  v.push_back({.name = "cublas",
               .summary = "NVIDIA's cublasSaxpy, where the name comes from: the yardstick",
               .vendor = {prepare_cublas, run_cublas, cublas::lack}});
  return v;
}

}  // namespace

Lab lab() {
  Lab lab;
  lab.lecture = 0;
  lab.topic = "first kernels";
  lab.question = "How does a loop become a kernel, and which thread does what?";
  lab.headline = "naive";
  lab.params = {{"n", "elements", std::int64_t{1} << 22, {}, 0, 2147483647}, {"a", "the factor a", 2.5}};
  lab.block_presets = {{32}, {64}, {128}, {256}, {512}, {1024}};
  lab.extent = [](const Case& c) { return Dim3{static_cast<std::uint32_t>(c.n())}; };
  lab.problem = problem;
  lab.arguments = arguments;
  lab.work = [](const Case& c) {
    const auto n = static_cast<double>(c.n());
    return Work{.bytes = 3 * 4 * n, .flops = 2 * n, .elements = n};
  };
  lab.commentary = thread_per_element;
  lab.metrics = {{"threads", "", "threads of the launch"},
                 {"threads_beyond_n", "", "threads that find no element"},
                 {"elements_per_busy_thread", "", "elements / threads that find one"}};
  lab.contracts = {{"saxpy", "(float a, const float* x, float* y, int n)", "y[i] = a * x[i] + y[i]"}};
  lab.variants = ladder();
  return lab;
}

}  // namespace gpulab::labs::saxpy
