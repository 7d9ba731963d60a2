// Every variant of every lab on the simulator, verified on awkward shapes, for every type and operation, with odd
// blocks and grids. Finds new labs by itself. A case that fails names the command that repeats it.
// What a lab shows beyond being right is pinned in tests/labs/NAME_lab_test.cpp.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "common/text.h"
#include "runner/case/plan.h"
#include "runner/listing/metric_table.h"
#include "tests/all_tools.h"
#include "tests/catch.h"
#include "tests/labs/lab_case.h"

using namespace gpulab;

namespace {

using Shape = std::vector<std::int64_t>;

/// Sizes of 0, 1, around a warp, around a block, primes, a power of two, a million and three: no unit of work (warp,
/// block, tile, vector) divides all of them.
std::vector<Shape> awkward_shapes(std::size_t dimensions) {
  if (dimensions == 0) return {{}};
  if (dimensions == 1) {
    std::vector<Shape> shapes;
    for (std::int64_t n : {0, 1, 2, 3, 31, 32, 33, 63, 255, 256, 257, 1023, 1024, 1025, 4093, 65537, 1000003}) {
      shapes.push_back({n});
    }
    return shapes;
  }
  if (dimensions == 2) {
    return {{0, 0}, {1, 1}, {0, 7}, {7, 0}, {1, 1000}, {1000, 1}, {32, 32}, {33, 31}, {129, 2}, {1021, 769}};
  }
  std::vector<Shape> shapes{Shape(dimensions, 0), Shape(dimensions, 1), Shape(dimensions, 32), Shape(dimensions, 33)};
  for (std::size_t i = 0; i < dimensions; ++i) {
    for (const auto& [odd, others] : {std::pair{0, 7}, {1, 65}, {129, 2}}) {
      Shape shape(dimensions, others);
      shape[i] = odd;
      shapes.push_back(shape);
    }
  }
  Shape lecture(dimensions, 123);  // 256 x 123 times 123 x 45
  lecture[0] = 256;
  lecture[1] = 45;
  shapes.push_back(lecture);
  return shapes;
}

/// A few of them, for what multiplies: types, operations, blocks.
std::vector<Shape> small_shapes(std::size_t dimensions) {
  if (dimensions == 0) return {{}};
  if (dimensions == 1) return {{0}, {1}, {33}, {1025}, {10007}};
  Shape mixed(dimensions, 70);
  mixed[0] = 45;
  return {Shape(dimensions, 0), Shape(dimensions, 1), mixed};
}

/// Large enough for counters to show what a rung is about, small enough to be quick.
Shape telling_shape(std::size_t dimensions) {
  return dimensions == 0 ? Shape{} : Shape(dimensions, dimensions == 1 ? 1 << 16 : dimensions == 2 ? 256 : 128);
}

void set_shape(const Lab& lab, const Shape& shape, Case& c) {
  const auto names = sizes_of(lab);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& param = *std::ranges::find(lab.params, names[i], &Param::name);
    c.params.values[names[i]] = std::clamp(shape[i], param.min, param.max);
  }
}

