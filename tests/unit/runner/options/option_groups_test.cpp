#include <fmt/ranges.h>

#include "runner/options/launch_options.h"
#include "runner/options/machine_options.h"
#include "runner/options/measure_options.h"
#include "runner/options/report_options.h"
#include "tests/all_tools.h"
#include "tests/catch.h"
#include "tests/unit/error_of.h"

using namespace gpulab;

namespace {

std::string refusal_of(const std::string& name, const std::string& value) {
  const Given given{{name, {value}}};
  return error_of([&] {
    (void)parse_launch_options(given);
    (void)parse_machine_options(given);
    (void)parse_measure_options(given);
    return 0;
  });
}

}  // namespace

TEST_CASE("nothing given: any device, counters as it sees fit, a table on standard output") {
  const auto machine = parse_machine_options({});
  CHECK(machine.device == nullptr);
  CHECK_FALSE(machine.counters.has_value());
  CHECK(machine.sanitize.empty());
  const auto report = parse_report_options("reduce", {}, formats_for(&Format::run));
  CHECK(report.format->name == "table");
  CHECK(report.output.empty());
}

TEST_CASE("each group takes what is its own") {
  const Given given{{"device", {"gpu:2"}}, {"profile", {"t4"}},      {"threads", {"3"}},     {"schedule", {"9"}},
                    {"budget", {"2^20"}},  {"print-limit", {"4Ki"}}, {"sanitize", {"none"}}, {"no-counters", {"true"}},
                    {"reps", {"5"}},       {"warmup", {"0"}},        {"min-time", {"0.5"}},  {"max-noise", {"2"}},
                    {"stop", {"entropy"}}, {"warm", {"true"}},       {"format", {"csv"}},    {"output", {"x"}}};
  const auto machine = parse_machine_options(given);
  CHECK(machine.device == find_device_kind("gpu"));
  CHECK(machine.device_index == 2);
  CHECK(machine.profile == "t4");
  CHECK(machine.threads == 3);
  CHECK(machine.schedule == 9);
  CHECK(machine.budget == 1048576);
  CHECK(machine.print_limit == 4096u);
  CHECK(machine.counters == false);
  const auto measure = parse_measure_options(given);
  CHECK(measure.reps == 5);
  CHECK(measure.warmup == 0);
  CHECK(measure.min_time_s == 0.5);
  CHECK(measure.max_noise == 0.02);
  CHECK(measure.stop == StopBy::entropy);
  CHECK(measure.warm);
  const auto report = parse_report_options("reduce", given, formats_for(&Format::run));
  CHECK(report.format->name == "csv");
  CHECK(report.output == "x");
}

TEST_CASE("what an option cannot be is refused") {
  CHECK(refusal_of("device", "gpu:-1") == "--device: unknown device 'gpu:-1' | devices: auto, gpu, gpu:INDEX, sim");
  CHECK(refusal_of("device", "simm") ==
        "--device: unknown device 'simm' | did you mean 'sim'? devices: auto, gpu, gpu:INDEX, sim");
  CHECK(refusal_of("seed", "-1") == "--seed: '-1' is not a whole number of 0 or more");
  CHECK(refusal_of("seed", "9223372036854775808") ==
        "--seed: '9223372036854775808' is not a whole number of 0 or more");
  CHECK(refusal_of("threads", "5000") == "--threads: '5000' is not a whole number of 1 to 4096");
  CHECK(refusal_of("max-noise", "-1") == "--max-noise: '-1' is not a number of 0 or more");
  CHECK(refusal_of("stop", "quiet") == "--stop: 'quiet' is neither noise nor entropy | --reps N stops by count");
  CHECK(refusal_of("min-time", "inf") == "--min-time: 'inf' is not a number of 0 or more");
  CHECK(refusal_of("sanitize", "racechek") ==
        fmt::format("--sanitize: unknown tool 'racechek' | did you mean 'racecheck'? tools: {}, all, none",
                    fmt::join(tests::all_tools(), ", ")));
}

TEST_CASE("a command takes the formats that can write what it reports, and its help names no others") {
  const auto able = formats_for(&Format::explanation);
  CHECK_THAT(report_options(able)[0].help, StartsWith("table") && ContainsSubstring("json") && EndsWith("[table]"));
  CHECK_THAT(report_options(formats_for(&Format::run))[0].help,
             StartsWith("table, csv, html, json") && EndsWith(" [table]"));
  const auto refusal = [&](const char* format) {
    return error_of([&] { return parse_report_options("explain", {{"format", {format}}}, able); });
  };
  CHECK_THAT(refusal("csv"), StartsWith("--format: explain has no csv | formats: table, html, json"));
  CHECK_THAT(refusal("jsn"),
             StartsWith("--format: unknown format 'jsn' | did you mean 'json'? formats: table, html, json"));
}

TEST_CASE("a format is recognised in a command line that cannot be parsed") {
  const auto asked = [](const std::vector<std::string>& words) -> std::string_view {
    const auto* format = format_asked_for(words);
    return format == nullptr ? "none" : format->name;
  };
  CHECK(asked({"nonsense", "--format", "json"}) == "json");
  CHECK(asked({"nonsense", "--format=json"}) == "json");
  CHECK(asked({"nonsense", "--format", "csv"}) == "csv");
  CHECK(asked({"json", "--format"}) == "none");
  CHECK(asked({"nonsense", "--format", "jsn"}) == "none");
}
