#include "runner/course/course_pages.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/text.h"
#include "runner/course/lab_pages.h"
#include "runner/course/lab_trace.h"
#include "runner/execution/open_device.h"
#include "runner/lab_run.h"
#include "runner/listing/metric_table.h"
#include "runner/report/html/escape.h"
#include "runner/report/html/grid.h"
#include "runner/report/html/page.h"

namespace gpulab {
namespace {

using html::escaped;

/// The value at which a parameter's ladder is shown: sizes at a quarter or half of what the lab runs by default, which
/// is as telling and takes a third of the time. Knobs stay as they are.
std::string small_value(const Param& param) {
  constexpr std::int64_t large = 1 << 16, medium = 1 << 11;
  const auto* size = std::get_if<std::int64_t>(&param.fallback);
  if (size == nullptr || !param.tested.empty() || *size < medium) return {};
  return std::to_string(std::max(param.min, *size / (*size >= large ? 4 : 2)));
}

MachineOptions simulator() {
  auto machine = parse_machine_options({{"device", {"sim"}}, {"profile", {"h200"}}});
  machine.model_where_known = true;
  return machine;
}

Run ladder_of(const std::shared_ptr<const Lab>& lab, const std::shared_ptr<Executor>& executor, ExitCode& code) {
  Given given{{"variant", {"all"}}};
  for (const auto& param : lab->params)
    if (const auto value = small_value(param); !value.empty()) given[param.name] = {value};
  LabRun options;
  options.sweep = parse_sweep_options(lab, given);
  options.machine = simulator();
  auto ran = run_cases(options, executor);
  code = ran.code;
  // The same pages from the same build: no wall times, no GPU's absence. One picture shows what all rungs draw.
  bool drawn = false;
  for (auto& result : ran.run.results) {
    result.simulation_ms.reset();
    if (result.timing && result.timing->source == TimeSource::cpu_wall) result.timing.reset();
    if (drawn || result.variant != lab->headline) result.picture.reset();
    drawn = drawn || result.picture.has_value();
  }
  return std::move(ran.run);
}

std::vector<std::pair<std::string, std::string>> trace_links(const Lab& lab) {
  auto links = site_links();
  links.insert(links.begin() + 1, {"Lecture: " + lab.topic, lab_address(lab.name) + "#steps"});
  return links;
}

SiteFile index_page(const Course& course) {
  std::string cards;
  for (const auto* lab : course.labs) {
    std::vector<std::string> has{plural(lab->variants.size(), "rung")};
    if (!lab->contracts.empty()) has.push_back(plural(lab->contracts.size(), "contract"));
    if (const auto count = assignments_of(*lab).size(); count > 0) has.push_back(plural(count, "assignment"));
    cards += fmt::format(
        "<article class=\"card\">\n<p class=\"soft\">Lecture {}</p>\n<h3><a href=\"{}\">{}</a></h3>\n<p>{}</p>\n<p "
        "class=\"note\">{} · <a href=\"{}\">kernels</a></p>\n</article>\n",
        lab->lecture, lab_address(lab->name), words_html(lecture_title(*lab)), words_html(lab->question),
        escaped(join(has, " · ")), kernels_address(lab->name));
  }
  const std::string body = fmt::format(
      "<h1>GPU programming, one ladder at a time</h1>\n<p class=\"lead\">Each lecture asks one question and answers it "
      "with a ladder of CUDA kernels, its rungs, each of which repairs a weakness of an earlier one. All of them run "
      "without a GPU: a simulator executes their PTX and counts exactly what it does.</p>\n{}<h2 "
      "id=\"lectures\">Lectures</h2>\n<div class=\"cards\">\n{}</div>\n",
      html::wide("Commands",
                 "<pre><code># a whole ladder\ngpulab reduce --variant all\n# each line with its counters\n"
                 "gpulab explain reduce --variant shared_strided\n# a file for a kernel of your own\n"
                 "gpulab new reduce</code></pre>"),
      cards);
  return {"index.html", html::document({.title = "GPU programming, one ladder at a time · gpulab",
                                        .description = "A course of CUDA labs, each a ladder of kernels",
                                        .body = body,
                                        .top = site_links()})};
}

SiteFile metrics_page(std::span<const Lab> labs) {
  constexpr std::array<std::pair<MetricKind, const char*>, 4> kinds{
      {{MetricKind::counter, "Counters, exact on the simulator"},
       {MetricKind::rate, "What follows from time, copies or a counter"},
       {MetricKind::modelled, "Profilers' metrics of time, as modelled"},
       {MetricKind::fact, "What a lab works out of a case"}}};
  const auto all = listed_metrics(labs);
  std::string body =
      "<h1>Counters and metrics</h1>\n<p class=\"lead\">Every name that a report puts a number to, and what "
      "NVIDIA's profilers call it.</p>\n";
  for (const auto& [kind, title] : kinds) {
    html::Column name{"name", {}, false, true}, unit{"unit", {}}, means{"what it is", {}}, ncu{"Nsight Compute", {}},
        nvprof{"nvprof", {}};
    for (const auto& metric : all) {
      if (metric.kind != kind) continue;
      const auto code = [](const std::string& text) {
        return text.empty() ? "" : "<code>" + escaped(text) + "</code>";
      };
      name.cells.push_back(code(metric.name));
      unit.cells.push_back(escaped(metric.unit));
      means.cells.push_back((metric.lab.empty() ? "" : escaped(metric.lab) + ": ") + escaped(metric.definition));
      ncu.cells.push_back(code(metric.ncu));
      nvprof.cells.push_back(code(metric.nvprof));
    }
    if (name.cells.empty()) continue;
    std::vector<html::Column> columns{name, unit, means};
    if (kind != MetricKind::fact) columns.insert(columns.end(), {ncu, nvprof});
    body += fmt::format("<h2 id=\"{}\">{}</h2>\n{}", html::slug(title), escaped(title), html::table(title, columns));
  }
  return {"metrics.html",
          html::document({.title = "Counters and metrics · gpulab", .body = body, .top = site_links()})};
}

}  // namespace

std::vector<SiteFile> pages_of_course(const std::vector<std::shared_ptr<const Lab>>& labs,
                                      const std::function<void(const std::string&)>& tell) {
  Course course;
  std::vector<Lab> copies;
  for (const auto& lab : labs) course.labs.push_back(lab.get());
  for (const auto& lab : labs) copies.push_back(*lab);
  std::vector<SiteFile> files{index_page(course), metrics_page(copies)};
  const std::shared_ptr<Executor> executor = open_device(simulator());
  for (const auto& lab : labs) {
    tell(lab->name);
    auto code = ExitCode::ok;
    const auto ladder = ladder_of(lab, executor, code);
    if (code == ExitCode::interrupted) return {};
    std::vector<TracedRung> traced;
    for (const auto& rung : traced_rungs(*lab, ladder)) {
      auto page = trace_page_of(lab, *rung.variant, trace_links(*lab));
      if (!page) continue;
      traced.push_back(rung);
      files.push_back(std::move(*page));
    }
    for (auto& file : lab_pages(course, *lab, ladder, traced)) files.push_back(std::move(file));
  }
  return files;
}

}  // namespace gpulab
