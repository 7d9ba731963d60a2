#include "runner/grade/lint.h"

#include <nlohmann/json.hpp>

#include "labs/registry.h"
#include "tests/catch.h"

using namespace gpulab;
using Json = nlohmann::json;

namespace {

Json part(const std::string& status, const std::string& reason) {
  return {{"name", "barriers<=9"}, {"status", status}, {"reason", reason}};
}

Json graded(const std::string& status, const Json& earned, const std::string& reason, const Json& parts) {
  return {{"name", "few"},    {"kind", "require"}, {"earned", earned},
          {"status", status}, {"reason", reason},  {"parts", parts}};
}

Json solution(const std::string& role, const Json& fails, const Json& item) {
  return {{"role", role}, {"path", role + ".cu"}, {"fails", fails}, {"grade", {{"items", Json::array({item})}}}};
}

LintReport report() {
  LintReport made;
  made.solutions = {solution("reference", nullptr,
                             graded("passed", 2, "as asked for", Json::array({part("passed", "barriers is 8")}))),
                    solution("starter", nullptr, graded("failed", 0, "not earned: it is wrong", Json::array())),
                    solution("wrong", "few", graded("failed", 0, "n", Json::array({part("failed", "barriers is 12")}))),
                    solution("wrong", "few", graded("pending", nullptr, "not\nearned", Json::array()))};
  made.notes = {{true, "the wrong wrong.cu does not fail 'few'"}, {false, "there is no starter"}};
  return made;
}

const std::vector<Lab>& labs() {
  static const auto all = all_labs();
  return all;
}

Assignment assignment() {
  return parse_assignment(R"({"schema": "gpulab.assignment.v1", "title": "T", "lab": "reduce", "contract": "total",
    "items": [{"name": "few", "kind": "require", "points": 2, "require": ["barriers<=9"], "certificate": false}]})",
                          "a.json", labs());
}

}  // namespace

TEST_CASE("lint prints what the reference has of all that is asked, and each wrong solution of its item") {
  CHECK(lint_text(assignment(), report()) ==
        "T\n"
        "  reference reference.cu: few 2\n"
        "    few: barriers is 8\n"
        "  starter starter.cu: few 0\n"
        "  wrong wrong.cu: few 0\n"
        "    few: barriers is 12\n"
        "  wrong wrong.cu: few none yet\n"
        "    few: not\n"
        "error: the wrong wrong.cu does not fail 'few'\n"
        "advice: there is no starter\n"
        "1 error\n");
  auto sound = report();
  sound.notes.pop_back();
  sound.notes.pop_back();
  CHECK(lint_text(assignment(), sound).ends_with("\nsound\n"));
}

TEST_CASE("lint's document has its notes by severity, and each solution's grade") {
  const auto json = Json::parse(lint_json(assignment(), report()));
  CHECK((json.at("schema") == "gpulab.lint.v1" && json.at("sound") == false));
  CHECK(json.at("notes").at(0) == Json{{"severity", "error"}, {"text", "the wrong wrong.cu does not fail 'few'"}});
  CHECK(json.at("solutions").at(2).at("grade").at("items").at(0).at("parts").at(0).at("reason") == "barriers is 12");
  CHECK(json.at("solutions").at(0).at("fails").is_null());
}
