#include "runner/report/report.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "common/embedded.h"
#include "common/text.h"
#include "runner/report/json_text.h"
#include "tests/catch.h"
#include "tests/folder.h"
#include "tests/unit/error_of.h"

using namespace gpulab;

namespace {

Result passed() {
  Result r;
  r.variant = "warp";
  r.summary = "shuffles within each warp, then across the block's warps, one atomic per block";
  r.kernel = "reduce_warp<float, Sum>";
  r.params = {{"n", std::int64_t{4194304}}, {"type", std::string("float")}, {"seed", std::int64_t{42}}};
  r.launch = LaunchFacts{{16384, 1, 1}, {256, 1, 1}, 0, 128, 0, 18, 1};
  r.occupancy = Occupancy{1.0, 8, {"warps"}};
  r.verification = Verification{VerificationStatus::passed, 0.25, 1e-7, 0.5, 0, {}, {}};
  r.spread = spread_of(16384, r.occupancy, 132);
  r.timing = Timing{};
  r.simulation_ms = 80;
  Counters c;
  c["warps"] = 131072;
  c["warp_instructions"] = 3000000;
  c["thread_instructions"] = 90000000;
  c["branches"] = 200;
  c["divergent_branches"] = 50;
  c["global_load_requests"] = 131072;
  c["global_load_sectors"] = 524288;
  c["global_bytes_loaded"] = c["global_distinct_bytes_loaded"] = 16777216;
  c["shared_load_requests"] = 10;
  c["shared_load_wavefronts"] = 320;
  c["shared_load_bank_conflicts"] = 310;
  c["global_atomic_requests"] = 16384;
  c["global_atomic_max_lanes"] = 1;
  c["barriers"] = 131072;
  r.counters = c;
  return r;
}

Result wrong() {
  auto r = passed();
  r.variant = "broken";
  r.status = CaseStatus::wrong;
  r.message = "out[5] is nan, not 1 (1 of 9 elements differs)";
  r.verification->status = VerificationStatus::failed;
  r.verification->max_abs_error = std::numeric_limits<double>::quiet_NaN();
  r.verification->max_rel_error = std::numeric_limits<double>::infinity();
  r.verification->mismatch_count = 1;
  r.verification->mismatches = {{5, std::numeric_limits<double>::quiet_NaN(), 1.0}};
  r.findings = {{"racecheck",
                 Severity::error,
                 "shared-memory race",
                 3,
                 {{"kernels.cu", 41, "write", {0, 0, 0}, {3, 0, 0}, "s[35]"}}}};
  return r;
}

Result measured() {
  auto r = passed();
  r.counters.reset();
  r.simulation_ms.reset();
  r.timing = Timing{TimeSource::cuda_events, CacheState::cold, 31, 0.01, 0.011, 0.0115, 0.012, 0.0116, 0.0005};
  r.metrics = {{"bandwidth", 1458.9, "GB/s"}, {"bandwidth_of_peak", 0.304, "ratio"}, {"speedup", 12.5, "x"}};
  return r;
}

Result skipped() {
  Result r;
  r.variant = "cub";
  r.status = CaseStatus::skipped;
  r.message = "variant 'cub' calls a vendor library and needs a GPU";
  r.params = passed().params;
  return r;
}

Run run_of(std::vector<Result> results) {
  return {{"sim", "simulator", "h200", 9, 0, 132, true}, "reduce", std::move(results)};
}

std::string text_of(const char* format, const Run& run, bool color = false) {
  return find_format(format, formats_for(&Format::run), "reduce").run(run, Style{.color = color});
}

/// The document without the counters that the golden does not name: a new counter is a row of common/counters, and no
/// golden's matter. One that the golden names must be there.
std::string without_new_counters(std::string text, const std::string& golden) {
  for (const auto& info : counter_table()) {
    const std::string name(info.name), member = '"' + name + "\": [^,\n]*";
    if (golden.find(name) == golden.npos)
      text = std::regex_replace(text, std::regex(",\\s*" + member + "|" + member + ",\\s*"), "");
  }
  return text;
}

/// The same of a CSV: columns after the last that may hold a comma are counted from the right.
std::string without_new_columns(const std::string& text, const std::string& golden) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& line : split(text, '\n')) rows.push_back(split(line, ','));
  rows.pop_back();  // behind the last line's end
  for (const auto& info : counter_table()) {
    const auto& names = rows.at(0);
    const auto at = std::find(names.rbegin(), names.rend(), info.name) - names.rbegin();
    if (golden.find(info.name) != golden.npos || at == std::ssize(names)) continue;
    for (auto& row : rows) row.erase(row.end() - 1 - at);
  }
  std::string kept;
  for (const auto& row : rows) kept += join(row, ",") + '\n';
  return kept;
}

