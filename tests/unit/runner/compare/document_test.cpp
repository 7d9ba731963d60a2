#include "runner/compare/document.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "tests/catch.h"
#include "tests/unit/error_of.h"

using namespace gpulab;

namespace {

const std::string accepts = " | compare takes what '--format json' of a lab, run, check, explain or exec writes";

std::string run_document(const std::string& results, const std::string& kind = "sim") {
  return R"({"schema": "gpulab.run.v1", "device": {"kind": ")" + kind +
         R"(", "name": "NVIDIA H200"}, "lab": "reduce", "results": [)" + results + "]}";
}

std::string error_in(const std::string& text) {
  return error_of([&] { return document_of("a.json", text); });
}

ComparedResult first_of(const std::string& text) { return document_of("a.json", text).results.at(0); }

}  // namespace

TEST_CASE("a result of a run is read with its parameters, launch, counters and times") {
  const auto result = first_of(run_document(
      R"({"variant": "warp", "kernel": "k", "status": "ok", "params": {"n": 4096, "op": "sum"},
          "launch": {"grid": [16,1,1], "block": [32,8,1], "dynamic_shared_bytes": 64},
          "timing": {"source": "cuda_events", "mode": "cold", "samples": 31, "q1_ms": 0.9, "median_ms": 1, "q3_ms": 1.1},
          "model": {"gpu": "h200", "time_ms": 2, "low_ms": 1.5, "high_ms": 3, "bound": "issue", "validated": true, "no_ground": null,
                    "sms_used": 16},
          "counters": {"warp_instructions": 12, "branch_efficiency": 0.5}})",
      "gpu"));
  CHECK(result.modelled.value().sms_used == 16);
  CHECK(result.lab == "reduce");
  CHECK(result.name == "warp");
  CHECK(result.params == std::vector<std::pair<std::string, std::string>>{{"n", "4096"}, {"op", "sum"}});
  CHECK(result.launch == "grid 16, block 32x8, 64 B of shared memory");
  CHECK(result.counters.at("warp_instructions") == 12);
  REQUIRE(result.measured);
  CHECK(result.measured->gpu == "NVIDIA H200");
  CHECK(result.measured->median_ms == 1);
  REQUIRE(result.modelled);
  CHECK(result.modelled->high_ms == 3);
  CHECK(result.modelled->validated);
  CHECK(result.answer == Answer::right);
}

TEST_CASE("times that no GPU measured are no measured times") {
  const std::string timed =
      R"({"variant": "warp", "status": "ok", "timing": {"source": "cuda_events", "samples": 31, "median_ms": 1}})";
  CHECK(first_of(run_document(timed, "gpu")).measured);
  CHECK_FALSE(first_of(run_document(timed, "sim")).measured);  // whatever the document claims
  CHECK_FALSE(first_of(run_document(R"({"variant": "cpu", "timing": {"source": "cpu_wall", "median_ms": 1}})", "gpu"))
                  .measured);
}

TEST_CASE("what is wrong, what did not run, and what races on purpose are told apart") {
  const auto answer = [](const std::string& status, const std::string& more = "") {
    return first_of(run_document(R"({"variant": "v", "status": ")" + status + "\"" + more + "}")).answer;
  };
  for (const auto* status : {"wrong", "finding", "fault", "hung", "timeout", "error", "new to us"})
    CHECK(answer(status) == Answer::wrong);
  CHECK(answer("skipped") == Answer::unknown);
  CHECK(answer("wrong", R"(, "racy": true)") == Answer::right);
}

TEST_CASE("of a check the kernel is compared, and a requirement that failed makes no wrong answer") {
  const auto check = [](const std::string& item) {
    return first_of(R"({"schema": "gpulab.check.v1", "lab": "reduce", "contract": "total", "items": [)" + item +
                    R"(], "results": [{"variant": "mine", "counters": {"barriers": 3}}, {"variant": "warp"}]})");
  };
  const auto slow = check(R"({"name": "require", "status": "failed", "message": "too many"})");
  CHECK(slow.answer == Answer::right);
  CHECK(slow.name == "total");
  CHECK(slow.counters.at("barriers") == 3);
  const auto wrong = check(R"({"name": "correct", "status": "failed", "message": "out[3]"})");
  CHECK(wrong.answer == Answer::wrong);
  CHECK(wrong.message == "correct: out[3]");
}

TEST_CASE("of an explanation the launches' counts are added, their shares are not") {
  const auto result = first_of(R"({"schema": "gpulab.explain.v1", "lab": "reduce", "variant": "warp", "status": "ok",
      "launches": [{"counters": {"barriers": 3, "branch_efficiency": 0.5}}, {"counters": {"barriers": 4}}]})");
  CHECK(result.counters == std::map<std::string, double, std::less<>>{{"barriers", 7}});
  CHECK(result.sparse);
}

