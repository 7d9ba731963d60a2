#include "runner/execution/wire.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "common/device/members.h"
#include "common/trace/step_members.h"
#include "runner/execution/attached_bytes.h"

namespace gpulab {
namespace {

using Json = nlohmann::json;

// A struct travels as the array of its members, of which each is named (common/device/members.h).
void members(Mismatch& v, auto&& visit) {
  auto& [index, got, expected] = v;
  visit(index, got, expected);
}
void members(Verification& v, auto&& visit) {
  auto& [status, absolute, relative, tolerance, count, mismatches, note] = v;
  visit(status, absolute, relative, tolerance, count, mismatches, note);
}
void members(Discarded& v, auto&& visit) {
  auto& [reason, samples] = v;
  visit(reason, samples);
}
void members(Timing& v, auto&& visit) {
  auto& [source, mode, samples, min, q1, median, q3, mean, stddev, all, in_turn, mhz, stopped_by, discarded, throttled,
         unseen] = v;
  visit(source, mode, samples, min, q1, median, q3, mean, stddev, all, in_turn, mhz, stopped_by, discarded, throttled,
        unseen);
}
void members(LaunchFacts& v, auto&& visit) {
  auto& [grid, block, dynamic_shared, static_shared, local, registers, launches, estimated, of_gpu] = v;
  visit(grid, block, dynamic_shared, static_shared, local, registers, launches, estimated, of_gpu);
}
void members(Metric& v, auto&& visit) {
  auto& [name, value, unit] = v;
  visit(name, value, unit);
}
void members(Curve& v, auto&& visit) {
  auto& [name, x_label, y_label, x, y, y_max, marked] = v;
  visit(name, x_label, y_label, x, y, y_max, marked);
}
void members(Picture& v, auto&& visit) {
  auto& [width, height, rgb] = v;
  visit(width, height, rgb);
}
void members(Spread& v, auto&& visit) {
  auto& [sm_count, sms_used, waves, tail] = v;
  visit(sm_count, sms_used, waves, tail);
}
void members(Occupancy& v, auto&& visit) {
  auto& [theoretical, blocks, limited_by] = v;
  visit(theoretical, blocks, limited_by);
}
void members(BufferSlice& v, auto&& visit) {
  auto& [from, values] = v;
  visit(from, values);
}
void members(BufferFacts& v, auto&& visit) {
  auto& [name, type, count, first, fnv1a64, slices] = v;
  visit(name, type, count, first, fnv1a64, slices);
}
void members(SimulatorOptions& v, auto&& visit) {
  auto& [threads, budget, patience, compiled, counters, model, timing, empty_l2, repeats, lines, sanitize, print_limit,
         schedule, trace, observers] = v;
  (void)observers;  // of this process
  visit(threads, budget, patience, compiled, counters, model, timing, empty_l2, repeats, lines, sanitize, print_limit,
        schedule, trace);
}
void members(DeviceRequest& v, auto&& visit) {
  auto& [index, profile, simulation] = v;
  visit(index, profile, simulation);
}
void members(Result& v, auto&& visit) {
  auto& [variant, kernel, status, message, racy, needs_clock, summary, params, launch, occupancy, spread, verification,
         timing, simulation_ms, model, model_unavailable, metrics, notes, curve, picture, built_on, would_build_on,
         changes, counters, counters_params, findings, output, output_cut, work, lines, steps, buffers, contents] = v;
  (void)racy, (void)needs_clock;                        // whoever asked knows the variant
  (void)built_on, (void)would_build_on, (void)changes;  // of several results
  visit(variant, kernel, status, message, summary, params, launch, occupancy, spread, verification, timing,
        simulation_ms, model, model_unavailable, metrics, notes, curve, picture, counters, counters_params, findings,
        output, output_cut, work, lines, steps, buffers, contents);
}
void members(Params& v, auto&& visit) { visit(v.values); }
void members(Case& v, auto&& visit) {
  auto& [params, block, grid, seed, sm_count, max_threads, gpu] = v;
  (void)gpu;  // the worker's own: CaseRunner sets it
  visit(params, block, grid, seed, sm_count, max_threads);
}
void members(MeasureOptions& v, auto&& visit) {
  auto& [warmup, reps, min_time, max_noise, stop, warm] = v;
  visit(warmup, reps, min_time, max_noise, stop, warm);
}
void members(Slice& v, auto&& visit) {
  auto& [buffer, first, end] = v;
  visit(buffer, first, end);
}
void members(RunOptions& v, auto&& visit) {
  auto& [grid, counters, measure, dumps, shows, printed, measuring] = v;
  (void)printed;    // of this process: WireCase::listens
  (void)measuring;  // of this process: WireCase::beside
  visit(grid, counters, measure, dumps, shows);
}
void members(KernelResources& v, auto&& visit) {
  auto& [sm, registers, shared, stack] = v;
  visit(sm, registers, shared, stack);
}
void members(KernelFile& v, auto&& visit) {
  auto& [file, source, ptx, capability, entry, shared, cooperative, arguments, variables, expectations, tolerance,
         resources] = v;
  visit(file, source, ptx, capability, entry, shared, cooperative, arguments, variables, expectations, tolerance,
        resources);
}
void members(Buffer& v, auto&& visit) {
  auto& [name, type, count, role, initial, on_host, symbol, gpu] = v;
  visit(name, type, count, role, initial, on_host, symbol, gpu);
}
void members(BufferArgument& v, auto&& visit) {
  auto& [buffer, offset] = v;
  visit(buffer, offset);
}
void members(TensorMapArgument& v, auto&& visit) {
  auto& [buffer, rows, cols, box_rows, box_cols] = v;
  visit(buffer, rows, cols, box_rows, box_cols);
}
void members(TextureArgument& v, auto&& visit) {
  auto& [buffer, is_surface, extent, channels, mode, filters, is_normalized, as_fractions] = v;
  visit(buffer, is_surface, extent[0], extent[1], extent[2], channels, mode, filters, is_normalized, as_fractions);
}
void members(BytesArgument& v, auto&& visit) { visit(v.bytes); }
void members(Copy& v, auto&& visit) {
  auto& [to, from, first, count] = v;
  visit(to, from, first, count);
}
void members(Step& v, auto&& visit) {
  auto& [kernel, grid, block, dynamic_shared, arguments, cooperative, stream, copy, gpu, after] = v;
  visit(kernel, grid, block, dynamic_shared, arguments, cooperative, stream, copy, gpu, after);
}
void members(Trial& v, auto&& visit) {
  auto& [number, buffers, steps] = v;
  visit(number, buffers, steps);
}
void members(WireCase& v, auto&& visit) {
  auto& [lab, variant, point, options, file, trial, listens, watches, beside] = v;
  visit(lab, variant, point, options, file, trial, listens, watches, beside);
}
void members(LaunchProgress::Now& v, auto&& visit) {
  auto& [kernel, launch, launches, blocks, done, elapsed_ms] = v;
  visit(kernel, launch, launches, blocks, done, elapsed_ms);
}

template <typename T>
concept Struct = requires(T& value) {
  members(value, [](auto&...) {});
};
template <typename T>
concept Plain = std::is_integral_v<T>;

// A string is bytes, JSON is UTF-8: each byte beyond ASCII travels as the character of its number.
void put(Json& json, const std::string& bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xc0 | byte >> 6);
      text += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  json = std::move(text);
}
void get(const Json& json, std::string& bytes) {
  const auto& text = json.get_ref<const std::string&>();
  bytes.clear();
  bytes.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) {
      bytes += text[i];
    } else {
      if (byte > 0xc3 || i + 1 == text.size()) throw std::runtime_error("no bytes: " + text.substr(0, 60));
      bytes += static_cast<char>((byte & 3) << 6 | (static_cast<unsigned char>(text[++i]) & 0x3f));
    }
  }
}

