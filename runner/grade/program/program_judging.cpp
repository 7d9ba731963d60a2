#include "runner/grade/program/program_judging.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "common/child/private_folder.h"
#include "common/counters.h"
#include "common/error.h"
#include "common/gpu_profile.h"
#include "common/text.h"
#include "runner/export/export_text.h"
#include "runner/grade/program/case_run.h"
#include "runner/grade/program/checker.h"
#include "runner/grade/program/output_comparison.h"
#include "runner/program/build_program.h"
#include "runner/program/checked_program.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_messages = 16 << 10, most_name = 200, most_message = 1000, most_kernels = 50,
                      most_findings = 20, most_errors = 2000;
/// So many cases may run out of time; the others are not run then.
constexpr int most_endless = 2;

std::string signal_text(int number) {
  const char* name = strsignal(number);
  return name != nullptr ? fmt::format("signal {}, {}", number, name) : fmt::format("signal {}", number);
}

class Judging {
 public:
  explicit Judging(const ProgramJudging& asked) : asked_(asked), part_(*asked.program) {}

  ProgramFacts run() {
    for (const auto& one : part_.cases)
      if (asked_.hidden || !one.is_hidden) loaded_.emplace(one.name, load(one, asked_.assignment));
    const auto root = fs::canonical(folder_.path());
    prepare_checkers(root);
    if (!build(root)) return std::move(facts_);
    int endless = 0;
    for (const bool hidden : {false, true})
      for (const auto& one : part_.cases)
        if (one.is_hidden == hidden && loaded_.contains(one.name)) judge(one, endless);
    return std::move(facts_);
  }

 private:
  void prepare_checkers(const fs::path& root) {
    for (const auto& one : part_.cases) {
      if (one.rule.checker.empty() || checkers_.contains(one.rule.checker) || !loaded_.contains(one.name)) continue;
      const auto folder = root / fmt::format("checker{}", checkers_.size());
      fs::create_directory(folder);
      checkers_[one.rule.checker] = prepare_checker(one.rule.checker, folder, asked_.isolated);
    }
  }

  /// In a folder that holds the submission alone; what is made stands in another.
  bool build(const fs::path& root) {
    const auto sources = root / "sources", made = root / "program";
    fs::create_directory(sources);
    fs::create_directory(made);
    BuildRequest build;
    for (const auto& [name, text] : asked_.sources) {
      std::ofstream(sources / name, std::ios::binary) << text;
      const auto extension = fs::path(name).extension();
      if (extension == ".cu" || extension == ".cpp") build.files.push_back(name);
    }
    const auto& gpu = gpu_profile(asked_.profile);
    build.architecture = gpu.compute_major * 10 + gpu.compute_minor;
    build.options = part_.nvcc;
    build.isolated = asked_.isolated;
    build.alone = true;
    build.messages = &facts_.messages;
    program_ = made / "program";
    const auto before = fs::current_path();
    fs::current_path(sources);
    bool is_built = false;
    try {
      is_built = build_program(build, program_);
      if (is_built) needs_ = check_program(program_, "the program", true);
    } catch (const Error& error) {
      if (error.code == ExitCode::interrupted || !is_built) {
        fs::current_path(before);
        throw;
      }
      facts_.uncompiled = error.what();
    }
    fs::current_path(before);
    facts_.messages = cut(facts_.messages, most_messages);
    if (!is_built) facts_.uncompiled = "the program does not compile";
    // Beside the program nothing is to be read.
    for (const auto& entry : fs::directory_iterator(made))
      if (entry.path() != program_) others_.push_back(entry.path());
    for (const auto& path : others_) fs::remove_all(path);
    return facts_.uncompiled.empty();
  }

  [[nodiscard]] CaseRequest request_of(const ProgramCase& one) const {
    CaseRequest made{.program = program_.string(), .arguments = one.arguments, .needs = needs_};
    const auto& loaded = loaded_.at(one.name);
    made.input = loaded.input;
    made.files = loaded.files;
    made.result = one.result;
    made.options.profile = asked_.profile;
    made.options.counters = made.options.model = !one.is_hidden;
    if (!one.is_hidden) made.options.sanitize = asked_.tools;
    made.cpu = std::chrono::seconds(part_.seconds);
    made.wall = (asked_.alone ? 6 : 3) * made.cpu + std::chrono::seconds(10);
    made.memory = static_cast<std::uint64_t>(part_.memory_mib) << 20;
    made.most_output = static_cast<std::uint64_t>(part_.output_kib) << 10;
    made.isolated = asked_.isolated;
    return made;
  }