TEST_CASE("of a program its end and each kernel are compared, by the time of all launches") {
  const auto document =
      document_of("p.json", R"({"schema": "gpulab.exec.v1", "program": "p.cu", "status": "ok", "exit_code": 1,
      "faults": [{"kernel": "broken"}],
      "kernels": [{"name": "fine", "time": {"total_ms": 6, "lower_bound": false}, "findings": [],
                   "model": {"gpu": "h200", "time_ms": 2, "low_ms": 1, "high_ms": 4, "bound": "issue", "validated": true}},
                  {"name": "broken", "time": {"total_ms": 1, "lower_bound": true}, "model": null},
                  {"name": "racy", "findings": [{"severity": "error"}]}]})");
  REQUIRE(document.results.size() == 4);
  CHECK(document.results[0].message == "exit code 1");
  for (const auto& one : document.results) CHECK(one.lab == "p.cu");
  CHECK(document.results[0].answer == Answer::wrong);
  CHECK_FALSE(document.results[0].modelled);  // not all of its kernels have a time
  REQUIRE(document.results[1].modelled);
  CHECK(document.results[1].modelled->ms == 6);
  CHECK(document.results[1].modelled->high_ms == 12);
  CHECK(document.results[2].status == "fault");
  CHECK_FALSE(document.results[2].modelled);
  CHECK(document.results[3].status == "finding");
}

TEST_CASE("of a program whose kernels all have times and counts, the program has their sums") {
  const auto program =
      first_of(R"({"schema": "gpulab.exec.v1", "program": "p.cu", "status": "ok", "exit_code": 0, "kernels": [
      {"name": "a", "time": {"total_ms": 6}, "model": {"gpu": "h200", "time_ms": 6, "validated": true},
       "counters": {"barriers": 3, "branch_efficiency": 0.5, "global_atomic_max_lanes": 4}},
      {"name": "b", "time": {"total_ms": 2}, "model": {"gpu": "h200", "time_ms": 2, "validated": true}, "counters": {"barriers": 4}}]})");
  REQUIRE(program.modelled);
  CHECK(program.modelled->ms == 8);
  CHECK(program.modelled->validated);
  CHECK(program.counters == std::map<std::string, double, std::less<>>{{"barriers", 7}});
  CHECK(program.answer == Answer::right);
}

TEST_CASE("what is no document with results is refused in words") {
  CHECK(error_in("{") ==
        "compare: a.json is no JSON: parse error at line 1, column 2: syntax error while parsing object key - "
        "unexpected end of input; expected string literal" +
            accepts);
  CHECK(error_in("[1]") == "compare: a.json is no document of gpulab: it has no \"schema\"" + accepts);
  CHECK(error_in(R"({"schema": "gpulab.list.v1"})") ==
        "compare: a.json is a gpulab.list.v1, which has no results" + accepts);
  CHECK(error_in(R"({"schema": "gpulab.run.v1", "results": 3})") ==
        "compare: a.json is no gpulab.run.v1: it has no list \"results\"" + accepts);
  CHECK(error_in(R"({"schema": "gpulab.error.v1", "error": {"what": "unknown lab 'x'"}})") ==
        "compare: a.json holds an error and no results: unknown lab 'x'" + accepts);
}

TEST_CASE("what is too deep, too long or has too much in it is refused before it fills the memory") {
  CHECK(error_in(std::string(100000, '[')) == "compare: a.json is nested deeper than 40 levels" + accepts);
  std::string many = "[0";
  for (int i = 0; i < 2'000'000; ++i) many += ",0";
  CHECK(error_in(many + "]") == "compare: a.json has more than 2,000,000 values" + accepts);
  std::string results = "{}";
  for (int i = 0; i < 10'000; ++i) results += ",{}";
  CHECK(error_in(run_document(results)) == "compare: a.json has more than 10,000 results" + accepts);
  std::string name = (std::filesystem::temp_directory_path() / "gpulab-XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(name.data());
  const auto path = (folder / "large.json").string();
  std::ofstream(path).close();
  std::filesystem::resize_file(path, (std::uintmax_t{32} << 20) + 1);
  CHECK(error_of([&] { return read_document(path); }).find("large.json has 32 MiB; 32 MiB is the most") !=
        std::string::npos);
  CHECK(error_of([&] { return read_document((folder / "none.json").string()); }).find("there is no file") !=
        std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST_CASE("members of another kind than the schema's count as absent") {
  const auto result = first_of(run_document(
      R"({"variant": 7, "status": [], "params": "n", "launch": {"grid": "x", "block": {}}, "counters": {"barriers": -1, "warps": "many"},
          "timing": 5, "model": {"time_ms": "nan"}, "message": {"a": 1}})",
      "gpu"));
  CHECK(result.name.empty());
  CHECK(result.counters.empty());
  CHECK_FALSE(result.measured);
  CHECK_FALSE(result.modelled);
  CHECK(result.answer == Answer::wrong);
}

TEST_CASE("documents with bytes changed at random are read or refused, and never end the program") {
  const auto seed = run_document(
      R"({"variant": "warp", "kernel": "k", "status": "ok", "params": {"n": 4096}, "launch": {"grid": [16,1,1], "block": [32,8,1]},
          "timing": {"source": "cuda_events", "samples": 31, "median_ms": 1}, "model": {"gpu": "h200", "time_ms": 2},
          "counters": {"warp_instructions": 12}, "findings": [{"severity": "error"}]})",
      "gpu");
  std::mt19937 random(42);
  int read = 0;
  for (int i = 0; i < 3000; ++i) {
    auto text = seed;
    for (int change = 0; change <= i % 4; ++change) {
      const auto at = random() % text.size();
      constexpr std::string_view letters = "\"{}[],:0e-\\u\xff\0nt";
      if (random() % 3 == 0) {
        text.erase(at, 1 + random() % 5);
      } else {
        text[at] = letters[random() % letters.size()];
      }
      if (text.empty()) text = "{";
    }
    try {
      read += document_of("a.json", text).results.empty() ? 0 : 1;
    } catch (const Error& error) {
      CHECK(error.code == ExitCode::usage);
    }
  }
  CHECK(read > 100);
}
