#include "runner/report/trace/trace_page.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "common/text.h"
#include "runner/report/html/escape.h"
#include "runner/report/html/page.h"
#include "runner/report/trace/trace_json.h"

namespace gpulab {

namespace {

/// Of the document, so that a page with its scripts stays below 5 MB.
constexpr std::size_t most_bytes = 4'700'000;

using html::escaped;

std::string heading(const TraceView& view) {
  const StepTrace& t = *view.steps;
  const std::string name = view.lab.empty() ? view.file : fmt::format("{} · {}", view.lab, view.result->variant);
  std::string params;
  for (const auto& [key, value] : view.result->params)
    std::visit([&, &k = key](const auto& held) { params += fmt::format(", {} {}", k, held); }, value);
  return fmt::format(
      "<h1>{}</h1>\n<p class=\"note\"><code>{}</code> grid {}, block {}{}. Simulated as {}, {}; nothing here is "
      "measured.</p>\n",
      escaped(name), escaped(t.kernel), dim_text(t.grid), dim_text(t.block), escaped(params),
      escaped(view.device.profile),
      view.schedule == 0 ? "warps in the simulator’s own order"
                         : fmt::format("warps in the order of --schedule {}", view.schedule));
}

}  // namespace

std::string trace_document(const TraceView& view) {
  return trace_json(view, most_bytes).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string trace_page(const TraceView& view) {
  html::Page page;
  page.title = fmt::format("{}: step by step", view.lab.empty() ? view.file : view.lab + " " + view.result->variant);
  page.top = view.top;
  page.description = "A kernel stepped forward and back, warp by warp";
  page.styles = {"runner/report/trace/page/trace.css"};
  for (const char* script :
       {"data", "state", "warps", "canvas", "pictures", "troubles", "memory", "code", "time", "predict", "steps"})
    page.scripts.push_back(fmt::format("runner/report/trace/page/trace_{}.js", script));
  page.body = heading(view);
  page.body +=
      "<noscript><p>This page steps by JavaScript; <code>gpulab trace … --text</code> shows the same steps as "
      "text.</p></noscript>\n<div id=\"trace\"><p class=\"note "
      "loading\">Loading "
      "the steps …</p></div>\n";
  page.body += html::data_block("trace-data", trace_document(view));
  return html::document(page);
}

}  // namespace gpulab