/// The first small shape, and of the others those that move at most a mebibyte: where one element is a bag of rows, a
/// thousand of them take longer than all else.
std::vector<Shape> some_shapes(const Lab& lab, Case c) {
  const auto all = small_shapes(sizes_of(lab).size());
  std::vector<Shape> shapes;
  for (const auto& shape : all) {
    set_shape(lab, shape, c);
    if (shapes.empty() || !lab.work || lab.work(c).bytes <= 1 << 20) shapes.push_back(shape);
  }
  return shapes;
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

/// A number in a report has a meaning in `gpulab list --metrics`, and the unit that stands there.
void check_metrics(const Lab& lab, const Result& result) {
  static const auto known = listed_metrics(tested_labs());
  for (const auto& metric : result.metrics) {
    INFO(metric.name << ": say what it means in lab.metrics of labs/" << lab.name << "/lab.cpp");
    const auto* meaning = meaning_of(known, lab.name, metric.name);
    REQUIRE(meaning != nullptr);
    REQUIRE(meaning->unit == metric.unit);
  }
}

void check(TestedDevice& tested, const Lab& lab, const Variant& variant, const Case& c,
           const std::optional<Dim3>& grid = std::nullopt) {
  RunOptions options;
  options.grid = grid;
  options.counters = false;
  options.measure = {.warmup = 0, .reps = 1};  // times are not compared: only that there are some
  const Result result = tested.runner.run(lab, variant, c, options);
  INFO(command(lab, variant, c, grid));
  INFO(result.message);
  check_metrics(lab, result);
  // A race may give any answer; the test asks only that it ends.
  if (variant.racy) {
    REQUIRE((result.status == CaseStatus::ok || result.status == CaseStatus::wrong));
    return;
  }
  REQUIRE(result.status == CaseStatus::ok);
  if (!variant.calculate) REQUIRE(result.verification);
  if (!variant.calculate) REQUIRE(result.verification->status == VerificationStatus::passed);
}

void for_each_variant(const std::function<void(TestedDevice&, const Lab&, const Variant&)>& visit) {
  TestedDevice tested;
  for (const auto& lab : tested_labs()) {
    for (const auto& variant : lab.variants) {
      if (tested.runs(variant)) visit(tested, lab, variant);
    }
  }
}

/// What a variant may be given beside its sizes: words, and the tested values of knobs. Switches stay as they are: they
/// trace.
std::vector<std::pair<std::string, std::vector<ParamValue>>> choices_of(const Lab& lab, const Variant& variant) {
  std::vector<std::pair<std::string, std::vector<ParamValue>>> all;
  for (const auto& param : lab.params) {
    std::vector<ParamValue> values = param.tested;
    const auto only = variant.only.find(param.name);
    if (!param.choices.empty() && param.choices.front() != "false") {
      for (const auto& word : only == variant.only.end() ? param.choices : only->second) values.emplace_back(word);
    }
    if (!values.empty()) all.emplace_back(param.name, std::move(values));
  }
  return all;
}

/// Every pair of values of two parameters appears in some case (all-pairs testing): most defects need no more than two
/// (Kuhn, Wallace, Gallo 2004), and a lab of four parameters needs a tenth of the product.
std::vector<Case> pairwise_cases(const Lab& lab, const Variant& variant, const Case& start) {
  const auto choices = choices_of(lab, variant);
  using Pick = std::pair<std::size_t, std::size_t>;  // parameter, value
  std::set<std::pair<Pick, Pick>> left;
  for (std::size_t a = 0; a < choices.size(); ++a) {
    for (std::size_t i = 0; i < choices[a].second.size(); ++i) {
      if (choices.size() == 1) left.insert({Pick(a, i), Pick(a, i)});
      for (std::size_t b = a + 1; b < choices.size(); ++b) {
        for (std::size_t j = 0; j < choices[b].second.size(); ++j) left.insert({Pick(a, i), Pick(b, j)});
      }
    }
  }
  std::vector<Case> cases;
  while (!left.empty()) {
    // One pair that is still missing; then for each other parameter the value that covers most of what is.
    std::map<std::size_t, std::size_t> row{left.begin()->first, left.begin()->second};
    for (std::size_t p = 0; p < choices.size(); ++p) {
      if (row.contains(p)) continue;
      std::size_t best = 0;
      std::ptrdiff_t most = -1;
      for (std::size_t value = 0; value < choices[p].second.size(); ++value) {
        const auto covered = std::ranges::count_if(
            row, [&](const Pick& other) { return left.contains(std::minmax(Pick(p, value), other)); });
        if (covered > most) best = value, most = covered;
      }
      row[p] = best;
    }
    std::erase_if(left, [&](const auto& pair) {
      return row.at(pair.first.first) == pair.first.second && row.at(pair.second.first) == pair.second.second;
    });
    cases.push_back(start);
    for (const auto& [p, value] : row) cases.back().params.values[choices[p].first] = choices[p].second[value];
  }
  return cases;
}

/// Of the presets and some extremes, those that the variant allows.
std::vector<Dim3> blocks_of(const Lab& lab, const Variant& variant, const Case& c) {
  std::vector<Dim3> candidates = lab.block_presets;
  candidates.insert(candidates.end(), variant.blocks.only.begin(), variant.blocks.only.end());
  for (const Dim3 block : {Dim3{1}, {2}, {32}, {96}, {100}, {1024}, {1, 32}, {7, 5}, {32, 3}, {8, 8, 2}}) {
    candidates.push_back(block);
  }
  std::erase_if(candidates, [&](const Dim3& block) {
    return refusal(variant.blocks, block).has_value() || (variant.block && block != variant.block(c));
  });
  return candidates;
}

/// Awkward shapes of fewer elements than this take no time: one of a million takes as long as all others.
constexpr std::int64_t kLargeShape = 500'000;

void check_shapes(bool large) {
  for_each_variant([&](TestedDevice& tested, const Lab& lab, const Variant& variant) {
    Case c = default_case(lab, variant, tested.gpu);
    for (const auto& shape : awkward_shapes(sizes_of(lab).size())) {
      std::int64_t elements = 1;
      for (const std::int64_t size : shape) elements *= size;
      if ((elements >= kLargeShape) != large) continue;
      set_shape(lab, shape, c);
      check(tested, lab, variant, c);
    }
  });
}

void check_seeds(std::uint64_t seeds) {
  for_each_variant([&](TestedDevice& tested, const Lab& lab, const Variant& variant) {
    Case c = default_case(lab, variant, tested.gpu);
    set_shape(lab, some_shapes(lab, c).back(), c);
    for (c.seed = 0; c.seed < seeds; ++c.seed) check(tested, lab, variant, c);
  });
}

/// In `schedules` orders of warps each.
void check_that_nobody_is_accused(std::uint64_t schedules) {
  for (const auto& lab : tested_labs()) {
    for (std::uint64_t schedule = 0; schedule < schedules; ++schedule) {
      SimulatorOptions options;
      options.sanitize = tests::all_tools();
      options.schedule = schedule;
      Simulation simulation(options);
      for (const auto& variant : lab.variants) {
        if (variant.racy || variant.gpu_only || !launches_kernels(variant)) continue;
        Case c = default_case(lab, variant, simulation.gpu);
        const auto dimensions = sizes_of(lab).size();
        set_shape(lab, dimensions == 1 ? Shape{700} : Shape(dimensions, 45), c);  // no multiple of a block
        RunOptions run;
        run.counters = false;
        const Result result = simulation.runner.run(lab, variant, c, run);
        INFO(command(lab, variant, c, std::nullopt) << " --sanitize all --schedule " << schedule);
        INFO(result.message);
        for (const auto& finding : result.findings) CHECK(finding.severity != Severity::error);
        REQUIRE(result.status == CaseStatus::ok);
      }
    }
  }
}

}  // namespace

