#include "runner/compare/floor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "common/embedded.h"
#include "common/gpu_profile.h"
#include "common/text.h"
#include "runner/report/compare/compare_words.h"

namespace gpulab {
namespace {

constexpr std::size_t most_pairs = 200;  ///< a document may have ten thousand
/// Of parameters in a document: what a lab declares is arithmetic on sizes of arrays, but may walk over all else.
constexpr std::int64_t most_size = std::int64_t{1} << 34, most_else = std::int64_t{1} << 20;
constexpr std::array sizes{"n", "m", "k", "rows", "cols", "width", "height"};

struct Ceilings {
  std::string id, name;
  double memory_gbs = 0, gflops = 0;
};

const std::vector<Ceilings>& all_ceilings() {
  static const std::vector<Ceilings> read = [] {
    std::vector<Ceilings> all;
    for (const auto& file : embedded_configs()) {
      if (file.path != "ceilings.json") continue;
      const auto json = nlohmann::json::parse(file.text);
      for (const auto& [id, gpu] : json.at("gpus").items())
        all.push_back({id, gpu.at("name"), gpu.at("memory").at("value"), gpu.at("fp32").at("value")});
    }
    return all;
  }();
  return read;
}

/// "4096" as the lab's parameter has it; nothing where it is none of its values.
std::optional<ParamValue> value_of(const Param& param, const std::string& text) {
  if (std::holds_alternative<std::string>(param.fallback)) {
    const bool known = param.choices.empty() || std::ranges::count(param.choices, text) > 0;
    return known ? std::optional<ParamValue>(text) : std::nullopt;
  }
  if (std::holds_alternative<double>(param.fallback)) {
    const auto real = parse_real(text);
    return real ? std::optional<ParamValue>(*real) : std::nullopt;
  }
  const auto integer = parse_integer(text);
  const bool is_size = std::ranges::count(sizes, param.name) > 0;
  const bool fits =
      integer && *integer >= param.min && *integer <= std::min(param.max, is_size ? most_size : most_else);
  return fits ? std::optional<ParamValue>(*integer) : std::nullopt;
}

std::optional<Case> case_of(const Lab& lab, const ComparedResult& result) {
  Case made;
  for (const auto& param : lab.params) {
    const auto given = std::ranges::find(result.params, param.name, &std::pair<std::string, std::string>::first);
    const auto value = given == result.params.end() ? std::optional(param.fallback) : value_of(param, given->second);
    if (!value) return std::nullopt;
    made.params.values[param.name] = *value;
  }
  return made;
}

/// Of two kernels, A and B say which they are.
ComparedResult named(ComparedResult result, const std::string& name) {
  if (result.name.empty()) result.name = name;
  return result;
}

bool may_use_tensors(const std::vector<Lab>& labs, const ComparedResult& a, const ComparedResult& b) {
  const auto lab = std::ranges::find(labs, b.lab, &Lab::name);
  if (lab == labs.end()) return true;  // a user's own
  for (const auto* name : {&a.name, &b.name}) {
    const auto variant = std::ranges::find(lab->variants, *name, &Variant::name);
    if (variant == lab->variants.end() || variant->min_compute_capability >= 70 || variant->vendor.run) return true;
  }
  return false;
}

const ModelTime* modelled(const ComparedPair& pair) {
  return pair.b.modelled ? &*pair.b.modelled : pair.a.modelled ? &*pair.a.modelled : nullptr;
}

void refuse(const char* side, bool is_b, const TimeFloor& floor, ComparedPair& pair) {
  const auto& time = is_b ? *pair.b.measured : *pair.a.measured;
  pair.verdict = CompareVerdict::undecided;
  pair.basis = CompareBasis::none;
  pair.ratio = pair.low = pair.high = pair.probability = std::nullopt;
  pair.regression = is_b;
  pair.impossible = true;
  pair.why =
      fmt::format("impossible: {} took {} with a cold L2, and {}: it has not done the work, or its clock is wrong",
                  side, duration_text(time.median_ms), floor_text(floor));
}

void look_at(const char* side, bool is_b, const TimeFloor& floor, ComparedPair& pair) {
  const auto& result = is_b ? pair.b : pair.a;
  if (result.answer != Answer::right) return;
  if (result.measured && result.measured->median_ms < floor.ms) {
    const bool cold = result.measured->mode == "cold";
    if (cold && floor.beyond_cache && floor.by == "memory") return refuse(side, is_b, floor, pair);
    pair.warnings.push_back(fmt::format("{} took {}, and {}{}", side, duration_text(result.measured->median_ms),
                                        floor_text(floor),
                                        floor.beyond_cache && cold ? "" : ": what lies in L2 already comes faster"));
  } else if (!result.measured && result.modelled && result.modelled->ms < floor.ms && floor.beyond_cache) {
    pair.warnings.push_back(fmt::format("{} is modelled at {}, and {}: the model is wrong there", side,
                                        duration_text(result.modelled->ms), floor_text(floor)));
  }
}

}  // namespace

std::optional<TimeFloor> time_floor(const Work& work, std::string_view gpu, bool may_use_tensors) {
  const auto ceilings =
      std::ranges::find_if(all_ceilings(), [&](const Ceilings& one) { return one.id == gpu || one.name == gpu; });
  if (ceilings == all_ceilings().end() || work.over_link || !(work.bytes > 0)) return std::nullopt;
  constexpr double ms_per_second = 1000, giga = 1e9;
  TimeFloor floor{
      .bytes = work.bytes, .flops = work.flops, .gpu = ceilings->name, .by = "memory", .rate = ceilings->memory_gbs};
  floor.ms = ms_per_second * work.bytes / (kAboveCeiling * ceilings->memory_gbs * giga);
  const double computing = ms_per_second * work.flops / (kAboveCeiling * ceilings->gflops * giga);
  if (!may_use_tensors && computing > floor.ms) {
    floor.ms = computing;
    floor.by = "arithmetic";
    floor.rate = ceilings->gflops;
  }
  floor.beyond_cache = work.bytes > kBeyondCache * double(gpu_profile(ceilings->id).l2_bytes);
  return floor;
}

std::optional<Work> declared_work(const std::vector<Lab>& labs, const ComparedResult& result) {
  const auto name = result.lab.substr(0, result.lab.find('/'));  // "reduce/total": by a contract
  const auto lab = std::ranges::find(labs, name, &Lab::name);
  if (lab == labs.end() || !lab->work) return std::nullopt;
  const auto made = case_of(*lab, result);
  if (!made) return std::nullopt;
  const auto variant = std::ranges::find(lab->variants, result.name, &Variant::name);
  if (variant != lab->variants.end() && variant->work) return variant->work(*made);
  return lab->work(*made);
}

void judge_by_floor(Comparison& comparison, const std::vector<Lab>& labs) {
  std::size_t looked_at = 0;
  for (auto& pair : comparison.pairs) {
    const std::string gpu = pair.b.measured             ? pair.b.measured->gpu
                            : modelled(pair) != nullptr ? modelled(pair)->gpu
                                                        : "";
    if (gpu.empty() || ++looked_at > most_pairs) continue;
    const auto first = named(pair.a, comparison.a), second = named(pair.b, comparison.b);
    const auto a = declared_work(labs, first), b = declared_work(labs, second);
    if (!a || !b) continue;
    const Work least{.bytes = std::min(a->bytes, b->bytes),
                     .flops = std::min(a->flops, b->flops),
                     .over_link = a->over_link || b->over_link};
    pair.floor = time_floor(least, gpu, may_use_tensors(labs, first, second));
    if (!pair.floor) continue;
    look_at("A", false, *pair.floor, pair);
    if (!pair.impossible || pair.basis != CompareBasis::none) look_at("B", true, *pair.floor, pair);
  }
}

}  // namespace gpulab
