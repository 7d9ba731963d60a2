#include "runner/grade/program/program_facts.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace gpulab {

using Json = nlohmann::json;

bool ProgramFacts::launches() const { return std::ranges::any_of(cases, &CaseFact::launched); }

bool ProgramFacts::launches_nothing() const {
  return !launches() && !cases.empty() && std::ranges::all_of(cases, &CaseFact::ended);
}

bool ProgramFacts::is_late() const { return std::ranges::any_of(cases, &CaseFact::late); }

nlohmann::json program_facts_json(const ProgramFacts& facts) {
  Json cases = Json::array(), reported = Json::array();
  for (const auto& one : facts.cases)
    cases.push_back({one.name, one.hidden, one.right, one.launched, one.ended, one.late, one.reason});
  for (const auto& one : facts.reported)
    reported.push_back(Json::array({one.name, one.kernels, one.findings, Json(one.counters), one.time_ms, one.errors}));
  return {{"uncompiled", facts.uncompiled},
          {"messages", facts.messages},
          {"trouble", facts.trouble},
          {"cases", cases},
          {"reported", reported}};
}

ProgramFacts program_facts_in(const nlohmann::json& json) {
  ProgramFacts made{
      .uncompiled = json.at("uncompiled"), .messages = json.at("messages"), .trouble = json.at("trouble")};
  for (const auto& one : json.at("cases"))
    made.cases.push_back({one.at(0), one.at(1), one.at(2), one.at(3), one.at(4), one.at(5), one.at(6)});
  for (const auto& one : json.at("reported"))
    made.reported.push_back({one.at(0), one.at(1), one.at(2), one.at(3), one.at(4), one.at(5)});
  return made;
}

}  // namespace gpulab
