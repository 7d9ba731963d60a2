// `gpulab exec PROGRAM.cu [-- ARGUMENTS]`: a whole CUDA program, on the simulator.

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <regex>

#include "common/child/interrupt.h"
#include "common/child/private_folder.h"
#include "common/cuda_api/steps_record.h"
#include "common/error.h"
#include "common/gpu_profile.h"
#include "runner/command.h"
#include "runner/listing/metric_choice.h"
#include "runner/options/machine_options.h"
#include "runner/options/nvcc_options.h"
#include "runner/options/report_options.h"
#include "runner/options/sizes.h"
#include "runner/program/build_program.h"
#include "runner/program/checked_program.h"
#include "runner/program/python_program.h"
#include "runner/program/run_program.h"
#include "runner/program/shown_source.h"
#include "runner/program/stepped_launch.h"
#include "runner/report/error_report.h"
#include "runner/report/program/program_report.h"
#include "runner/report/report_target.h"
#include "runner/report/trace/trace_page.h"
#include "runner/report/trace/trace_text.h"

namespace gpulab::command {

extern const Command exec;

namespace {

namespace fs = std::filesystem;

OptionList own_options() {
  using heading::report, heading::what_runs;
  return {
      {"nvcc", "OPTIONS", "for nvcc: '-std=c++17 -rdc=true -lm'", what_runs},
      {"I", "FOLDER", "headers", what_runs},
      {"D", "NAME[=V]", "a macro", what_runs},
      {"m", "MODULE", "run a module of Python, as python3 -m", what_runs},
      {"old-cuda", "", "what CUDA has dropped, by what stands for it now, with a note of each", what_runs},
      {"every-launch", "", "run also the launches that do what an earlier one has done", what_runs},
      {"no-isolation", "", "no confinement of compiler and program, where the system has none", what_runs},
      {"env", "NAME", "of the environment, though its name looks like a secret's (TOKEN, KEY, AWS_ …)", what_runs},
      {"host-memory", "SIZE", "of this machine, at most; default nine tenths of what is left", what_runs},
      {"gpus", "N", "GPUs that the program has, all of --profile: 1 to 8 [1]", what_runs},
      {"real-clock", "", "the program reads this machine's clocks, not modelled time and its own work", what_runs},
      {"print-gpu-summary", "", "nvprof's summary of kernels and copies", report},
      {"print-gpu-trace", "", "nvprof's trace: each launch and copy", report},
      {"chrome-trace", "FILE", "launches and copies for chrome://tracing and Perfetto", report},
      {"trace-page", "FILE", "a launch, step by step (gpulab trace); FILE.json, FILE.txt: its data, text",
       heading::trace},
      {"explain", "", "each kernel's dearest lines, and why (gpulab explain)", report},
      {"kernel", "REGEX", "report the kernels whose names match", report},
  };
}

Usage usage_of_exec(const Lab*) {
  return {
      joined({own_options(), trace_window_options(),
              only(machine_options(),
                   {"device", "profile", "threads", "counters", "no-counters", "sanitize", "schedule", "budget"}),
              report_options(formats_for(&Format::program)), metric_options()}),
      "Compiles the files as they are (nvcc, for the simulator), or takes a program that 'gpulab nvcc' has built,\n"
      "and runs it without a GPU. Its streams and its exit code are its own; the report goes to standard error, or\n"
      "to --output. It may write where it was started and in a private TMPDIR, and has no network. Exit code: its\n"
      "own; 1 for a finding, 3 for what cannot run here, 4 for a launch that failed unseen, or hung.\n"
      "The JSON is gpulab.exec.v1 ('gpulab schema exec').\n"};
}

bool is_source(const std::string& file) {
  const auto extension = fs::path(file).extension();
  for (const char* one : {".cu", ".cpp", ".cc", ".cxx", ".c", ".o", ".a"})
    if (extension == one) return true;
  return false;
}

std::vector<std::string> nvcc_options_of(const Given& given) {
  std::vector<std::string> words;
  for (const auto& text : values_of(given, "nvcc"))
    for (auto& word : shell_words(text)) words.push_back(std::move(word));
  for (const auto& folder : values_of(given, "I")) words.push_back("-I" + folder);
  for (const auto& macro : values_of(given, "D")) words.push_back("-D" + macro);
  return words;
}

struct Request {
  ProgramRequest program;
  ReportOptions report;
  std::vector<std::string> metrics;
  std::string kernels, chrome_trace, trace_page;
  bool summary = false, trace = false;
};

/// What --trace-page is to show; the options beside it are its own.
std::optional<TraceWindow> steps_of(const Given& given, std::string& file) {
  if (const auto* name = single_value(given, "trace-page")) {
    if (name->empty()) throw usage_error("--trace-page: the file name is empty");
    file = *name;
    return parse_trace_window(given);
  }
  for (const auto& option : trace_window_options())
    if (single_value(given, option.name) != nullptr)
      throw usage_error(fmt::format("--{} chooses what --trace-page shows", option.name),
                        "add --trace-page FILE.html, or leave it out");
  return std::nullopt;
}

Request parse(const CommandLine& line) {
  const auto& given = line.given;
  Request request;
  request.report = parse_report_options(line.name, given, formats_for(&Format::program));
  auto machine = parse_machine_options(given);
  if (machine.device != nullptr && machine.device->name != "sim")
    throw usage_error("exec: it always simulates", "leave --device out; on a GPU, start the program itself");
  request.metrics = parse_metrics(given, nullptr, machine);
  request.summary = single_value(given, "print-gpu-summary") != nullptr;
  request.trace = single_value(given, "print-gpu-trace") != nullptr;
  if (const auto* text = single_value(given, "kernel")) {
    request.kernels = *text;
    try {
      (void)std::regex(*text);
    } catch (const std::regex_error&) {
      throw usage_error(fmt::format("--kernel: '{}' is no regular expression", *text));
    }
  }
  auto& options = request.program.options;
  options.profile = carried_profile(machine.profile.value_or("h200"));
  options.threads = machine.threads;
  options.budget = machine.budget;
  options.schedule = machine.schedule;
  options.counters = machine.counters.value_or(true);
  options.model = options.counters;
  options.sanitize = machine.sanitize;
  if (const auto* file = single_value(given, "chrome-trace")) request.chrome_trace = *file;
  const auto form = request.report.format->name;
  options.trace = request.trace || !request.chrome_trace.empty() || form == "json" || form == "html";
  request.program.given_back = values_of(given, "env");
  if (const auto* size = single_value(given, "host-memory")) {
    const auto bytes = parse_size(*size, "--host-memory");
    if (bytes <= 0) throw usage_error("--host-memory: a program needs some memory");
    options.host_memory = request.program.limits.host_memory = static_cast<std::uint64_t>(bytes);
  }
  if (const auto* gpus = single_value(given, "gpus")) {
    constexpr std::int64_t most = 8;
    const auto count = parse_size(*gpus, "--gpus");
    if (count < 1 || count > most)
      throw usage_error(fmt::format("--gpus: a program has 1 to {} GPUs, not {}", most, *gpus));
    options.gpus = static_cast<int>(count);
  }
  options.old_cuda = single_value(given, "old-cuda") != nullptr;
  options.real_clock = single_value(given, "real-clock") != nullptr;
  options.each = !request.metrics.empty();
  options.steps = steps_of(given, request.trace_page);
  options.lines = single_value(given, "explain") != nullptr;
  options.repeats = single_value(given, "every-launch") == nullptr;
  if (options.lines && !options.counters) throw usage_error("--explain is made of counters", "leave --no-counters out");
  if (options.steps) options.counters = options.model = true;  // what accesses cost, when instructions issue
  request.program.isolated = single_value(given, "no-isolation") == nullptr;
  request.program.arguments = line.rest;
  return request;
}

ExitCode report(const ProgramRun& run, const ReportOptions& options, ReportTarget& target) {
  const bool to_file = !options.output.empty();
  const auto text = options.format->program(run, Style{to_file && wants_color(target), report_width(target)});
  if (to_file)
    target.write(text);
  else
    fmt::print(stderr, "{}", text);
  return static_cast<ExitCode>(run.code);
}

/// The program that the files make, in `folder`; nothing where they do not compile.
std::optional<std::string> built(const CommandLine& line, const Request& request, const fs::path& folder) {
  BuildRequest build;
  build.files = line.arguments;
  build.options = nvcc_options_of(line.given);
  const auto& gpu = profile_carried(request.program.options.profile);
  build.architecture = gpu.compute_major * 10 + gpu.compute_minor;
  build.isolated = request.program.isolated;
  build.old_cuda = request.program.options.old_cuda;
  for (const auto& file : build.files) {
    if (!is_source(file))
      throw usage_error(fmt::format("exec: '{}' is no source file", file), "arguments of the program stand behind --");
    if (!fs::exists(file)) throw usage_error(fmt::format("exec: no such file: {}", file));
  }
  const auto program = folder / fs::path(build.files.front()).stem();
  if (!build_program(build, program)) return std::nullopt;
  return program.string();
}

/// Python runs the script, or the module.
void use_python(Request& request, const std::string& script, const std::string* module) {
  if (module == nullptr && !fs::exists(script)) throw usage_error(fmt::format("exec: no such file: {}", script));
  const auto python = find_python();
  auto& program = request.program;
  program.name = module == nullptr ? script : *module;
  program.program = python.interpreter;
  auto& words = program.arguments;
  if (module == nullptr)
    words.insert(words.begin(), script);
  else
    words.insert(words.begin(), {"-m", *module});
  program.readable = python.readable;
  if (module == nullptr) program.readable.push_back(fs::canonical(script).parent_path());
  program.needs.interpreter = true;
}

/// The page of one launch. Throws where the program had no such launch.
void write_steps(const ProgramRun& run, const Request& request, const std::vector<std::string>& files,
                 ReportTarget& target) {
  const auto fail = [&](const std::string& what, const std::string& hint) {
    const int code = run.code == 0 ? static_cast<int>(ExitCode::usage) : run.code;
    throw Error(static_cast<ExitCode>(code), "--trace-page: " + what, {}, hint);
  };
  const auto wanted = request.program.options.steps->launch + 1U;
  const auto launches = launches_of(run);
  if (!run.steps)
    fail(launches == 0 ? std::string("no launch of the program ran")
                       : fmt::format("launch {} never ran; the program had {}", wanted, launches),
         launches == 0 ? "" : "--launch N takes another");
  if (run.steps->steps.warps.empty())
    fail("the launch has no such block or warp", "leave --blocks and --warps out, and the first ones are taken");
  SteppedLaunch launch(run, files);
  launch.view.schedule = request.program.options.schedule;
  const auto& name = request.trace_page;
  const Style plain{false, report_width(target)};
  target.write(name.ends_with(".txt")    ? trace_text(launch.view, plain)
               : name.ends_with(".json") ? trace_document(launch.view) + "\n"
                                         : trace_page(launch.view));
}

ExitCode run_exec(const CommandLine& line) {
  Request request = parse(line);
  watch_for_interrupts();
  ReportTarget target(request.report.output);
  std::optional<ReportTarget> trace;
  if (!request.chrome_trace.empty()) trace.emplace(request.chrome_trace, "--chrome-trace");
  std::optional<ReportTarget> page;
  if (!request.trace_page.empty()) page.emplace(request.trace_page, "--trace-page");
  const PrivateFolder folder;
  const auto* module = single_value(line.given, "m");
  if (module == nullptr && line.arguments.empty())
    throw usage_error("exec: which program, or which .cu files?", fmt::format("as in: {}", exec.example));
  if (module != nullptr && !line.arguments.empty())
    throw usage_error("exec: arguments of the module stand behind --", fmt::format("gpulab exec -m {} -- …", *module));
  const std::string first = module != nullptr ? *module : line.arguments.front();
  request.program.name = first;
  request.program.program = first;
  ProgramRun outcome;
  if (module == nullptr && is_source(first)) {
    const auto program = built(line, request, fs::canonical(folder.path()));
    if (!program) {
      outcome.program = first;
      outcome.profile = profile_carried(request.program.options.profile).id;
      outcome.status = ProgramStatus::does_not_compile;
      outcome.code = outcome.exit_code = static_cast<int>(ExitCode::wrong);
      return report(outcome, request.report, target);
    }
    request.program.program = *program;
  } else if (line.arguments.size() > 1) {
    throw usage_error("exec: arguments of the program stand behind --",
                      fmt::format("gpulab exec {} -- {} …", first, line.arguments[1]));
  }
  if (module != nullptr || is_python(first))
    use_python(request, first, module);
  else
    request.program.needs = check_program(request.program.program, first);
  outcome = run_program(request.program);
  outcome.metrics = request.metrics;
  outcome.kernels = request.kernels;
  outcome.summary = request.summary;
  outcome.trace = request.trace || request.report.format->name == "json";
  if (request.program.options.lines) outcome.sources = shown_sources(outcome, line.arguments);
  if (trace) trace->write(chrome_trace(outcome));
  const auto code = report(outcome, request.report, target);
  if (page && !outcome.interrupted) write_steps(outcome, request, line.arguments, *page);
  return code;
}

}  // namespace

extern const Command exec{
    .name = "exec",
    .positionals = {{"PROGRAM", "", true}},
    .help = "a whole CUDA program, main() and all, on the simulator",
    .usage = usage_of_exec,
    .run = run_exec,
    .example = "gpulab exec vecadd.cu -- 1024",
    .rest = "the program's own arguments",
    .knows_labs = false,
};

}  // namespace gpulab::command
