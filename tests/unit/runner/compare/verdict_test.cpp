#include "runner/compare/verdict.h"

#include <nlohmann/json.hpp>

#include "runner/compare/pairing.h"
#include "runner/report/compare/compare_report.h"
#include "tests/catch.h"
#include "tests/unit/error_of.h"

using namespace gpulab;

namespace {

ComparedResult result(const std::string& name = "warp") {
  ComparedResult one{.lab = "reduce", .name = name};
  one.status = "ok";
  one.params = {{"n", "4096"}};
  one.launch = "grid 16, block 256";
  one.counters = {{"warp_instructions", 1000}, {"shared_load_bank_conflicts", 0}, {"branch_efficiency", 1}};
  return one;
}

ComparedResult modelled(double ms, bool validated = true) {
  auto one = result();
  one.modelled = ModelTime{
      .gpu = "h200", .ms = ms, .low_ms = ms * 0.8, .high_ms = ms * 1.2, .bound = "issue", .validated = validated};
  return one;
}

ComparedResult measured(double ms, const std::string& gpu = "NVIDIA H200", const std::string& mode = "cold") {
  auto one = result();
  one.measured =
      MeasuredTime{.gpu = gpu, .mode = mode, .median_ms = ms, .q1_ms = ms * 0.998, .q3_ms = ms * 1.002, .samples = 31};
  return one;
}

ComparedPair judged(const ComparedResult& a, const ComparedResult& b, double threshold = 0.05) {
  Comparison comparison{.documents = true, .threshold = threshold, .pairs = {{a, b}}};
  judge_pairs(comparison, PairKind::foreign);
  return comparison.pairs.front();
}

/// The same of two kernels: why.
std::string why_of_kernels(const ComparedResult& a, const ComparedResult& b) {
  Comparison comparison{.pairs = {{a, b}}};
  judge_pairs(comparison, PairKind::foreign);
  return comparison.pairs.front().why;
}

ComparedResult wrong(const std::string& message) {
  auto one = modelled(0.001);
  one.status = "wrong";
  one.answer = Answer::wrong;
  one.message = message;
  return one;
}

}  // namespace

TEST_CASE("a wrong answer is never faster, and wrong now and not before is a regression") {
  const auto pair = judged(modelled(1), wrong("out[5] is 1, not 2"));
  CHECK(pair.verdict == CompareVerdict::undecided);
  CHECK(pair.basis == CompareBasis::none);
  CHECK_FALSE(pair.ratio);
  CHECK(pair.regression);
  CHECK(pair.why == "wrong now and not before: out[5] is 1, not 2");
  const auto mended = judged(wrong("out[5] is 1, not 2"), modelled(1));
  CHECK_FALSE(mended.regression);
  CHECK(mended.why == "right now, and not before: out[5] is 1, not 2");
  CHECK(judged(wrong("x"), wrong("y")).why == "wrong, as before: y");
  CHECK_FALSE(judged(wrong("x"), wrong("y")).regression);
}

TEST_CASE("of two kernels it is said which is wrong, or did not run") {
  auto skipped = result();
  skipped.answer = Answer::unknown;
  skipped.status = "skipped";
  CHECK(why_of_kernels(modelled(1), wrong("x")) == "B is wrong: x");
  CHECK(why_of_kernels(wrong("x"), modelled(1)) == "A is wrong: x");
  CHECK(why_of_kernels(wrong("x"), wrong("y")) == "both are wrong: y");
  CHECK(why_of_kernels(modelled(1), skipped) == "B did not run: skipped");
  CHECK(why_of_kernels(skipped, modelled(1)) == "A did not run: skipped");
}

TEST_CASE("what ran before and does not now is a regression, what did not run before is none") {
  auto skipped = result();
  skipped.answer = Answer::unknown;
  skipped.status = "skipped";
  skipped.message = "needs a GPU";
  CHECK(judged(result(), skipped).regression);
  CHECK(judged(result(), skipped).why == "did not run: skipped: needs a GPU");
  CHECK_FALSE(judged(skipped, result()).regression);
  CHECK_FALSE(judged(skipped, skipped).regression);
}