/// Enums travel as their words.
template <SpelledOut E>
void put(Json& json, const E& value) {
  json = to_text(value);
}
template <SpelledOut E>
void get(const Json& json, E& value) {
  const auto known = from_text<E>(json.get_ref<const std::string&>());
  if (!known) throw std::runtime_error("no value of its enum: " + json.dump());
  value = *known;
}

template <Plain T>
void put(Json& json, const T& value) {
  json = value;
}
template <Plain T>
void get(const Json& json, T& value) {
  value = json.get<T>();
}

// JSON has no infinities and no NaN.
void put(Json& json, double value) {
  if (std::isfinite(value))
    json = value;
  else
    json = std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}
void get(const Json& json, double& value) {
  if (json.is_number()) {
    value = json.get<double>();
    return;
  }
  const auto word = json.get<std::string>();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  value = word == "nan" ? std::numeric_limits<double>::quiet_NaN() : word == "inf" ? infinity : -infinity;
}

void get(const Json& json, float& value) {
  double wide = 0;
  get(json, wide);
  value = static_cast<float>(wide);
}

void put(Json& json, Scalar value) { json = name_of(value); }
void get(const Json& json, Scalar& value) {
  const auto known = scalar_named(json.get_ref<const std::string&>());
  if (!known) throw std::runtime_error("no type: " + json.dump());
  value = *known;
}
void put(Json& json, BufferRole value) { json = static_cast<int>(value); }
void get(const Json& json, BufferRole& value) { value = static_cast<BufferRole>(json.get<int>()); }

