// The one catch: whatever goes wrong ends here, as text on standard error and as the contract's exit code.

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "common/error.h"
#include "labs/registry.h"
#include "runner/commands/devices.h"
#include "runner/commands/explain.h"
#include "runner/commands/list.h"
#include "runner/commands/run_file.h"
#include "runner/commands/run_lab.h"
#include "runner/commands/schema.h"
#include "runner/execution/worker.h"
#include "runner/options/cli.h"
#include "runner/options/options.h"
#include "runner/options/registry.h"
#include "runner/report/error_report.h"
#include "runner/report/report_target.h"
#include "runner/version.h"

namespace gpulab {
namespace {

std::string answer(const Command& command, const std::vector<Lab>& labs) {
  const auto first = command.arguments.empty() ? std::string() : command.arguments.front();
  if (command.name == "--help") return command.help;
  if (command.name == "--version") return fmt::format("gpulab {}\n", version());
  if (command.name == "devices") return list_devices();
  if (command.name == "doctor") return doctor();
  if (command.name == "schema") return std::string(schema(first.empty() ? "run" : first));
  if (command.given.contains("metrics")) return list_metrics();
  if (command.given.contains("resources")) {
    if (first.empty()) throw usage_error("list --resources: which lab?", "as in: gpulab list reduce --resources");
    return list_resources(find_lab(labs, first));
  }
  return first.empty() ? list_labs(labs) : list_lab(find_lab(labs, first));
}

ExitCode run(const std::vector<std::string>& arguments) {
  const auto labs = all_labs();
  const auto command = parse_command_line(arguments, labs);
  for (const auto& lab : labs) {
    if (lab.name != command.name) continue;
    const auto code = run_lab(parse_lab_options(lab, command.given));
    // A case that was interrupted may still run in this process: nothing waits for it.
    if (code == ExitCode::interrupted) std::_Exit(static_cast<int>(code));
    return code;
  }
  if (command.name == "run" || command.name == "explain") {
    const auto& target = command.arguments.front();
    const auto code = command.name == "run" ? run_file(target, command.given) : explain(target, command.given, labs);
    if (code == ExitCode::interrupted) std::_Exit(static_cast<int>(code));
    return code;
  }
  print_report(answer(command, labs));
  return ExitCode::ok;
}

int fail(const Error& error, bool json) {
  fmt::print(stderr, "{}", error_text(error));
  if (json) fmt::print("{}", error_json(error));
  return static_cast<int>(error.code);
}

}  // namespace
}  // namespace gpulab

int main(int argc, char** argv) {
  using namespace gpulab;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    if (const auto code = serve_if_worker(argc, argv)) return *code;
    return static_cast<int>(run(arguments));
  } catch (const Error& error) {
    return fail(error, asks_for_json(arguments));
  } catch (const std::bad_alloc&) {
    return fail(Error(ExitCode::launch_failed, "out of host memory", {}, "choose a smaller size"),
                asks_for_json(arguments));
  } catch (const std::exception& error) {
    return fail(Error(ExitCode::launch_failed, fmt::format("internal error: {}", error.what()), {},
                      "this is a defect of gpulab or of a lab: please report it with the command line"),
                asks_for_json(arguments));
  }
}
