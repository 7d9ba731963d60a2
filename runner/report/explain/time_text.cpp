#include "runner/report/explain/time_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "common/text.h"

namespace gpulab {
namespace {

constexpr std::size_t most_lines = 5;
constexpr double least_share = 0.03;  ///< of a line, and of a part of it, to be named

/// "waits for global memory 40%, issues 3%"
std::string parts_of(const LineTime& line, double whole) {
  std::array<std::pair<const char*, double>, 5> parts{{{"waits for global memory", line.memory},
                                                       {"waits for shared memory", line.shared},
                                                       {"waits at the barrier", line.barrier},
                                                       {"issues", line.issue},
                                                       {"waits for results", line.result}}};
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> words;
  for (const auto& [what, ms] : parts)  // of the whole, as the line's share is
    if (words.empty() || ms >= least_share * whole) words.push_back(fmt::format("{} {:.0f}%", what, 100 * ms / whole));
  return join(words);
}

/// Is there a part of the launch between two barriers in which both lines run?
bool share_a_phase(const ExplainedLine& a, const ExplainedLine& b) {
  return std::any_of(a.phases.begin(), a.phases.end(), [&](const LineCounts& mine) {
    return std::any_of(b.phases.begin(), b.phases.end(), [&](const LineCounts& other) {
      return mine.phase == other.phase && mine.executions > 0 && other.executions > 0;
    });
  });
}

/// Who comes late to the barrier of the line: ", most of it in line 32 (29%, ◄1)".
std::string before_barrier(const Explanation& explanation, const ExplainedLine& barrier) {
  const ExplainedLine* latest = nullptr;
  for (const auto& line : explanation.lines)
    if (line.line != 0 && line.line != barrier.line && share_a_phase(line, barrier) &&
        (latest == nullptr ||
         time_share(*explanation.launch, line.line) > time_share(*explanation.launch, latest->line)))
      latest = &line;
  if (latest == nullptr) return {};
  const auto& marks = explanation.marks;
  const auto mark = std::find_if(marks.begin(), marks.end(), [&](const Mark& one) { return one.line == latest->line; });
  return fmt::format(", most of it in line {} ({:.0f}%{})", latest->line,
                     100 * time_share(*explanation.launch, latest->line),
                     mark == marks.end() ? "" : fmt::format(", ◄{}", mark - marks.begin() + 1));
}

std::string gone(const WhatIf& what, int sm_count) {
  if (what.kind == "idle_sms")
    return fmt::format("with all {} SMs busy, each with an equal part of the work", sm_count);
  if (what.kind == "bank_conflict") return fmt::format("without the bank conflicts of line {}", what.line);
  if (what.kind == "uncoalesced") return fmt::format("if line {} were coalesced", what.line);
  if (what.kind == "queue")
    return fmt::format("if the atomics of line {} met at no address, of whatever block", what.line);
  return fmt::format("if no two lanes of a warp met at one address in line {}", what.line);
}

}  // namespace

double time_share(const LaunchLines& launch, std::uint32_t number) {
  if (!launch.time || launch.time->kernel_ms <= 0) return 0;
  for (const auto& line : launch.time->lines)
    if (line.line == number) return line.total() / launch.time->kernel_ms;
  return 0;
}

std::string darkest_line_text(const Explanation& explanation) {
  constexpr double much = 0.25;
  const auto& launch = *explanation.launch;
  if (!launch.time || 2 * launch.time->kernel_ms < launch.time->ms) return {};  // or what takes the time is the launch
  const auto& times = launch.time->lines;
  const auto most = std::max_element(times.begin(), times.end(),
                                     [](const LineTime& a, const LineTime& b) { return a.total() < b.total(); });
  if (most == times.end() || most->line == 0 || time_share(launch, most->line) < much) return {};
  for (const auto& mark : explanation.marks)
    if (mark.line == 0 || mark.line == most->line ||
        std::count(mark.victims.begin(), mark.victims.end(), most->line) > 0)
      return {};
  const auto line = std::find_if(explanation.lines.begin(), explanation.lines.end(),
                                 [&](const ExplainedLine& one) { return one.line == most->line; });
  if (line == explanation.lines.end()) return {};
  const double part = std::max({most->memory, most->shared, most->barrier, most->result, most->issue});
  const std::string why =
      part == most->memory
          ? "its warps wait for global memory, which is asked in few enough sectors. What hides the wait: "
            "more warps on an SM, or several accesses of a thread under way before the first is used"
      : part == most->shared
          ? "its warps wait for shared memory, without conflicts to speak of. What shortens it: values "
            "that stay in registers for several uses"
      : part == most->barrier
          ? "its warps wait for the last one of their block, for what that does before the barrier" +
                before_barrier(explanation, *line)
      : part == most->result
          ? "its warps wait for results of instructions before it. What hides the wait: work that needs "
            "no such result, of this thread or of more warps"
          : "its instructions fill the time. What shortens it: fewer of them";
  return fmt::format("Line {} takes the most time, {:.0f}%, and no reason speaks of it: {}.", most->line,
                     100 * time_share(launch, most->line), why);
}

std::string start_text(const LaunchLines& launch) {
  if (!launch.time) return {};
  return fmt::format(" (without {} for the launch itself)", duration_text(launch.time->ms - launch.time->kernel_ms));
}

std::vector<std::string> where_time_goes(const LaunchLines& launch, const std::vector<std::string_view>& text,
                                         std::size_t width) {
  if (!launch.time || launch.time->kernel_ms <= 0) return {};
  auto lines = launch.time->lines;
  std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.total() > b.total(); });
  std::vector<std::string> all;
  for (const auto& line : lines) {
    const double share = line.total() / launch.time->kernel_ms;
    if (all.size() == most_lines || share < least_share) break;
    std::string words = line.line == 0 ? "code of no line" : fmt::format("line {}", line.line);
    words += fmt::format("  {:.0f}%  {}  {}", 100 * share, duration_text(line.total()),
                         parts_of(line, launch.time->kernel_ms));
    auto source = line.line == 0 || line.line > text.size() ? std::string_view() : text[line.line - 1];
    source.remove_prefix(std::min(source.find_first_not_of(" \t"), source.size()));
    if (!source.empty() && columns(words) + 2 + columns(std::string(source)) <= width)
      words += "  " + std::string(source);
    all.push_back(words);
  }
  return all;
}

std::vector<std::string> what_ifs(const LaunchLines& launch, int sm_count) {
  std::vector<std::string> all;
  if (!launch.time) return all;
  for (const auto& what : launch.time->what_ifs)
    all.push_back(fmt::format("{}: {} instead of {}", gone(what, sm_count), duration_text(what.ms),
                              duration_text(launch.time->ms)));
  return all;
}

}  // namespace gpulab
