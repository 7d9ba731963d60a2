// Faults on a real GPU: each ends its worker process, and no other case.
#include <unistd.h>

#include "common/launch_error.h"
#include "runner/execution/child_process.h"
#include "runner/execution/worker.h"
#include "tests/device_contract.h"
#include "tests/gpu/gpu_fixture.h"

namespace gpulab::tests {
namespace {

/// Each variant is a kernel over one buffer of 256 ints, counted from 1, unless it needs other arguments.
Lab faults_lab() {
  Lab lab;
  lab.name = "faults";
  for (const auto* kernel : {"scale<int, 3>", "store_at", "store_misaligned", "check_positive", "wait_for", "say"}) {
    Variant variant;
    variant.name = variant.kernel = kernel;
    lab.variants.push_back(variant);
  }
  return lab;
}

/// Runs a variant's kernel as it is; the message is what the buffer begins with.
class KernelExecutor final : public Executor {
 public:
  [[nodiscard]] const DeviceInfo& info() const override { return device_->info(); }
  [[nodiscard]] Capabilities capabilities() const override { return device_->capabilities(); }
  [[nodiscard]] Result run(const Lab&, const Variant& variant, const Case&, const RunOptions&) override {
    Result result;
    try {
      const auto data = upload(*device_, counted(256, variant.name == "check_positive" ? 0 : 1));
      launch_variant(variant.kernel, data);
      device_->synchronize();
      result.message = std::to_string(read_values<int>(*device_, data, 1)[0]);
    } catch (const LaunchError& error) {
      result.status = error.kind == LaunchFailure::fault ? CaseStatus::fault : CaseStatus::error;
      result.message = error.where + ": " + error.what();
    }
    result.output = device_->take_output();
    return result;
  }

 private:
  void launch_variant(const std::string& kernel, DevicePointer data) {
    const LaunchConfig one{{1, 1, 1}, {256, 1, 1}};
    if (kernel == "store_at") return launch(*device_, kernel, one, data, std::int64_t{1} << 40);
    if (kernel == "scale<int, 3>") return launch(*device_, kernel, one, data, 256);
    if (kernel == "say") return launch(*device_, kernel, {{1, 1, 1}, {1, 1, 1}}, 7);
    launch(*device_, kernel, one, data);
  }

  std::unique_ptr<Device> device_ = loaded_gpu();
};

/// Not a test: the body of the worker process, which the tests below start from this program.
TEST_CASE("serves cases on descriptor 3", "[.worker]") {
  const std::vector<Lab> labs = {faults_lab()};
  serve(ChildProcess::socket_in_child, labs, [] { return std::make_unique<KernelExecutor>(); });
}

std::unique_ptr<Executor> faults_worker(int timeout_ms) {
  WorkerOptions options;
  options.timeout = std::chrono::milliseconds(timeout_ms);
  options.command = {"/proc/self/exe", "[.worker]", "--out", "/dev/null"};
  return process_worker(gpu_info(0), gpu_capabilities, options);
}

Result run(Executor& worker, const std::string& kernel) {
  const Lab lab = faults_lab();
  for (const auto& variant : lab.variants)
    if (variant.name == kernel) return worker.run(lab, variant, {}, {});
  throw std::logic_error("no such variant: " + kernel);
}

TEST_CASE("a fault has the driver's words, and the next case works") {
  if (!gpu_present()) return;
  const auto worker = faults_worker(60'000);
  const std::vector<std::pair<std::string, std::string>> faults = {
      {"store_at", "store_at: CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered"},
      {"store_misaligned", "store_misaligned: CUDA_ERROR_MISALIGNED_ADDRESS: misaligned address"},
      {"check_positive", "check_positive: CUDA_ERROR_ASSERT: device-side assert triggered"}};
  for (const auto& [kernel, message] : faults) {
    const Result fault = run(*worker, kernel);
    CHECK(fault.status == CaseStatus::fault);
    CHECK(fault.message == message);
    const Result next = run(*worker, "scale<int, 3>");
    CHECK(next.status == CaseStatus::ok);
    CHECK(next.message == "3");
  }
}

TEST_CASE("a failed assert's text is captured") {
  if (!gpu_present()) return;
  const auto worker = faults_worker(60'000);
  const Result result = run(*worker, "check_positive");
  CHECK(result.output.find("Assertion `x[threadIdx.x] > 0` failed") != std::string::npos);
}

TEST_CASE("what a kernel prints reaches the result and not the report") {
  if (!gpu_present()) return;
  const auto worker = faults_worker(60'000);
  CHECK(run(*worker, "say").output == "value 7 of thread 0\n");
  CHECK(run(*worker, "scale<int, 3>").output.empty());
}

TEST_CASE("a kernel that never ends is a timeout, and the next case works") {
  if (!gpu_present()) return;
  const auto worker = faults_worker(8'000);
  CHECK(run(*worker, "scale<int, 3>").message == "3");
  const Result hung = run(*worker, "wait_for");
  CHECK(hung.status == CaseStatus::timeout);
  CHECK(hung.message == "no result within 8 s: the worker process was ended");
  CHECK(run(*worker, "scale<int, 3>").message == "3");
}

}  // namespace
}  // namespace gpulab::tests
