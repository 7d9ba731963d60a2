// `gpulab ncu [NCU'S OPTIONS] PROGRAM|FILE.cu [ARGUMENTS]`: a program's kernels in Nsight Compute's sections and CSV.

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "common/child/interrupt.h"
#include "common/child/private_folder.h"
#include "common/error.h"
#include "common/gpu_profile.h"
#include "common/text.h"
#include "runner/command.h"
#include "runner/options/machine_options.h"
#include "runner/program/build_program.h"
#include "runner/program/checked_program.h"
#include "runner/program/run_program.h"
#include "runner/program/shown_source.h"
#include "runner/report/error_report.h"
#include "runner/report/ncu/beside.h"
#include "runner/report/ncu/ncu_options.h"
#include "runner/report/ncu/ncu_report.h"
#include "runner/report/report_target.h"
#include "runner/student_file/source_file.h"

namespace gpulab::command {
namespace {

namespace fs = std::filesystem;

Usage usage_of_ncu(const Lab*) {
  return {
      .options = {{"set", "SET", "sections: basic, detailed, full [basic]"},
                  {"section", "ID", "SpeedOfLight, MemoryWorkloadAnalysis, LaunchStats, Occupancy, WarpStateStats …"},
                  {"metrics", "LIST", "ncu's names, with commas"},
                  {"page", "PAGE", "details, raw, source [details]"},
                  {"csv", "", "ncu's CSV"},
                  {"kernel-name", "NAME", "launches of this kernel; regex:EXPRESSION (also -k)"},
                  {"launch-skip", "N", "pass over the first N of them (also -s)"},
                  {"launch-count", "N", "no more than N (also -c)"},
                  {"print-units", "UNITS", "auto, base [auto]"},
                  {"print-kernel-base", "BASE", "demangled, function [demangled]"},
                  {"log-file", "FILE", "instead of standard output"},
                  {"beside", "FILE.csv", "a CSV of ncu's from a GPU, launch by launch beside ours"},
                  {"provenance", "FILE", "of each value: counted, of the launch, modelled, n/a and why (JSON)"},
                  {"profile", "GPU", "that is modelled [h200]"},
                  {"nvcc", "OPTIONS", "for nvcc, where the program is FILE.cu"}},
      .notes =
          "The program is simulated: it needs no GPU and no rights. Sectors, requests,\n"
          "wavefronts and bank conflicts are counted; times are modelled; what machine code,\n"
          "clocks and caches alone know is n/a under ncu's name, with our counter beside it.\n"
          "Options of ncu's clocks and replays have no effect.\n"};
}

/// The program that the file makes, in `folder`; nothing where it does not compile.
std::optional<std::string> built(const ncu::NcuOptions& options, const GpuProfile& gpu, const fs::path& folder) {
  BuildRequest build;
  build.files = {options.program.front()};
  build.options = options.nvcc;
  build.architecture = gpu.compute_major * 10 + gpu.compute_minor;
  const auto program = folder / fs::path(build.files.front()).stem();
  return build_program(build, program) ? std::optional(program.string()) : std::nullopt;
}

ProgramRequest request_of(const ncu::NcuOptions& options, const GpuProfile& gpu) {
  ProgramRequest request;
  request.program = request.name = options.program.front();
  request.arguments.assign(options.program.begin() + 1, options.program.end());
  request.options.profile = carried_profile(gpu.id);
  request.options.counters = request.options.model = request.options.trace = request.options.each = true;
  // What `gpulab explain` says of lines stands where ncu has its rules, which its raw page has none of.
  request.options.lines = options.page == ncu::Page::source ||
                          (options.page == ncu::Page::details && (!options.csv || !options.sections.empty()));
  return request;
}

std::string page_of(const ncu::NcuOptions& options, const ncu::View& view) {
  using enum ncu::Page;
  if (options.page == source) return options.csv ? source_csv(view) : source_text(view);
  if (options.page == raw) return options.csv ? raw_csv(view) : raw_text(view);
  return options.csv ? details_csv(view) : details_text(view);
}

/// What ncu says on standard output before and behind what the program prints: some readers of its tables wait for the
/// second line. A log file holds the table alone, which others read as it is.
void say_connected(const std::string& program) {
  print_report(fmt::format("==PROF== Connected to process 1 ({})\n", visible(program)));
}
constexpr const char* disconnected = "==PROF== Disconnected from process 1\n";

void say_notes(const ncu::NcuOptions& options, const ProgramRun& run, std::size_t launches) {
  if (!options.ignored.empty()) print_note(fmt::format("no effect on a simulated GPU: {}", join(options.ignored)));
  for (const auto& fault : run.record.faults)
    print_note(fmt::format("a launch of {} failed: {}", visible(fault.kernel), visible(fault.what)));
  if (launches == 0) fmt::print(stderr, "==WARNING== No kernels were profiled.\n");
}

ExitCode run_ncu(const CommandLine& line) {
  const auto options = ncu::parse_ncu_options(line.rest);
  const auto& gpu = chosen_profile(options.profile.empty() ? "h200" : options.profile);
  std::vector<ncu::MeasuredLaunch> measured;
  if (!options.beside.empty()) measured = ncu::read_ncu_csv(read_file(options.beside, "--beside"), options.beside);
  watch_for_interrupts();
  ReportTarget target(options.log_file, "--log-file");
  std::optional<ReportTarget> provenance;
  if (!options.provenance.empty()) provenance.emplace(options.provenance, "--provenance");
  const PrivateFolder folder;
  auto request = request_of(options, gpu);
  const std::string first = request.name;
  if (first.ends_with(".cu")) {
    if (!fs::exists(first)) throw usage_error(fmt::format("ncu: no such file: {}", first));
    const auto program = built(options, gpu, fs::canonical(folder.path()));
    if (!program) return ExitCode::wrong;
    request.program = *program;
  }
  request.needs = check_program(request.program, first);
  const bool is_said = options.beside.empty() && options.log_file.empty();
  if (is_said) say_connected(first);
  auto run = run_program(request);
  if (request.options.lines) run.sources = shown_sources(run, {first});
  ncu::View view{.run = &run,
                 .launches = ncu::launch_views(run, options.filter),
                 .sections = options.sections,
                 .metrics = options.metrics,
                 .base_units = options.base_units,
                 .base_names = options.base_names};
  say_notes(options, run, view.launches.size());
  target.write((is_said ? disconnected : "") +
               (options.beside.empty() ? page_of(options, view) : ncu::beside_text(view, measured)));
  if (provenance) provenance->write(provenance_json(view));
  return static_cast<ExitCode>(run.code);
}

}  // namespace

extern const Command ncu{
    .name = "ncu",
    .help = "a program's kernels in Nsight Compute's sections and CSV, without a GPU",
    .usage = usage_of_ncu,
    .run = run_ncu,
    .example = "gpulab ncu --set full vecadd.cu 1024",
    .rest = "ncu's options, the program, its arguments",
    .raw = true,
};

}  // namespace gpulab::command