  void judge(const ProgramCase& one, int& endless) {
    auto& fact = facts_.cases.emplace_back(CaseFact{.name = one.name, .hidden = one.is_hidden});
    if (endless >= most_endless) {
      if (!one.is_hidden) fact.reason = fmt::format("not run: {} cases before it ran out of time", most_endless);
      return;
    }
    const auto run = run_case(request_of(one));
    fact.launched =
        run.record && std::ranges::any_of(run.record->kernels, [](const auto& k) { return k.launches > 0; });
    fact.ended = run.end == CaseRun::End::itself && run.signal == 0;
    fact.late = run.end == CaseRun::End::wall && !asked_.alone;
    if (run.end == CaseRun::End::cpu || run.end == CaseRun::End::idle || run.end == CaseRun::End::wall) ++endless;
    auto reason = ending(run, one);
    if (reason.empty()) {
      reason = of_output(run, one);
      if (!reason.empty()) reason += failure_text(run);
    }
    fact.right = reason.empty();
    if (one.is_hidden) return;
    fact.reason = std::move(reason);
    report(one, run);
  }

  /// Why what it printed is not looked at.
  [[nodiscard]] std::string ending(const CaseRun& run, const ProgramCase& one) const {
    switch (run.end) {
      case CaseRun::End::cpu:
        return fmt::format("takes more than {} s of CPU time", part_.seconds);
      case CaseRun::End::idle:
        return "waits for something that never comes: it did nothing for 5 s";
      case CaseRun::End::wall:
        return fmt::format("came to no end within {} s", (asked_.alone ? 6 : 3) * part_.seconds + 10);
      case CaseRun::End::output:
        return fmt::format("prints more than {} KiB", part_.output_kib);
      case CaseRun::End::limit:
        return run.limit;
      case CaseRun::End::itself:
        break;
    }
    if (run.signal != 0) return fmt::format("crashes: {}", signal_text(run.signal));
    if (run.exit_code != one.exit_code)
      return fmt::format("ends with exit code {}, not {}{}", run.exit_code, one.exit_code, failure_text(run));
    return {};
  }

  /// What its process says of a launch that failed.
  static std::string failure_text(const CaseRun& run) {
    if (!run.record || run.record->faults.empty()) return {};
    const auto& fault = run.record->faults.front();
    return fmt::format("; a launch of {} failed: {}", cut(fault.kernel, most_name), cut(fault.what, most_message));
  }

  std::string of_output(const CaseRun& run, const ProgramCase& one) {
    const auto* output = &run.output;
    if (!one.result.empty()) {
      if (run.result_too_long) return fmt::format("writes more than {} KiB to {}", part_.output_kib, one.result);
      if (!run.result) return fmt::format("writes no file {}", one.result);
      output = &*run.result;
    }
    const auto& loaded = loaded_.at(one.name);
    if (one.rule.by != OutputRule::By::checker) {
      const auto what = difference(loaded.expected, *output, one.rule);
      return what.empty() || one.result.empty() ? what : fmt::format("{}: {}", one.result, what);
    }
    const auto answer = ask(checkers_.at(one.rule.checker), loaded, *output, asked_.isolated);
    if (!answer.trouble.empty() && facts_.trouble.empty())
      facts_.trouble = one.is_hidden ? answer.trouble : fmt::format("case '{}': {}", one.name, answer.trouble);
    return answer.wrong.empty() ? answer.trouble : answer.wrong;
  }

  void report(const ProgramCase& one, const CaseRun& run) {
    auto& made = facts_.reported.emplace_back(ReportedCase{.name = one.name});
    made.errors = cut(run.errors, most_errors);
    if (!run.record) return;
    Counters sum;
    bool counted = false, modelled = true;
    for (const auto& kernel : run.record->kernels) {
      if (made.kernels.size() < most_kernels) made.kernels.emplace_back(cut(kernel.name, most_name), kernel.launches);
      if (kernel.counted) sum += kernel.counters;
      counted |= kernel.counted;
      modelled &= kernel.modelled;
      made.time_ms += kernel.ms;
      add_findings(kernel.findings, made);
    }
    add_findings(run.record->findings, made);
    if (!modelled) made.time_ms = 0;
    if (!counted) return;
    for (const auto& name : asked_.counters)
      if (const auto* row = find_counter(name))
        if (const auto value = row->value(sum)) made.counters[name] = *value;
  }

  static void add_findings(const std::vector<Finding>& findings, ReportedCase& made) {
    for (const auto& finding : findings)
      if (finding.severity == Severity::error && made.findings.size() < most_findings)
        made.findings.emplace_back(cut(finding.tool, most_name), cut(finding.message, most_message));
  }

  const ProgramJudging& asked_;
  const ProgramPart& part_;
  const PrivateFolder folder_;
  std::map<std::string, LoadedCase> loaded_;
  std::map<std::string, Checker> checkers_;
  fs::path program_;
  std::vector<fs::path> others_;
  LibraryNeeds needs_;
  ProgramFacts facts_;
};

}  // namespace

ProgramFacts judge_program(const ProgramJudging& judging) { return Judging(judging).run(); }

}  // namespace gpulab
