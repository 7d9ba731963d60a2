#include "runner/report/explain/line_columns.h"

#include <algorithm>

#include "labs/registry.h"
#include "runner/report/explain/explain_report.h"
#include "tests/catch.h"

using namespace gpulab;

namespace {

/// A launch of whose kernel every column has something to say.
struct Page {
  Result result;
  ExplainView view;
  Page() {
    auto& launch = result.lines.emplace_back();
    launch.kernel = "k";
    launch.file = "k.cu";
    launch.text = "__global__ void k() {\n  work();\n}\n";
    launch.grid = {132};
    launch.block = {256};
    for (auto& count : launch.counters.counts) count = 1000;
    LineCounts line;
    line.line = 2;
    line.executions = 8;
    line.counters = launch.counters;
    launch.lines.push_back(line);
    view.result = &result;
  }
};

std::vector<std::string> names(const std::vector<LineColumn>& columns) {
  std::vector<std::string> all;
  for (const auto& column : columns) all.emplace_back(column.counter->name);
  return all;
}

bool has(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

}  // namespace

TEST_CASE("columns that were asked for are the page's, in that order, and stay however narrow it is") {
  Page page;
  page.view.metrics = {"shared_load_bank_conflicts", "warp_instructions"};
  CHECK(names(line_columns(page.view)) == page.view.metrics);
  const auto text = explain_table(page.view, {.color = false, .width = 40});
  CHECK(has(text, "    shared load    warp\nline bank conflicts  instr."));
  CHECK_FALSE(has(text, "Not shown"));
}

TEST_CASE("at 80 columns a lab's subject keeps its columns, where others leave") {
  Page page;
  const Style narrow{.color = false, .width = 80};
  CHECK(has(explain_table(page.view, narrow), "Not shown for want of width: "));
  for (const auto& lab : all_labs()) {
    page.view.subject = lab.subject;
    const auto text = explain_table(page.view, narrow);
    const auto left_out = text.substr(text.find("Not shown"));
    for (const auto& column : line_columns(page.view)) {
      const bool is_subject = std::ranges::any_of(
          lab.subject, [&](const std::string& subject) { return shows_subject(*column.counter, subject); });
      INFO(lab.name << ": " << column.counter->name);
      CHECK(column.stays == is_subject);
      if (is_subject) CHECK_FALSE(has(left_out, column.heading + " " + column.second));
    }
  }
}

TEST_CASE("every subject that lines have a part of has a column of explain") {
  for (const auto& lab : all_labs())
    for (const auto& subject : lab.subject) {
      if (subject == "block_imbalance") continue;  // blocks differ, not lines
      INFO(lab.name << ": " << subject);
      CHECK(std::ranges::any_of(counters_and_columns(), [&](const CounterInfo& counter) {
        return counter.line.width != 0 && shows_subject(counter, subject);
      }));
    }
}

TEST_CASE("sectors of loads and of stores stand apart") {
  Page page;
  auto& counters = page.result.lines[0].counters;
  counters = {};
  counters["global_load_requests"] = counters["global_store_requests"] = 100;
  counters["global_load_sectors"] = 400;
  counters["global_store_sectors"] = 3200;
  page.result.lines[0].lines[0].counters = counters;
  const auto text = explain_table(page.view, {.color = false, .width = 100});
  CHECK(has(text, " 4.0 "));
  CHECK(has(text, " 32.0 "));
  CHECK_FALSE(has(text, " 18.0 "));
}
