#include "runner/compare/pairing.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

#include "common/error.h"
#include "common/text.h"

namespace gpulab {
namespace {

/// What has to be alike. A file's or a program's name is not: versions of one are compared that have other names.
std::string key_of(const ComparedResult& result, bool with_lab, bool with_launch) {
  std::string key = fmt::format("{}\n{}\n", with_lab ? result.lab : "", result.name);
  for (const auto& [name, value] : result.params) key += fmt::format("{}={}\n", name, value);
  return with_launch ? key + result.launch : key;
}

bool names_a_lab(const std::string& lab) { return lab.find_first_of("./") == std::string::npos; }

/// Of two documents without a pair: what is alike but for one thing, for a hint.
std::string nearly(const ResultDocument& a, const ResultDocument& b) {
  std::map<std::string, const ComparedResult*> by_case, by_name;
  for (const auto& one : a.results) {
    by_case.emplace(key_of(one, true, false), &one);
    by_name.emplace(one.lab + '\n' + one.name, &one);
  }
  for (const auto& other : b.results)
    if (const auto one = by_case.find(key_of(other, true, false)); one != by_case.end())
      return fmt::format("{} is launched otherwise: {}; {}", other.name, one->second->launch, other.launch);
  for (const auto& other : b.results)
    if (by_name.contains(other.lab + '\n' + other.name))
      return fmt::format("{} of {} is in both with other parameters", other.name, other.lab);
  return "run the same command for both, with --format json --output FILE";
}

}  // namespace

Comparison paired(ResultDocument a, ResultDocument b, double threshold) {
  if (a.schema != b.schema)
    throw usage_error(fmt::format("compare: {} is a {}, {} a {}", visible(a.file), a.schema, visible(b.file), b.schema),
                      "both have to be of one command");
  Comparison comparison{.a = a.file, .b = b.file, .documents = true, .threshold = threshold};
  const auto key = [](const ComparedResult& one) { return key_of(one, names_a_lab(one.lab), true); };
  std::map<std::string, std::deque<std::size_t>> waiting;
  for (std::size_t i = 0; i < a.results.size(); ++i) waiting[key(a.results[i])].push_back(i);
  std::vector<bool> taken(a.results.size());
  std::vector<std::size_t> added;
  for (std::size_t i = 0; i < b.results.size(); ++i) {
    auto& partners = waiting[key(b.results[i])];
    if (partners.empty()) {
      added.push_back(i);
      continue;
    }
    taken[partners.front()] = true;
    comparison.pairs.push_back({a.results[partners.front()], b.results[i]});
    partners.pop_front();
  }
  if (comparison.pairs.empty())
    throw usage_error(
        fmt::format("compare: nothing can be compared: {} has {}, {} has {}, and none is in both", visible(a.file),
                    plural(a.results.size(), "result"), visible(b.file), plural(b.results.size(), "result")),
        a.results.empty() || b.results.empty() ? "run the same command for both" : nearly(a, b));
  for (std::size_t i = 0; i < a.results.size(); ++i)
    if (!taken[i]) comparison.gone.push_back(std::move(a.results[i]));
  for (const auto i : added) comparison.added.push_back(std::move(b.results[i]));
  return comparison;
}

}  // namespace gpulab
