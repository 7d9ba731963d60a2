#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "common/text.h"
#include "runner/report/roofline/drawing.h"

namespace gpulab {

double Roofline::roof_over(const RooflineRow& row) const {
  const auto* slope = ceiling(row.is_bound_by("memory") ? "memory" : "L2");
  const auto* flat = ceiling(row.roof);
  const double by_memory = slope != nullptr ? row.intensity() * slope->value * kGiga : INFINITY;
  const double by_units = flat != nullptr ? flat->value * kGiga : INFINITY;
  return std::min(by_memory, by_units);
}

std::string si_text(double value) {
  using Prefix = std::pair<double, const char*>;
  constexpr std::array prefixes{Prefix{1e15, " P"}, Prefix{1e12, " T"}, Prefix{1e9, " G"}, Prefix{1e6, " M"},
                                Prefix{1e3, " k"}};
  for (const auto& [factor, prefix] : prefixes)
    if (value >= factor * 0.9995) return fmt::format("{:.3g}{}", value / factor, prefix);
  return fmt::format("{:.3g}", value);
}

namespace sheet {
namespace {

constexpr double margin = 1.8;
/// Farther away the point where slope and flat roof meet would push all rows into a corner.
constexpr double near = 24;

/// Names of flat roofs over any of the rows.
std::set<std::string> flat_names(const Roofline& roofline) {
  std::set<std::string> names;
  for (const auto& row : roofline.rows)
    if (row.missing.empty()) names.insert(row.roof);
  return names;
}

std::string rate_words(const Roofline& roofline, const Ceiling& ceiling) {
  return fmt::format("{} {}{}", ceiling.name, si_text(ceiling.value * kGiga),
                     roofline.of_instructions ? " instr./s" : "FLOP/s");
}

}  // namespace

Window window_of(const Roofline& roofline) {
  Window window{INFINITY, 0, INFINITY, 0};
  for (const auto& row : roofline.rows) {
    if (!row.missing.empty()) continue;
    window.left = std::min(window.left, row.intensity() / margin);
    window.right = std::max(window.right, row.intensity() * margin);
    window.bottom = std::min(window.bottom, row.per_second() / margin);
    window.top = std::max({window.top, row.per_second() * margin, roofline.roof_over(row) * margin});
  }
  if (window.right == 0) return {0.1, 10, 1, 10};
  const auto* memory = roofline.ceiling("memory");
  for (const auto& name : flat_names(roofline)) {
    const auto* flat = roofline.ceiling(name);
    if (memory == nullptr || flat == nullptr) continue;
    const double ridge = flat->value / memory->value;
    if (ridge > window.right * near || ridge < window.left / near) continue;
    window.left = std::min(window.left, ridge / margin);
    window.right = std::max(window.right, ridge * margin);
    window.top = std::max(window.top, flat->value * kGiga * margin);
  }
  return window;
}

std::string unit_text(const Ceiling& ceiling) { return ceiling.unit == "us" ? "µs" : ceiling.unit; }

std::vector<double> ticks(double low, double high) {
  const auto every = [&](std::initializer_list<double> steps) {
    std::vector<double> all;
    for (double decade = std::pow(10, std::floor(std::log10(low))); decade <= high; decade *= 10)
      for (const double step : steps)
        if (step * decade >= low * 0.999 && step * decade <= high * 1.001) all.push_back(step * decade);
    return all;
  };
  auto all = every({1});
  if (all.size() < 3) {
    all = every({1, 2, 5});
    if (all.size() < 4) all = every({1, 1.5, 2, 3, 4, 5, 7});
  } else if (all.size() < 5) {
    all = every({1, 3});
  }
  while (all.size() > 9) {
    std::vector<double> half;
    for (std::size_t i = 0; i < all.size(); i += 2) half.push_back(all[i]);
    all = std::move(half);
  }
  return all;
}

std::vector<std::size_t> numbers(const Roofline& roofline) {
  std::vector<std::size_t> all;
  std::size_t next = 0;
  for (const auto& row : roofline.rows) all.push_back(row.missing.empty() ? ++next : 0);
  return all;
}

std::vector<Roof> roofs(const Roofline& roofline, const Window& window) {
  std::vector<Roof> all;
  double highest = 0;
  for (const auto& name : flat_names(roofline)) {
    const auto* flat = roofline.ceiling(name);
    if (flat == nullptr) continue;
    highest = std::max(highest, flat->value * kGiga);
    const double rate = flat->value * kGiga;
    if (rate < window.bottom || rate > window.top) continue;
    const auto* memory = roofline.ceiling("memory");
    const double ridge = memory != nullptr ? flat->value / memory->value : window.left;
    if (ridge < window.right)
      all.push_back(
          {rate_words(roofline, *flat), false, false, std::max(ridge, window.left), rate, window.right, rate});
  }
  for (const auto* name : {"memory", "L2"}) {
    const auto* ceiling = roofline.ceiling(name);
    if (ceiling == nullptr) continue;
    const double slope = ceiling->value * kGiga, top = std::min(window.top, highest > 0 ? highest : window.top);
    const double x1 = std::max(window.left, window.bottom / slope), x2 = std::min(window.right, top / slope);
    if (x1 < x2)
      all.push_back({fmt::format("{} {}B/s", name, si_text(slope)), true, std::string_view(name) == "L2", x1,
                     x1 * slope, x2, x2 * slope});
  }
  return all;
}

}  // namespace sheet
}  // namespace gpulab
