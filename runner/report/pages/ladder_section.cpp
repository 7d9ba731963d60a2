#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "common/text.h"
#include "runner/report/html/escape.h"
#include "runner/report/html/grid.h"
#include "runner/report/html/measure.h"
#include "runner/report/ladder/ladder.h"
#include "runner/report/ladder/rung_changes.h"
#include "runner/report/pages/sections.h"

namespace gpulab::pages {

using html::escaped;

std::string story_id(const std::string& variant) { return "rung-" + html::slug(variant); }

std::string badge(const Result& result) {
  if (verdict(result) == "-") return {};  // a calculator has nothing to verify
  const bool good = result.status == CaseStatus::ok, skipped = result.status == CaseStatus::skipped;
  return fmt::format("<span class=\"verdict {}\">{}</span>",
                     good      ? "good"
                     : skipped ? "soft"
                               : "bad",
                     escaped(verdict(result)));
}

namespace {

/// A time of a result, and within which bounds it is to be taken.
struct Span {
  double ms = 0, low = -1, high = -1;
};

std::optional<Span> measured_span(const Result& r) {
  if (!r.timing || r.timing->source == TimeSource::none) return std::nullopt;
  return Span{r.timing->median_ms, r.timing->q1_ms, r.timing->q3_ms};
}

std::optional<Span> modelled_span(const Result& r) {
  if (r.status != CaseStatus::ok || !r.model) return std::nullopt;
  return Span{r.model->ms, r.model->low_ms, r.model->high_ms};
}

/// The lengths of bars: from nothing to the longest range; logarithmic where rungs lie so far apart that most bars
/// would have no length.
class Bars {
 public:
  Bars(const Run& run, std::optional<Span> (*span)(const Result&)) : span_(span) {
    constexpr double far_apart = 30;
    double shortest = INFINITY;
    for (const auto& r : run.results) {
      const auto s = span(r);
      if (!s || s->ms <= 0) continue;
      longest_ = std::max({longest_, s->ms, s->high});
      shortest = std::min(shortest, s->low > 0 ? std::min(s->low, s->ms) : s->ms);
    }
    if (longest_ > shortest * far_apart) floor_ = shortest / 2;
  }
  [[nodiscard]] bool logarithmic() const { return floor_ > 0; }
  [[nodiscard]] std::string bar(const Result& r, int series) const {
    const auto s = span_(r);
    return s && longest_ > 0 ? html::measure({share(s->ms), share(s->low), share(s->high), series}) : "";
  }

 private:
  [[nodiscard]] double share(double ms) const {
    if (ms < 0) return -1;
    return logarithmic() ? std::log(std::max(ms, floor_) / floor_) / std::log(longest_ / floor_) : ms / longest_;
  }
  std::optional<Span> (*span_)(const Result&);
  double longest_ = 0, floor_ = 0;
};

std::vector<std::string> with_bars(const Run& run, const std::vector<std::string>& cells, const Bars& bars,
                                   int series) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < cells.size(); ++i)
    out.push_back(escaped(cells[i]) + (cells[i] == "-" ? "" : " " + bars.bar(run.results[i], series)));
  return out;
}

html::Column html_column(const Run& run, const TextColumn& column, bool linked) {
  const std::string heading = heading_text(column);
  html::Column out{escaped(heading), {}, column.right, heading == "variant"};
  if (heading == "modelled time") {
    out.cells = with_bars(run, column.cells, Bars(run, modelled_span), 0);
  } else if (heading == "time") {
    out.heading = "time, measured";
    out.cells = with_bars(run, column.cells, Bars(run, measured_span), 2);
  } else {
    for (std::size_t i = 0; i < column.cells.size(); ++i) {
      const auto cell = escaped(column.cells[i]);
      if (heading == "verified") {
        out.cells.push_back(badge(run.results[i]));
      } else if (heading == "variant" && linked) {
        out.cells.push_back(fmt::format("<a href=\"#{}\">{}</a>", story_id(column.cells[i]), cell));
      } else {
        out.cells.push_back(cell);
      }
    }
  }
  return out;
}

