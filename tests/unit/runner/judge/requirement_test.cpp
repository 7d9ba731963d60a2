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

ModelledTime modelled(double ms) {
  return {.gpu = "h200", .validated = true, .ms = ms, .low_ms = ms / 1.5, .high_ms = ms * 1.5, .bound = "issue"};
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
  CHECK(refusal_of("model.time_ms==3") ==
        "--require: 'model.time_ms==3' asks for one exact modelled time | as in 'model.time_ms<=1.3*RUNG': a model is "
        "right within an interval");
  CHECK(refusal_of("modelled_time!=naive").starts_with("--require: 'modelled_time!=naive' asks for one exact"));
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
  own.model = modelled(0.5);
  CHECK(verdict("model.time_ms<=1").verdict == Verdict::passed);
  CHECK(verdict("modelled_time<=1000").message ==
        "modelled_time is 500 (modelled: 333.3 to 750), asked for <= 1000");  // µs, as it is listed
  CHECK(verdict("warp_instructions<120").counter == "warp_instructions");
}

TEST_CASE("a modelled time is judged by its interval, beside a rung by that of the quotient") {
  Result own, naive;
  naive.variant = "naive";
  own.model = modelled(0.2);
  naive.model = modelled(0.1);
  const auto verdict = [&](const std::string& text) {
    return judged(parse_requirements(text, lab_with_rungs()).front(), own, {naive});
  };
  // Twice as long, and in truth 2 / 2.25 to 2 * 2.25 times.
  const auto near = verdict("model.time_ms<=1.3*naive");
  CHECK(near.verdict == Verdict::passed);
  CHECK(near.message ==
        "model.time_ms is 2 times that of naive (both are modelled: 0.8889 to 4.5 times), asked for <= 1.3, and may be "
        "that");
  CHECK((near.value == 2 && near.bound == 1.3));
  CHECK(verdict("model.time_ms<=0.89*naive").verdict == Verdict::passed);
  CHECK(verdict("model.time_ms<=0.88*naive").verdict == Verdict::failed);
  CHECK(verdict("model.time_ms<=0.88*naive").message ==
        "model.time_ms is 2 times that of naive (both are modelled: 0.8889 to 4.5 times), asked for <= 0.88");
  CHECK(verdict("model.time_ms>=4.4*naive").verdict == Verdict::passed);
  CHECK(verdict("model.time_ms>4.6*naive").verdict == Verdict::failed);
  CHECK(verdict("modelled_time<naive").verdict == Verdict::passed);

  // Against a number, which modelled_time has in microseconds.
  CHECK(verdict("model.time_ms<=0.14").verdict == Verdict::passed);
  CHECK(verdict("model.time_ms<=0.13").verdict == Verdict::failed);
  CHECK(verdict("modelled_time<=140").verdict == Verdict::passed);
  CHECK(verdict("modelled_time<=130").message == "modelled_time is 200 (modelled: 133.3 to 300), asked for <= 130");
}

TEST_CASE("without a modelled time of both sides a requirement is pending, with the reason") {
  Result own, naive;
  naive.variant = "naive";
  own.model = modelled(0.2);
  naive.model_unavailable = "textures are not modelled";
  const auto message = [&] {
    const auto made = judged(parse_requirements("model.time_ms<=2*naive", lab_with_rungs()).front(), own, {naive});
    CHECK(made.verdict == Verdict::pending);
    CHECK_FALSE(made.value);
    return made.message;
  };
  CHECK(message() == "rung naive has no model.time_ms here: textures are not modelled");
  naive.model = modelled(0.1);
  naive.model->validated = false;
  CHECK(message() == "rung naive has no model.time_ms here: the modelled times of this GPU have not been validated");
  own.model.reset();
  own.model_unavailable = "it has no launch that is modelled";
  CHECK(message() == "there is no modelled time: it has no launch that is modelled");
}

TEST_CASE("a requirement with a place where nothing is earned says what share of the points the value is worth") {
  Result own, naive;
  own.counters.emplace();
  naive.counters.emplace();
  naive.variant = "naive";
  const auto row = static_cast<std::size_t>(*find_counter("warp_instructions")->counted);
  naive.counters->counts[row] = 100;
  const auto share = [&](const std::string& text, double zero_at, std::uint64_t instructions) {
    own.counters->counts[row] = instructions;
    auto asked = parse_requirements(text, lab_with_rungs()).front();
    asked.zero_at = zero_at;
    return judged(asked, own, {naive});
  };
  CHECK(share("warp_instructions<=1.2*naive", 2, 120).share == 1);
  CHECK(share("warp_instructions<=1.2*naive", 2, 140).share == Catch::Detail::Approx(0.75));
  CHECK(share("warp_instructions<=1.2*naive", 2, 140).verdict == Verdict::failed);
  CHECK(share("warp_instructions<=1.2*naive", 2, 140).message ==
        "warp_instructions is 140, asked for <= 120 (1.2 * 100 of naive): 75 % of the points, none from 200 on");
  CHECK(share("warp_instructions<=1.2*naive", 2, 200).share == 0);
  CHECK(share("warp_instructions<=1.2*naive", 2, 5000).share == 0);
  CHECK(share("warp_instructions>=80", 40, 50).share == Catch::Detail::Approx(0.25));
  CHECK(share("warp_instructions>=80", 40, 100).share == 1);

  own.model = modelled(0.2);
  naive.model = modelled(0.1);
  auto asked = parse_requirements("model.time_ms<=0.5*naive", lab_with_rungs()).front();
  asked.zero_at = 1;
  CHECK(judged(asked, own, {naive}).share ==
        Catch::Detail::Approx((1 - 2 / 2.25) / 0.5));  // by the end that is nearest
}

}  // namespace
}  // namespace gpulab
