#include "labs/lab.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "labs/contract_parts.h"
#include "labs/cublas.h"
#include "labs/vendor.h"

namespace gpulab::labs::saxpy {
namespace {

/// The unit roundoff of a type, and the largest |a| with which a x + y stays in its range.
struct Precision {
  double unit_roundoff, largest_factor;
};
Precision precision_of(Scalar type) {
  return type == Scalar::f32 ? Precision{0x1p-24, 1e38} : Precision{0x1p-53, 1e307};
}

/// Of one operation in the type, whose exact result is at most `size`. The expected value of doubles is itself rounded.
double rounding(Scalar type, double size) {
  return precision_of(type).unit_roundoff * size * (type == Scalar::f64 ? 2 : 1);
}

/// Fused or not, depending on the compiler: a x and the sum round with a relative error of at most u each, so that
/// |error| <= u |a x| + u |a x (1 + u) + y|, and |x|, |y| <= 1.
double tolerance(Scalar type, double a) {
  const double u = precision_of(type).unit_roundoff;
  return u * std::fabs(a) + rounding(type, std::fabs(a) * (1 + u) + 1);
}

/// The factor as the kernels get it.
double a_of(Scalar type, const Params& params) {
  const double a = params.real("a");
  return type == Scalar::f32 ? double{static_cast<float>(a)} : a;
}

/// a x + y of each element, in more than the type's precision.
template <typename T>
std::vector<double> answers(double a, const Problem& p) {
  using Wide = std::conditional_t<std::is_same_v<T, float>, double, long double>;
  const auto x = view_as<T>(p.buffers[0].initial), y = view_as<T>(p.buffers[1].initial);
  std::vector<double> all;
  for (std::size_t i = 0; i < x.size(); ++i) all.push_back(static_cast<double>(Wide{a} * Wide{x[i]} + Wide{y[i]}));
  return all;
}
std::vector<double> answers(Scalar type, double a, const Problem& p) {
  return type == Scalar::f32 ? answers<float>(a, p) : answers<double>(a, p);
}

Problem problem(const Case& c) {
  const auto count = static_cast<std::size_t>(c.n());
  const auto most = precision_of(c.type()).largest_factor;
  if (!(std::fabs(c.params.real("a")) < most)) {
    throw usage_error(
        fmt::format("--a {}: a times x leaves the range of {}", c.params.real("a"), c.params.word("type")),
        fmt::format("choose a number below {}", most));
  }
  Problem p;
  p.buffers = {{"x", c.type(), count, BufferRole::input, random_values(c.type(), count, c.seed, -1, 1, 0)},
               {"y", c.type(), count, BufferRole::input, random_values(c.type(), count, c.seed, -1, 1, 1)}};
  const double a = a_of(c.type(), c.params);
  Expected expected;
  expected.buffer = "y";
  expected.real = answers(c.type(), a, p);
  expected.tolerance = tolerance(c.type(), a);
  p.expected = {std::move(expected)};
  return p;
}

std::vector<Argument> arguments(const Case& c) {
  const double a = a_of(c.type(), c.params);
  return {c.type() == Scalar::f32 ? Argument{static_cast<float>(a)} : Argument{a}, BufferArgument{"x"},
          BufferArgument{"y"}, static_cast<std::int32_t>(c.n())};
}

/// z = x + y: one rounding.
void expect_sum(const Case& c, Problem& p) {
  p.expected[0].buffer = "z";
  p.expected[0].tolerance = rounding(c.type(), 2);
  p.expected[0].real = answers(c.type(), 1, p);
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
/// Elements in the 16 bytes of a vector.
std::int64_t width(const Case& c) { return 16 / static_cast<std::int64_t>(size_of(c.type())); }
Commentary thread_per_vector(const Case& c, const ReadBuffer&) {
  return threads(c, c.n(), std::max(c.n() / width(c), c.n() % width(c)));
}

std::size_t prepare_cublas(const VendorCall&) {
  cublas::prepare();
  return 0;
}
void run_cublas(const VendorCall& call) {
  const auto type = *scalar_named(call.params->word("type"));
  cublas::axpy(type, static_cast<std::int32_t>(call.params->integer("n")), a_of(type, *call.params),
               call.buffers.at("x"), call.buffers.at("y"));
}

std::vector<Variant> ladder() {
  std::vector<Variant> v{
      {.name = "vadd",
       .summary = "the first kernel, z = x + y: a thread per element, and surplus threads that do nothing",
       .kernel = "vadd<{type}>",
       .scratch = [](const Case& c) -> std::vector<Buffer> {
         return {{"z", c.type(), static_cast<std::size_t>(c.n()), BufferRole::output}};
       },
       .arguments = [](const Case& c) -> std::vector<Argument> {
         return {BufferArgument{"x"}, BufferArgument{"y"}, BufferArgument{"z"}, static_cast<std::int32_t>(c.n())};
       },
       .adjust = expect_sum},
      {.name = "one_block",
       .summary = "one block walks over the array: no thread too many, but one SM at work and all others idle",
       .kernel = "saxpy_one_block<{type}>",
       .strides = true,
       .automatic_grid = [](const Case&) { return Dim3{1}; },
       .about_time = true,
       .commentary = one_block_commentary},
      {.name = "naive",
       .summary = "a thread per element, enough blocks for all SMs; each warp runs a few instructions and ends",
       .kernel = "saxpy_naive<{type}>",
       .claims = {falls("instructions_per_warp")}},
      {.name = "grid_stride",
       .summary = "as many blocks as the GPU holds; what a thread does once is paid once for several elements",
       .kernel = "saxpy_grid_stride<{type}>",
       .strides = true,
       .automatic_grid = resident_grid(4),
       .claims = {falls("warp_instructions")}},
      {.name = "vec4",
       .summary = "16 bytes per load and store: as many bytes by a quarter of the memory instructions",
       .kernel = "saxpy_vec4<{type}>",
       .covers = [](const Case& c) { return Dim3{static_cast<std::uint32_t>(width(c)) * c.block.x}; },
       .builds_on = "naive",
       .claims = {falls("global_load_requests"), falls("global_store_requests"), falls("warp_instructions")},
       .commentary = thread_per_vector},
  };
  v.push_back({.name = "thrust",
               .summary = "thrust::transform: arrays and a formula, no kernel, no index, no launch",
               .vendor = vendor_code("saxpy.thrust")});
  v.push_back({.name = "cublas",
               .summary = "NVIDIA's cublasSaxpy (cublasDaxpy), where the name comes from: the yardstick",
               .vendor = {prepare_cublas, run_cublas, cublas::lack}});
  return v;
}

std::vector<Contract> contracts() {
  auto saxpy = row_contract("saxpy", "(float a, const float* x, float* y, int n)", "y[i] = a * x[i] + y[i]");
  saxpy.may_write = {"y"};
  saxpy.precision = "one rounding or two: multiplied and added, or fused";
  saxpy.rungs = {"naive", "grid_stride", "vec4"};
  saxpy.params = {{"type", "float"}};
  saxpy.classes = with_param(saxpy.classes, "a", {2.0, 0.0, -0.7, 1e3});
  saxpy.problem = [](const Case& c, Values) { return problem(c); };
  return {saxpy};
}

}  // namespace

Lab lab() {
  Lab lab;
  lab.lecture = 0;
  lab.topic = "first kernels";
  lab.question = "How does a loop become a kernel, and which thread does what?";
  lab.headline = "naive";
  lab.params = {{"n", "elements", std::int64_t{1} << 22, {}, 0, 2147483647},
                {"a", "the factor a", 2.5},
                {"type", "element type", "float", {"float", "double"}}};
  lab.block_presets = {{32}, {64}, {128}, {256}, {512}, {1024}};
  lab.extent = [](const Case& c) { return Dim3{static_cast<std::uint32_t>(c.n())}; };
  lab.problem = problem;
  lab.arguments = arguments;
  lab.work = [](const Case& c) {
    const auto n = static_cast<double>(c.n());
    return Work{.bytes = 3 * n * static_cast<double>(size_of(c.type())), .flops = 2 * n, .elements = n};
  };
  lab.commentary = thread_per_element;
  lab.metrics = {{"threads", "", "threads of the launch"},
                 {"threads_beyond_n", "", "threads that find no element"},
                 {"elements_per_busy_thread", "", "elements / threads that find one"}};
  lab.contracts = contracts();
  lab.variants = ladder();
  return lab;
}

}  // namespace gpulab::labs::saxpy