// Bytes lie behind the JSON (attached_bytes.h).
void put(Json& json, const std::vector<std::byte>& bytes) {
  const auto* start = reinterpret_cast<const std::uint8_t*>(bytes.data());
  json = Json::binary({start, start + bytes.size()});
}
void get(const Json& json, std::vector<std::byte>& bytes) {
  const auto& binary = json.get_binary();
  const auto* start = reinterpret_cast<const std::byte*>(binary.data());
  bytes.assign(start, start + binary.size());
}
void put(Json& json, const std::vector<std::uint8_t>& bytes) { json = Json::binary(bytes); }
void get(const Json& json, std::vector<std::uint8_t>& bytes) { bytes = json.get_binary(); }

void put(Json& json, const Counters& value) { json = value.counts; }
void get(const Json& json, Counters& value) { json.get_to(value.counts); }

// Declared before they are defined: they call each other.
void put(Json& json, const std::shared_ptr<StepTrace>& steps);
void get(const Json& json, std::shared_ptr<StepTrace>& steps);
template <typename T>
void put(Json& json, const std::optional<T>& value);
template <typename T>
void get(const Json& json, std::optional<T>& value);
template <typename T, std::size_t n>
void put(Json& json, const std::array<T, n>& values);
template <typename T, std::size_t n>
void get(const Json& json, std::array<T, n>& values);
template <typename T>
void put(Json& json, const std::vector<T>& values);
template <typename T>
void get(const Json& json, std::vector<T>& values);
template <typename A, typename B>
void put(Json& json, const std::pair<A, B>& value);
template <typename A, typename B>
void get(const Json& json, std::pair<A, B>& value);
template <typename... T>
void put(Json& json, const std::variant<T...>& value);
template <typename... T>
void get(const Json& json, std::variant<T...>& value);
template <typename K, typename V, typename C>
void put(Json& json, const std::map<K, V, C>& values);
template <typename K, typename V, typename C>
void get(const Json& json, std::map<K, V, C>& values);

template <Struct T>
void put(Json& json, const T& value) {
  json = Json::array();
  members(const_cast<T&>(value), [&](auto&... member) { (put(json.emplace_back(), std::as_const(member)), ...); });
}
template <Struct T>
void get(const Json& json, T& value) {
  std::size_t next = 0;
  members(value, [&](auto&... member) { (get(json.at(next++), member), ...); });
}

template <typename T>
void put(Json& json, const std::optional<T>& value) {
  json = Json::array();
  if (value) put(json.emplace_back(), *value);
}
template <typename T>
void get(const Json& json, std::optional<T>& value) {
  value.reset();
  if (!json.empty()) get(json.at(0), value.emplace());
}

template <typename T, std::size_t n>
void put(Json& json, const std::array<T, n>& values) {
  json = Json::array();
  for (const auto& value : values) put(json.emplace_back(), value);
}
template <typename T, std::size_t n>
void get(const Json& json, std::array<T, n>& values) {
  for (std::size_t i = 0; i < n; ++i) get(json.at(i), values[i]);
}