/// The golden file's content; written instead of compared where GPULAB_UPDATE_GOLDENS is set.
void check_golden(const std::string& name, const std::string& text) {
  const std::string path = tests::tests_folder().string() + "/unit/goldens/" + name;
  if (std::getenv("GPULAB_UPDATE_GOLDENS") != nullptr) {
    std::ofstream(path) << text;
    return;
  }
  std::stringstream golden;
  golden << std::ifstream(path).rdbuf();
  CHECK((name.ends_with(".json")  ? without_new_counters(text, golden.str())
         : name.ends_with(".csv") ? without_new_columns(text, golden.str())
                                  : text) == golden.str());
}

}  // namespace

TEST_CASE("formats are found, the table first") {
  std::vector<std::string> names;
  for (const auto* format : formats()) names.emplace_back(format->name);
  CHECK(names.front() == "table");
  CHECK(std::is_sorted(names.begin() + 1, names.end()));
  for (const char* name : {"csv", "json", "markdown"}) CHECK(std::ranges::count(names, name) == 1);
  CHECK(error_of([] { return find_format("postscript", formats_for(&Format::run), "reduce").name; }) ==
        fmt::format("--format: unknown format 'postscript' | formats: {}", fmt::join(names, ", ")));
}

TEST_CASE("one result is a page") { check_golden("page.txt", text_of("table", run_of({passed()}))); }
TEST_CASE("a wrong result is a page with its mismatches and findings") {
  check_golden("page_wrong.txt", text_of("table", run_of({wrong()})));
}
TEST_CASE("a measured result is a page with its rates") {
  check_golden("page_measured.txt", text_of("table", run_of({measured()})));
}
TEST_CASE("several results are a ladder") {
  check_golden("ladder.txt", text_of("table", run_of({passed(), wrong(), skipped()})));
  check_golden("ladder.md", text_of("markdown", run_of({passed(), wrong(), skipped()})));
  check_golden("ladder.csv", text_of("csv", run_of({passed(), wrong(), skipped()})));
}
TEST_CASE("the document has the keys of its schema, in a fixed order") {
  // The toolkit that built this binary differs from machine to machine.
  auto text = text_of("json", run_of({passed(), wrong(), measured(), skipped()}));
  const auto toolkit = "\"toolkit\": \"" + std::string(toolkit_version()) + "\"";
  const auto at = text.find(toolkit);
  REQUIRE(at != std::string::npos);
  check_golden("run.json", text.replace(at, toolkit.size(), "\"toolkit\": \"13.0\""));
}

TEST_CASE("JSON and CSV have every counter that a row reports, in the order of rows, and no other") {
  auto counted = passed();
  counted.counters->counts.fill(1);  // nothing that follows from counts is left out
  std::vector<std::string> rows, members, columns;
  for (const auto& info : counter_table()) rows.emplace_back(info.name);
  const auto document = nlohmann::ordered_json::parse(text_of("json", run_of({counted})));
  for (const auto& [name, value] : document["results"][0]["counters"].items()) members.push_back(name);
  CHECK(members == rows);
  columns = split(split(text_of("csv", run_of({counted})), '\n').at(0), ',');
  REQUIRE(columns.size() > rows.size());
  CHECK(std::equal(rows.rbegin(), rows.rend(), columns.rbegin()));
}