TEST_CASE("what is called of modelled times stays undecided where both have fewer blocks than the GPU has SMs") {
  auto a = modelled(1), b = modelled(1.3);
  CHECK(judged(a, b).verdict == CompareVerdict::slower);
  a.modelled->sms_used = b.modelled->sms_used = 132;
  CHECK(judged(a, b).verdict == CompareVerdict::slower);
  a.modelled->sms_used = b.modelled->sms_used = 8;
  CHECK(judged(a, b).verdict == CompareVerdict::undecided);
  CHECK(judged(a, b).why == "modelled 1.3 times as long: measure it");
}

TEST_CASE("measured times decide before modelled ones") {
  auto a = measured(1), b = measured(1.2);
  a.modelled = modelled(2).modelled;
  b.modelled = modelled(0.5).modelled;
  const auto pair = judged(a, b);
  CHECK(pair.basis == CompareBasis::measured);
  CHECK(pair.verdict == CompareVerdict::slower);
  CHECK(*pair.ratio == Catch::Detail::Approx(1.2));
  CHECK(*pair.low > 1.17);
  CHECK(*pair.high < 1.23);
  CHECK(pair.regression);
  CHECK(pair.why == "measured on NVIDIA H200, 31 and 31 samples, interval from their quartiles");
  CHECK(judged(measured(1.2), measured(1)).verdict == CompareVerdict::faster);
  CHECK(judged(measured(1), measured(1.005)).verdict == CompareVerdict::same);
}

TEST_CASE("a slowdown below the threshold is told and is no regression") {
  CHECK(judged(measured(1), measured(1.03)).verdict == CompareVerdict::slower);
  CHECK_FALSE(judged(measured(1), measured(1.03)).regression);
  CHECK(judged(measured(1), measured(1.03), 0.02).regression);
}

TEST_CASE("a measured time is never compared with a modelled one, nor with one of another GPU or cache") {
  const auto mixed = judged(measured(1), modelled(2));
  CHECK(mixed.basis == CompareBasis::counters);  // which both have
  CHECK_FALSE(mixed.ratio);
  auto a = measured(1), b = measured(2, "NVIDIA H100");
  a.modelled = b.modelled = modelled(1).modelled;
  CHECK(judged(a, b).basis == CompareBasis::modelled);
  CHECK(judged(a, b).warnings == std::vector<std::string>{"measured on different GPUs: NVIDIA H200 and NVIDIA H100"});
  b = measured(2, "NVIDIA H200", "warm");
  b.counters.clear();
  CHECK(judged(measured(1), b).why == "measured cold and warm");
}

TEST_CASE("modelled times far apart are a verdict with its odds, near ones are undecided") {
  const auto slower = judged(modelled(1), modelled(3));
  CHECK(slower.verdict == CompareVerdict::slower);
  CHECK(slower.basis == CompareBasis::modelled);
  CHECK(*slower.probability > 0.9);
  CHECK(slower.regression);
  CHECK(judged(modelled(3), modelled(1)).verdict == CompareVerdict::faster);
  const auto near = judged(modelled(1), modelled(1.1));
  CHECK(near.verdict == CompareVerdict::undecided);
  CHECK(near.why == "modelled 1.1 times as long: measure it");
  CHECK_FALSE(near.regression);
}

TEST_CASE("the same counters and the same modelled time are the same") {
  const auto pair = judged(modelled(1), modelled(1));
  CHECK(pair.verdict == CompareVerdict::same);
  CHECK(pair.why == "every counter and the modelled time are equal");
}

TEST_CASE("estimates and kernels that the model has no ground for are undecided, and say why") {
  CHECK(judged(modelled(1, false), modelled(3, false)).why ==
        "times of h200 are estimates that nobody has compared with that GPU: measure it");
  auto polls = modelled(3);
  polls.modelled->no_ground = "it polls";
  CHECK(judged(modelled(1), polls).why == "the model has no ground (it polls): measure it");
  CHECK(judged(modelled(1), polls).verdict == CompareVerdict::undecided);
  auto other = modelled(3);
  other.modelled->gpu = "h100";
  CHECK(judged(modelled(1), other).why == "modelled for different GPUs: h200 and h100");
}

