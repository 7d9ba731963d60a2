// A command of a later version: with its file it is there.

#include "runner/command.h"
#include "runner/report/report_target.h"

namespace gpulab::command {
namespace {

ExitCode run(const CommandLine&) {
  print_report("something new\n");
  return ExitCode::ok;
}

}  // namespace

extern const Command calibrate{.name = "calibrate", .help = "something new", .run = run};

}  // namespace gpulab::command
