#include "runner/report/sarif/sarif_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "common/text.h"
#include "runner/report/program/program_report.h"
#include "runner/report/sarif/sarif_log.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

/// "write of s[35] by thread (3,0,0) of block (0,0,0)".
std::string site_text(const FindingSite& site) {
  const auto triple = [](const Dim3& d) { return fmt::format("({},{},{})", d.x, d.y, d.z); };
  return fmt::format("{}{} by thread {} of block {}", site.access,
                     site.address.empty() ? "" : fmt::format(" of {}", site.address), triple(site.thread),
                     triple(site.block));
}

void add_finding(SarifLog& log, const Finding& finding) {
  Alert alert{.rule = finding.tool, .severity = finding.severity, .message = finding.message, .count = finding.count};
  for (const auto& site : finding.at) alert.at.push_back({site.file, site.line, site_text(site)});
  log.add(std::move(alert));
}

/// What a message says that begins with its line ("FILE.cu:7: out-of-bounds store …"), else at the kernel's beginning.
void add_message(SarifLog& log, std::string rule, const std::string& message, const std::string& file,
                 std::string_view kernel) {
  Alert alert{.rule = std::move(rule), .message = message};
  if (auto named = line_named_by(message)) {
    alert.at = {{named->file, named->line}};
    alert.message = std::move(named->rest);
  } else {
    alert.at = {{file, log.places().line_of_kernel(file, kernel)}};
  }
  log.add(std::move(alert));
}

/// The rule of a case that is not as it must be; empty: it is, or its findings say why not.
std::string rule_of(CaseStatus status) {
  switch (status) {
    case CaseStatus::wrong:
      return "wrong";
    case CaseStatus::fault:
    case CaseStatus::error:
      return "fault";
    case CaseStatus::hung:
    case CaseStatus::timeout:
      return "hung";
    case CaseStatus::ok:
    case CaseStatus::finding:
    case CaseStatus::skipped:
    case CaseStatus::interrupted:
      return {};
  }
  return {};
}

bool is_interrupted(const Result& result) { return result.status == CaseStatus::interrupted; }

/// A place that a host's call names: "main.cu:5"; what was never known ("program+0x12f4") has no line.
std::vector<AlertPlace> place_of(const std::string& caller) {
  const auto named = line_named_by(caller);
  if (!named) return {};
  return {{named->file, named->line}};
}

void add_fault(SarifLog& log, const cuda_api::FaultRecord& fault) {
  Alert alert{.rule = fault.failure == "hung" ? "hung" : "fault",
              .message = fmt::format("{}: {}", fault.kernel, fault.what)};
  if (!fault.hint.empty()) alert.message += "; " + fault.hint;
  alert.at = place_of(fault.where);
  for (auto& launch : place_of(fault.caller)) {
    launch.message = "the launch";
    alert.at.push_back(std::move(launch));
  }
  log.add(std::move(alert));
}

}  // namespace

std::string run_sarif(const Run& run, const Style&) {
  SarifLog log({run.file.empty() ? fs::path("labs") : fs::path(run.file).parent_path()});
  for (const auto& result : run.results) {
    for (const auto& finding : result.findings) add_finding(log, finding);
    if (auto rule = rule_of(result.status); !rule.empty() && !result.racy)
      add_message(log, std::move(rule), result.message, run.file.empty() ? run.lab + "/kernels.cu" : run.file,
                  result.kernel);
  }
  return log.text(std::ranges::none_of(run.results, is_interrupted));
}

std::string check_sarif(const Judgement& judgement, const Style&) {
  SarifLog log({fs::path(judgement.file).parent_path()});
  const std::string kernel = judgement.kernels.empty() ? "" : judgement.kernels.front();
  for (const auto& item : judgement.items)
    if (item.verdict == Verdict::failed && (item.name == "compile" || item.name == "signature"))
      add_message(log, item.name, item.message, judgement.file, kernel);
  for (const auto& finding : judgement.findings) add_finding(log, finding);
  for (const auto& shape : judgement.shapes) {
    auto rule = rule_of(shape.status);
    if (rule.empty()) continue;
    add_message(log, std::move(rule), shape.message, judgement.file, kernel);
  }
  for (const auto& requirement : judgement.requirements)
    if (requirement.verdict == Verdict::failed)
      add_message(log, "require", fmt::format("{}: {}", requirement.text, requirement.message), judgement.file, kernel);
  return log.text(!judgement.out_of_time);
}

std::string program_sarif(const ProgramRun& run, const Style&) {
  SarifLog log({fs::path(run.program).parent_path()});
  for (const auto& finding : shown_findings(run)) add_finding(log, finding);
  for (const auto& fault : run.record.faults) add_fault(log, fault);
  for (const auto& leak : run.record.leaks)
    log.add({.rule = "leak",
             .severity = Severity::warning,
             .message = fmt::format("{} of {} are never freed", bytes_text(static_cast<double>(leak.bytes)), leak.name),
             .at = place_of(leak.caller)});
  if (run.record.unsupported)
    log.add({.rule = "unsupported",
             .message = run.record.unsupported->what,
             .at = place_of(run.record.unsupported->caller)});
  const bool complete = run.status == ProgramStatus::ok || run.status == ProgramStatus::finding ||
                        run.status == ProgramStatus::fault || run.status == ProgramStatus::hung;
  if (run.status == ProgramStatus::does_not_compile)
    log.add({.rule = "compile",
             .message = fmt::format("{} does not compile; standard error has the compiler's words", run.program)});
  return log.text(complete && !run.interrupted);
}

std::string error_sarif(const Error& error) {
  const auto named = line_named_by(error.where);
  SarifLog log({});
  Alert alert{.rule = "compile", .message = error.what()};
  if (!error.hint.empty()) alert.message += "; " + error.hint;
  if (named) alert.at = {{named->file, named->line}};
  log.add(std::move(alert));
  return log.text(false);
}

}  // namespace gpulab