TEST_CASE("every variant is right on awkward shapes") { check_shapes(false); }

TEST_CASE("of awkward shapes the large ones are right, too", "[.][slow]") { check_shapes(true); }

TEST_CASE("every variant is right for every pair of types, operations and other choices") {
  for_each_variant([](TestedDevice& tested, const Lab& lab, const Variant& variant) {
    const Case c = default_case(lab, variant, tested.gpu);
    for (auto& chosen : pairwise_cases(lab, variant, c)) {
      if (variant.block) chosen.block = variant.block(chosen);
      for (const auto& shape : some_shapes(lab, chosen)) {
        set_shape(lab, shape, chosen);
        check(tested, lab, variant, chosen);
      }
    }
  });
}

TEST_CASE("every variant is right with every block that it allows") {
  for_each_variant([](TestedDevice& tested, const Lab& lab, const Variant& variant) {
    if (!launches_kernels(variant)) return;
    Case c = default_case(lab, variant, tested.gpu);
    for (const auto& block : blocks_of(lab, variant, c)) {
      c.block = block;
      for (const auto& shape : some_shapes(lab, c)) {
        set_shape(lab, shape, c);
        check(tested, lab, variant, c);
      }
    }
  });
}

TEST_CASE("surplus blocks change nothing, and variants that stride take any grid") {
  for_each_variant([](TestedDevice& tested, const Lab& lab, const Variant& variant) {
    if (!launches_kernels(variant)) return;
    Case c = default_case(lab, variant, tested.gpu);
    for (const auto& shape : some_shapes(lab, c)) {
      set_shape(lab, shape, c);
      Dim3 grid = plan(lab, variant, c, std::nullopt).point.grid;
      if (variant.strides) check(tested, lab, variant, c, Dim3{1, 1, 1});
      grid.x += 3;
      if (variant.blocks.dimensions > 1) grid.y += 2;
      check(tested, lab, variant, c, grid);
    }
  });
}

