#include "labs/registry.h"

#include "tests/catch.h"
#include "tests/unit/error_of.h"
#include "tests/unit/test_lab.h"

using namespace gpulab;

TEST_CASE("labs and variants are found by name, or their near misses named") {
  const std::vector<Lab> labs{doubling_lab()};
  CHECK(find_lab(labs, "reduce").topic == "testing");
  CHECK(error_of([&] { return find_lab(labs, "reduse"); }) ==
        "unknown lab 'reduse' | did you mean 'reduce'? 'gpulab list' shows all labs");
  CHECK(find_variant(labs[0], "tree").name == "tree");
  CHECK(error_of([&] { return find_variant(labs[0], "plan"); }) ==
        "reduce has no variant 'plan' | did you mean 'plain'? 'gpulab list reduce' shows all variants");
}

TEST_CASE("a lab that is made alone is as it is among all") {
  for (const auto& lab : all_labs()) {
    INFO(lab.name);
    const auto alone = lab_alone(lab.name);
    REQUIRE(alone);
    CHECK(alone->name == lab.name);
    CHECK(alone->topic == lab.topic);
    CHECK(variant_names(*alone) == variant_names(lab));
  }
  CHECK_FALSE(lab_alone("reduse"));
}

TEST_CASE("every lab of this build is free of defects") {
  for (const auto& lab : all_labs()) {
    INFO(lab.name);
    CHECK(defects(lab) == std::vector<std::string>{});
  }
}

TEST_CASE("a lab's contradictions are found") {
  auto lab = doubling_lab();
  CHECK(defects(lab).empty());
  lab.headline = "gone";
  lab.variants[0].host = [](const HostCall&) {};
  lab.variants[1].name = "slow";
  lab.variants[2].blocks.min_threads = 2000;
  lab.params[0].fallback = std::int64_t{-1};
  lab.params[1].fallback = std::string("float");
  CHECK(defects(lab) ==
        std::vector<std::string>{
            "reduce.slow: exactly one of kernel or steps, vendor, host and calculate must say how it runs",
            "reduce.slow: declared twice", "reduce.tree: no block satisfies its rule",
            "reduce: headline 'gone' is no variant", "reduce.n: the default is outside its bounds",
            "reduce.type: the default is none of the choices"});
}