/// What the bars of times are.
std::string about_bars(const Run& run) {
  const bool modelled = std::any_of(run.results.begin(), run.results.end(), [](const Result& r) { return r.model; });
  if (!modelled) return {};
  std::string text = "Bars: modelled time, not measured";
  if (Bars(run, modelled_span).logarithmic()) text += ", logarithmic";
  return "<p class=\"note\">" + text +
         "; thin lines: where nine of ten measured times lay when the model was compared with a GPU.</p>\n";
}

std::string list_of(const char* term, const char* of_class, const std::string& at, const std::string& text) {
  return fmt::format("<dt class=\"{}\">{}</dt><dd>{}{}</dd>\n", of_class, term,
                     at.empty() ? "" : fmt::format("<strong>{}</strong>: ", escaped(at)), escaped(text));
}

std::string point_text(const RungStory::Point& point) {
  std::string out;
  if (!point.time.empty()) out += list_of("time", "", point.at, point.time);
  if (!point.gains.empty()) out += list_of("gain", "good", point.at, join(point.gains, "; "));
  if (!point.losses.empty()) out += list_of("loss", "bad", point.at, join(point.losses, "; "));
  if (!point.neither.empty()) out += list_of("same", "", point.at, point.neither);
  return out;
}

/// What is said of the variant's one result; of several of a sweep all that are wrong.
std::string words_of(const Run& run, const std::string& variant) {
  const auto is_its = [&](const Result& r) { return r.variant == variant; };
  const bool alone = std::count_if(run.results.begin(), run.results.end(), is_its) == 1;
  std::string out;
  for (const auto& r : run.results)
    if (is_its(r) && (alone || r.status != CaseStatus::ok)) out += result_words(r);
  return out;
}

}  // namespace

std::string ladder_section(const Run& run, bool linked) {
  if (run.results.size() < 2) return {};
  linked = linked && !rung_stories(run).empty() && run.metrics.empty();
  std::vector<html::Column> columns;
  auto beside = ladder(run);
  // As many as a screen is wide are seen at once: first what never leaves a terminal's table, the lab's subject among
  // it.
  std::stable_partition(beside.begin(), beside.end(), [](const TextColumn& column) { return column.priority == 0; });
  for (const auto& column : beside) columns.push_back(html_column(run, column, linked));
  // What a row is named by stands first, for it stays the row's name where a reader scrolls to the right.
  std::stable_partition(columns.begin(), columns.end(), [](const html::Column& c) { return c.row_heading; });
  std::vector<std::string> classes;
  for (const auto& r : run.results) classes.emplace_back(r.status == CaseStatus::skipped ? "off" : "");
  const auto table = html::table("Results side by side", columns, classes) + about_bars(run);
  if (run.results.size() <= most_side_by_side) return "<h2 id=\"ladder\">The ladder</h2>\n" + table;
  return fmt::format("<h2 id=\"ladder\">The results</h2>\n<details><summary>All {} rows</summary>\n{}</details>\n",
                     run.results.size(), table);
}

std::string stories_section(const Run& run) {
  if (!run.metrics.empty()) return {};
  const auto all = rung_stories(run);
  if (all.empty()) return {};
  constexpr std::size_t most_open = 3;  // points of a sweep
  std::string out = "<h2 id=\"rungs\">What moved, and why</h2>\n<div class=\"rungs\">\n";
  for (const auto& story : all) {
    if (story.summary.empty() && story.points.empty()) continue;
    out += fmt::format("<article class=\"card\" id=\"{}\">\n<h3>{}</h3>\n", story_id(story.variant),
                       escaped(story.variant));
    if (!story.summary.empty()) out += fmt::format("<p>{}</p>\n", html::with_code(story.summary));
    std::string facts;
    for (const auto& point : story.points) facts += point_text(point);
    if (!facts.empty()) facts = "<dl class=\"facts\">\n" + facts + "</dl>\n";
    if (story.points.size() > most_open)
      facts =
          fmt::format("<details><summary>At each of {} points</summary>\n{}</details>\n", story.points.size(), facts);
    out += facts + words_of(run, story.variant) + "</article>\n";
  }
  return out + "</div>\n";
}

}  // namespace gpulab::pages
