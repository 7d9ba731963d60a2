// The space as a field of squares: the darker, the slower beside the best.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "common/text.h"
#include "runner/report/ladder/ladder.h"
#include "runner/report/plots/sheet.h"
#include "runner/report/tuned/tuned.h"

namespace gpulab {
namespace {

using namespace sheet;

constexpr double names_width = 560, cell_width = 118, cell_height = 48, top = 150;

/// Of a row, and of a column in it; of several results on one place the fastest.
struct Field {
  std::vector<std::string> rows, columns;
  std::map<std::pair<std::size_t, std::size_t>, double> ms;
};

std::size_t place_of(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  names.push_back(name);
  return names.size() - 1;
}

Field field_of(const Tuned& tuned) {
  Field field;
  std::vector<std::pair<std::uint64_t, std::string>> blocks;
  for (const auto& r : tuned.run.results)
    if (r.launch && tuned_ms(tuned.run, r)) blocks.emplace_back(r.launch->block.volume(), dim_text(r.launch->block));
  std::ranges::sort(blocks);
  for (const auto& [threads, words] : blocks) (void)place_of(field.columns, words);
  for (std::size_t i = 0; i < tuned.run.results.size(); ++i) {
    const auto& r = tuned.run.results[i];
    const auto ms = tuned_ms(tuned.run, r);
    if (!ms || !r.launch) continue;
    const auto grid = tuned.automatic_grid[i] ? std::string("auto") : dim_text(r.launch->grid);
    const auto row = place_of(field.rows, fmt::format("{}, grid {}", r.variant, grid));
    const auto at = std::pair(row, place_of(field.columns, dim_text(r.launch->block)));
    if (!field.ms.contains(at)) field.ms[at] = *ms;  // fastest first
  }
  return field;
}

/// From white to a blue on which white words stand out, by the logarithm of how much slower it is; four times is the
/// end.
Colour shade(double slower) {
  const double part = std::clamp(std::log2(std::max(slower, 1.0)) / 2, 0.0, 1.0);
  const auto mix = [&](std::uint8_t from, std::uint8_t to) {
    return static_cast<std::uint8_t>(std::lround(from + part * (to - from)));
  };
  return {mix(0xFF, 0x00), mix(0xFF, 0x33), mix(0xFF, 0x66)};
}

void square(Sheet& sheet, double x, double y, Colour colour) {
  sheet.box(x + 2, y + 2, cell_width - 4, cell_height - 4, colour);
}

void draw(const Tuned& tuned, const Field& field, double width, Sheet& sheet) {
  const bool measured = !tuned.run.device.modelled;
  const auto title = fmt::format("Tuned: {}, {}", tuned.run.lab, shared_case(tuned.run));
  sheet.text(30, 42, clipped(title, width - 60, 34), 34, Anchor::start, ink);
  sheet.text(30, 80,
             fmt::format("{}; x the best time; columns are blocks", measured ? "measured" : "modelled, not measured"),
             kWords, Anchor::start, grey);
  for (std::size_t c = 0; c < field.columns.size(); ++c)
    sheet.text(names_width + (double(c) + 0.5) * cell_width, top - 16, field.columns[c], kWords, Anchor::middle, ink);
  double best = INFINITY;
  for (const auto& [at, ms] : field.ms) best = std::min(best, ms);
  for (std::size_t r = 0; r < field.rows.size(); ++r) {
    const double y = top + double(r) * cell_height;
    sheet.text(30, y + 33, clipped(field.rows[r], names_width - 40, kWords), kWords, Anchor::start, ink);
    for (std::size_t c = 0; c < field.columns.size(); ++c) {
      const auto found = field.ms.find({r, c});
      if (found == field.ms.end()) continue;
      const double slower = found->second / best, x = names_width + double(c) * cell_width;
      const bool is_best = found->second == best;
      square(sheet, x, y, is_best ? flat : shade(slower));
      const bool dark = is_best || slower > 2.8;
      sheet.text(x + cell_width / 2, y + 33, is_best ? "best" : fmt::format("{:.2f}", slower), kWords, Anchor::middle,
                 dark ? white : ink);
    }
  }
}

}  // namespace

void write_tuned(const std::string& file, const Tuned& tuned) {
  const auto field = field_of(tuned);
  const Size size{std::max(1280.0, names_width + cell_width * double(field.columns.size()) + 30),
                  std::max(360.0, top + cell_height * double(field.rows.size()) + 40)};
  write_sheet(file, size, "Tuned: " + tuned.run.lab, [&](Sheet& sheet) { draw(tuned, field, size.width, sheet); });
}

}  // namespace gpulab
