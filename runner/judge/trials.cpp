#include "runner/judge/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "runner/case/device_buffers.h"
#include "runner/case/timed_trial.h"
#include "runner/case/verify.h"

namespace gpulab {
namespace {

/// What buffers of the host's are called: those that are copied over the device's for the second launch, and those
/// that take what the first has left.
const std::string next = "second ", before = "first ";

Dim3 grid_of(const Lab& lab, const Contract& contract, const Case& point, const ContractLaunch& launch) {
  const Dim3 extent = contract.extent ? contract.extent(point) : lab.extent(point);
  const Dim3 covers = launch.covers.x == 0 ? launch.block : launch.covers;
  const auto blocks = [](std::uint32_t whole, std::uint32_t part) {
    return std::max(1U, whole / std::max(1U, part) + (whole % std::max(1U, part) != 0 ? 1U : 0U));
  };
  return {blocks(extent.x, covers.x), blocks(extent.y, covers.y), blocks(extent.z, covers.z)};
}

Problem problem_of(const Lab& lab, const Contract& contract, const Case& point, Values values) {
  return contract.problem ? contract.problem(point, values) : lab.problem(point);
}

Step copy(const std::string& to, const std::string& from, std::size_t count) {
  Step step;
  step.copy = Copy{to, from, 0, count};
  return step;
}

/// The launches: of the first problem's buffers, and of what the second puts in their places.
Trial trial_of(const PosedTrial& posed, Step launch, std::uint64_t number) {
  Trial trial{.number = number, .buffers = posed.first.buffers, .steps = {launch}};
  for (const auto& buffer : posed.second.buffers) {
    if (buffer.count == 0) continue;
    auto out = buffer, in = buffer;
    out.name = before + buffer.name;
    in.name = next + buffer.name;
    out.on_host = in.on_host = true;
    out.role = BufferRole::output;
    out.initial.clear();
    in.role = BufferRole::input;
    if (in.initial.empty()) in.initial.assign(in.count * size_of(in.type), poison_of(in.type));
    trial.steps.push_back(copy(out.name, buffer.name, buffer.count));
    trial.steps.push_back(copy(buffer.name, in.name, buffer.count));
    trial.buffers.push_back(std::move(out));
    trial.buffers.push_back(std::move(in));
  }
  if (!posed.second.buffers.empty()) trial.steps.push_back(std::move(launch));
  return trial;
}

/// -0 is 0 for whoever computes.
void without_negative_zeros(Scalar type, std::vector<std::byte>& bytes) {
  if (type == Scalar::f32) {
    for (auto& x : view_as<float>(bytes)) x += 0.0F;
  } else if (type == Scalar::f64) {
    for (auto& x : view_as<double>(bytes)) x += 0.0;
  }
}

bool never_written(Scalar type, std::span<const std::byte> got, std::uint64_t index) {
  const auto element = got.subspan(index * size_of(type), size_of(type));
  return std::ranges::all_of(element, [&](std::byte b) { return b == poison_of(type); });
}

/// Does it hold what it held before the launch?
bool is_untouched(const Buffer& buffer, std::span<const std::byte> held) {
  if (!buffer.initial.empty()) return std::ranges::equal(held, buffer.initial);
  return std::ranges::all_of(held, [&](std::byte b) { return b == poison_of(buffer.type); });
}

std::pair<Dim3, Dim3> owner_of(const Dim3& place, const Dim3& block) {
  return {{place.x / block.x, place.y / block.y, place.z / block.z},
          {place.x % block.x, place.y % block.y, place.z % block.z}};
}

using Contents = decltype(Result::contents);

const std::vector<std::byte>* find_contents(const Contents& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &Contents::value_type::first);
  return found == all.end() ? nullptr : &found->second;
}

void say_wrong(const Contract& contract, const PosedTrial& posed, const Expected& expected, Scalar type,
               std::span<const std::byte> got, const Verification& verification, JudgedShape& shape) {
  shape.status = CaseStatus::wrong;
  shape.buffer = expected.buffer;
  const auto compared = expected.real.empty() ? expected.exact.size() / size_of(type) : expected.real.size();
  shape.message = mismatch_text(expected.buffer, verification, compared);
  if (!verification.mismatches.empty() && never_written(type, got, verification.mismatches.front().index))
    shape.message = fmt::format("{}[{}] was never written ({} of {} elements are not as they must be)", expected.buffer,
                                verification.mismatches.front().index, verification.mismatch_count, compared);
  for (const auto& mismatch : verification.mismatches) {
    JudgedMismatch one{mismatch};
    if (contract.place && posed.one_per_thread)
      one.owner = owner_of(contract.place(posed.point, mismatch.index), posed.point.block);
    shape.mismatches.push_back(std::move(one));
  }
}

/// One launch's buffers against the answer. `prefix`: what their names begin with in the result.
void compare(const Contract& contract, const PosedTrial& posed, const Problem& problem, const std::string& prefix,
             const Contents& contents, JudgedShape& shape) {
  for (const auto& buffer : problem.buffers) {
    if (shape.status != CaseStatus::ok) return;
    const auto* held = buffer.count == 0 ? &buffer.initial : find_contents(contents, prefix + buffer.name);
    if (held == nullptr || held->size() != buffer.count * size_of(buffer.type)) {
      shape.status = CaseStatus::error;
      shape.message = fmt::format("'{}' did not come back from the process that simulates", buffer.name);
      return;
    }
    const auto answer = std::ranges::find(problem.expected, buffer.name, &Expected::buffer);
    if (answer == problem.expected.end()) {
      const bool writable = buffer.role != BufferRole::input || std::ranges::count(contract.may_write, buffer.name) > 0;
      if (writable || *held == buffer.initial) continue;
      shape.status = CaseStatus::wrong;
      shape.message = fmt::format("the kernel writes to its input '{}'", buffer.name);
      return;
    }
    Expected expected = *answer;
    auto got = *held;
    const bool by_bits = posed.values == Values::special;
    const auto type = by_bits && buffer.type == Scalar::f32 ? Scalar::u32 : buffer.type;
    if (contract.settle) contract.settle(posed.point, problem, got, expected);
    without_negative_zeros(type, got);
    without_negative_zeros(type, expected.exact);
    Verification verification;
    verification.status = VerificationStatus::passed;
    verify(expected, type, got, verification);
    if (verification.status == VerificationStatus::failed)
      say_wrong(contract, posed, expected, buffer.type, *held, verification, shape);
    if (shape.status == CaseStatus::wrong && is_untouched(buffer, *held))
      shape.hint = fmt::format("nothing was written to {}: does any thread reach the store?", buffer.name);
  }
}

}  // namespace

