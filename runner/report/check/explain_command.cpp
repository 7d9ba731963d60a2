#include "common/counters.h"
#include "runner/report/check/check_report.h"
#include "runner/report/explain/line_columns.h"

namespace gpulab {

std::string explain_command(const Judgement& judgement, const JudgedRequirement& requirement) {
  if (requirement.verdict != Verdict::failed) return {};
  const auto& command = judgement.explain_command;
  const auto* counter = find_counter(requirement.counter);
  const bool has_lines = counter != nullptr && is_of_lines(*counter);  // else the page says what it says of the launch
  return command.empty() || !has_lines ? command : command + " --metrics " + requirement.counter;
}

}  // namespace gpulab