void put(Json& json, const std::shared_ptr<StepTrace>& steps) {
  json = Json::array();
  if (steps) put(json.emplace_back(), *steps);
}
void get(const Json& json, std::shared_ptr<StepTrace>& steps) {
  steps.reset();
  if (json.empty()) return;
  steps = std::make_shared<StepTrace>();
  get(json.at(0), *steps);
}

template <typename T>
void put(Json& json, const std::vector<T>& values) {
  json = Json::array();
  for (const auto& value : values) put(json.emplace_back(), value);
}
template <typename T>
void get(const Json& json, std::vector<T>& values) {
  values.assign(json.size(), T{});
  for (std::size_t i = 0; i < values.size(); ++i) get(json.at(i), values[i]);
}

template <typename A, typename B>
void put(Json& json, const std::pair<A, B>& value) {
  json = Json::array();
  put(json.emplace_back(), value.first);
  put(json.emplace_back(), value.second);
}
template <typename A, typename B>
void get(const Json& json, std::pair<A, B>& value) {
  get(json.at(0), value.first);
  get(json.at(1), value.second);
}

template <typename... T>
void put(Json& json, const std::variant<T...>& value) {
  json = Json::array({value.index()});
  std::visit([&](const auto& held) { put(json.emplace_back(), held); }, value);
}
template <typename... T>
void get(const Json& json, std::variant<T...>& value) {
  const auto wanted = json.at(0).get<std::size_t>();
  std::size_t index = 0;
  const auto take = [&]<typename U>(U held) {
    if (index++ != wanted) return;
    get(json.at(1), held);
    value = std::move(held);
  };
  (take(T{}), ...);
}

template <typename K, typename V, typename C>
void put(Json& json, const std::map<K, V, C>& values) {
  json = Json::array();
  for (const auto& value : values) put(json.emplace_back(), std::pair<K, V>(value));
}
template <typename K, typename V, typename C>
void get(const Json& json, std::map<K, V, C>& values) {
  values.clear();
  for (const auto& item : json) {
    std::pair<K, V> value;
    get(item, value);
    values.insert(std::move(value));
  }
}

}  // namespace

std::string encode(const WireCase& request) {
  Json json;
  put(json, request);
  return line_with_bytes(std::move(json));
}

std::string encode(const WireReply& reply) {
  Json json;
  if (reply.result) {
    put(json["result"], *reply.result);
    for (const auto& launch : reply.result->lines) put(json["texts"].emplace_back(), std::string(launch.text));
  }
  if (reply.beside) put(json["beside"], *reply.beside);
  if (reply.printed) put(json["printed"], *reply.printed);
  if (reply.progress) put(json["progress"], *reply.progress);
  if (reply.error) {
    json["error"] = static_cast<int>(reply.error->code);
    put(json["what"], std::string(reply.error->what()));
    put(json["where"], reply.error->where);
    put(json["hint"], reply.error->hint);
  }
  return line_with_bytes(std::move(json));
}

std::string encode(const DeviceRequest& request) {
  Json json;
  put(json, request);
  return line_with_bytes(std::move(json));
}

WireCase decode_case(std::string_view line) {
  WireCase request;
  get(json_with_bytes(line), request);
  return request;
}

DeviceRequest decode_request(std::string_view line) {
  DeviceRequest request;
  get(json_with_bytes(line), request);
  return request;
}

WireReply decode_reply(std::string_view line) {
  const Json json = json_with_bytes(line);
  WireReply reply;
  const auto text = [&](const char* name) {
    std::string got;
    get(json.at(name), got);
    return got;
  };
  if (json.contains("error")) {
    reply.error.emplace(static_cast<ExitCode>(json.at("error").get<int>()), text("what"), text("where"), text("hint"));
  } else if (json.contains("printed")) {
    reply.printed = text("printed");
  } else if (json.contains("progress")) {
    get(json.at("progress"), reply.progress.emplace());
  } else {
    get(json.at("result"), reply.result.emplace());
    if (json.contains("beside")) get(json.at("beside"), reply.beside.emplace());
    if (json.contains("texts")) get(json.at("texts"), reply.texts);
    if (reply.texts.size() != reply.result->lines.size()) throw std::runtime_error("a launch has no text");
  }
  return reply;
}

}  // namespace gpulab
