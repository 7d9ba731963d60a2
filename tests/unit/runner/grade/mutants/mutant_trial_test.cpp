#include "runner/grade/mutants/mutant_trial.h"

#include <nlohmann/json.hpp>

#include "tests/catch.h"

using namespace gpulab;
using Json = nlohmann::json;

namespace {

Json grade_with(const Json& items) {
  return {{"status", "graded"}, {"reason", ""}, {"compile_problem", nullptr}, {"kernels", {"total"}}, {"items", items}};
}

Json item(const char* name, const char* kind, const Json& earned) {
  return {{"name", name}, {"kind", kind}, {"points", 10}, {"earned", earned}};
}

TriedMutant read(const Json& grade) {
  TriedMutant tried{.mutation = {"guard", "'if (i < n)' always holds", 5, ""}};
  read_grade(grade, tried);
  return tried;
}

}  // namespace

TEST_CASE("a mutant is caught by the first item that it loses points in, one about right and wrong before others") {
  const auto tried =
      read(grade_with({item("frugal", "require", 0), item("right", "correct", 5), item("clean", "sanitize", 0)}));
  CHECK(tried.fate == MutantFate::caught);
  CHECK(tried.item == "right");
  CHECK(tried.by_right);
  CHECK(tried.is_wrong);
  const auto slower = read(grade_with({item("right", "correct", 10), item("frugal", "require", 0)}));
  CHECK(slower.item == "frugal");
  CHECK_FALSE(slower.is_wrong);
  CHECK(read(grade_with({item("right", "correct", 10), item("fast", "speed", nullptr)})).fate == MutantFate::unproved);
}

TEST_CASE("a mutant that does not compile, or is no kernel any more, is no mutant") {
  auto grade = grade_with(Json::array());
  grade["compile_problem"] = "m.cu:5: expected a ';'";
  CHECK(read(grade).fate == MutantFate::uncompiled);
  grade = grade_with(Json::array());
  grade["kernels"] = Json::array();
  CHECK(read(grade).fate == MutantFate::uncompiled);
}

TEST_CASE("a further launch that met the backstop of the clock says nothing of a mutant") {
  Judgement judgement;
  judgement.shapes.emplace_back();
  judgement.shapes.back().name = "long";
  judgement.shapes.back().status = CaseStatus::timeout;
  judgement.shapes.back().message = "no result within 60 s: the worker process was ended";
  CHECK(what_tells({}, judgement).empty());
  CHECK(met_the_clock(judgement) == "class 'long': no result within 60 s: the worker process was ended");
  judgement.shapes.back().status = CaseStatus::wrong;
  judgement.shapes.back().message = "out[0] is 1, not 2";
  CHECK(what_tells({}, judgement) == "class 'long', which no item names: out[0] is 1, not 2");
  CHECK(met_the_clock(judgement).empty());
}

TEST_CASE("a mutant that the machine had no time for has kept no points: it is told apart, with the reason") {
  auto grade = grade_with(Json::array());  // without items, none of which cost it anything
  grade["status"] = "infrastructure";
  grade["reason"] = "a launch came to no end within the time that this machine has for it";
  const MutantReport report{.mutants = {read(grade)}};
  CHECK(report.mutants.front().fate == MutantFate::ungraded);
  CHECK(report.wrong() == 0);
  CHECK(mutant_text({}, report) ==
        "0 mutants of 1 lose points (0 in items about right and wrong, of 0 that are wrong): \n"
        "could not be graded here, and are counted nowhere else:\n"
        "  line 5: 'if (i < n)' always holds (guard)\n"
        "    a launch came to no end within the time that this machine has for it\n"
        "no mutant that is known to be wrong or slower keeps its points\n");
  CHECK(mutant_json(report)[0]["fate"] == "ungraded");
}
