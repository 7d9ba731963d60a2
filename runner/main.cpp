// The one catch: whatever goes wrong ends here, as text on standard error and as an exit code (common/error.h).

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "common/error.h"
#include "labs/registry.h"
#include "runner/command_line.h"
#include "runner/execution/interrupt.h"
#include "runner/execution/worker.h"
#include "runner/options/report_options.h"
#include "runner/report/error_report.h"

namespace gpulab {
namespace {

ExitCode run(const std::vector<std::string>& words) {
  const auto call = parse_command_line(words, std::make_shared<const std::vector<Lab>>(all_labs()));
  return call.command->run(call.line);
}

int fail(const Error& error, const std::vector<std::string>& words) {
  fmt::print(stderr, "{}", error_text(error));
  const auto* format = format_asked_for(words);
  if (format != nullptr && format->error != nullptr) fmt::print("{}", format->error(error));
  return static_cast<int>(error.code);
}

int run_or_fail(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    if (const auto code = serve_if_worker(argc, argv)) return *code;
    return static_cast<int>(run(words));
  } catch (const Error& error) {
    return fail(error, words);
  } catch (const std::bad_alloc&) {
    return fail(Error(ExitCode::launch_failed, "out of host memory", {}, "choose a smaller size"), words);
  } catch (const std::exception& error) {
    return fail(Error(ExitCode::launch_failed, fmt::format("internal error: {}", error.what()), {},
                      "this is a defect of gpulab or of a lab: please report it with the command line"),
                words);
  }
}

}  // namespace
}  // namespace gpulab

int main(int argc, char** argv) {
  using namespace gpulab;
  const int code = run_or_fail(argc, argv);
  if (!interrupted()) return code;
  // A simulation that nobody waits for may still run: exit() would destroy what it reads (interrupt.h).
  std::fflush(nullptr);
  std::_Exit(code);
}
