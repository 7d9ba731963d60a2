#include "runner/report/pages/run_page.h"

#include <fmt/format.h>

#include "runner/report/html/escape.h"
#include "runner/report/html/page.h"
#include "runner/report/ladder/ladder.h"
#include "runner/report/pages/sections.h"

namespace gpulab {

std::string run_page(const Run& run, const Style&) {
  using html::escaped;
  const std::string name = run.file.empty() ? run.lab : run.file;
  const bool alone = run.results.size() == 1;
  const std::string title = alone && run.file.empty() ? name + " · " + run.results.front().variant : name;
  std::string body = fmt::format("<h1>{}{}</h1>\n", escaped(title), alone ? " " + pages::badge(run.results[0]) : "");
  if (alone && !run.results[0].summary.empty())
    body += fmt::format("<p class=\"lead\">{}</p>\n", html::with_code(run.results[0].summary));
  if (!alone)
    body += fmt::format("<p class=\"lead\">{} on {}</p>\n<p class=\"soft\">{}</p>\n",
                        fmt::format("{} results", run.results.size()), escaped(device_text(run.device)),
                        escaped(shared_case(run)));
  return html::document({.title = title + " · gpulab",
                         .description = fmt::format("What gpulab {} of {}", "reports", title),
                         .body = body + pages::run_sections(run)});
}

namespace pages {

namespace {

/// Of runs without stories.
std::string words_section(const Run& run) {
  std::string words;
  for (const auto& result : run.results) {
    const auto said = result_words(result);
    if (!said.empty()) words += fmt::format("<h3>{} {}</h3>\n{}", html::escaped(result.variant), badge(result), said);
  }
  return words.empty() ? "" : "<h2>What is said of single results</h2>\n" + words;
}

}  // namespace

std::string run_sections(const Run& run) {
  std::string body;
  if (run.results.size() == 1) {
    body += result_facts(run, run.results.front());
    body += result_words(run.results.front());
    body += roofline_section(run);
    body += busy_section(run);
    body += occupancy_section(run);
    return body + counters_section(run) + notes_section(run);
  }
  body += ladder_section(run);
  body += sweep_section(run);
  body += stories_section(run);
  if (stories_section(run).empty()) body += words_section(run);
  body += roofline_section(run);
  body += busy_section(run);
  body += occupancy_section(run);
  return body + counters_section(run) + notes_section(run);
}

}  // namespace pages
}  // namespace gpulab