TEST_CASE("without times counters decide, exactly") {
  auto more = result();
  more.counters["warp_instructions"] = 1080;
  const auto pair = judged(result(), more);
  CHECK(pair.verdict == CompareVerdict::slower);
  CHECK(pair.basis == CompareBasis::counters);
  CHECK(pair.regression);
  CHECK(judged(more, result()).verdict == CompareVerdict::faster);
  CHECK(judged(result(), result()).verdict == CompareVerdict::same);
  CHECK(judged(result(), result()).why == "no time that both have; every counter is equal");
  more.counters["warp_instructions"] = 1030;
  CHECK(judged(result(), more).verdict == CompareVerdict::same);  // within the threshold
  CHECK(judged(result(), more).counters.size() == 1);             // and told all the same
  auto mixed = result();
  mixed.counters["warp_instructions"] = 500;
  mixed.counters["shared_load_bank_conflicts"] = 700;
  CHECK(judged(result(), mixed).verdict == CompareVerdict::undecided);
  CHECK_FALSE(judged(result(), mixed).regression);
}

TEST_CASE("where times leave it open, a counted cost that only rises is a regression") {
  auto more = modelled(1.05);
  more.counters["warp_instructions"] = 1300;
  const auto pair = judged(modelled(1), more);
  CHECK(pair.verdict == CompareVerdict::undecided);
  CHECK(pair.regression);
  CHECK(pair.why == "modelled 1.05 times as long: measure it; counted more: warp_instructions by 30%");
}

TEST_CASE("counters that differ stand worst first: losses, gains, what is neither") {
  auto b = result();
  b.counters = {{"warp_instructions", 900},
                {"shared_load_bank_conflicts", 5000},
                {"branch_efficiency", 0.9},
                {"of_a_later_version", 3}};
  auto a = result();
  a.counters["of_a_later_version"] = 2;
  const auto found = judged(a, b).counters;
  REQUIRE(found.size() == 4);
  CHECK(found[0].name == "shared_load_bank_conflicts");
  CHECK(found[1].name == "branch_efficiency");
  CHECK(found[1].effect == CounterDifference::Effect::loss);
  CHECK(found[2].name == "warp_instructions");
  CHECK(found[2].effect == CounterDifference::Effect::gain);
  CHECK(found[3].effect == CounterDifference::Effect::neither);
}

TEST_CASE("counters of another size are not compared") {
  auto smaller = result();
  smaller.counted_at = "n 1024";
  smaller.counters["warp_instructions"] = 10;
  CHECK(judged(result(), smaller).counters.empty());
  CHECK(judged(result(), smaller).why == "neither times nor counters that both have");
}

TEST_CASE("a document that leaves out zeros is compared with zero") {
  auto a = result(), b = result();
  a.sparse = b.sparse = true;
  a.counters.erase("shared_load_bank_conflicts");
  b.counters["shared_load_bank_conflicts"] = 40;
  REQUIRE(judged(a, b).counters.size() == 1);
  CHECK(judged(a, b).counters[0].a == 0);
}

TEST_CASE("results are paired by lab, variant, parameters and launch; what has no partner is gone or new") {
  auto other_n = result();
  other_n.params = {{"n", "8192"}};
  const ResultDocument a{"a.json", "gpulab.run.v1", {result(), other_n, result("tree")}};
  const ResultDocument b{"b.json", "gpulab.run.v1", {result("shuffle"), result()}};
  const auto comparison = paired(a, b, 0.05);
  REQUIRE(comparison.pairs.size() == 1);
  CHECK(comparison.pairs[0].a.name == "warp");
  REQUIRE(comparison.gone.size() == 2);
  CHECK(comparison.gone[0].params[0].second == "8192");
  CHECK(comparison.added.at(0).name == "shuffle");
  CHECK(comparison.regressions() == 2);
}

