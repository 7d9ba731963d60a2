// The one catch: whatever goes wrong ends here, as text on standard error and as an exit code (common/error.h).

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/child/interrupt.h"
#include "common/error.h"
#include "common/simt/compiled/hot_programs.h"
#include "labs/registry.h"
#include "runner/command.h"
#include "runner/command_line.h"
#include "runner/execution/worker.h"
#include "runner/options/report_options.h"
#include "runner/report/error_report.h"
#include "runner/student_file/compilers/nvrtc_process.h"

namespace gpulab {
namespace {

/// A link named gpulab-nvcc is `gpulab nvcc`: CMake's CUDA language and Makefiles want a program.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const std::string_view name(argc > 0 ? argv[0] : "");
  if (name.substr(name.rfind('/') + 1) == "gpulab-nvcc") words.insert(words.begin(), "nvcc");
  return words;
}

/// The labs that a command line may speak of: of one that begins with a lab's name, this one alone.
Labs labs_for(const std::vector<std::string>& words) {
  const auto* command = words.empty() ? nullptr : command_named(words[0], {});
  const bool few = command != nullptr && !command->knows_labs;
  std::vector<Lab> labs;
  for (std::size_t i = 0; i < words.size() && (i == 0 || few); ++i)
    if (auto lab = lab_alone(words[i])) labs.push_back(std::move(*lab));
  return std::make_shared<const std::vector<Lab>>(few || !labs.empty() ? std::move(labs) : all_labs());
}

ExitCode run(const std::vector<std::string>& words) {
  const auto call = parse_command_line(words, labs_for(words));
  return call.command->run(call.line);
}

int fail(const Error& error, const std::vector<std::string>& words) {
  fmt::print(stderr, "{}", error_text(error, diagnostics_width()));
  const auto* format = format_asked_for(words);
  if (format != nullptr && format->error != nullptr) fmt::print("{}", format->error(error));
  return static_cast<int>(error.code);
}

/// A stream that is closed would give its number to the next file that is opened, and that file our messages.
void open_standard_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDWR) != stream)
      std::_Exit(static_cast<int>(ExitCode::missing));
}

int run_or_fail(int argc, char** argv) {
  const auto words = words_of(argc, argv);
  try {
    if (const auto code = serve_if_worker(argc, argv)) return *code;
    compile_if_nvrtc_process(argc, argv);
    be_child_if_asked(argc, argv);
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
  open_standard_streams();
  simt::compiled::open_llvm_beside_launches();  // makes_code(), below
  const int code = run_or_fail(argc, argv);
  // A simulation that nobody waits for may still run: exit() would destroy what it reads (interrupt.h). And code that
  // is still being made nobody needs any more.
  if (!interrupted() && !simt::compiled::makes_code()) return code;
  std::fflush(nullptr);
  std::_Exit(code);
}
