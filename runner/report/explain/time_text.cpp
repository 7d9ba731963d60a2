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
