// Every variant of every lab on the simulator, verified on awkward shapes, for every type and operation, with odd
// blocks and grids. Finds new labs by itself. A case that fails names the command that repeats it.

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "common/device/simulated.h"
#include "common/gpu_profile.h"
#include "common/text.h"
#include "labs/registry.h"
#include "runner/plan.h"
#include "runner/run_case.h"
#include "tests/catch.h"

using namespace gpulab;

namespace {

std::vector<std::string> sizes(const Lab& lab) {
  std::vector<std::string> names;
  for (const auto& param : lab.params) {
    if (param.choices.empty()) names.push_back(param.name);
  }
  return names;
}

using Shape = std::vector<std::int64_t>;

/// Nothing, one, around a warp, around a block, primes, a power of two: none a multiple of all that kernels like.
std::vector<Shape> awkward_shapes(std::size_t dimensions) {
  if (dimensions == 0) return {{}};
  if (dimensions == 1) {
    std::vector<Shape> shapes;
    for (std::int64_t n : {0, 1, 2, 3, 31, 32, 33, 63, 255, 256, 257, 1023, 1024, 1025, 4093, 65537, 100003}) {
      shapes.push_back({n});
    }
    return shapes;
  }
  std::vector<Shape> shapes{Shape(dimensions, 0), Shape(dimensions, 1), Shape(dimensions, 32), Shape(dimensions, 33)};
  for (std::size_t i = 0; i < dimensions; ++i) {
    for (const auto& [odd, others] : {std::pair{1, 100}, {0, 7}, {31, 65}, {129, 2}, {257, 33}}) {
      Shape shape(dimensions, others);
      shape[i] = odd;
      shapes.push_back(shape);
    }
  }
  return shapes;
}

/// A few of them, for what multiplies: types, operations, blocks.
std::vector<Shape> some_shapes(std::size_t dimensions) {
  if (dimensions == 0) return {{}};
  if (dimensions == 1) return {{0}, {1}, {33}, {1025}, {10007}};
  Shape mixed(dimensions, 70);
  mixed[0] = 45;
  return {Shape(dimensions, 0), Shape(dimensions, 1), mixed};
}

struct Simulation {
  const GpuProfile& gpu = gpu_profile("h200");
  std::unique_ptr<Device> device = make_simulator(gpu, {.threads = 2});
  CaseRunner runner{*device};
};

bool runs_here(const Variant& variant) { return variant.vendor.run == nullptr; }

Case default_case(const Lab& lab, const Variant& variant, const GpuProfile& gpu) {
  Case c;
  c.block = default_block(lab, variant);
  c.sm_count = gpu.sm_count;
  c.max_threads_per_sm = gpu.max_threads_per_sm;
  for (const auto& param : lab.params) c.params.values[param.name] = param.fallback;
  for (const auto& [name, words] : variant.only) c.params.values[name] = words.front();
  return c;
}

void set_shape(const Lab& lab, const Shape& shape, Case& c) {
  const auto names = sizes(lab);
  for (std::size_t i = 0; i < names.size(); ++i) c.params.values[names[i]] = shape[i];
}

std::string command(const Lab& lab, const Variant& variant, const Case& c, const std::optional<Dim3>& grid) {
  std::string text = fmt::format("gpulab {} --device sim --variant {} --block {} --seed {}", lab.name, variant.name,
                                 dim_text(c.block), c.seed);
  if (grid) text += " --grid " + dim_text(*grid);
  for (const auto& param : c.params.values) {
    std::visit([&](const auto& value) { text += fmt::format(" --{} {}", param.first, value); }, param.second);
  }
  return text;
}

void check(Simulation& simulation, const Lab& lab, const Variant& variant, const Case& c,
           const std::optional<Dim3>& grid = std::nullopt) {
  RunOptions options;
  options.grid = grid;
  options.counters = false;
  const Result result = simulation.runner.run(lab, variant, c, options);
  INFO(command(lab, variant, c, grid));
  INFO(result.message);
  REQUIRE(result.status == (variant.racy ? result.status : "ok"));
  REQUIRE(result.verification);
  if (!variant.racy) REQUIRE(result.verification->status == "passed");
}

void for_each_variant(const std::function<void(Simulation&, const Lab&, const Variant&)>& visit) {
  Simulation simulation;
  for (const auto& lab : all_labs()) {
    for (const auto& variant : lab.variants) {
      if (runs_here(variant)) visit(simulation, lab, variant);
    }
  }
}

/// Every combination of the lab's words. Flags (false, true) stay as they are: they trace.
void for_each_choice(const Lab& lab, const Variant& variant, Case c, const std::function<void(const Case&)>& visit) {
  std::function<void(std::size_t)> choose = [&](std::size_t i) {
    if (i == lab.params.size()) return visit(c);
    const auto& param = lab.params[i];
    if (param.choices.empty() || param.choices.front() == "false") return choose(i + 1);
    const auto only = variant.only.find(param.name);
    for (const auto& word : only == variant.only.end() ? param.choices : only->second) {
      c.params.values[param.name] = word;
      choose(i + 1);
    }
  };
  choose(0);
}

/// Of the presets and some extremes, those that the variant allows.
std::vector<Dim3> blocks_of(const Lab& lab, const Variant& variant) {
  std::vector<Dim3> candidates = lab.block_presets;
  candidates.insert(candidates.end(), variant.blocks.only.begin(), variant.blocks.only.end());
  for (const Dim3 block : {Dim3{1}, {2}, {32}, {96}, {100}, {1024}, {1, 32}, {7, 5}, {32, 3}, {8, 8, 2}}) {
    candidates.push_back(block);
  }
  std::erase_if(candidates, [&](const Dim3& block) { return refusal(variant.blocks, block).has_value(); });
  return candidates;
}

}  // namespace

