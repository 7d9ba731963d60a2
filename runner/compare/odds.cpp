#include "runner/compare/odds.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "common/embedded.h"

namespace gpulab {
namespace {

struct Table {
  RatioErrors foreign, rungs;
};

RatioErrors parse(const nlohmann::json& json) {
  return {.near = json.at("near"),
          .far = json.at("far"),
          .few = json.at("few"),
          .sure = json.at("sure"),
          .pairs = json.at("pairs"),
          .groups = json.at("groups"),
          .gpu = json.at("measured_on")};
}

const Table& table() {
  static const Table read = [] {
    Table made;
    for (const auto& file : embedded_configs()) {
      if (file.path != "odds.json") continue;
      const auto json = nlohmann::json::parse(file.text);
      made.foreign = parse(json.at("foreign"));
      made.rungs = parse(json.at("rungs"));
      return made;
    }
    throw std::logic_error("configs/odds.json is not embedded");
  }();
  return read;
}

/// ln(B / A) as modelled from which two are no longer alike, as in scripts/compare_odds.py.
constexpr double apart = 0.15;

/// Of the errors of such a pair: those of both kernels, added as errors are.
double width(const RatioErrors& errors, double modelled, int few) {
  const double base = errors.near + (errors.far - errors.near) * std::min(std::abs(modelled) / apart, 1.0);
  return base * std::sqrt((few * errors.few * errors.few + 2 - few) / 2);
}

/// How likely an error is below so many widths.
double below(double z) { return 0.5 + z / (2 * std::sqrt(2 + z * z)); }

/// So many widths, and as many the other way, nine of ten errors stay within.
constexpr double nine_of_ten = 2.91999;

}  // namespace

const RatioErrors& ratio_errors(PairKind kind) { return kind == PairKind::foreign ? table().foreign : table().rungs; }

Odds odds_of(const RatioErrors& errors, double modelled_ratio, int few, double threshold) {
  const double modelled = std::log(modelled_ratio), same = std::log1p(threshold), one = width(errors, modelled, few);
  Odds odds;
  odds.faster = below((-same - modelled) / one);
  odds.slower = 1 - below((same - modelled) / one);
  odds.same = std::max(0.0, 1 - odds.faster - odds.slower);
  odds.low = modelled_ratio * std::exp(-nine_of_ten * one);
  odds.high = modelled_ratio * std::exp(nine_of_ten * one);
  return odds;
}

}  // namespace gpulab
