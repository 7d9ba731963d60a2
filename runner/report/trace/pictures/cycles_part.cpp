// When each warp issues by the model, and what it waits for before that.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "runner/report/trace/pictures/part.h"

namespace gpulab::trace_picture {
namespace {

using sheet::Anchor;
using sheet::Colour;

constexpr double span = 400, whole = 800;  ///< cycles across; where all of the launch takes no more than `whole`, all
constexpr double names = 130, row = 30, words = 24;
constexpr std::size_t most_warps = 32;

// On white at least 3 to 1 (WCAG 2.2, of graphics).
constexpr Colour orange{0xC7, 0x5B, 0x00}, pink{0xB0, 0x4A, 0x86}, gold{0x8A, 0x6D, 0x00}, green{0x1F, 0x7A, 0x54},
    dull{0x86, 0x86, 0x86};

struct Waits {
  Stall stall;
  Colour colour;
  const char* words;
};
constexpr Waits waits[] = {{Stall::memory, orange, "waits for memory"},
                           {Stall::shared, pink, "for shared memory"},
                           {Stall::barrier, gold, "at a barrier"},
                           {Stall::result, green, "for a result"},
                           {Stall::issue, dull, "for its turn"}};

struct Span {
  double from = 0, to = 0;  ///< cycles
};

Span span_around(const StepTrace& trace, double at) {
  Span all{at, at};
  for (const TraceStep& step : trace.steps) {
    if (step.issued < 0) continue;
    all.from = std::min(all.from, step.issued - double{step.waited});
    all.to = std::max(all.to, step.issued);
  }
  if (all.to - all.from <= whole) return {all.from, all.from + std::max(all.to - all.from, 1.0)};
  const double from = std::max(0.0, at - 0.6 * span);
  return {from, from + span};
}

/// The warps that the model follows, with the steps that it has cycles of; the chosen one is among them.
std::vector<std::pair<std::uint32_t, std::vector<std::size_t>>> timed_warps(const StepTrace& trace,
                                                                            std::uint32_t chosen) {
  std::vector<std::vector<std::size_t>> of_warp(trace.warps.size());
  for (std::size_t i = 0; i < trace.steps.size(); ++i)
    if (trace.steps[i].issued >= 0) of_warp[trace.steps[i].warp].push_back(i);
  std::vector<std::pair<std::uint32_t, std::vector<std::size_t>>> timed;
  for (std::uint32_t warp = 0; warp < of_warp.size(); ++warp) {
    if (of_warp[warp].empty() || (timed.size() + 1 >= most_warps && warp < chosen)) continue;
    if (timed.size() < most_warps) timed.emplace_back(warp, std::move(of_warp[warp]));
  }
  return timed;
}

class Rows {
 public:
  Rows(const StepTrace& trace, std::size_t chosen, sheet::Sheet& to, Span cycles)
      : trace_(trace), chosen_(chosen), to_(to), cycles_(cycles) {}

  void axis(double top, double bottom) {
    const double every = std::pow(10, std::floor(std::log10((cycles_.to - cycles_.from) / 3)));
    const double apart = (cycles_.to - cycles_.from) / every > 8 ? 2 * every : every;
    for (double tick = std::ceil(cycles_.from / apart) * apart; tick <= cycles_.to; tick += apart) {
      to_.line(across(tick), top, across(tick), bottom, sheet::faint, 2, false);
      // Words of the last tick end where the drawing does.
      const bool last = across(tick) > edge + width - 60;
      to_.text(last ? edge + width : across(tick), bottom + words + 4, fmt::format("{:.0f}", tick), words,
               last ? Anchor::end : Anchor::middle, sheet::grey);
    }
  }

  void warp(std::uint32_t number, const std::vector<std::size_t>& steps, double top) {
    const bool own = number == trace_.steps[chosen_].warp;
    to_.text(edge, top + words, short_name(trace_.warps[number]), words, Anchor::start, own ? sheet::ink : sheet::grey);
    for (const std::size_t i : steps) {
      const TraceStep& step = trace_.steps[i];
      if (step.issued - double{step.waited} <= cycles_.to && step.issued >= cycles_.from) wait(step, top);
    }
    for (const std::size_t i : steps) {
      const double at = trace_.steps[i].issued;
      if (at < cycles_.from || at > cycles_.to) continue;
      const bool now = i == chosen_;
      to_.box(across(at) - (now ? 4 : 1), top + (now ? 0 : 2), now ? 8 : 3, row - (now ? 0 : 4),
              now ? sheet::ink : sheet::memory);
    }
  }

 private:
  [[nodiscard]] double across(double cycle) const {
    const double part = (std::clamp(cycle, cycles_.from, cycles_.to) - cycles_.from) / (cycles_.to - cycles_.from);
    return edge + names + part * (width - names - 8);
  }

  void wait(const TraceStep& step, double top) {
    for (const Waits& one : waits) {
      if (one.stall != step.stall || !(step.waited > 0)) continue;
      const double from = across(step.issued - double{step.waited});
      to_.box(from, top + 8, across(step.issued) - from, row - 16, one.colour);
    }
  }

  const StepTrace& trace_;
  const std::size_t chosen_;
  sheet::Sheet& to_;
  const Span cycles_;
};

}  // namespace

std::string short_name(const StepWarp& warp) { return fmt::format("b{} w{}", warp.block, warp.warp); }

Part cycles_part(const StepTrace& trace, std::size_t step) {
  const double at = trace.steps[step].issued;
  if (at < 0) return {};
  const auto timed = timed_warps(trace, trace.steps[step].warp);
  std::vector<Meaning> meanings{{sheet::memory, "issues"}, {sheet::ink, "this step"}};
  for (const Waits& one : waits) meanings.push_back({one.colour, one.words});
  const auto legend = legend_part(meanings);
  const double rows = row * static_cast<double>(timed.size()), axis = words + 16;
  return {rows + axis + legend.height, [&trace, step, at, timed, legend, rows](sheet::Sheet& to, double top) {
            Rows drawn(trace, step, to, span_around(trace, at));
            drawn.axis(top, top + rows);
            for (std::size_t k = 0; k < timed.size(); ++k)
              drawn.warp(timed[k].first, timed[k].second, top + row * static_cast<double>(k));
            legend.draw(to, top + rows + words + 16);
          }};
}

}  // namespace gpulab::trace_picture
