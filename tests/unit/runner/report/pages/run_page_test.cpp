#include "runner/report/pages/run_page.h"

#include <regex>

#include "runner/report/pages/explain_page.h"
#include "runner/report/pages/highlight.h"
#include "tests/catch.h"

using namespace gpulab;

namespace {

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

Result counted(const std::string& variant, double ms) {
  Result r;
  r.variant = variant;
  r.summary = "what " + variant + " does";
  r.params = {{"n", std::int64_t{1024}}, {"seed", std::int64_t{42}}};
  r.launch = LaunchFacts{{4, 1, 1}, {256, 1, 1}, 0, 1024, 0, 18, 1};
  r.occupancy = Occupancy{1.0, 8, {"warps"}};
  r.spread = spread_of(4, r.occupancy, 132);
  r.verification = Verification{VerificationStatus::passed, 0, 0, 0, 0, {}, {}};
  Counters c;
  c["warp_instructions"] = 1000;
  c["global_load_sectors"] = 128;
  c["global_read_footprint_bytes"] = 4096;
  r.counters = c;
  ModelledTime model;
  model.gpu = "h200";
  model.ms = model.kernel_ms = ms;
  model.low_ms = ms / 2;
  model.high_ms = ms * 2;
  model.bound = "issue";
  model.issue = 0.5;
  r.model = model;
  return r;
}

Run run_of(std::vector<Result> results) {
  return {{"sim", "simulator", "h200", 9, 0, 132, true}, "reduce", std::move(results)};
}

/// Every element that is opened is closed, in order; void elements and what SVG closes itself apart.
std::string unbalanced(const std::string& page) {
  static const std::regex tag("<(/?)([a-z][a-z0-9]*)(?:\"[^\"]*\"|[^>\"])*?(/?)>");
  std::vector<std::string> open;
  const auto from = page.find("<body>") + 6;
  const auto body = page.substr(from, page.rfind("</body>") - from);
  for (std::sregex_iterator it(body.begin(), body.end(), tag), end; it != end; ++it) {
    const auto name = (*it)[2].str();
    if ((*it)[3].length() > 0 || name == "img" || name == "br" || name == "meta") continue;
    if ((*it)[1].length() == 0) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      return "</" + name + ">";
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : "<" + open.back() + ">";
}

}  // namespace

TEST_CASE("a ladder's page has each rung with its modelled time as a bar, and says that nothing was measured") {
  auto skipped = counted("cub", 1);
  skipped.status = CaseStatus::skipped;
  skipped.message = "needs a GPU";
  skipped.model.reset();
  skipped.counters.reset();
  const auto page = run_page(run_of({counted("slow", 2), counted("fast", 0.5), skipped}), {});
  CHECK(unbalanced(page) == "");
  CHECK(has(page, "<h1>reduce</h1>"));
  CHECK(has(page, "<a href=\"#rung-slow\">slow</a>"));
  CHECK(has(page, "id=\"rung-slow\""));
  CHECK(has(page, "modelled time"));
  CHECK(!has(page, "time, measured"));
  CHECK(has(page, "modelled, not measured"));
  for (const auto* section : {"ladder", "rungs", "roofline", "busy", "occupancy", "counters", "notes"})
    CHECK(has(page, std::string("id=\"") + section + '"'));
  CHECK(has(page, "needs a GPU"));
}

TEST_CASE("rungs that lie far apart get logarithmic bars, and the page says so") {
  CHECK(!has(run_page(run_of({counted("a", 2), counted("b", 1)}), {}), "measured, logarithmic"));
  CHECK(has(run_page(run_of({counted("a", 2000), counted("b", 1)}), {}), "measured, logarithmic"));
}

TEST_CASE("measured time is called measured, and no model is spoken of") {
  auto r = counted("warp", 1);
  r.model.reset();
  r.timing = Timing{TimeSource::cuda_events, CacheState::cold, 31, 1, 1, 1.5, 2, 1.5, 0.1};
  auto run = run_of({r, r});
  run.results[1].variant = "other";
  run.device.modelled = false;
  const auto page = run_page(run, {});
  CHECK(has(page, "time, measured"));
  CHECK(!has(page, "modelled"));
}

TEST_CASE("one result is a page of its facts, its findings and what it printed, all of it harmless") {
  auto r = counted("mine", 1);
  r.status = CaseStatus::finding;
  r.message = "<script>alert(1)</script>";
  r.output = "</pre><img src=x>";
  r.findings = {
      {"racecheck", Severity::error, "a \"race\"", 3, {{"<k>.cu", 41, "write", {0, 0, 0}, {3, 0, 0}, "s[35]"}}}};
  r.picture = Picture{2, 1, {0, 0, 0, 255, 255, 255}};
  r.curve = Curve{"c", "x", "y", {1, 2, 3}, {1, 4, 2}, 0, 2};
  auto run = run_of({r});
  run.file = "<mine>.cu";
  const auto page = run_page(run, {});
  CHECK(unbalanced(page) == "");
  CHECK(has(page, "<h1>&lt;mine&gt;.cu"));
  CHECK(has(page, "&lt;script&gt;alert(1)"));
  CHECK(has(page, "&lt;/pre&gt;&lt;img src=x&gt;"));
  CHECK(has(page, "<code>&lt;k&gt;.cu:41</code> write by block (0,0,0), thread (3,0,0), <code>s[35]</code>"));
  CHECK(has(page, "<img src=\"data:image/png;base64,iVBOR"));
  CHECK(has(page, "alt=\"What mine drew\""));
  CHECK(!has(page, "<script>alert"));
}

TEST_CASE("a sweep's page draws curves over its parameter") {
  std::vector<Result> results;
  for (const auto* variant : {"slow", "fast"})
    for (std::int64_t n = 1024; n <= 8192; n *= 2) {
      auto r = counted(variant, static_cast<double>(n) * (variant[0] == 's' ? 2e-3 : 1e-3));
      r.params[0].second = n;
      results.push_back(r);
    }
  const auto page = run_page(run_of(results), {});
  CHECK(unbalanced(page) == "");
  CHECK(has(page, "<h2 id=\"sweep\">Over n</h2>"));
  CHECK(has(page, "<title>time, modelled over n</title>"));
}

TEST_CASE("source is coloured line by line, and what it says is harmless") {
  const auto lines =
      pages::highlighted("#include <x>\nint a = 1.5f; /* two\nlines */ __syncthreads(); // end\n\"<b>\"");
  REQUIRE(lines.size() == 4);
  CHECK(lines[0] == "<span class=\"k\">#include</span> &lt;x&gt;");
  CHECK(lines[1] == "<span class=\"t\">int</span> a = <span class=\"n\">1.5f</span>; <span class=\"c\">/* two</span>");
  CHECK(lines[2] ==
        "<span class=\"c\">lines */</span> <span class=\"b\">__syncthreads</span>(); <span class=\"c\">// end</span>");
  CHECK(lines[3] == "<span class=\"q\">&quot;&lt;b&gt;&quot;</span>");
}

TEST_CASE("an explanation's page has each line with its counters, and reasons that link to lines") {
  auto r = counted("slow", 2);
  LaunchLines launch;
  launch.kernel = "k<int>";
  launch.file = "k.cu";
  launch.text = "__global__ void k(int* x) {\n  x[32 * threadIdx.x] = 1;\n}\n";
  launch.grid = {1, 1, 1};
  launch.block = {32, 1, 1};
  launch.phases = 1;
  LineCounts line{2, 0, 1, {}};
  line.counters["warp_instructions"] = 4;
  line.counters["thread_instructions"] = 128;
  line.counters["global_store_requests"] = 1;
  line.counters["global_store_sectors"] = 32;
  line.counters["global_bytes_stored"] = line.counters["global_distinct_bytes_stored"] = 128;
  launch.counters = line.counters;
  launch.lines = {line};
  LineAccess access{2, 9, "st.global.u32", false, false, true, false, 4, 0xffffffff};
  for (std::size_t lane = 0; lane < 32; ++lane) access.addresses[lane] = static_cast<std::int64_t>(128 * lane);
  access.sectors = 32;
  access.distinct_bytes = 128;
  launch.accesses = {access};
  launch.time = LaunchTime{0.01, 0.008, {{2, 0.001, 0.006, 0, 0, 0}}, {}};
  r.lines = {launch};
  ExplainView view{run_of({}).device, "lab", "", &r, 0, false, {}};
  const auto page = explain_page(view, {});
  CHECK(unbalanced(page) == "");
  CHECK(has(page, "<tr class=\"heat9\" id=\"L2\"><th class=\"no\" scope=\"row\">2</th><td class=\"num\">88%</td>"));
  CHECK(has(page, "<a href=\"#L2\">Line 2</a>: "));
  CHECK(has(page, "href=\"#reason-1\""));
  CHECK(has(page, "times are modelled, not measured"));
}