TEST_CASE("the page shows every counter whose row says where") {
  auto counted = passed();
  for (std::size_t i = 0; i < counted.counters->counts.size(); ++i) counted.counters->counts[i] = 1000 + i;
  const auto page = text_of("table", run_of({counted}));
  for (const auto& info : counter_table()) {
    CAPTURE(info.name);
    if (info.page.group == nullptr) continue;
    const auto group = page.find("\n" + std::string(info.page.group->title));
    REQUIRE(group != page.npos);
    const auto count = info.count(*counted.counters);
    bool shown = !count;  // two rows of a group may have one label: of global and of shared memory
    for (auto line = page.find("\n  " + std::string(info.page.label) + "  ", group); !shown && line != page.npos;
         line = page.find("\n  " + std::string(info.page.label) + "  ", line + 1))
      shown = page.substr(line, page.find('\n', line + 1) - line).find(grouped(*count)) != page.npos;
    CHECK(shown);
  }
}

TEST_CASE("schemas name no counter: a new one is no matter of theirs") {
  for (const auto& schema : {"run", "explain"}) {
    std::stringstream text;
    text << std::ifstream(tests::tests_folder().string() + "/../configs/schema/" + schema + ".json").rdbuf();
    REQUIRE(text.str().find("\"counters\"") != std::string::npos);
    for (const auto& info : counter_table())
      CHECK(text.str().find('"' + std::string(info.name) + '"') == std::string::npos);
  }
}

TEST_CASE("no line of a table is wider than asked for, and the lab's own subject stays") {
  for (const std::size_t width : {60, 80, 100, 140, 200}) {
    for (auto run : {run_of({passed()}), run_of({wrong()}), run_of({passed(), wrong(), measured(), skipped()})}) {
      run.subject = {"atomic_requests"};
      const auto text = find_format("table", formats_for(&Format::run), "reduce").run(run, Style{.width = width});
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) {
        INFO(line);
        CHECK(columns(line) <= std::max<std::size_t>(width, run.results.size() == 1 ? 80 : 0));
      }
      if (run.results.size() > 1) CHECK(text.find("  atomics") != std::string::npos);
      if (width == 200) CHECK(text.find("want of width") == std::string::npos);
    }
  }
}

TEST_CASE("without colour there is no escape sequence, with it the text is the same") {
  const auto run = run_of({passed(), wrong()});
  const auto plain = text_of("table", run), colored = text_of("table", run, true);
  CHECK(plain.find('\x1b') == std::string::npos);
  std::string stripped;
  for (std::size_t i = 0; i < colored.size(); ++i) {
    if (colored[i] == '\x1b')
      i = colored.find('m', i);
    else
      stripped += colored[i];
  }
  CHECK(stripped == plain);
  CHECK(colored.size() > plain.size());
}

TEST_CASE("numbers that JSON lacks are words") {
  CHECK(json_real(std::numeric_limits<double>::quiet_NaN()) == "nan");
  CHECK(json_real(-std::numeric_limits<double>::infinity()) == "-inf");
  CHECK(json_real(0.1).dump() == "0.1");
}

TEST_CASE("JSON is broken into lines only where it must, and says the same") {
  nlohmann::ordered_json json{
      {"short", {1, 2, 3}}, {"long", std::string(120, 'x')}, {"empty", nlohmann::ordered_json::array()}};
  const auto text = json_text(json);
  CHECK(text == "{\n  \"short\": [1, 2, 3],\n  \"long\": \"" + std::string(120, 'x') + "\",\n  \"empty\": []\n}\n");
  CHECK(nlohmann::ordered_json::parse(text) == json);
  CHECK(json_text({{"bytes", "\xff"}}).find("\xEF\xBF\xBD") != std::string::npos);
}