Case contract_case(const Lab& lab, const Contract& contract, const TrialPoint& point, std::optional<Scalar> type,
                   std::uint64_t seed, const TrialPlace& place) {
  Case made;
  for (const auto& param : lab.params) made.params.values[param.name] = param.fallback;
  for (const auto& [name, value] : contract.params) made.params.values[name] = value;
  for (const auto& [name, value] : point) made.params.values[name] = value;
  if (type) made.params.values["type"] = std::string(cpp_name_of(*type));
  made.seed = seed;
  made.sm_count = place.sm_count;
  made.gpu = place.gpu;
  if (place.gpu != nullptr) made.max_threads_per_sm = place.gpu->max_threads_per_sm;
  return made;
}

PosedTrial pose(const Lab& lab, const Contract& contract, const FoundKernel& kernel, Case point, Values values,
                const ContractLaunch& launch, std::uint64_t number, bool twice) {
  PosedTrial posed;
  point.block = launch.block;
  point.grid = grid_of(lab, contract, point, launch);
  posed.first = problem_of(lab, contract, point, values);
  if (twice) {
    Case other = point;
    other.seed += 1;
    posed.second = problem_of(lab, contract, other, values);
    // Memory of another size is not the same memory.
    const auto same = [](const Buffer& a, const Buffer& b) { return a.name == b.name && a.count == b.count; };
    if (!std::ranges::equal(posed.first.buffers, posed.second.buffers, same)) posed.second = {};
  }
  Step step;
  step.kernel = kernel.entry;
  step.grid = point.grid;
  step.block = point.block;
  if (contract.dynamic_shared_bytes) step.dynamic_shared_bytes = contract.dynamic_shared_bytes(point);
  step.arguments = adapted(contract.arguments ? contract.arguments(point) : lab.arguments(point), kernel.signature);
  posed.values = values;
  posed.one_per_thread = launch.covers.x == 0 || launch.covers == launch.block;
  posed.point = std::move(point);
  posed.trial = std::make_shared<const Trial>(trial_of(posed, std::move(step), number));
  return posed;
}

JudgedShape judged(const Contract& contract, const FoundKernel& kernel, const PosedTrial& posed, const Result& result) {
  JudgedShape shape;
  if (kernel.type) shape.type = cpp_name_of(*kernel.type);
  shape.grid = posed.point.grid;
  shape.block = posed.point.block;
  shape.status = result.status == CaseStatus::finding ? CaseStatus::ok : result.status;
  shape.message = shape.status == CaseStatus::ok ? "" : result.message;
  for (const std::string_view advice : {"; or raise --budget", ", or raise --budget"})  // not the student's to raise
    if (const auto at = shape.message.find(advice); at != std::string::npos) shape.message.erase(at, advice.size());
  if (shape.status != CaseStatus::ok) return shape;
  const bool twice = !posed.second.buffers.empty();
  compare(contract, posed, posed.first, twice ? before : "", result.contents, shape);
  if (first_launch_ms(result) && !twice && shape.status == CaseStatus::ok) {
    compare(contract, posed, posed.first, std::string(kTimedPrefix), result.contents, shape);
    if (shape.status != CaseStatus::ok) {
      shape.message =
          "right in the launch that is looked at first, but not in the last that is timed: " + shape.message;
      shape.hint = "does the kernel count its launches, or keep something from one to the next?";
    }
  }
  if (!twice || shape.status != CaseStatus::ok) return shape;
  compare(contract, posed, posed.second, "", result.contents, shape);
  if (shape.status != CaseStatus::ok) {
    shape.message =
        "right in the first launch, but not in the second, of other data at the same addresses: " + shape.message;
    shape.hint = "does the kernel keep something from launch to launch, in a __device__ variable?";
  }
  return shape;
}

}  // namespace gpulab
