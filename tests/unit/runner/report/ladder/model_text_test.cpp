#include "runner/report/ladder/model_text.h"

#include "runner/report/ladder/rung_time.h"
#include "runner/report/report.h"
#include "tests/catch.h"

using namespace gpulab;

namespace {

Result rung(const std::string& name, double ms, const std::string& why = {}) {
  Result r;
  r.variant = name;
  r.params = {{"seed", std::int64_t{42}}};
  r.model_unavailable = why;
  if (ms <= 0) return r;
  r.model = ModelledTime{};
  r.model->gpu = "h200";
  r.model->validated = true;
  r.model->bound = "issue";
  r.model->ms = ms;
  r.model->low_ms = ms / 1.5;
  r.model->high_ms = ms * 1.5;
  return r;
}

}  // namespace

TEST_CASE("a page says the modelled time, that it is not measured, and what bounds it; or why there is none") {
  CHECK(modelled_text(rung("a", 0.02)) ==
        "20 µs on h200, bound: issue; not measured: nine times out of ten a GPU takes 13.3 µs to 30 µs");
  Result unknown = rung("a", 0.02);
  unknown.model->no_ground = "its threads wait for what others do";
  CHECK(modelled_text(unknown) ==
        "20 µs on h200, bound: issue; no ground to say how near that is (its threads wait for what others do): "
        "perhaps 13.3 µs to 30 µs");
  CHECK(modelled_text(rung("a", 0, "it follows from the counters, which are off")) ==
        "no: it follows from the counters, which are off");
  CHECK(modelled_text(rung("a", 0)).empty());
}

TEST_CASE("below a ladder stands once what modelled times are, and which rungs have none for which reason") {
  Run run;
  run.results = {rung("flat", 0.02),   rung("cpu", 0),       rung("nested", 0, "x"),
                 rung("deep", 0, "x"), rung("deep", 0, "x"), rung("odd", 0, "y")};
  CHECK(about_modelled(run) ==
        "Modelled times are what h200 would take with a cold L2, full of what others wrote; worked out, not "
        "measured; nine of ten measured times lie within a factor of 1.5 of them.");
  CHECK(why_unmodelled(run) == "No modelled time of nested, deep: x. No modelled time of odd: y.");
}

TEST_CASE("rungs that leave most SMs idle are named below the ladder: a larger problem may order them otherwise") {
  const auto with_blocks = [](const std::string& name, int sms_used) {
    auto result = rung(name, 0.02);
    result.spread = Spread{.sm_count = 132, .sms_used = sms_used, .waves = {}, .tail = {}};
    return result;
  };
  const auto ends_with = [](const Run& run, const std::string& sentence) {
    return about_modelled(run).ends_with("of them." + sentence);
  };
  Run run;
  run.results = {with_blocks("one", 1), with_blocks("few", 16), with_blocks("half", 66), with_blocks("most", 67)};
  CHECK(
      ends_with(run,
                " At this size few, half have blocks for at most half of the 132 SMs: a larger one may order the rungs "
                "otherwise."));
  run.results = {with_blocks("few", 16), with_blocks("all", 132)};
  CHECK(ends_with(run,
                  " At this size few has blocks for at most half of the 132 SMs: a larger one may order the rungs "
                  "otherwise."));
  run.results = {with_blocks("one", 1), with_blocks("all", 132)};  // one block is a rung's own choice
  CHECK(ends_with(run, ""));
  run.results = {with_blocks("few", 16)};  // nothing to order
  CHECK(ends_with(run, ""));
}

TEST_CASE("a reason that holds of every rung names none, and nobody who did not ask is told") {
  Run run;
  run.results = {rung("a", 0, "it follows from the counters, which are off"),
                 rung("b", 0, "it follows from the counters, which are off"), rung("cpu", 0)};
  CHECK(about_modelled(run).empty());
  CHECK(why_unmodelled(run) == "No modelled time: it follows from the counters, which are off.");
  run.results = {rung("a", 0), rung("b", 0)};
  CHECK(why_unmodelled(run).empty());
}

TEST_CASE("times of a GPU that nobody has compared with the model are called estimates, wherever they are told") {
  auto slow = rung("slow", 0.02), fast = rung("fast", 0.015);
  for (Result* r : {&slow, &fast}) r->model->validated = false;
  CHECK(modelled_text(slow) ==
        "20 µs on h200, bound: issue; an estimate that nobody has compared with that GPU: perhaps 13.3 µs to 30 µs");
  fast.built_on = "slow";
  Run run;
  run.results = {slow, fast};
  CHECK(about_modelled(run) ==
        "Modelled times are estimates of what h200 would take with a cold L2, full of what others wrote; nobody has "
        "compared them with that GPU. \"About as fast\" is less than 1.05 times apart; \"probably\" less than 1.5.");
  CHECK(time_beside(fast, slow) == "against slow: from 20 µs to 15 µs, as estimated (probably 1.33 times as fast)");
}

TEST_CASE("tables, Markdown and CSV say why a rung has no modelled time, each once") {
  Run run;
  run.results = {rung("flat", 0.02), rung("nested", 0, "kernels that launch kernels are not modelled")};
  for (const auto* name : {"table", "markdown"}) {
    const auto text = find_format(name, formats_for(&Format::run), "x").run(run, {.width = 200});
    const auto at = text.find("No modelled time of nested: kernels that launch kernels are not modelled.");
    REQUIRE(at != std::string::npos);
    CHECK(text.find("No modelled time", at + 1) == std::string::npos);
    CHECK(text.find("worked out, not measured") != std::string::npos);
  }
  const auto csv = find_format("csv", formats_for(&Format::run), "x").run(run, {});
  CHECK(csv.find(",model_unavailable") != std::string::npos);
  CHECK(csv.find(",kernels that launch kernels are not modelled") != std::string::npos);
}
