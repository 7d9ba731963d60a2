#include "runner/program/stepped_launch.h"

#include <algorithm>
#include <filesystem>

#include "common/cuda_api/steps_record.h"
#include "common/text.h"
#include "runner/program/shown_source.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

CaseStatus status_of(ProgramStatus status) {
  switch (status) {
    case ProgramStatus::ok:
      return CaseStatus::ok;
    case ProgramStatus::finding:
      return CaseStatus::finding;
    case ProgramStatus::fault:
      return CaseStatus::fault;
    case ProgramStatus::hung:
      return CaseStatus::hung;
    default:
      return CaseStatus::error;
  }
}

}  // namespace

std::uint64_t launches_of(const ProgramRun& run) {
  std::uint64_t launches = 0;
  for (const auto& kernel : run.record.kernels) launches += kernel.launches;
  return launches;
}

SteppedLaunch::SteppedLaunch(const ProgramRun& run, const std::vector<std::string>& sources)
    : steps_(run.steps->steps) {
  steps_.launches = static_cast<std::uint32_t>(std::max(launches_of(run), std::uint64_t{steps_.launch} + 1));
  view.source = shown_source(steps_.file, run, sources);
  steps_.kernel = visible(steps_.kernel);
  steps_.file = visible(fs::path(steps_.file).filename().string());
  result_.variant = result_.kernel = steps_.kernel;
  result_.status = status_of(run.status);
  result_.findings = run.steps->findings;
  view.device.kind = "sim";
  view.device.profile = run.profile;
  view.file = run.program;
  view.result = &result_;
  view.steps = &steps_;
  view.ptx = run.steps->ptx;
  view.source_name = steps_.file;
}

}  // namespace gpulab
