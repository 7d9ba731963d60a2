#include "runner/compare/kernels/by_contract.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "common/error.h"
#include "common/gpu_profile.h"
#include "common/text.h"
#include "runner/execution/open_device.h"
#include "runner/judge/contract_run.h"
#include "runner/judge/rung_counts.h"
#include "runner/options/file_options.h"
#include "runner/options/sizes.h"

namespace gpulab {
namespace {

void stop_if_interrupted(const Result& result) {
  if (result.status == CaseStatus::interrupted) throw Error(ExitCode::interrupted, "interrupted");
}

/// What a judging found wrong; empty: right on every class of inputs.
std::string problem_of(const JudgeRequest& request) {
  const auto judgement = judge(request);
  for (const auto& item : judgement.items)
    if (item.verdict == Verdict::failed) return fmt::format("{}: {}", item.name, item.message);
  return {};
}

class Runner {
 public:
  explicit Runner(const ByContract& request) : request_(request), machine_(comparing(request.machine)) {
    for (std::size_t i = 0; i < problems_.size(); ++i)
      if (request.sides[i].rung.empty()) problems_[i] = problem_of(request.sides[i].request);
    rungs_ = open_simulator(machine_, true);
  }

  [[nodiscard]] Result run(std::size_t which, const TrialPoint& point) {
    const auto& side = request_.sides[which];
    auto result = side.rung.empty() ? file(which, point) : rung(side.rung, point);
    stop_if_interrupted(result);
    result.params.assign(point.begin(), point.end());
    if (type_ && std::ranges::none_of(result.params, [](const auto& one) { return one.first == "type"; }))
      result.params.emplace_back("type", std::string(cpp_name_of(*type_)));
    result.params.emplace_back("seed", static_cast<std::int64_t>(seed()));
    return result;
  }

  [[nodiscard]] std::shared_ptr<const void> rungs() const { return rungs_; }
  [[nodiscard]] const DeviceInfo& device() const { return rungs_->info(); }
  std::vector<std::shared_ptr<const void>> owners{};  ///< of the source that lines in results are of

 private:
  [[nodiscard]] std::uint64_t seed() const { return request_.sides[1].request.seed; }

  Result rung(const std::string& name, const TrialPoint& point) {
    const auto& info = rungs_->info();
    RungPoint at{.point = point, .type = type_, .seed = seed(), .place = {}};
    at.place = {info.sm_count, info.profile.empty() ? nullptr : &gpu_profile(info.profile)};
    return count_rung(*rungs_, *request_.lab, *request_.contract, name, at);
  }

  Result file(std::size_t which, const TrialPoint& point) {
    const auto& request = request_.sides[which].request;
    if (!problems_[which].empty()) return wrong(problems_[which]);
    FileAccess access;
    access.isolated = request.isolated;
    const std::shared_ptr<Executor> simulator = open_simulator_for_file(machine_, access, true);
    const auto made = contract_run(request, simulator->info(), point);
    type_ = made.kernel.type;
    auto result = simulator->run(made.lab, made.lab.variants.front(), made.number, {});
    stop_if_interrupted(result);
    const auto shape = judged(*made.contract, made.kernel, made.posed, result);
    result.status = shape.status;
    result.message = shape.message;
    result.contents.clear();
    owners.push_back(simulator);
    owners.push_back(std::make_shared<Lab>(made.lab));
    return result;
  }

  static Result wrong(const std::string& problem) {
    Result result;
    result.status = CaseStatus::wrong;
    result.message = problem;
    return result;
  }

  const ByContract& request_;
  MachineOptions machine_;
  std::array<std::string, 2> problems_{};
  std::shared_ptr<Executor> rungs_;
  std::optional<Scalar> type_{};  ///< of the file's kernel: the rung takes the same
};

}  // namespace

RanPairs run_by_contract(const ByContract& request) {
  RanPairs ran{.of = request.lab->name + "/" + request.contract->name};
  const auto name = [](const ContractSide& side) { return side.rung.empty() ? side.request.file : side.rung; };
  ran.a = name(request.sides[0]);
  ran.b = name(request.sides[1]);
  Runner runner(request);
  runner.owners = {runner.rungs()};
  ran.device = runner.device();
  for (const auto& point : request.points) {
    auto second = runner.run(1, point);  // the file, which has a type
    auto first = runner.run(0, point);
    ran.add({{std::move(first), std::move(second)}}, runner.owners);
    runner.owners = {runner.rungs()};
  }
  return ran;
}

std::vector<TrialPoint> contract_points(const Contract& contract, const Given& given) {
  std::vector<TrialPoint> points{contract.reference};
  bool is_given = false;
  for (const auto& [name, value] : contract.reference) {
    const auto* text = single_value(given, name);
    if (text == nullptr || !std::holds_alternative<std::int64_t>(value)) continue;
    is_given = true;
    std::vector<TrialPoint> more;
    for (const auto& point : points)
      for (const auto size : parse_sizes(*text, "--" + name)) {
        more.push_back(point);
        more.back()[name] = size;
      }
    points = std::move(more);
  }
  const auto n = contract.reference.find("n");
  if (is_given || n == contract.reference.end()) return points;
  const auto size = std::get<std::int64_t>(n->second);
  points.clear();
  for (const std::int64_t part : {64, 8, 1}) {
    points.push_back(contract.reference);
    points.back()["n"] = std::max<std::int64_t>(1, size / part);
  }
  return points;
}

}  // namespace gpulab
