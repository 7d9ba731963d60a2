#include "runner/listing/new_assignment.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "labs/registry.h"
#include "tests/catch.h"

using namespace gpulab;

namespace {

const Lab& lab_named(const std::vector<Lab>& labs, const std::string& name) {
  return *std::ranges::find(labs, name, &Lab::name);
}

}  // namespace

TEST_CASE("every contract of every lab has an assignment to begin with, of 100 points and with wrong solutions") {
  for (const auto& lab : all_labs())
    for (const auto& contract : lab.contracts) {
      INFO(lab.name << " " << contract.name);
      const auto files = new_assignment(lab, contract);
      const auto json = nlohmann::json::parse(files.at(0).text);
      double points = 0;
      for (const auto& item : json.at("items")) points += item.at("points").get<double>();
      CHECK(points == 100);
      CHECK(json.at("wrong").size() >= 3);
      CHECK(files.size() == 3 + json.at("wrong").size());
      for (const auto& one_wrong : json.at("wrong").items()) {
        const auto wrong = std::ranges::find(files, one_wrong.key(), &NewFile::path);
        REQUIRE(wrong != files.end());
        CHECK(wrong->text != files.at(1).text);
        CHECK(std::ranges::any_of(json.at("items"),
                                  [&](const auto& one) { return one.at("name") == one_wrong.value(); }));
      }
      for (const auto& file : files) CHECK(file.text.find("//!") == std::string::npos);
    }
}

TEST_CASE("a mark of a solution takes the place of the line above it, or that line away") {
  const auto labs = all_labs();
  const auto& lab = lab_named(labs, "saxpy");
  const auto files = assignment_of(
      "// The reference.\n"
      "//! item {\"name\": \"clean\", \"kind\": \"sanitize\", \"points\": 10}\n"
      "void k() {\n"
      "  work();\n"
      "  //! correct idle: rest(0);\n"
      "  wait();\n"
      "  //! clean hasty:\n"
      "}\n",
      lab, lab.contracts.front());
  REQUIRE(files.size() == 5);
  CHECK(
      (files[1].path == "reference.cu" && files[1].text == "// The reference.\nvoid k() {\n  work();\n  wait();\n}\n"));
  CHECK(files[2].path == "starter.cu");
  CHECK((files[3].path == "wrong/idle.cu" &&
         files[3].text == "// The reference.\nvoid k() {\n  rest(0);\n  wait();\n}\n"));
  CHECK((files[4].path == "wrong/hasty.cu" && files[4].text == "// The reference.\nvoid k() {\n  work();\n}\n"));
  CHECK(files[0].text ==
        "{\n"
        "  \"schema\": \"gpulab.assignment.v1\",\n"
        "  \"title\": \"first kernels: saxpy\",\n"
        "  \"lab\": \"saxpy\",\n"
        "  \"contract\": \"saxpy\",\n"
        "  \"reference\": \"reference.cu\",\n"
        "  \"starter\": \"starter.cu\",\n"
        "  \"wrong\": {\n"
        "    \"wrong/idle.cu\": \"correct\",\n"
        "    \"wrong/hasty.cu\": \"clean\"\n"
        "  },\n"
        "  \"items\": [\n"
        "    {\"name\": \"correct\", \"kind\": \"correct\", \"points\": 90,\n"
        "     \"visible\": [\"usual\", \"empty\", \"one\", \"warps\", \"extreme\"],\n"
        "     \"hidden\": [\"blocks\", \"odd\", \"powers\", \"large\", \"key\"]},\n"
        "    {\"name\": \"clean\", \"kind\": \"sanitize\", \"points\": 10}\n"
        "  ]\n"
        "}\n");
}

TEST_CASE("a contract that nobody has solved yet is no assignment") {
  const auto labs = all_labs();
  auto contract = lab_named(labs, "saxpy").contracts.front();
  contract.name = "daxpy";
  try {
    (void)new_assignment(lab_named(labs, "saxpy"), contract);
    FAIL("it is one");
  } catch (const Error& error) {
    CHECK(std::string(error.what()) ==
          "assignment new: there is no solution of saxpy's contract 'daxpy' to begin with");
    CHECK(error.hint == "labs/saxpy/solutions/daxpy.cu would be it; 'gpulab new' writes a starter");
  }
}