TEST_CASE("every variant is right on awkward shapes") {
  for_each_variant([](Simulation& simulation, const Lab& lab, const Variant& variant) {
    Case c = default_case(lab, variant, simulation.gpu);
    for (const auto& shape : awkward_shapes(sizes(lab).size())) {
      set_shape(lab, shape, c);
      check(simulation, lab, variant, c);
    }
  });
}

TEST_CASE("every variant is right for every type and operation") {
  for_each_variant([](Simulation& simulation, const Lab& lab, const Variant& variant) {
    Case c = default_case(lab, variant, simulation.gpu);
    for (const auto& shape : some_shapes(sizes(lab).size())) {
      set_shape(lab, shape, c);
      for_each_choice(lab, variant, c, [&](const Case& chosen) { check(simulation, lab, variant, chosen); });
    }
  });
}

TEST_CASE("every variant is right with every block that it allows") {
  for_each_variant([](Simulation& simulation, const Lab& lab, const Variant& variant) {
    Case c = default_case(lab, variant, simulation.gpu);
    for (const auto& block : blocks_of(lab, variant)) {
      c.block = block;
      for (const auto& shape : some_shapes(sizes(lab).size())) {
        set_shape(lab, shape, c);
        check(simulation, lab, variant, c);
      }
    }
  });
}

TEST_CASE("surplus blocks change nothing, and variants that stride take any grid") {
  for_each_variant([](Simulation& simulation, const Lab& lab, const Variant& variant) {
    if (!launches_kernels(variant)) return;
    Case c = default_case(lab, variant, simulation.gpu);
    for (const auto& shape : some_shapes(sizes(lab).size())) {
      set_shape(lab, shape, c);
      Dim3 grid = plan(lab, variant, c, std::nullopt).point.grid;
      if (variant.strides) check(simulation, lab, variant, c, Dim3{1, 1, 1});
      grid.x += 3;
      if (variant.blocks.dimensions > 1) grid.y += 2;
      check(simulation, lab, variant, c, grid);
    }
  });
}

TEST_CASE("another seed is another problem, and as right") {
  for_each_variant([](Simulation& simulation, const Lab& lab, const Variant& variant) {
    Case c = default_case(lab, variant, simulation.gpu);
    set_shape(lab, some_shapes(sizes(lab).size()).back(), c);
    for (c.seed = 0; c.seed < 10; ++c.seed) check(simulation, lab, variant, c);
  });
}

namespace {

/// What the runner says of a variant that was changed on purpose.
Result run_changed(const std::string& lab_name, const std::string& variant_name,
                   const std::map<std::string, std::variant<std::int64_t, std::string>>& params,
                   const std::function<void(Variant&)>& change) {
  Simulation simulation;
  const auto labs = all_labs();
  const Lab& lab = *std::ranges::find(labs, lab_name, &Lab::name);
  Variant variant = *std::ranges::find(lab.variants, variant_name, &Variant::name);
  change(variant);
  Case c = default_case(lab, variant, simulation.gpu);
  for (const auto& [name, value] : params) c.params.values[name] = value;
  return simulation.runner.run(lab, variant, c, {});
}

}  // namespace

TEST_CASE("a reduction that forgets one of 100003 elements is found out, floats included") {
  const auto forget = [](Variant& v) {
    v.arguments = [](const Case& c) -> std::vector<Argument> {
      return {BufferArgument{"in"}, BufferArgument{"out"}, static_cast<std::int32_t>(c.n()) - 1};
    };
  };
  for (const std::string type : {"int", "long", "float", "double"}) {
    const auto result = run_changed("reduce", "grid_stride_vec4", {{"n", 100003}, {"type", type}}, forget);
    INFO(type << ": " << result.message);
    CHECK(result.status == "wrong");
  }
}

TEST_CASE("a reduction with another operation is found out") {
  const auto maximum = [](Variant& v) { v.kernel = "reduce_warp<{type}, Max>"; };
  CHECK(run_changed("reduce", "warp", {{"n", 1000}, {"op", "product"}}, maximum).status == "wrong");
  CHECK(run_changed("reduce", "warp", {{"n", 1000}, {"op", "max"}}, maximum).status == "ok");
}

TEST_CASE("a transpose that only copies is found out where rows and columns differ, and where they do not") {
  const auto copy = [](Variant& v) { v.kernel = "transpose_copy<{type}>"; };
  for (const std::int64_t cols : {45, 70}) {
    CHECK(run_changed("transpose", "naive_row", {{"rows", 45}, {"cols", cols}}, copy).status == "wrong");
  }
}

TEST_CASE("single_block traces the 15 combinations of 16 elements, level by level") {
  const auto result = run_changed("reduce", "single_block", {{"n", 16}, {"type", "int"}, {"print", "true"}},
                                  [](Variant& v) { v.blocks.max_threads = 1024; });
  CHECK(result.status == "ok");
  CHECK(std::ranges::count(result.output, '\n') == 15);
  CHECK(result.output.find("thread 7: in[14], in[15]:") < result.output.find("thread 0: in[0], in[2]:"));
  CHECK(result.output.find("thread 0: in[0], in[8]:") != std::string::npos);
}