TEST_CASE("what never was right is not missed where it is gone") {
  const ResultDocument a{"a.json", "gpulab.run.v1", {result(), wrong("x")}};
  auto broken = a;
  broken.results[1].name = "tree";
  CHECK(paired(broken, {"b.json", "gpulab.run.v1", {result()}}, 0.05).regressions() == 0);
}

TEST_CASE("several alike are paired in their order, and versions of a file by their kernels") {
  auto first = result(), second = result();
  first.lab = second.lab = "old.cu";
  first.message = "1";
  second.message = "2";
  auto now = second;
  now.lab = "new.cu";
  const auto comparison =
      paired({"a.json", "gpulab.run.v1", {first, second}}, {"b.json", "gpulab.run.v1", {now, now}}, 0.05);
  REQUIRE(comparison.pairs.size() == 2);
  CHECK(comparison.pairs[0].a.message == "1");
  CHECK(comparison.pairs[1].a.message == "2");
}

TEST_CASE("documents of which nothing can be compared are refused, with what is nearly alike") {
  const auto error = [](const ResultDocument& a, const ResultDocument& b) {
    return error_of([&] { return paired(a, b, 0.05); });
  };
  const ResultDocument a{"a.json", "gpulab.run.v1", {result()}};
  CHECK(error(a, {"b.json", "gpulab.exec.v1", {result()}}) ==
        "compare: a.json is a gpulab.run.v1, b.json a gpulab.exec.v1 | both have to be of one command");
  auto launched = result(), sized = result(), other = result("tree");
  launched.launch = "grid 32, block 128";
  sized.params = {{"n", "1"}};
  const std::string nothing =
      "compare: nothing can be compared: a.json has 1 result, b.json has 1 result, and none is in both | ";
  CHECK(error(a, {"b.json", "gpulab.run.v1", {launched}}) ==
        nothing + "warp is launched otherwise: grid 16, block 256; grid 32, block 128");
  CHECK(error(a, {"b.json", "gpulab.run.v1", {sized}}) == nothing + "warp of reduce is in both with other parameters");
  CHECK(error(a, {"b.json", "gpulab.run.v1", {other}}) ==
        nothing + "run the same command for both, with --format json --output FILE");
  CHECK(error(a, {"b.json", "gpulab.run.v1", {}}) ==
        "compare: nothing can be compared: a.json has 1 result, b.json has 0 results, and none is in both | run the "
        "same command for both");
}

TEST_CASE("thousands of results are compared and written in no time") {
  ResultDocument a{"a.json", "gpulab.run.v1", {}};
  for (int i = 0; i < 4000; ++i) {
    a.results.push_back(modelled(1));
    a.results.back().params = {{"n", std::to_string(i)}};
  }
  auto comparison = paired(a, a, 0.05);
  judge_pairs(comparison, PairKind::rungs);
  CHECK(comparison.pairs.size() == 4000);
  CHECK(compare_table(comparison, Style{}).size() > 100000);
  CHECK(compare_json(comparison, Style{}).size() > 100000);
}

TEST_CASE("what strangers wrote is shown without what would steer a terminal, as JSON, CSV and Markdown too") {
  auto evil = wrong("\x1b[2J|a,\"b\"\n");
  evil.name = "x\x1b[31m";
  auto fine = evil;
  fine.answer = Answer::right;
  Comparison comparison{
      .a = "a\x1b.json", .b = "b.json", .documents = true, .pairs = {{fine, evil}}, .gone = {evil}, .added = {evil}};
  judge_pairs(comparison, PairKind::foreign);
  for (const auto& text : {compare_table(comparison, Style{}), compare_json(comparison, Style{}),
                           compare_csv(comparison, Style{}), compare_markdown(comparison, Style{})})
    CHECK(text.find('\x1b') == std::string::npos);
  const auto json = nlohmann::json::parse(compare_json(comparison, Style{}));
  CHECK(json.at("regressions") == 1);
}
