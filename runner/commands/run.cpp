// `gpulab run FILE …`: kernel_file.h makes a lab of the file, lab_run.h runs it.

#include <memory>
#include <utility>

#include "runner/command.h"
#include "runner/execution/open_device.h"
#include "runner/lab_run.h"
#include "runner/listing/metric_choice.h"
#include "runner/options/file_options.h"
#include "runner/options/measure_options.h"

namespace gpulab::command {
namespace {

Usage usage_of_run(const Lab*) {
  return {
      joined({file_options(), launch_options(), machine_options(), measure_options(), dump_options(),
              report_options(formats_for(&Format::run)), metric_options()}),
      "SPEC  name:TYPE[COUNT]=INIT  a buffer     TYPE  u8 i8 u16 i16 u32 i32 u64 i64 f16 bf16 f32 f64\n"
      "      name:TYPE=VALUE        a scalar     INIT  zeros ones iota random none VALUE {1,2,3} @FILE (raw bytes)\n"
      "      name:bytes[SIZE]=INIT  a struct     INIT  zeros {1,2.5,3} {f32 1,i32 2} @FILE\n"
      "      name:texture TYPE[WxHxD]=INIT       TYPE  of a texel: u8 i8 u16 i16 u32 i32 f16 f32, f32x4 u8x2 …\n"
      "      name:surface TYPE[WxHxD]=INIT       read as texture.linear.normalized.fractions.wrap|mirror|border\n"
      "Arguments that are left out are made up, and shown: integers are the number of threads, real numbers 1, const\n"
      "pointers and textures iota, other pointers and surfaces zeros, with an element for each thread.\n"
      "--grid auto, the default, gives each element of the longest buffer a thread; --block is 256.\n"
      "Host code is passed over, also where it does not compile.\n"
      "Compiled for the device's architecture with line information, and kept in ~/.cache/gpulab.\n"};
}

ExitCode run_file(const CommandLine& line) {
  const auto& given = line.given;
  auto request = parse_file_request(line.name, line.arguments.front(), given);
  LabRun run;
  run.report = parse_report_options(line.name, given, formats_for(&Format::run));
  auto launch = parse_launch_options(given);
  run.machine = parse_machine_options(given);
  run.machine.model_where_known = true;
  run.metrics = parse_metrics(given, nullptr, run.machine);
  run.measure = parse_measure_options(given);
  run.dumps = parse_dumps(given, request, launch);
  run.shows = parse_shows(given, request);
  request.blocks = launch.blocks;
  request.grid = launch.grid;
  run.file_access = file_access(request, run.dumps);
  const std::shared_ptr<Executor> executor = open_device_for_file(run.machine, run.file_access);
  run.sweep = sweep_of_file(lab_of_file(request, executor->info()), std::move(launch));
  return run_and_report(run, executor);
}

}  // namespace

extern const Command run{
    .name = "run",
    .positionals = {{"FILE", "which file?"}},
    .help = "any kernel of your own .cu or .ptx file",
    .usage = usage_of_run,
    .run = run_file,
    .example = "gpulab run scale.cu --kernel scale --arg 'x:f32[1024]=iota'",
};

}  // namespace gpulab::command
