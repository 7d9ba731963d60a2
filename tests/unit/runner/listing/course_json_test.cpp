#include "runner/listing/course_json.h"

#include <nlohmann/json.hpp>

#include "common/counters.h"
#include "labs/registry.h"
#include "tests/catch.h"

namespace gpulab {
namespace {

using Json = nlohmann::ordered_json;

Json course(LabDetails details = LabDetails::none) { return Json::parse(course_json(all_labs(), details)); }

const Json& named(const Json& list, std::string_view name) {
  for (const auto& item : list)
    if (item["name"] == name) return item;
  FAIL("no " << name);
  return list;
}

}  // namespace

TEST_CASE("the document has every lab, variant, parameter and contract, in their order") {
  const auto labs = all_labs();
  const auto document = course();
  REQUIRE(document["labs"].size() == labs.size());
  for (std::size_t i = 0; i < labs.size(); ++i) {
    const auto& json = document["labs"][i];
    CHECK(json["name"] == labs[i].name);
    CHECK(json["question"] == labs[i].question);
    REQUIRE(json["variants"].size() == labs[i].variants.size());
    for (std::size_t v = 0; v < labs[i].variants.size(); ++v) {
      CHECK(json["variants"][v]["name"] == labs[i].variants[v].name);
      CHECK(json["variants"][v]["racy"] == labs[i].variants[v].racy);
    }
    CHECK(json["params"].size() == labs[i].params.size());
    CHECK(json["contracts"].size() == labs[i].contracts.size());
  }
}

TEST_CASE("parameters have their range and default, variants what they need") {
  const auto document = course();
  const auto& reduce = named(document["labs"], "reduce");
  CHECK(named(reduce["params"], "n")["default"] == 1 << 22);
  CHECK(named(reduce["params"], "n")["max"] == 2147483647);
  CHECK(named(reduce["params"], "op")["choices"] == Json({"sum", "product", "min", "max"}));
  CHECK(named(named(document["labs"], "saxpy")["params"], "a")["kind"] == "real");
  const auto& variants = reduce["variants"];
  CHECK(named(variants, "redux")["needs"]["compute_capability"] == "8.0");
  CHECK(named(variants, "redux")["params"]["type"] == Json({"int"}));
  CHECK(named(variants, "cub")["needs"]["gpu"] == true);
  CHECK(named(variants, "cub")["runs_as"] == "library");
  CHECK(named(variants, "cub")["blocks"].is_null());
  CHECK(named(variants, "cpu")["runs_as"] == "host");
  CHECK(named(variants, "neighbored")["blocks"]["power_of_two"] == true);
  CHECK(named(named(document["labs"], "occupancy")["variants"], "calculator")["runs_as"] == "arithmetic");
}

TEST_CASE("metrics say their unit, their names in profilers, and where they can be had") {
  const auto document = Json::parse(metrics_json(all_labs()));
  CHECK(!document.contains("labs"));
  for (const auto& info : counter_table()) {
    const auto& json = named(document["metrics"], info.name);
    CHECK(json["definition"] == info.definition);
    CHECK(json["from"] == Json({"simulator"}));
    CHECK(json["ncu"].is_null() == info.ncu.empty());
  }
  CHECK(named(document["metrics"], "branch_efficiency")["unit"] == "ratio");
  CHECK(named(document["metrics"], "branch_efficiency")["nvprof"] == "branch_efficiency");
  CHECK(named(document["metrics"], "bandwidth")["from"] == Json({"gpu"}));
  CHECK(named(document["metrics"], "load_imbalance")["lab"] == "segsum");
}

TEST_CASE("what ptxas does not say of an architecture is null, and not 0 bytes") {
  const auto document = course(LabDetails::resources);
  for (const auto& kernel : named(document["labs"], "reduce")["kernels"]) {
    for (const auto& row : kernel["resources"]) {
      INFO(kernel["kernel"] << " " << row["architecture"]);
      CHECK((row["constant_bytes"].is_null() || row["constant_bytes"] > 300));
    }
  }
  CHECK(!course()["labs"][0].contains("kernels"));
}

}  // namespace gpulab
