#include "runner/judge/contract_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/gpu_profile.h"
#include "common/text.h"
#include "runner/judge/kernel_search/launch_choice.h"
#include "runner/judge/kernel_search/launch_comments.h"
#include "runner/judge/rung_counts.h"
#include "runner/judge/submission_ptx.h"

namespace gpulab {
namespace {

Case numbered(const PosedTrial& posed) {
  Case made;  // what the process that simulates knows of the case: which it is
  made.seed = posed.trial->number;
  made.sm_count = posed.point.sm_count;
  made.block = posed.point.block;
  return made;
}

class Launching {
 public:
  Launching(const JudgeRequest& request, const DeviceInfo& device)
      : request_(request),
        contract_(*request.contract),
        profile_(device.profile),
        place_{device.sm_count, device.profile.empty() ? nullptr : &gpu_profile(device.profile)} {}

  [[nodiscard]] PosedTrial posed(const FoundKernel& kernel, const TrialPoint& point, Values values,
                                 const ContractLaunch& launch) {
    auto at = contract_case(*request_.lab, contract_, point, kernel.type, request_.seed, place_);
    return pose(*request_.lab, contract_, kernel, std::move(at), values, launch, ++trials_, false);
  }

  /// As a judging would choose it; where one of several is enough, the first with which it is right on everyday inputs.
  ContractLaunch launch_for(const Lab& file, const FoundKernel& kernel) {
    const auto asked = launches_in_comments(request_.source, bare_name(kernel.signature.name));
    const auto choice = choose_launches(contract_, kernel.signature, asked);
    if (!choice.problem.empty()) throw usage_error(choice.problem, "'gpulab list LAB' shows them", request_.file);
    if (!choice.one_is_enough) return choice.launches.front().launch;
    MachineOptions machine;
    if (!profile_.empty()) machine.profile = profile_;
    machine.counters = false;
    auto limits = request_.limits;
    limits.isolated = request_.isolated;
    const auto simulator = open_simulator_for_judging(machine, limits);
    const auto usual = all_classes(contract_).front();
    for (const auto& [launch, every] : choice.launches) {
      const auto tried = posed(kernel, usual.points.front(), usual.values, launch);
      const Lab lab = trial_lab(file, tried.trial);
      const auto result = simulator->run(lab, lab.variants.front(), numbered(tried), {});
      if (result.status == CaseStatus::interrupted) throw Error(ExitCode::interrupted, "interrupted");
      if (judged(contract_, kernel, tried, result).status == CaseStatus::ok) return launch;
      if (result.status == CaseStatus::hung || result.status == CaseStatus::timeout) return launch;
    }
    return choice.launches.front().launch;
  }

 private:
  const JudgeRequest& request_;
  const Contract& contract_;
  std::string profile_;
  TrialPlace place_;
  std::uint64_t trials_ = 0;
};

}  // namespace

void choose_contract(const std::string& name, const std::vector<Lab>& labs, JudgeRequest& request) {
  std::vector<std::string> known, words, meant;
  for (const auto& lab : labs) {
    for (const auto& contract : lab.contracts) {
      const auto full = lab.name + '/' + contract.name;
      known.push_back(full);
      words.push_back(contract.name);
      if (name != full && name != contract.name) continue;
      meant.push_back(full);
      request.lab = &lab;
      request.contract = &contract;
    }
  }
  if (meant.empty())
    throw usage_error(fmt::format("--contract: no lab has a contract '{}'", name),
                      did_you_mean(name, words, "there is " + join(known)));
  if (meant.size() > 1)
    throw usage_error(fmt::format("--contract: '{}' is one of several labs", name), "which of " + join(meant) + "?");
}

JudgeRequest contract_request(const std::string& name, const std::vector<Lab>& labs, const FileRequest& file,
                              std::uint64_t seed) {
  JudgeRequest request{.lab = nullptr, .file = file.file, .source = file.source, .kernel = file.kernel};
  choose_contract(name, labs, request);
  request.compile = file.compile;
  request.seed = seed;
  request.isolated = file.isolation.on;
  return request;
}

TrialPoint everyday_point(const Contract& contract) { return all_classes(contract).front().points.front(); }

ContractRun contract_run(const JudgeRequest& request, const DeviceInfo& device, const TrialPoint& at) {
  SubmissionPtx ptx(request, {*request.contract});
  if (const auto problem = ptx.compile(device.compute_major * 10 + device.compute_minor, nullptr); !problem.empty())
    throw usage_error(problem, "the messages above are the compiler's");
  InspectionRequest inspection{ptx.text(), request.source, {request.kernel}, request.isolated};
  if (request.kernel.empty()) inspection.names = {request.contract->name};
  const auto inspected = inspect(inspection);
  if (!inspected.problem.empty()) throw usage_error("its PTX cannot be read: " + inspected.problem, {}, request.file);
  auto search = find_kernel(inspected.kernels, *request.lab, {*request.contract}, request.kernel);
  if (search.found.empty())
    throw usage_error(search.problem, "--kernel NAME, or another --contract: 'gpulab list LAB'", request.file);
  ContractRun made{
      .contract = request.contract, .kernel = std::move(search.found.front()), .posed = {}, .lab = {}, .number = {}};
  const Lab file = kernel_lab(request, ptx, made.kernel, true);
  Launching launching(request, device);
  const auto launch = launching.launch_for(file, made.kernel);
  const auto& point = at.empty() ? request.contract->reference : at;
  made.posed = launching.posed(made.kernel, point, Values::ordinary, launch);
  made.lab = trial_lab(file, made.posed.trial);
  made.number = numbered(made.posed);
  return made;
}

}  // namespace gpulab
