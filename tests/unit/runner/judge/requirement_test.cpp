#include "runner/judge/requirement.h"

#include "common/counters.h"
#include "common/error.h"
#include "tests/catch.h"

namespace gpulab {
namespace {

Lab lab_with_rungs() {
  Lab lab;
  lab.name = "turns";
  lab.variants = {{.name = "naive", .summary = "", .kernel = "naive"}, {.name = "cpu", .summary = ""}};
  return lab;
}

std::string refusal_of(const std::string& text) {
  try {
    (void)parse_requirements(text, lab_with_rungs());
  } catch (const Error& error) {
    return std::string(error.what()) + " | " + error.hint;
  }
  return {};
}

TEST_CASE("a requirement is a counter, an operator, and a number or a share of a rung") {
  const auto all = parse_requirements(
      "barriers==0, global_store_efficiency >= 0.9,warp_instructions<=1.3*naive,waves<naive", lab_with_rungs());
  REQUIRE(all.size() == 4);
  CHECK((all[0].counter == "barriers" && all[0].op == "==" && all[0].value == 0 && all[0].rung.empty()));
  CHECK((all[1].counter == "global_store_efficiency" && all[1].op == ">=" && all[1].value == 0.9));
  CHECK((all[2].op == "<=" && all[2].value == 1.3 && all[2].rung == "naive"));
  CHECK((all[3].op == "<" && all[3].value == 1 && all[3].rung == "naive"));
}

TEST_CASE("what is no requirement is refused, with what is near") {
  CHECK(refusal_of("barriers").starts_with("--require: 'barriers' is not of the form COUNTER OP VALUE"));
  CHECK(refusal_of("barriers=0").starts_with("--require: 'barriers=0' is not of the form"));
  CHECK(refusal_of("barriers==").starts_with("--require: 'barriers==' is not of the form"));
  CHECK(refusal_of("bariers==0").find("did you mean 'barriers'?") != std::string::npos);
  CHECK(refusal_of("barriers<=2*naiv") ==
        "--require: turns has no rung 'naiv' that the simulator runs | did you mean 'naive'? rungs: naive");
  CHECK(refusal_of("global_store_efficiency>=90") ==
        "--require: global_store_efficiency is a ratio, and 'global_store_efficiency>=90' asks for 9000% | "
        "for 90%: 'global_store_efficiency>=0.9'");
  CHECK(refusal_of("barriers<=2*cpu").starts_with("--require: turns has no rung 'cpu'"));
}

TEST_CASE("a requirement is judged by counters, against a number or a rung; what is not modelled is pending") {
  Result own, naive;
  own.counters.emplace();
  naive.counters.emplace();
  naive.variant = "naive";
  const auto row = static_cast<std::size_t>(*find_counter("warp_instructions")->counted);
  own.counters->counts[row] = 120;
  naive.counters->counts[row] = 100;
  const auto verdict = [&](const std::string& text) {
    return judged(parse_requirements(text, lab_with_rungs()).front(), own, {naive});
  };
  CHECK(verdict("warp_instructions<=120").verdict == Verdict::passed);
  CHECK(verdict("warp_instructions<120").verdict == Verdict::failed);
  CHECK(verdict("warp_instructions<=1.3*naive").verdict == Verdict::passed);
  CHECK(verdict("warp_instructions<=1.1*naive").message ==
        "warp_instructions is 120, asked for <= 110 (1.1 * 100 of naive)");
  CHECK(verdict("global_store_efficiency>=0.9").verdict == Verdict::failed);  // it stores nothing
  CHECK(verdict("model.time_ms<=1").verdict == Verdict::pending);
  own.model = ModelledTime{.gpu = "v100", .ms = 0.5, .bound = "issue"};
  CHECK(verdict("model.time_ms<=1").verdict == Verdict::pending);
  CHECK(verdict("model.time_ms<=1").message ==
        "there is no modelled time: the modelled times of this GPU have not been validated");
  CHECK(verdict("modelled_time<=1000").verdict == Verdict::pending);
  own.model->validated = true;
  CHECK(verdict("model.time_ms<=1").verdict == Verdict::passed);
  CHECK(verdict("modelled_time<=1000").message == "modelled_time is 500, asked for <= 1000");  // µs, as it is listed
  CHECK(verdict("warp_instructions<120").counter == "warp_instructions");
}

}  // namespace
}  // namespace gpulab
