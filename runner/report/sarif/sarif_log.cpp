#include "runner/report/sarif/sarif_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "common/fnv.h"
#include "common/text.h"
#include "runner/report/json_text.h"
#include "runner/version.h"

namespace gpulab {
namespace {

using Json = nlohmann::ordered_json;

/// GitHub shows no more of one run.
constexpr std::size_t most_results = 5000;

struct Rule {
  std::string_view id, name, text, help;
};
constexpr std::array rules{
    Rule{"api", "UncheckedCall", "A call of the CUDA runtime failed, and the program did not look.",
         "Compare what the call returns with cudaSuccess; of a launch: cudaGetLastError()."},
    Rule{"compile", "DoesNotCompile", "The source does not compile.", "The compiler's message says why."},
    Rule{"fault", "KernelFault", "A launch ended by a fault: an access beside an allocation, misaligned, or a trap.",
         "Compare the index with the number of elements before the access."},
    Rule{"hung", "KernelHangs", "A launch did not end.",
         "Look for a loop that cannot end, or a lock that nobody releases."},
    Rule{"initcheck", "UninitializedRead", "Memory that nobody has written, or a variable without a value, is used.",
         "Write it, or fill it, before it is read."},
    Rule{"leak", "NeverFreed", "Device memory is never freed.", "cudaFree() it."},
    Rule{"memcheck", "InvalidAccess", "An access beside an allocation, misaligned, or of freed memory.",
         "Compare the index with the number of elements before the access."},
    Rule{"racecheck", "DataRace", "Two threads access one byte, one of them writes, and nothing orders them.",
         "Put a barrier between them, or use an atomic operation."},
    Rule{"require", "RequirementNotMet", "A counter is not as the assignment asks.", "gpulab explain shows the lines."},
    Rule{"stack", "StackTooSmall", "A thread needs a larger stack than it has.",
         "cudaDeviceSetLimit(cudaLimitStackSize, …)."},
    Rule{"streamcheck", "UnorderedOperations", "Two operations of streams meet in memory, and nothing orders them.",
         "An event, a wait, or the same stream orders them."},
    Rule{"synccheck", "DivergentBarrier", "Not all threads come to a barrier.", "Take it out of the branch."},
    Rule{"unsupported", "NotSimulated", "The program calls what the simulator does not have.", "Run it on a GPU."},
    Rule{"wrong", "WrongResult", "The kernel's result is not what it has to be.",
         "The message has the first wrong element."},
};

std::string_view level_of(Severity severity) {
  return severity == Severity::error ? "error" : severity == Severity::warning ? "warning" : "note";
}

Json text_json(std::string_view text) { return {{"text", visible(text)}}; }

Json location_json(const std::string& uri, int line) {
  return {{"physicalLocation",
           {{"artifactLocation", {{"uri", uri}, {"uriBaseId", "%SRCROOT%"}}}, {"region", {{"startLine", line}}}}}};
}

/// Those that alerts name, in order.
Json rules_json(const std::vector<std::string>& ids) {
  Json all = Json::array();
  for (const auto& id : ids) {
    const auto known = std::ranges::find(rules, id, &Rule::id);
    Json rule{{"id", id}};
    if (known != rules.end()) {
      rule["name"] = known->name;
      rule["shortDescription"] = text_json(known->text);
      rule["fullDescription"] = text_json(known->text);
      rule["help"] = text_json(known->help);
    } else {
      rule["shortDescription"] = text_json("A finding of the tool " + id + ".");
    }
    all.push_back(std::move(rule));
  }
  return all;
}

/// One mistake in several launches or classes of inputs is one alert.
bool is_same(const Alert& a, const Alert& b) {
  return a.rule == b.rule && std::ranges::equal(a.at, b.at, [](const auto& x, const auto& y) {
           return x.file == y.file && x.line == y.line;
         });
}

}  // namespace

void SarifLog::add(Alert alert) {
  std::vector<std::string> uris;
  std::vector<AlertPlace> here;
  for (auto& place : alert.at) {
    auto uri = place.line > 0 ? places_.uri_of(place.file) : std::nullopt;
    if (!uri) continue;
    uris.push_back(std::move(*uri));
    here.push_back(std::move(place));
  }
  alert.at = std::move(here);
  if (alert.at.empty()) {
    elsewhere_.push_back(std::move(alert));
    return;
  }
  // Under memcheck a fault is a finding, too.
  const auto is_told = [&](const Result& one) {
    return one.alert.rule == "memcheck" && one.uris[0] == uris[0] && one.alert.at[0].line == alert.at[0].line;
  };
  if (alert.rule == "fault" && std::ranges::any_of(results_, is_told)) return;
  const auto same = std::ranges::find_if(results_, [&](const Result& one) { return is_same(one.alert, alert); });
  if (same != results_.end()) {
    same->alert.count += alert.count;
    return;
  }
  if (results_.size() == most_results) return;
  const auto& first = alert.at.front();
  // Without the line's number: code above it may come and go.
  const auto key = fmt::format("{}\n{}\n{}", alert.rule, uris.front(), places_.line_text(first.file, first.line));
  auto fingerprint = fmt::format("{:016x}:{}", fnv1a64(key), ++alike_[key]);
  results_.push_back({std::move(alert), std::move(uris), std::move(fingerprint)});
}

std::string SarifLog::text(bool complete) const {
  std::vector<std::string> ids;
  for (const auto& result : results_) ids.push_back(result.alert.rule);
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  Json results = Json::array();
  for (const auto& [alert, uris, fingerprint] : results_) {
    Json result{{"ruleId", alert.rule},
                {"ruleIndex", std::ranges::find(ids, alert.rule) - ids.begin()},
                {"level", level_of(alert.severity)},
                {"message", text_json(alert.message)},
                {"locations", Json::array({location_json(uris[0], alert.at[0].line)})}};
    for (std::size_t i = 1; i < uris.size(); ++i) {
      auto related = location_json(uris[i], alert.at[i].line);
      related["id"] = i;
      related["message"] = text_json(alert.at[i].message);
      result["relatedLocations"].push_back(std::move(related));
    }
    result["partialFingerprints"] = {{"gpulabLine/v1", fingerprint}};
    if (alert.count > 1) result["occurrenceCount"] = std::min<std::uint64_t>(alert.count, INT32_MAX);
    results.push_back(std::move(result));
  }
  Json invocation{{"executionSuccessful", complete}};
  for (const auto& alert : elsewhere_)
    invocation["toolExecutionNotifications"].push_back(
        {{"level", level_of(alert.severity)}, {"message", text_json(alert.rule + ": " + alert.message)}});
  const Json driver{
      {"name", "gpulab"}, {"version", version()}, {"semanticVersion", version()}, {"rules", rules_json(ids)}};
  const Json run{{"tool", {{"driver", driver}}},
                 {"invocations", Json::array({std::move(invocation)})},
                 {"originalUriBaseIds", {{"%SRCROOT%", {{"description", text_json("the top of the checkout")}}}}},
                 {"results", std::move(results)}};
  return json_text(
      {{"$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"},
       {"version", "2.1.0"},
       {"runs", Json::array({run})}});
}

}  // namespace gpulab
