// `gpulab list`: the labs, one lab, its kernels' resources or PTX, or the metrics; as text, or as a document.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "common/child/interrupt.h"
#include "common/text.h"
#include "labs/registry.h"
#include "runner/case/plan.h"
#include "runner/command.h"
#include "runner/course/course_pages.h"
#include "runner/course/site_folder.h"
#include "runner/listing/course_json.h"
#include "runner/listing/course_text.h"
#include "runner/listing/glossary.h"
#include "runner/listing/kernel_text.h"
#include "runner/options/report_options.h"
#include "runner/options/sweep.h"
#include "runner/options/sweep_options.h"
#include "runner/report/report_target.h"

namespace gpulab::command {
namespace {

constexpr const char* ptx_heading = "The kernel of --ptx";

/// The lists' formats: text for people, JSON for scripts.
Formats list_formats() {
  Formats able;
  for (const auto* format : formats())
    if (format->name == "table" || format->name == "json") able.push_back(format);
  return able;
}

/// What decides which kernel a variant launches: the lab's parameters and the block.
OptionList choosing_options(const Lab& lab) {
  OptionList options;
  for (auto& option : sweep_options(lab)) {
    const bool of_lab = std::ranges::find(lab.params, option.name, &Param::name) != lab.params.end();
    if (!of_lab && option.name != "variant" && option.name != "block") continue;
    option.heading = ptx_heading;
    options.push_back(std::move(option));
  }
  return options;
}

bool asks(const CommandLine& line, std::string_view flag) { return line.given.contains(flag); }

/// Throws usage_error for options that say nothing together.
void check(const CommandLine& line, bool json) {
  const bool resources = asks(line, "resources"), ptx = asks(line, "ptx"), metrics = asks(line, "metrics");
  if (asks(line, "html") && (resources || ptx || metrics || asks(line, "output") || asks(line, "format")))
    throw usage_error("list: --html writes a site, and nothing else", "leave the other options out");
  if (resources + ptx + metrics > 1) throw usage_error("list: --metrics, --resources and --ptx are one answer each");
  if (line.lab == nullptr && !line.arguments.empty()) {
    const auto& word = line.arguments.front();
    if (has_meaning(word, *line.labs))
      throw usage_error(fmt::format("list: '{}' is no lab", word), fmt::format("'gpulab help {}' explains it", word));
    throw unknown_lab(word, lab_names(*line.labs));
  }
  for (const std::string name : {"resources", "ptx"}) {
    if (asks(line, name) && line.lab == nullptr)
      throw usage_error(fmt::format("list --{}: which lab?", name),
                        fmt::format("as in: gpulab list reduce --{}", name));
  }
  if (ptx && json) throw usage_error("list: --ptx has no format 'json'", "it is a text of its own");
  if (line.lab == nullptr) return;
  for (const auto& option : choosing_options(*line.lab)) {
    if (!asks(line, option.name)) continue;
    if (!ptx) throw usage_error(fmt::format("list: --{} chooses a kernel of --ptx", option.name), "add --ptx");
    if (!asks(line, "variant"))
      throw usage_error(fmt::format("list: --{} of which variant?", option.name), "name it with --variant");
  }
}

/// The case with words that the variant takes where none was typed and it refuses the lab's default.
Case settled(const CommandLine& line, const Variant& variant, Case point) {
  for (const auto& [name, words] : variant.only) {
    auto& value = std::get<std::string>(point.params.values.at(name));
    if (!asks(line, name) && std::ranges::find(words, value) == words.end()) value = words.front();
  }
  return point;
}

/// The PTX of all kernels, or of those that the variants that are named launch.
std::string ptx_of(const CommandLine& line) {
  if (!asks(line, "variant")) return ptx_text(*line.lab);
  std::vector<std::pair<std::string, std::vector<std::string>>> files;  // kernels by their files, in order
  for (const auto& swept : product(parse_sweep_options(line.lab, line.given))) {
    const auto& variant = *swept.variant;
    if (!launches_kernels(variant)) {
      if (!swept.named) continue;
      throw usage_error(fmt::format("variant '{}' launches no kernel of ours", variant.name));
    }
    auto file = std::ranges::find(files, variant.file, &std::pair<std::string, std::vector<std::string>>::first);
    if (file == files.end()) file = files.insert(file, {variant.file, {}});
    for (const auto& step : plan(*line.lab, variant, settled(line, variant, swept.settings), std::nullopt).steps) {
      const bool known = step.copy || std::ranges::find(file->second, step.kernel) != file->second.end();
      if (!known) file->second.push_back(step.kernel);
    }
  }
  std::string text;
  for (const auto& [file, kernels] : files) text += ptx_text(*line.lab, file, kernels);
  return text;
}

std::string answer(const CommandLine& line, bool json, std::size_t width) {
  const std::span<const Lab> labs = line.lab == nullptr ? std::span(*line.labs) : std::span(line.lab.get(), 1);
  if (asks(line, "metrics")) return json ? metrics_json(labs) : metrics_text(labs, width);
  if (asks(line, "ptx")) return ptx_of(line);
  if (json) return course_json(labs, asks(line, "resources") ? LabDetails::resources : LabDetails::none);
  if (asks(line, "resources")) return resources_text(*line.lab, width);
  return line.lab == nullptr ? labs_text(labs, width) : lab_text(*line.lab, width);
}

Usage usage_of_list(const Lab* lab) {
  const OptionList own{{"metrics", "", "every counter and metric, with its names in ncu and nvprof"},
                       {"resources", "", "of LAB: registers, shared and constant memory of its kernels"},
                       {"ptx", "", "of LAB: its kernels as the simulator and the driver get them"},
                       {"html", "DIR", "the course, or LAB, as a site: lectures, kernels, ladders as simulated"}};
  return {joined({own, report_options(list_formats()), lab != nullptr ? choosing_options(*lab) : OptionList{}}),
          "  gpulab list reduce --ptx --variant warp --type double\n"
          "  gpulab list --html site           (site/index.html; a new or empty folder, or an older site)\n"
          "The JSON is gpulab.list.v1 ('gpulab schema list').\n"};
}

/// The course as a site; the labs whose ladders run are named on a terminal.
ExitCode write_course(const CommandLine& line, const std::string& folder) {
  check_site_folder(folder);  // before anything runs
  watch_for_interrupts();
  std::vector<std::shared_ptr<const Lab>> labs;
  if (line.lab != nullptr) labs.push_back(line.lab);
  for (std::size_t i = 0; line.lab == nullptr && i < line.labs->size(); ++i)
    labs.emplace_back(line.labs, &(*line.labs)[i]);
  const bool seen = isatty(STDERR_FILENO) != 0;
  const auto files = pages_of_course(labs, [&](const std::string& lab) {
    if (seen) fmt::print(stderr, "simulating the ladder of {}\n", lab);
  });
  if (files.empty()) return ExitCode::interrupted;
  write_site(folder, files);
  print_report(fmt::format("{} pages; begin with {}/index.html\n", files.size(), visible(folder)));
  return ExitCode::ok;
}

ExitCode run_list(const CommandLine& line) {
  const auto report = parse_report_options(line.name, line.given, list_formats());
  const bool json = report.format->name == "json";
  check(line, json);
  if (const auto* folder = single_value(line.given, "html")) return write_course(line, *folder);
  ReportTarget target(report.output);
  target.write(answer(line, json, report_width(target)));
  return ExitCode::ok;
}

}  // namespace

extern const Command list{
    .name = "list",
    .positionals = {{"LAB", ""}},
    .help = "labs; with LAB its variants, parameters and contracts; --metrics: all counters",
    .usage = usage_of_list,
    .run = run_list,
};

}  // namespace gpulab::command
