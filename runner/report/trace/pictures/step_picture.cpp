#include "runner/report/trace/pictures/step_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/text.h"
#include "runner/report/trace/pictures/part.h"
#include "runner/report/trace/step_values.h"
#include "runner/report/trace/troubles.h"
#include "runner/report/words/lines.h"

namespace gpulab {
namespace trace_picture {

Part words_part(const std::string& words, sheet::Colour colour, double size) {
  const auto letters = static_cast<std::size_t>(width / (sheet::kLetter * size));
  const auto lines = wrapped(words, letters);
  const double height = size + 8;
  return {height * static_cast<double>(lines.size()) + 6, [lines, colour, size, height](sheet::Sheet& to, double top) {
            for (const auto& line : lines) {
              to.text(edge, top + size, sheet::clipped(line, width, size), size, sheet::Anchor::start, colour);
              top += height;
            }
          }};
}

Part legend_part(const std::vector<Meaning>& meanings) {
  constexpr double size = 22, swatch = 20, apart = 26;
  std::vector<std::pair<double, double>> places;  // x, and y from the top
  double x = edge, y = 0;
  for (const Meaning& one : meanings) {
    const double across = swatch + 8 + sheet::kLetter * size * static_cast<double>(columns(one.words)) + apart;
    if (x > edge && x + across > edge + width) {
      x = edge;
      y += line_height;
    }
    places.emplace_back(x, y);
    x += across;
  }
  return {y + line_height, [meanings, places](sheet::Sheet& to, double top) {
            for (std::size_t k = 0; k < meanings.size(); ++k) {
              const auto [left, down] = places[k];
              to.box(left, top + down + 5, swatch, swatch, sheet::grey);  // its frame: some colours are light
              to.box(left + 1, top + down + 6, swatch - 2, swatch - 2, meanings[k].colour);
              to.text(left + swatch + 8, top + down + size, meanings[k].words, size, sheet::Anchor::start, sheet::ink);
            }
          }};
}

}  // namespace trace_picture

namespace {

using namespace trace_picture;

constexpr sheet::Colour light{0xB9, 0xD6, 0xEA};

struct LaneState {
  sheet::Colour ground, words;
  const char* meaning;
};

LaneState state_of(const TraceStep& step, int lane) {
  const auto in = [lane](std::uint32_t mask) { return (mask >> lane & 1) != 0; };
  if (in(step.off)) return {sheet::faint, sheet::ink, "its guard is false"};
  if (in(step.active)) return {sheet::memory, sheet::white, "executes"};
  if (in(step.waiting)) return {sheet::flat, sheet::white, "waits"};
  if (in(step.live)) return {light, sheet::ink, "elsewhere"};
  return {sheet::white, sheet::grey, "has ended, or is none"};
}

Part lanes_part(const TraceStep& step) {
  std::vector<Meaning> meanings;
  for (int lane = 0; lane < 32; ++lane) {
    const auto state = state_of(step, lane);
    if (std::ranges::none_of(meanings, [&](const Meaning& one) { return one.words == state.meaning; }))
      meanings.push_back({state.ground, state.meaning});
  }
  const auto legend = legend_part(meanings);
  return {line_height + 4 + legend.height, [step, legend](sheet::Sheet& to, double top) {
            constexpr double across = width / 32;
            for (int lane = 0; lane < 32; ++lane) {
              const auto state = state_of(step, lane);
              const double x = edge + across * lane;
              to.box(x + 1, top, across - 2, line_height - 4, sheet::grey);
              to.box(x + 2, top + 1, across - 4, line_height - 6, state.ground);
              to.text(x + across / 2, top + 22, fmt::format("{}", lane), 22, sheet::Anchor::middle, state.words);
            }
            legend.draw(to, top + line_height + 4);
          }};
}

/// Whether such a picture can be of that step.
bool suits(StepPicture picture, const StepTrace& trace, const TraceStep& step) {
  using enum StepAccess::Space;
  const auto* access = step.access == no_step_part ? nullptr : &trace.accesses[step.access];
  switch (picture) {
    case StepPicture::banks:
      return access != nullptr && access->space == shared;
    case StepPicture::sectors:
      return access != nullptr && access->space != shared;
    case StepPicture::timeline:
      return step.issued >= 0;
    case StepPicture::step:
      break;
  }
  return true;
}

const char* what_it_needs(StepPicture picture) {
  switch (picture) {
    case StepPicture::banks:
      return "accesses shared memory";
    case StepPicture::sectors:
      return "accesses global memory";
    case StepPicture::timeline:
      return "has a modelled cycle";
    case StepPicture::step:
      break;
  }
  return "is there";
}

/// The one that is asked for, else where a page would open, else the first at which something goes wrong, else the
/// first.
std::size_t chosen_step(const PictureRequest& request, const TraceView& view) {
  const StepTrace& trace = *view.steps;
  const auto suiting = [&](const TraceStep& step) { return suits(request.picture, trace, step); };
  const auto first = std::ranges::find_if(trace.steps, suiting);
  if (first == trace.steps.end())
    throw usage_error(fmt::format("--picture: no step that is kept {}", what_it_needs(request.picture)),
                      request.picture == StepPicture::timeline && !trace.not_timed.empty()
                          ? fmt::format("not modelled: {}", visible(trace.not_timed))
                          : "--blocks, --warps, --launch and --from keep other steps; --picture step draws any");
  const auto number = [&](auto step) { return static_cast<std::size_t>(step - trace.steps.begin()); };
  if (request.step) {
    const auto at = *request.step - trace.from;
    if (*request.step < trace.from || at >= trace.steps.size())
      throw usage_error(fmt::format("--step: {} is none of the steps that are kept, {} to {}", *request.step,
                                    trace.from, trace.from + trace.steps.size() - 1),
                        "--from and --events keep others");
    if (!suiting(trace.steps[at]))
      throw usage_error(fmt::format("--step: step {} is none that {}", *request.step, what_it_needs(request.picture)),
                        fmt::format("step {} is the first; --picture step draws any", trace.from + number(first)));
    return at;
  }
  if (const auto at = opening_step(view); suiting(trace.steps[at])) return at;
  const auto troubled = std::ranges::find_if(
      trace.steps, [&](const TraceStep& step) { return suiting(step) && trouble_of(trace, step); });
  return number(troubled == trace.steps.end() ? first : troubled);
}

std::string who(const StepTrace& trace, const TraceStep& step) {
  const StepWarp& warp = trace.warps[step.warp];
  return step.site == no_step_part ? fmt::format("block {}:", warp.block)
                                   : fmt::format("block {}, warp {}", warp.block, warp.warp);
}

/// What an access costs, as the simulator counted.
std::string cost_text(const StepAccess& access) {
  const bool shared = access.space == StepAccess::Space::shared;
  const std::string what = shared
                               ? "A column is a bank; a box is a word of it, with the lane that wants it, or with how "
                                 "many want it."
                               : "A row is a line of 128 bytes, four sectors of 32; numbers are lanes.";
  if (access.atomic) return what + " Lanes that come to one address take turns.";
  if (shared)
    return fmt::format("{}, where {} would do. {}", plural(access.wavefronts, "wavefront"), access.ideal_wavefronts,
                       what);
  return fmt::format("{}: {} bytes move, {} are asked for. {}", plural(access.sectors, "sector"), 32 * access.sectors,
                     access.distinct_bytes, what);
}

std::vector<Part> parts_of(StepPicture picture, const TraceView& view, std::size_t number) {
  const StepTrace& trace = *view.steps;
  const TraceStep& step = trace.steps[number];
  std::vector<Part> parts;
  const auto name = view.lab.empty() ? visible(view.file) : view.lab + " " + view.result->variant;
  parts.push_back(
      words_part(fmt::format("{}, step {}: {}", name, trace.from + number, who(trace, step)), sheet::ink, 32));
  const std::uint32_t line = step.site == no_step_part ? 0 : trace.sites[step.site].line;
  const auto source = lines_of(view.source);
  if (line != 0 && line <= source.size()) {
    const auto text = source[line - 1];
    const auto begin = std::min(text.find_first_not_of(" \t"), text.size());
    const auto words = fmt::format("{}: {}", line, visible(text.substr(begin, 200)));
    parts.push_back(words_part(sheet::clipped(words, width, sheet::kWords), sheet::memory));
  }
  const bool all = picture == StepPicture::step;
  if (all) {
    parts.push_back(words_part(visible(step_text(trace, step)), sheet::ink));
    if (step.site != no_step_part) parts.push_back(lanes_part(step));
  }
  if (step.access != no_step_part && picture != StepPicture::timeline) {
    parts.push_back(words_part(cost_text(trace.accesses[step.access]), sheet::grey, 24));
    parts.push_back(memory_part(trace, step));
  }
  if (step.issued >= 0 && (all || picture == StepPicture::timeline)) {
    parts.push_back(
        words_part(fmt::format("Cycles as modelled for {}, not measured", view.device.profile), sheet::grey, 24));
    parts.push_back(cycles_part(trace, number));
  }
  return parts;
}

}  // namespace

void write_step_picture(const PictureRequest& request, const TraceView& view) {
  if (view.steps->steps.empty())
    throw usage_error("--image: no step of these warps is kept", "--from and --events keep others");
  const auto number = chosen_step(request, view);
  const auto parts = parts_of(request.picture, view, number);
  constexpr double above = 24, between = 12;
  double height = 2 * above;
  for (const Part& part : parts) height += part.height + between;
  sheet::write_sheet(request.file, {1280, height}, visible(step_text(*view.steps, view.steps->steps[number])),
                     [&](sheet::Sheet& to) {
                       double top = above;
                       for (const Part& part : parts) {
                         part.draw(to, top);
                         top += part.height + between;
                       }
                     });
}

}  // namespace gpulab
