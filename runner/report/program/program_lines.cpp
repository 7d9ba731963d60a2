#include "runner/report/program/program_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "common/text.h"
#include "runner/report/explain/shown.h"
#include "runner/report/explain/time_text.h"

namespace gpulab {
namespace {

constexpr std::size_t most_marks = 3, most_source = 100, far_in = 6;

std::string source_of(const ExplainedKernel& kernel, std::uint32_t line) {
  if (line == 0 || line > kernel.text.size()) return {};
  auto source = kernel.text[line - 1];
  source.remove_prefix(std::min(source.find_first_not_of(" \t"), source.size()));
  return visible(std::string(source.substr(0, most_source)));
}

void marks(const ExplainedKernel& kernel, const std::string& file, std::vector<Paragraph>& said) {
  std::uint32_t above = 0;     // the line whose source stands there
  std::set<std::string> told;  // what holds of all lines of a kind
  const auto& all = kernel.explanation.marks;
  for (std::size_t i = 0; i < std::min(all.size(), most_marks); ++i) {
    const Mark& mark = all[i];
    if (mark.line == 0)
      said.push_back({"  ", 4, "the whole launch:"});
    else if (mark.line != above)
      said.push_back({"  ", 4, fmt::format("{}:{}  {}", file, mark.line, source_of(kernel, mark.line))});
    above = mark.line;
    const auto general = mark.own < mark.text.size() ? mark.kind + mark.text.substr(mark.own) : std::string();
    const bool is_new = general.empty() || told.insert(general).second;
    said.push_back(
        {"    ", 4,
         visible(fmt::format("{} ({})", is_new ? mark.text : mark.text.substr(0, mark.own), share_text(mark)))});
  }
  if (all.size() > most_marks)
    said.push_back({"  ", 4, fmt::format("and {} more (--format json has all)", all.size() - most_marks)});
}

}  // namespace

bool always_failed(const cuda_api::KernelRecord& kernel, const ProgramRun& run) {
  const auto failed = std::ranges::count(run.record.faults, kernel.name, &cuda_api::FaultRecord::kernel);
  return !kernel.counted && static_cast<std::uint64_t>(failed) >= kernel.launches;
}

std::string modelled_time_of(const cuda_api::KernelRecord& kernel, const ProgramRun& run) {
  return always_failed(kernel, run) ? "-" : (kernel.modelled ? "" : "> ") + duration_text(kernel.ms);
}

std::vector<Paragraph> what_costs_time(const AdviceList& list, const ProgramRun& run) {
  constexpr std::size_t most = 8;
  if (list.total_ms <= 0) return {};
  const auto whole = duration_text(list.total_ms);
  if (list.advices.empty()) {
    if (run.status != ProgramStatus::ok && run.status != ProgramStatus::finding) return {};
    return {
        {"", 2,
         fmt::format("nothing stands out: no line, launch or copy wastes 5% of the {} that kernels and copies take as "
                     "modelled",
                     whole)}};
  }
  std::vector<Paragraph> said{
      {"", 2,
       fmt::format("What costs time, the dearest first, of {} that kernels and copies take as modelled:", whole)}};
  for (std::size_t i = 0; i < std::min(list.advices.size(), most); ++i) {
    const Advice& one = list.advices[i];
    const auto in = one.kernel.empty() || one.kind == "clock_without_wait" ? std::string() : " in " + one.kernel;
    said.push_back({fmt::format("    {}. ", i + 1), 7,
                    visible(fmt::format("{}{}: {} ({:.0f}%)", one.where.empty() ? "the program" : one.where, in,
                                        duration_text(one.ms), 100 * std::min(one.share, 1.0)))});
    said.push_back({"       ", 7, visible(one.text)});
    if (!one.remedy.empty()) said.push_back({"       Try: ", 12, visible(one.remedy)});
  }
  if (list.advices.size() > most)
    said.push_back({"", 7, fmt::format("and {} more (--format json has all)", list.advices.size() - most)});
  return said;
}

std::vector<Paragraph> lines_to_look_at(const cuda_api::KernelRecord& record, const ProgramRun& run,
                                        const AdviceList& list, std::size_t width) {
  const auto name = visible(record.cpp_name);
  if (!record.lines && always_failed(record, run))
    return {{"", 2, name + ": not explained, because its launch failed, and of such a launch nothing is counted"}};
  if (!record.lines) return {{"", 2, name + ": not explained, because nothing was counted of it"}};
  const ExplainedKernel kernel(record, run);
  if (kernel.launch.ptx)
    return {{"", 2, name + ": the program names no lines of it; build it with 'gpulab nvcc', or nvcc -lineinfo"}};
  const auto file = visible(std::filesystem::path(kernel.launch.file).filename().string());
  std::vector<Paragraph> said;
  if (kernel.explanation.marks.empty()) {
    const bool told = std::ranges::any_of(list.advices, [&](const Advice& one) { return one.kernel == name; });
    said.push_back(
        {"", 2,
         name + (told ? ": what costs it time stands above; lanes agree, global memory is coalesced, no banks "
                        "conflict"
                      : ": no line stands out: lanes agree, global memory is coalesced, no banks conflict")});
  } else {
    said.push_back({"", 2, name + ": what to look at, worst first"});
    marks(kernel, file, said);
  }
  const auto time = where_time_goes(kernel.launch, kernel.text, width > far_in ? width - far_in : 0);
  if (!time.empty()) said.push_back({"  ", 4, "where its warps spend the modelled time, the most first:"});
  for (const auto& words : time) said.push_back({"    ", far_in, visible(words)});
  const bool has_reason = std::ranges::any_of(list.advices, [&](const Advice& one) {
    return one.kernel == name && (one.kind == "double_arithmetic" || one.kind == "low_occupancy");
  });
  if (const auto darkest = darkest_line_text(kernel.explanation); !darkest.empty() && !has_reason)
    said.push_back({"  ", 4, visible(darkest)});
  const auto gone = what_ifs(kernel.launch, kernel.sm_count);
  if (!gone.empty()) said.push_back({"  ", 4, "modelled again with that cost gone:"});
  for (const auto& words : gone) said.push_back({"    ", far_in, visible(words)});
  return said;
}

}  // namespace gpulab
