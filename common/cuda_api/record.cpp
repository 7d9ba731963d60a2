#include "common/cuda_api/record.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/cuda_api/steps_record.h"
#include "common/device/members.h"
#include "common/error.h"
#include "common/hex.h"
#include "common/trace/step_members.h"

namespace gpulab::cuda_api {
namespace {

using Json = nlohmann::json;

// What goes over, in this order: of what a launch gives, common/device/members.h says it.
void members(Options& v, auto&& visit) {
  auto& [profile, record, threads, budget, schedule, counters, model, trace, each, lines, repeats, host_memory,
         old_cuda, gpus, real_clock, sanitize, steps, steps_file] = v;
  visit(profile, record, threads, budget, schedule, counters, model, trace, each, lines, repeats, host_memory, old_cuda,
        gpus, real_clock, sanitize, steps, steps_file);
}
void members(Counters& v, auto&& visit) {
  auto& [counts] = v;
  visit(counts);
}
void members(KernelRecord& v, auto&& visit) {
  auto& [name, cpp_name, launches, repeats, uncounted, beside_host, grid, block, shared_bytes, registers, caller,
         counters, counted, ms, least_ms, most_ms, modelled, model, model_unavailable, findings, each, each_model,
         lines] = v;
  visit(name, cpp_name, launches, repeats, uncounted, beside_host, grid, block, shared_bytes, registers, caller,
        counters, counted, ms, least_ms, most_ms, modelled, model, model_unavailable, findings, each, each_model,
        lines);
}
void members(Activity& v, auto&& visit) {
  auto& [what, number, start_ms, ms, grid, block, shared_bytes, bytes, registers, stream, caller, gpu] = v;
  visit(what, number, start_ms, ms, grid, block, shared_bytes, bytes, registers, stream, caller, gpu);
}
void members(CopyRecord& v, auto&& visit) {
  auto& [calls, bytes, ms, least_ms, most_ms] = v;
  visit(calls, bytes, ms, least_ms, most_ms);
}
void members(CallRecord& v, auto&& visit) {
  auto& [calls, bytes] = v;
  visit(calls, bytes);
}
void members(CallSite& v, auto&& visit) {
  auto& [function, caller, direction, calls, bytes, ms, pinned_ms, pageable, repeated, needless, behind_launch,
         device] = v;
  visit(function, caller, direction, calls, bytes, ms, pinned_ms, pageable, repeated, needless, behind_launch, device);
}
void members(ClockRecord& v, auto&& visit) {
  auto& [from, to, kernel, launch, times, ms] = v;
  visit(from, to, kernel, launch, times, ms);
}
void members(FaultRecord& v, auto&& visit) {
  auto& [failure, kernel, what, where, hint, launch, grid, block, error, seen, caller, function, count] = v;
  visit(failure, kernel, what, where, hint, launch, grid, block, error, seen, caller, function, count);
}
void members(CallFailure& v, auto&& visit) {
  auto& [function, error, error_text, why, remedy, caller, count, chain, follows, looked, certain, launch_failed] = v;
  visit(function, error, error_text, why, remedy, caller, count, chain, follows, looked, certain, launch_failed);
}
void members(UnsupportedRecord& v, auto&& visit) {
  auto& [what, caller, hint] = v;
  visit(what, caller, hint);
}
void members(LeakRecord& v, auto&& visit) {
  auto& [bytes, name, caller] = v;
  visit(bytes, name, caller);
}
void members(LibraryRecord& v, auto&& visit) {
  auto& [name, shape, calls, operations, bytes, ms, least_ms, most_ms, caller] = v;
  visit(name, shape, calls, operations, bytes, ms, least_ms, most_ms, caller);
}
void members(Record& v, auto&& visit) {
  auto& [gpu, kernels, copies, libraries, calls, sites, clocks, activities, activities_cut, faults, findings, failures,
         allocations, leaks, leaked_bytes, leaks_cut, unsupported, notes, crash, complete] = v;
  visit(gpu, kernels, copies, libraries, calls, sites, clocks, activities, activities_cut, faults, findings, failures,
        allocations, leaks, leaked_bytes, leaks_cut, unsupported, notes, crash, complete);
}
void members(StepsRecord& v, auto&& visit) {
  auto& [steps, ptx, findings] = v;
  visit(steps, ptx, findings);
}

template <typename T>
concept Struct = requires(T& v) {
  members(v, [](auto&...) {});
};

template <typename E>
requires std::is_enum_v<E> Json put(const E& value) { return static_cast<int>(value); }
Json put(const std::string& text) { return text; }
Json put(double value) { return std::isfinite(value) ? Json(value) : Json(0.0); }
template <typename T>
requires std::is_integral_v<T> Json put(const T& value) { return value; }
template <typename T, std::size_t n>
Json put(const std::array<T, n>& values) {
  return values;
}
template <Struct T>
Json put(const T& value);
template <typename T>
Json put(const std::optional<T>& value) {
  return value ? Json::array({put(*value)}) : Json::array();
}
template <typename T>
Json put(const std::vector<T>& values) {
  Json json = Json::array();
  for (const auto& value : values) json.push_back(put(value));
  return json;
}
template <typename T>
Json put(const std::map<std::string, T>& values) {
  Json json = Json::object();
  for (const auto& [key, value] : values) json[key] = put(value);
  return json;
}
template <Struct T>
Json put(const T& value) {
  Json json = Json::array();
  members(const_cast<T&>(value), [&](const auto&... member) { (json.push_back(put(member)), ...); });
  return json;
}

template <typename E>
requires std::is_enum_v<E>
void get(const Json& json, E& value) {
  const auto number = json.get<std::int64_t>();
  if (number < 0 || number >= static_cast<std::int64_t>(words_of(E{}).size())) throw std::out_of_range("no such word");
  value = static_cast<E>(number);
}
void get(const Json& json, std::string& text) { json.get_to(text); }
void get(const Json& json, double& value) { json.get_to(value); }
void get(const Json& json, float& value) { json.get_to(value); }
template <typename T>
requires std::is_integral_v<T>
void get(const Json& json, T& value) { json.get_to(value); }
template <typename T, std::size_t n>
void get(const Json& json, std::array<T, n>& values) {
  json.get_to(values);
}
template <Struct T>
void get(const Json& json, T& value);
template <typename T>
void get(const Json& json, std::optional<T>& value) {
  value.reset();
  if (!json.empty()) get(json.at(0), value.emplace());
}
template <typename T>
void get(const Json& json, std::vector<T>& values) {
  for (const auto& one : json) get(one, values.emplace_back());
}
template <typename T>
void get(const Json& json, std::map<std::string, T>& values) {
  for (const auto& [key, one] : json.items()) get(one, values[key]);
}
template <Struct T>
void get(const Json& json, T& value) {
  std::size_t next = 0;
  members(value, [&](auto&... member) { (get(json.at(next++), member), ...); });
}

constexpr const char* what_steps = "what the program's process kept of a launch";

/// What reports work with: widths that there are, distances that can be subtracted.
bool is_sound(const LaunchLines& launch) {
  constexpr std::uint32_t widest = 32;
  constexpr std::int64_t farthest = std::int64_t{1} << 62;
  return launch.phases <= most_phases && std::ranges::all_of(launch.accesses, [](const LineAccess& access) {
           return access.mask != 0 && access.width != 0 && access.width <= widest &&
                  std::ranges::all_of(access.addresses, [](auto at) { return -farthest < at && at < farthest; });
         });
}

Error unreadable(const char* what) {
  return {ExitCode::missing,
          std::string(what) + " cannot be read",
          {},
          "the program has written over it, or the library and gpulab are of two builds"};
}

template <typename T>
T decoded(std::string_view text, const char* what) {
  try {
    T value;
    get(Json::parse(text), value);
    return value;
  } catch (const std::exception&) {
    throw unreadable(what);
  }
}

}  // namespace

std::string encode(const Options& options) { return put(options).dump(); }

std::string encode(const Record& record) { return put(record).dump(-1, ' ', false, Json::error_handler_t::replace); }

Options decode_options(std::string_view text) { return decoded<Options>(text, kOptionsVariable); }

std::string encode(StepsRecord record) {
  record.steps.values = hex_of(record.steps.values);  // bytes, which JSON would take for text
  return put(record).dump(-1, ' ', false, Json::error_handler_t::replace);
}

StepsRecord decode_steps(std::string_view text) {
  auto record = decoded<StepsRecord>(text, what_steps);
  std::string& digits = record.steps.values;
  const bool are_digits = digits.find_first_not_of("0123456789abcdef") == std::string::npos;
  digits = are_digits ? bytes_of_hex(digits) : std::string();
  if (!is_sound(record)) throw unreadable(what_steps);
  return record;
}

Record decode_record(std::string_view text) {
  constexpr const char* what = "what the program's process recorded";
  auto record = decoded<Record>(text, what);
  for (const auto& kernel : record.kernels)
    if (kernel.lines && !is_sound(*kernel.lines)) throw unreadable(what);
  return record;
}

}  // namespace gpulab::cuda_api
