#include "common/cuda_api/record.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>

#include "common/cuda_api/steps_record.h"
#include "common/error.h"
#include "common/hex.h"
#include "common/trace/step_members.h"

namespace gpulab::cuda_api {
namespace {

using Json = nlohmann::json;

// What goes over, in this order.
auto members(auto& v) requires std::same_as<std::remove_cvref_t<decltype(v)>, Dim3> { return std::tie(v.x, v.y, v.z); }
auto members(auto& v) requires std::same_as<std::remove_cvref_t<decltype(v)>, Options> {
  return std::tie(v.profile, v.record, v.threads, v.budget, v.schedule, v.counters, v.model, v.trace, v.each, v.lines,
                  v.sanitize, v.steps, v.steps_file);
}
auto members(auto& v) requires std::same_as<std::remove_cvref_t<decltype(v)>, FindingSite> {
  return std::tie(v.file, v.line, v.access, v.block, v.thread, v.address);
}
auto members(auto& v) requires std::same_as<std::remove_cvref_t<decltype(v)>, Finding> {
  return std::tie(v.tool, v.severity, v.message, v.count, v.at);
}
auto members(auto& v) requires std::same_as<std::remove_cvref_t<decltype(v)>, Counters> { return std::tie(v.counts); }
auto members(auto& v) requires std::same_as<std::remove_cvref_t<decltype(v)>, WarpTime> {
  return std::tie(v.issue, v.memory, v.shared, v.barrier, v.result);
}
auto members(auto& v) requires std::same_as<std::remove_cvref_t<decltype(v)>, ModelledTime> {
  return std::tie(v.gpu, v.validated, v.ms, v.kernel_ms, v.low_ms, v.high_ms, v.bound, v.issue, v.fp32, v.shared, v.l1,
                  v.l2, v.dram, v.atomics, v.sms_used, v.waves, v.tail, v.sm_efficiency, v.achieved_occupancy, v.warps);
}
auto members(auto& v) requires std::same_as<std::remove_cvref_t<decltype(v)>, LineCounts> {
  return std::tie(v.line, v.phase, v.executions, v.counters);
}
auto members(auto& v) requires std::same_as<std::remove_cvref_t<decltype(v)>, LineAccess> {
  return std::tie(v.line, v.ptx_line, v.instruction, v.shared, v.load, v.store, v.atomic, v.width, v.mask, v.addresses,
                  v.sectors, v.distinct_bytes, v.wavefronts, v.ideal_wavefronts, v.max_same_address);
}
auto members(auto& v) requires std::same_as<std::remove_cvref_t<decltype(v)>, IdleLanes> {
  return std::tie(v.line, v.branch, v.slots, v.warps);
}
auto members(auto& v) requires std::same_as<std::remove_cvref_t<decltype(v)>, LineTime> {
  return std::tie(v.line, v.issue, v.memory, v.shared, v.barrier, v.result);
}
auto members(auto& v) requires std::same_as<std::remove_cvref_t<decltype(v)>, WhatIf> {
  return std::tie(v.line, v.kind, v.ms);
}
auto members(auto& v) requires std::same_as<std::remove_cvref_t<decltype(v)>, LaunchTime> {
  return std::tie(v.ms, v.kernel_ms, v.lines, v.what_ifs);
}
auto members(auto& v) requires std::same_as<std::remove_cvref_t<decltype(v)>, LaunchLines> {
  return std::tie(v.kernel, v.file, v.ptx, v.grid, v.block, v.phases, v.counters, v.lines, v.accesses, v.idle, v.time);
}
auto members(auto& v) requires std::same_as<std::remove_cvref_t<decltype(v)>, KernelRecord> {
  return std::tie(v.name, v.cpp_name, v.launches, v.grid, v.block, v.shared_bytes, v.registers, v.caller, v.counters,
                  v.counted, v.ms, v.least_ms, v.most_ms, v.modelled, v.model, v.model_unavailable, v.findings, v.each,
                  v.lines);
}
auto members(auto& v) requires std::same_as<std::remove_cvref_t<decltype(v)>, Activity> {
  return std::tie(v.what, v.number, v.start_ms, v.ms, v.grid, v.block, v.shared_bytes, v.bytes, v.registers, v.stream,
                  v.caller);
}
auto members(auto& v) requires std::same_as<std::remove_cvref_t<decltype(v)>, CopyRecord> {
  return std::tie(v.calls, v.bytes, v.ms, v.least_ms, v.most_ms);
}
auto members(auto& v) requires std::same_as<std::remove_cvref_t<decltype(v)>, CallRecord> {
  return std::tie(v.calls, v.bytes);
}
auto members(auto& v) requires std::same_as<std::remove_cvref_t<decltype(v)>, FaultRecord> {
  return std::tie(v.failure, v.kernel, v.what, v.where, v.hint, v.launch, v.grid, v.block, v.error, v.seen, v.caller);
}
auto members(auto& v) requires std::same_as<std::remove_cvref_t<decltype(v)>, UnsupportedRecord> {
  return std::tie(v.what, v.caller, v.hint);
}
auto members(auto& v) requires std::same_as<std::remove_cvref_t<decltype(v)>, LeakRecord> {
  return std::tie(v.bytes, v.name, v.caller);
}
auto members(auto& v) requires std::same_as<std::remove_cvref_t<decltype(v)>, Record> {
  return std::tie(v.gpu, v.kernels, v.copies, v.calls, v.activities, v.activities_cut, v.faults, v.findings,
                  v.allocations, v.leaks, v.leaked_bytes, v.leaks_cut, v.unsupported, v.notes, v.crash, v.complete);
}

auto members(auto& v) requires std::same_as<std::remove_cvref_t<decltype(v)>, StepsRecord> {
  return std::tie(v.steps, v.ptx, v.findings);
}

template <typename T>
concept Struct = requires(T& v) {
  members(v);
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
  std::apply([&](const auto&... member) { (json.push_back(put(member)), ...); }, members(const_cast<T&>(value)));
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
  std::apply([&](auto&... member) { (get(json.at(next++), member), ...); }, members(value));
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
