#include "runner/compare/odds.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "common/embedded.h"
#include "runner/compare/measured.h"

namespace gpulab {
namespace {

struct Table {
  RatioErrors foreign, rungs;
};

RatioErrors parse(const nlohmann::json& json) {
  return {.core = json.at("core"),
          .growth = json.at("growth"),
          .near_share = json.at("near_share"),
          .wide_share = json.at("wide_share"),
          .wide = json.at("wide"),
          .blunder_share = json.at("blunder_share"),
          .blunder = json.at("blunder"),
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

/// How likely an error is below x.
double below(const RatioErrors& errors, double modelled, double x) {
  const double t = std::min(std::abs(modelled) / apart, 1.0);
  const double core = errors.core + errors.growth * t;
  const double wide_share = errors.near_share + (errors.wide_share - errors.near_share) * t;
  return (1 - wide_share - errors.blunder_share) * normal_share(x / core) + wide_share * normal_share(x / errors.wide) +
         errors.blunder_share * normal_share(x / errors.blunder);
}

double quantile(const RatioErrors& errors, double modelled, double share) {
  double low = -40, high = 40;
  for (int i = 0; i < 80; ++i) {
    const double middle = (low + high) / 2;
    (below(errors, modelled, middle) < share ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

const RatioErrors& ratio_errors(PairKind kind) { return kind == PairKind::foreign ? table().foreign : table().rungs; }

Odds odds_of(const RatioErrors& errors, double modelled_ratio, double threshold) {
  const double modelled = std::log(modelled_ratio), same = std::log1p(threshold);
  Odds odds;
  odds.faster = below(errors, modelled, -same - modelled);
  odds.slower = 1 - below(errors, modelled, same - modelled);
  odds.same = std::max(0.0, 1 - odds.faster - odds.slower);
  odds.low = modelled_ratio * std::exp(quantile(errors, modelled, 0.05));
  odds.high = modelled_ratio * std::exp(quantile(errors, modelled, 0.95));
  return odds;
}

}  // namespace gpulab
