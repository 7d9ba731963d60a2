#include "runner/execution/worker.h"

#include <fmt/format.h>

#include <deque>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "common/gpu_profile.h"
#include "common/progress/launch_progress.h"
#include "labs/kernel_file.h"
#include "runner/execution/child_process.h"
#include "runner/execution/wire.h"
#include "runner/execution/worker_argument.h"

namespace gpulab {
namespace {

/// What is known of a case that its worker did not live to answer.
Result unanswered(const Lab& lab, const Variant& variant, const Case& point, CaseStatus status, std::string message) {
  Result result;
  result.variant = variant.name;
  result.summary = variant.summary;
  for (const auto& param : lab.params) result.params.emplace_back(param.name, point.params.values.at(param.name));
  result.params.emplace_back("seed", static_cast<std::int64_t>(point.seed));
  result.status = status;
  result.message = std::move(message);
  return result;
}

class ProcessWorker final : public Executor {
 public:
  ProcessWorker(DeviceInfo info, Capabilities capabilities, WorkerOptions options, bool starts_now)
      : info_(std::move(info)), capabilities_(capabilities), options_(std::move(options)) {
    if (starts_now) start();
  }

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] Capabilities capabilities() const override { return capabilities_; }

  [[nodiscard]] Result run(const Lab& lab, const Variant& variant, const Case& point,
                           const RunOptions& options) override {
    if (!child_) start();
    const auto answer = asked(request_for({lab, variant, point, options}), options);
    if (answer.outcome == ChildProcess::Outcome::answered) return result_in(answer.line, lab, variant, point);
    const auto [status, message] = verdict(answer.outcome);
    end();
    return unanswered(lab, variant, point, status, message);
  }

  [[nodiscard]] std::optional<std::pair<Result, Result>> run_in_turn(const CaseToRun& a, const CaseToRun& b) override {
    if (!child_) start();
    auto request = request_for(a);
    auto& beside = request.beside.emplace_back(WireCase{b.lab.name, b.variant.name, b.point, b.options});
    if (b.lab.file) beside.file = b.lab.file->file;
    const auto answer = asked(request, a.options);
    try {
      if (answer.outcome == ChildProcess::Outcome::answered) {
        auto reply = decode_reply(answer.line);
        if (reply.result && reply.beside) return std::pair(std::move(*reply.result), std::move(*reply.beside));
      }
    } catch (const std::exception&) {
      // What went wrong is told where they run one after the other.
    }
    end();  // a fault of either ended the context of both
    return std::nullopt;
  }

 private:
  WireCase request_for(const CaseToRun& one) {
    WireCase request{one.lab.name, one.variant.name, one.point, one.options};
    if (one.lab.file && sent_ != one.lab.file) request.file = one.lab.file->file;
    sent_ = one.lab.file;
    if (one.lab.trial) request.trial = *one.lab.trial;
    request.listens = one.options.printed != nullptr;
    request.watches = request.listens || options_.waiting != nullptr;
    return request;
  }

  /// What the child answers; what kernels print meanwhile goes to who listens.
  ChildProcess::Answer asked(const WireCase& request, const RunOptions& options) {
    launch_progress.expect(0);
    const auto interrupted = [this] {
      if (options_.waiting) options_.waiting();
      return options_.interrupted && options_.interrupted();
    };
    const auto deadline = std::chrono::steady_clock::now() + options_.timeout;
    auto answer = child_->ask(encode(request), options_.timeout, interrupted);
    while (answer.outcome == ChildProcess::Outcome::answered && heard(answer.line, options.printed)) {
      const auto left = deadline - std::chrono::steady_clock::now();
      answer = child_->receive(std::chrono::duration_cast<std::chrono::milliseconds>(left), interrupted);
    }
    launch_progress.end();
    return answer;
  }

  void start() {
    ChildPlan plan{.command = options_.command, .limits = options_.limits, .confinement = options_.confinement};
    if (options_.body && is_single_threaded()) plan.body = options_.body;
    child_ = std::make_unique<ChildProcess>(plan);
  }
  void end() {
    child_.reset();
    sent_.reset();
  }

