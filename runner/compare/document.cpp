#include "runner/compare/document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "common/counters.h"
#include "common/error.h"
#include "common/text.h"
#include "runner/student_file/source_file.h"

namespace gpulab {
namespace {

using Json = nlohmann::json;

constexpr std::uintmax_t most_bytes = std::uintmax_t{32} << 20;
constexpr std::size_t most_values = 2'000'000, most_results = 10'000, most_counters = 500, most_samples = 100'000,
                      most_text = 2000;
constexpr int most_depth = 40;

/// What nothing here looks at, and what may be most of a document.
constexpr std::array unread{"lines", "marks",  "buffers", "curve",  "notes",     "phases",
                            "api",   "copies", "advice",  "shapes", "mismatches"};

Error refused(const std::string& path, const std::string& why, std::string hint = {}) {
  return usage_error(fmt::format("compare: {} {}", visible(path), why),
                     hint.empty() ? "compare takes what '--format json' of a lab, run, check, explain or exec writes"
                                  : std::move(hint));
}

std::string cut(std::string text) {
  if (text.size() > most_text) text = text.substr(0, most_text) + " …";
  return visible(text);
}

/// A member of an object; null where it is none, or has no such member.
const Json* member(const Json& json, const char* name) {
  if (!json.is_object()) return nullptr;
  const auto found = json.find(name);
  return found == json.end() || found->is_null() ? nullptr : &*found;
}

std::string text_of(const Json& json, const char* name) {
  const auto* found = member(json, name);
  return found != nullptr && found->is_string() ? cut(found->get<std::string>()) : std::string();
}

/// A number of at least 0 that is no infinity; documents spell those as words.
std::optional<double> number_of(const Json* json) {
  if (json == nullptr || !json->is_number()) return std::nullopt;
  const auto value = json->get<double>();
  return std::isfinite(value) && value >= 0 ? std::optional(value) : std::nullopt;
}
std::optional<double> positive_of(const Json& json, const char* name) {
  const auto value = number_of(member(json, name));
  return value && *value > 0 ? value : std::nullopt;
}

bool flag_of(const Json& json, const char* name) {
  const auto* found = member(json, name);
  return found != nullptr && found->is_boolean() && found->get<bool>();
}

/// Every element of a list; of what is none, nothing.
template <typename Visit>
void each(const Json& json, const char* name, std::size_t most, const Visit& visit) {
  const auto* found = member(json, name);
  if (found == nullptr || !found->is_array()) return;
  for (std::size_t i = 0; i < std::min(most, found->size()); ++i) visit((*found)[i]);
}

std::vector<std::pair<std::string, std::string>> params_of(const Json& json, const char* name) {
  std::vector<std::pair<std::string, std::string>> params;
  const auto* found = member(json, name);
  if (found == nullptr || !found->is_object()) return params;
  for (const auto& [key, value] : found->items()) {
    if (params.size() == 50) break;
    params.emplace_back(cut(key), value.is_string()   ? cut(value.get<std::string>())
                                  : value.is_number() ? value.dump()
                                                      : std::string("?"));
  }
  return params;
}

std::map<std::string, double, std::less<>> counters_of(const Json& json) {
  std::map<std::string, double, std::less<>> counters;
  const auto* found = member(json, "counters");
  if (found == nullptr || !found->is_object()) return counters;
  for (const auto& [key, value] : found->items())
    if (const auto number = number_of(&value); number && counters.size() < most_counters) counters[cut(key)] = *number;
  return counters;
}

/// "32x8x1" as people write it: "32x8".
std::string extents_of(const Json& json, const char* name) {
  std::vector<std::string> parts;
  each(json, name, 3, [&](const Json& one) { parts.push_back(one.is_number_integer() ? one.dump() : "?"); });
  while (parts.size() > 1 && parts.back() == "1") parts.pop_back();
  return fmt::format("{}", fmt::join(parts, "x"));
}

std::string launch_of(const Json& result) {
  const auto* launch = member(result, "launch");
  if (launch == nullptr || !launch->is_object()) return {};
  auto text = fmt::format("grid {}, block {}", extents_of(*launch, "grid"), extents_of(*launch, "block"));
  const auto shared = positive_of(*launch, "dynamic_shared_bytes");
  if (shared) text += fmt::format(", {:g} B of shared memory", *shared);
  return text;
}

std::optional<MeasuredTime> measured_of(const Json& result, const std::string& gpu) {
  const auto* timing = member(result, "timing");
  if (timing == nullptr || gpu.empty() || text_of(*timing, "source") != "cuda_events") return std::nullopt;
  const auto median = positive_of(*timing, "median_ms");
  if (!median) return std::nullopt;
  MeasuredTime time{.gpu = gpu, .mode = text_of(*timing, "mode"), .median_ms = *median};
  time.q1_ms = positive_of(*timing, "q1_ms").value_or(*median);
  time.q3_ms = positive_of(*timing, "q3_ms").value_or(*median);
  time.samples = static_cast<std::uint64_t>(std::min(number_of(member(*timing, "samples")).value_or(0), 1e9));
  each(*timing, "samples_ms", most_samples, [&](const Json& one) {
    if (const auto value = number_of(&one); value && *value > 0) time.raw_ms.push_back(*value);
  });
  each(*timing, "sm_mhz", most_samples, [&](const Json& one) {
    if (const auto value = number_of(&one); value && *value > 0) time.sm_mhz.push_back(*value);
  });
  if (time.sm_mhz.size() != time.raw_ms.size()) time.sm_mhz.clear();
  time.in_turn = flag_of(*timing, "in_turn");
  time.throttled = text_of(*timing, "throttled");
  return time;
}

std::optional<ModelTime> modelled_of(const Json& json) {
  const auto* model = member(json, "model");
  if (model == nullptr) return std::nullopt;
  const auto ms = positive_of(*model, "time_ms");
  if (!ms) return std::nullopt;
  return ModelTime{.gpu = text_of(*model, "gpu"),
                   .ms = *ms,
                   .low_ms = positive_of(*model, "low_ms").value_or(*ms),
                   .high_ms = positive_of(*model, "high_ms").value_or(*ms),
                   .bound = text_of(*model, "bound"),
                   .sms_used = static_cast<int>(std::min(number_of(member(*model, "sms_used")).value_or(0), 1e6)),
                   .validated = flag_of(*model, "validated"),
                   .no_ground = text_of(*model, "no_ground")};
}

Answer answer_of(const std::string& status, bool racy) {
  if (status == "ok" || status == "passed" || (racy && status == "wrong")) return Answer::right;
  if (status == "skipped" || status == "interrupted" || status == "unsupported") return Answer::unknown;
  return Answer::wrong;
}

bool has_errors(const Json& json) {
  bool found = false;
  each(json, "findings", 1000, [&](const Json& one) { found |= text_of(one, "severity") == "error"; });
  return found;
}

void read_run(const Json& json, ResultDocument& document) {
  const auto* device = member(json, "device");
  const bool is_gpu = device != nullptr && text_of(*device, "kind") == "gpu";
  const auto lab = text_of(json, "file").empty() ? text_of(json, "lab") : text_of(json, "file");
  each(json, "results", most_results, [&](const Json& one) {
    document.results.push_back(compared_result(one, lab, is_gpu ? text_of(*device, "name") : ""));
  });
}

/// The kernel's own result, the first; what is judged wrong has none. Rungs beside it are the lab's, not the student's.
void read_check(const Json& json, ResultDocument& document) {
  std::string problem;
  each(json, "items", 100, [&](const Json& item) {
    const bool is_about_speed = text_of(item, "name") == "require";
    if (problem.empty() && !is_about_speed && text_of(item, "status") == "failed")
      problem = text_of(item, "name") + ": " + text_of(item, "message");
  });
  ComparedResult result;
  each(json, "results", 1, [&](const Json& one) { result = compared_result(one, "", ""); });
  result.lab = text_of(json, "lab");
  result.name = text_of(json, "contract");
  result.launch.clear();  // the source asks for its block
  result.status = problem.empty() ? "ok" : "failed";
  result.answer = answer_of(result.status, false);
  result.message = problem;
  document.results.push_back(std::move(result));
}

/// All launches of the case together, because the modelled time is theirs.
void read_explain(const Json& json, ResultDocument& document) {
  auto result = compared_result(json, text_of(json, "lab"), "");
  if (result.lab.empty()) result.lab = text_of(json, "file");
  result.sparse = true;
  const auto* launches = member(json, "launches");
  const bool is_one = launches != nullptr && launches->is_array() && launches->size() == 1;
  each(json, "launches", most_results, [&](const Json& launch) {
    for (const auto& [name, value] : counters_of(launch))
      if (is_one || value == std::floor(value)) result.counters[name] += value;  // shares of two launches do not add up
  });
  document.results.push_back(std::move(result));
}

/// Of a program, all of its kernels together: their counts, and their times where all have one.
void add_kernels(std::vector<ComparedResult>& results, std::size_t program) {
  auto& whole = results[program];
  ModelTime sum{.validated = true};
  bool all_timed = results.size() > program + 1;
  for (std::size_t i = program + 1; i < results.size(); ++i) {
    for (const auto& [name, value] : results[i].counters)
      if (const auto* info = find_counter(name);
          info != nullptr && info->unit == CounterUnit::count && name.find("max_lanes") == std::string::npos)
        whole.counters[name] += value;
    const auto& time = results[i].modelled;
    if (!time) all_timed = false;
    if (!all_timed) continue;
    sum.gpu = time->gpu;
    sum.sms_used = std::max(sum.sms_used, time->sms_used);
    sum.ms += time->ms;
    sum.low_ms += time->low_ms;
    sum.high_ms += time->high_ms;
    sum.validated = sum.validated && time->validated;
    if (sum.no_ground.empty()) sum.no_ground = time->no_ground;
  }
  if (all_timed) whole.modelled = std::move(sum);
}

void read_exec(const Json& json, ResultDocument& document) {
  ComparedResult program;
  program.lab = text_of(json, "program");
  program.name = "the program";
  const auto code = number_of(member(json, "exit_code")).value_or(0);
  program.status = text_of(json, "status");
  if (program.status == "ok" && code != 0) program.status = "failed";
  program.answer = answer_of(program.status, false);
  if (program.answer == Answer::wrong) program.message = fmt::format("exit code {:g}", code);
  std::vector<std::string> faulty;
  each(json, "faults", most_results, [&](const Json& fault) { faulty.push_back(text_of(fault, "kernel")); });
  const auto first = document.results.size();
  document.results.push_back(program);
  each(json, "kernels", most_results, [&](const Json& one) {
    ComparedResult kernel;
    kernel.lab = program.lab;
    kernel.name = kernel.kernel = text_of(one, "name");
    kernel.status = std::ranges::count(faulty, kernel.name) > 0 ? "fault" : has_errors(one) ? "finding" : "ok";
    kernel.answer = answer_of(kernel.status, false);
    kernel.counters = counters_of(one);
    kernel.modelled = modelled_of(one);
    kernel.unmodelled = text_of(one, "model_unavailable");
    const auto* time = member(one, "time");
    const auto total =
        time != nullptr && !flag_of(*time, "lower_bound") ? positive_of(*time, "total_ms") : std::nullopt;
    if (kernel.modelled && total) {  // of all launches; the interval is that of the one that takes the most
      const double launches = *total / kernel.modelled->ms;
      kernel.modelled->ms = *total;
      kernel.modelled->low_ms *= launches;
      kernel.modelled->high_ms *= launches;
    } else {
      kernel.modelled.reset();
    }
    document.results.push_back(std::move(kernel));
  });
  add_kernels(document.results, first);
}

struct Reader {
  std::string_view schema;
  void (*read)(const Json& json, ResultDocument& document);
  const char* list;  ///< that it must have
};
constexpr std::array readers{
    Reader{"gpulab.run.v1", read_run, "results"}, Reader{"gpulab.check.v1", read_check, "items"},
    Reader{"gpulab.explain.v1", read_explain, "launches"}, Reader{"gpulab.exec.v1", read_exec, "kernels"}};

Json parsed(const std::string& path, std::string_view text) {
  std::size_t values = 0;
  const auto look = [&](int depth, Json::parse_event_t event, Json& value) {
    if (depth > most_depth) throw refused(path, fmt::format("is nested deeper than {} levels", most_depth));
    if (++values > most_values) throw refused(path, fmt::format("has more than {} values", grouped(most_values)));
    if (event != Json::parse_event_t::key) return true;
    const auto& name = value.get_ref<const std::string&>();
    return std::ranges::none_of(unread, [&](std::string_view one) { return one == name; });
  };
  try {
    return Json::parse(text, look);
  } catch (const Json::exception& error) {
    const std::string what = error.what();  // "[json.exception.parse_error.101] parse error at line 1, column 2: …"
    throw refused(path, "is no JSON: " + cut(what.substr(std::min(what.find("] ") + 2, what.size()))));
  }
}

}  // namespace

ComparedResult compared_result(const Json& json, const std::string& lab, const std::string& gpu) {
  ComparedResult result{.lab = lab, .name = text_of(json, "variant")};
  result.kernel = text_of(json, "kernel");
  result.params = params_of(json, "params");
  result.launch = launch_of(json);
  result.status = text_of(json, "status");
  result.answer = answer_of(result.status, flag_of(json, "racy"));
  result.message = text_of(json, "message");
  result.counters = counters_of(json);
  for (const auto& [name, value] : params_of(json, "counters_params"))
    result.counted_at += fmt::format("{}{} {}", result.counted_at.empty() ? "" : ", ", name, value);
  result.measured = measured_of(json, gpu);
  result.modelled = modelled_of(json);
  result.unmodelled = text_of(json, "model_unavailable");
  return result;
}

ResultDocument document_of(const std::string& path, std::string_view text) {
  const auto json = parsed(path, text);
  ResultDocument document{.file = path, .schema = text_of(json, "schema")};
  if (document.schema == "gpulab.error.v1") {
    const auto* error = member(json, "error");
    throw refused(path, "holds an error and no results: " + (error != nullptr ? text_of(*error, "what") : ""));
  }
  const auto reader = std::ranges::find(readers, document.schema, &Reader::schema);
  if (reader == readers.end())
    throw refused(path, document.schema.empty() ? "is no document of gpulab: it has no \"schema\""
                                                : fmt::format("is a {}, which has no results", document.schema));
  const auto* list = member(json, reader->list);
  if (list == nullptr || !list->is_array())
    throw refused(path, fmt::format("is no {}: it has no list \"{}\"", document.schema, reader->list));
  if (list->size() > most_results) throw refused(path, fmt::format("has more than {} results", grouped(most_results)));
  reader->read(json, document);
  return document;
}

ResultDocument read_document(const std::string& path) {
  std::error_code failed;
  if (const auto size = std::filesystem::file_size(path, failed); !failed && size > most_bytes)
    throw refused(path,
                  fmt::format("has {}; {} is the most", bytes_text(double(size)), bytes_text(double(most_bytes))));
  return document_of(path, read_file(path, "compare"));
}

}  // namespace gpulab
