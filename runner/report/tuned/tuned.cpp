#include "runner/report/tuned/tuned.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "common/text.h"
#include "runner/report/grid_text.h"
#include "runner/report/json_text.h"
#include "runner/report/ladder/ladder.h"

namespace gpulab {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_rows = 15;

bool is_measured(const Run& run) { return !run.device.modelled; }

std::string grid_of(const Tuned& tuned, std::size_t index) {
  const auto& result = tuned.run.results[index];
  const auto grid = result.launch ? dim_text(result.launch->grid) : std::string("-");
  return tuned.automatic_grid[index] ? grid + " (auto)" : grid;
}

std::string params_of(const Result& result) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : result.params)
    parts.push_back(
        fmt::format("--{} {}", name, std::visit([](const auto& v) { return fmt::format("{}", v); }, value)));
  return join(parts, " ");
}

/// Parameters in which results differ.
std::string knobs_of(const Run& run, const Result& result) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < result.params.size(); ++i) {
    const auto& [name, value] = result.params[i];
    const bool differs = std::ranges::any_of(
        run.results, [&](const Result& other) { return i < other.params.size() && other.params[i].second != value; });
    if (differs) parts.push_back(fmt::format("{} {}", name, param_text(value)));
  }
  return join(parts);
}

}  // namespace

std::optional<double> tuned_ms(const Run& run, const Result& result) {
  if (result.status != CaseStatus::ok) return std::nullopt;
  if (is_measured(run))
    return result.timing && result.timing->source == TimeSource::cuda_events ? std::optional(result.timing->median_ms)
                                                                             : std::nullopt;
  return result.model ? std::optional(result.model->ms) : std::nullopt;
}

void sort_fastest_first(Tuned& tuned) {
  std::vector<std::size_t> order(tuned.run.results.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  constexpr double never = 1e300;
  const auto ms = [&](std::size_t i) { return tuned_ms(tuned.run, tuned.run.results[i]).value_or(never); };
  std::ranges::stable_sort(order, [&](auto a, auto b) { return ms(a) < ms(b); });
  Tuned sorted{tuned.run, {}};
  sorted.run.results.clear();
  for (const auto i : order) {
    sorted.run.results.push_back(std::move(tuned.run.results[i]));
    sorted.automatic_grid.push_back(tuned.automatic_grid[i]);
  }
  tuned = std::move(sorted);
}

std::string command_of(const Tuned& tuned, std::size_t index) {
  const auto& result = tuned.run.results[index];
  auto command = fmt::format("gpulab {} --variant {}", tuned.run.lab, result.variant);
  if (result.launch) command += fmt::format(" --block {}", dim_text(result.launch->block));
  if (result.launch && !tuned.automatic_grid[index])
    command += fmt::format(" --grid {}", dim_text(result.launch->grid));
  return command + " " + params_of(result);
}

std::string tuned_table(const Tuned& tuned, const Style& style) {
  const auto& run = tuned.run;
  std::string text;
  const auto say = [&](const std::string& words) {
    for (const auto& line : wrapped(words, style.width)) text += line + "\n";
  };
  const auto timed = static_cast<std::size_t>(
      std::ranges::count_if(run.results, [&](const Result& r) { return tuned_ms(run, r).has_value(); }));
  const std::string how = is_measured(run) ? "measured" : "modelled, not measured";
  say(fmt::format("{}: {} tried, {}, times {}", run.lab, plural(run.results.size(), "case"), shared_case(run), how));
  say(device_text(run.device));
  if (timed == 0) {
    say("None has a time: " + (run.results.empty() ? std::string() : visible(run.results.front().message)));
    return text;
  }
  const double best = *tuned_ms(run, run.results.front());
  TextColumn rank{{"#"}, {}}, variant{{"variant"}, {}, false}, block{{"block"}, {}}, grid{{"grid"}, {}},
      knobs{{"knobs"}, {}, false}, time{{"time"}, {}}, slower{{"by the best"}, {}};
  for (std::size_t i = 0; i < timed; ++i) {
    if (i >= most_rows && i + 1 < timed) continue;  // and the slowest
    const auto& r = run.results[i];
    const double ms = *tuned_ms(run, r);
    rank.cells.push_back(std::to_string(i + 1));
    variant.cells.push_back(r.variant);
    block.cells.push_back(r.launch ? dim_text(r.launch->block) : "-");
    grid.cells.push_back(grid_of(tuned, i));
    knobs.cells.push_back(knobs_of(run, r));
    time.cells.push_back(duration_text(ms));
    slower.cells.push_back(fmt::format("{:.2f} x", ms / best));
  }
  std::vector<TextColumn> columns{rank, variant, block, grid};
  if (std::ranges::any_of(knobs.cells, [](const std::string& cell) { return !cell.empty(); })) columns.push_back(knobs);
  columns.push_back(time);
  columns.push_back(slower);
  std::vector<std::string> left_out;
  text += "\n" + aligned(columns, style.width, left_out) + "\n";
  if (timed > most_rows + 1) say(fmt::format("{} between are left out: --format json has all.", timed - most_rows - 1));
  if (timed < run.results.size())
    say(fmt::format("{} without a time, the first: {}: {}", run.results.size() - timed, run.results[timed].variant,
                    visible(run.results[timed].message.empty() ? run.results[timed].model_unavailable
                                                               : run.results[timed].message)));
  say("best: " + command_of(tuned, 0));
  return text;
}

std::string tuned_json(const Tuned& tuned) {
  const auto able = formats_for(&Format::run);
  auto json = Json::parse(find_format("json", able, tuned.run.lab).run(tuned.run, Style{}));
  json["best"] = nullptr;
  const auto ms = tuned.run.results.empty() ? std::nullopt : tuned_ms(tuned.run, tuned.run.results.front());
  if (ms) {
    const auto& first = json["results"][0];
    json["best"] = {{"variant", first["variant"]},
                    {"params", first["params"]},
                    {"block", first["launch"].is_null() ? Json() : first["launch"]["block"]},
                    {"grid", first["launch"].is_null() ? Json() : first["launch"]["grid"]},
                    {"time_ms", json_real(*ms)},
                    {"source", is_measured(tuned.run) ? "measured" : "modelled"},
                    {"command", command_of(tuned, 0)}};
  }
  return json_text(json);
}

}  // namespace gpulab