  /// True for a piece of what a kernel printed, which `sink` gets, and for how far a launch is.
  static bool heard(std::string_view line, const PrintSink& sink) {
    if (line.starts_with(progress_reply)) return heard_progress(line);
    if (!sink || !line.starts_with(printed_reply)) return false;
    const auto text = decode_reply(line).printed;
    if (text) sink(*text);
    return text.has_value();
  }

  static bool heard_progress(std::string_view line) {
    try {
      const auto progress = decode_reply(line).progress;
      if (progress) launch_progress.show(*progress);
      return progress.has_value();
    } catch (const std::exception&) {
      return false;  // no answer either, which is said where it is read
    }
  }

  Result result_in(std::string_view line, const Lab& lab, const Variant& variant, const Case& point) {
    try {
      WireReply reply = decode_reply(line);
      if (reply.error) throw *reply.error;
      // A fault ends the child's CUDA context: the next case gets a new child.
      const bool faulted = reply.result->status == CaseStatus::fault || reply.result->status == CaseStatus::hung;
      if (faulted && options_.replaced_after_fault) end();
      keep_texts(reply);
      return std::move(*reply.result);
    } catch (const Error&) {
      end();
      throw;
    } catch (const std::exception&) {
      end();
      return unanswered(lab, variant, point, CaseStatus::fault,
                        fmt::format("the worker process answered '{}'", line.substr(0, 60)));
    }
  }

  /// A result has views of the texts whose lines it counts.
  void keep_texts(WireReply& reply) {
    auto& launches = reply.result->lines;
    for (std::size_t i = 0; i < launches.size(); ++i)
      launches[i].text = texts_.emplace_back(std::move(reply.texts.at(i)));
  }

  std::pair<CaseStatus, std::string> verdict(ChildProcess::Outcome outcome) {
    if (outcome == ChildProcess::Outcome::late)
      return {CaseStatus::timeout, fmt::format("no result within {:g} s: the worker process was ended",
                                               static_cast<double>(options_.timeout.count()) / 1000)};
    if (outcome == ChildProcess::Outcome::interrupted) return {CaseStatus::interrupted, "interrupted"};
    return {CaseStatus::fault, fmt::format("the worker process {}", child_->end())};
  }

  DeviceInfo info_;
  Capabilities capabilities_;
  WorkerOptions options_;
  std::unique_ptr<ChildProcess> child_;
  std::shared_ptr<const LoadedKernelFile> sent_;  ///< that the child has
  std::deque<std::string> texts_;
};

}  // namespace

std::unique_ptr<Executor> process_worker(DeviceInfo info, Capabilities capabilities, WorkerOptions options,
                                         bool starts_now) {
  return std::make_unique<ProcessWorker>(std::move(info), capabilities, std::move(options), starts_now);
}

std::unique_ptr<Executor> device_worker(const DeviceKind& kind, const DeviceRequest& request, WorkerOptions options) {
  if (options.command.empty())
    options.command = {"/proc/self/exe", worker_argument, device_name(kind, request.index), encode(request)};
  return process_worker(kind.describe(request), kind.capabilities, std::move(options));
}

std::unique_ptr<Executor> confined_worker(const DeviceKind& kind, DeviceRequest request, WorkerOptions options) {
  auto info = kind.describe(request);
  request.profile = carried_profile(info.profile);  // the child does not look for GPUs
  if (options.command.empty())
    options.command = {"/proc/self/exe", worker_argument, device_name(kind, request.index), encode(request)};
  if (options.copies_us) {
    options.body = [&kind, request] {
      serve(ChildProcess::socket_in_child, {}, [&] { return in_process(kind.open(request)); });
      return 0;
    };
  }
  options.replaced_after_fault = false;
  auto capabilities = kind.capabilities;
  capabilities.counts = capabilities.counts && request.simulation.counters;
  return process_worker(std::move(info), capabilities, std::move(options), true);
}

}  // namespace gpulab
