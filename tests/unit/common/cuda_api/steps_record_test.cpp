#include "common/cuda_api/steps_record.h"

#include <functional>

#include "common/error.h"
#include "common/simt/observers/trace/value_code.h"
#include "tests/catch.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

/// A store of one warp, with its value, its address and a sentence.
StepsRecord one_store() {
  StepsRecord record;
  record.ptx = "st.global.u32 [%rd1], %r1;\n";
  StepTrace& trace = record.steps;
  trace.kernel = "fill";
  trace.file = "fill.cu";
  trace.grid = {2, 1, 1};
  trace.block = {32, 1, 1};
  trace.warps.push_back({1, {1, 0, 0}, 0, 0xffffffff});
  trace.sites.push_back({3, 1, {}, {{"%r1", "u32"}}});
  trace.arrays.push_back({"out", false, 4096, 256});
  trace.texts = {"stores {} of {} bytes"};
  trace.args = {2, -4};
  StepAccess access;
  access.store = true;
  access.width = 4;
  access.mask = 3;
  access.relative[1] = 4;
  trace.accesses.push_back(access);
  TraceStep step;
  step.site = 0;
  step.active = 3;
  step.access = 0;
  step.values = 0;
  step.issued = 12.5;
  step.waited = 2.5F;
  step.stall = Stall::memory;
  trace.steps.push_back(step);
  simt::LaneValues values{7, 0x1234};
  simt::pack_values(trace.values, &values, 3);
  Finding finding;
  finding.tool = "racecheck";
  finding.at.push_back({"fill.cu", 3, "write", {}, {}, "out[0]"});
  record.findings.push_back(finding);
  return record;
}

}  // namespace

TEST_CASE("a launch's steps come over as they were") {
  const auto was = one_store();
  const auto is = decode_steps(encode(was));
  CHECK(is.ptx == was.ptx);
  CHECK(is.steps.values == was.steps.values);
  CHECK(is.steps.accesses == was.steps.accesses);
  CHECK(is.steps.args == was.steps.args);
  REQUIRE(is.steps.steps.size() == 1);
  CHECK(is.steps.steps[0].issued == 12.5);
  CHECK(is.steps.steps[0].waited == 2.5F);
  CHECK(is.steps.steps[0].stall == Stall::memory);
  CHECK(is.steps.sites[0].stored[0].name == "%r1");
  CHECK(is.steps.arrays[0].address == 4096);
  REQUIRE(is.findings.size() == 1);
  CHECK(is.findings[0].at[0].address == "out[0]");
}

TEST_CASE("steps whose numbers lead nowhere are refused") {
  const std::pair<const char*, std::function<void(StepsRecord&)>> lies[] = {
      {"a site", [](auto& r) { r.steps.steps[0].site = 1; }},
      {"a warp", [](auto& r) { r.steps.steps[0].warp = 1; }},
      {"a text", [](auto& r) { r.steps.steps[0].text = 1; }},
      {"too few numbers", [](auto& r) { r.steps.args.pop_back(); }},
      {"numbers beyond", [](auto& r) { r.steps.steps[0].first_arg = 0xfffffff0; }},
      {"an access", [](auto& r) { r.steps.steps[0].access = 1; }},
      {"values beyond", [](auto& r) { r.steps.steps[0].values = 100; }},
      {"values cut", [](auto& r) { r.steps.values.pop_back(); }},
      {"values of no form", [](auto& r) { r.steps.values[0] = '\x7f'; }},
      {"values of no lane", [](auto& r) { r.steps.steps[0].off = 3; }},
      {"values of no site", [](auto& r) { r.steps.steps[0].site = no_step_part; }},
      {"a width of nothing", [](auto& r) { r.steps.accesses[0].width = 0; }},
      {"no grid", [](auto& r) { r.steps.grid.y = 0; }},
      {"no block", [](auto& r) { r.steps.block.x = 0; }},
      {"many registers", [](auto& r) { r.steps.sites[0].results.resize(1000); }},
      {"many findings", [](auto& r) { r.findings.resize(1000); }},
      {"places of a finding", [](auto& r) { r.findings[0].at.resize(1000); }},
  };
  CHECK(is_sound(one_store()));
  for (const auto& [what, tell] : lies) {
    auto record = one_store();
    tell(record);
    INFO(what);
    CHECK_FALSE(is_sound(record));
    CHECK_THROWS_AS(decode_steps(encode(record)), Error);
  }
}

TEST_CASE("what is no record of steps is told, and is no crash") {
  const std::string good = encode(one_store());
  for (const std::string& text : {std::string(), std::string("[]"), std::string("{}"), std::string(100'000, '['),
                                  good.substr(0, good.size() / 2), std::string("[[1,2],3,4]")}) {
    try {
      (void)decode_steps(text);
      FAIL("decoded");
    } catch (const Error& error) {
      CHECK(std::string(error.what()) == "what the program's process kept of a launch cannot be read");
      CHECK(error.code == ExitCode::missing);
    }
  }
}