TEST_CASE("another seed is another problem, and as right") { check_seeds(3); }

TEST_CASE("ten seeds are ten problems, and as right", "[.][slow]") { check_seeds(10); }

TEST_CASE("the sanitizer accuses no right variant, under 2 schedules") { check_that_nobody_is_accused(2); }

TEST_CASE("the sanitizer accuses no right variant, under 5 schedules", "[.][slow]") { check_that_nobody_is_accused(5); }

TEST_CASE("the sanitizer accuses no right variant, under 20 schedules", "[.][long]") {
  check_that_nobody_is_accused(20);
}

TEST_CASE("what a rung claims to improve on the rung before moves as it says") {
  Simulation simulation;
  for (const auto& lab : tested_labs()) {
    const auto result_of = [&](const Variant& variant) {
      Case c = default_case(lab, variant, simulation.gpu);
      set_shape(lab, telling_shape(sizes_of(lab).size()), c);
      return simulation.runner.run(lab, variant, c, {});
    };
    for (const auto& variant : lab.variants) {
      if (variant.claims.empty() || variant.vendor.run != nullptr || variant.gpu_only) continue;
      const Result result = result_of(variant);
      INFO(lab.name << " " << variant.name << ": " << result.message);
      REQUIRE(result.status == CaseStatus::ok);
      for (const auto& claim : variant.claims) {
        const auto below = rungs_below(lab, variant.name);
        REQUIRE((!below.empty() || !claim.than.empty()));
        const Variant& other = claim.than.empty() ? *below.front() : variant_named(lab, claim.than);
        const double now = counted(result, claim.counter), before = counted(result_of(other), claim.counter);
        INFO(claim.counter << ": " << now << ", " << other.name << ": " << before);
        if (claim.moves == Claim::Moves::down) CHECK(now < before);
        if (claim.moves == Claim::Moves::up) CHECK(now > before);
      }
    }
  }
}

namespace {

/// What the runner says of a variant that was changed on purpose.
Result run_changed(const std::string& lab_name, const std::string& variant_name,
                   const std::map<std::string, ParamValue>& params, const std::function<void(Variant&)>& change) {
  Simulation simulation;
  const Lab& lab = lab_named(lab_name);
  Variant variant = variant_named(lab, variant_name);
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
    CHECK(result.status == CaseStatus::wrong);
  }
}

TEST_CASE("a reduction with another operation is found out") {
  const auto maximum = [](Variant& v) { v.kernel = "reduce_warp<{type}, Max>"; };
  CHECK(run_changed("reduce", "warp", {{"n", 1000}, {"op", "product"}}, maximum).status == CaseStatus::wrong);
  CHECK(run_changed("reduce", "warp", {{"n", 1000}, {"op", "max"}}, maximum).status == CaseStatus::ok);
}

TEST_CASE("a transpose that only copies is found out where rows and columns differ, and where they do not") {
  const auto copy = [](Variant& v) { v.kernel = "transpose_copy<{type}>"; };
  for (const std::int64_t cols : {45, 70}) {
    CHECK(run_changed("transpose", "naive_row", {{"rows", 45}, {"cols", cols}}, copy).status == CaseStatus::wrong);
  }
}
