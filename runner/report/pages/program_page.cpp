#include "runner/report/pages/program_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "common/text.h"
#include "runner/report/advice/advice.h"
#include "runner/report/html/escape.h"
#include "runner/report/html/grid.h"
#include "runner/report/html/page.h"
#include "runner/report/ladder/ladder.h"
#include "runner/report/ladder/time_metrics.h"
#include "runner/report/pages/sections.h"
#include "runner/report/program/program_lines.h"
#include "runner/report/program/program_report.h"

namespace gpulab {
namespace {

using html::escaped;

constexpr std::size_t most_drawn = 1500,  ///< launches and copies of the timeline
    most_listed = 200, most_streams = 16;

std::string badge(const ProgramRun& run) {
  const bool good = run.status == ProgramStatus::ok && run.code == 0;
  const auto word = run.interrupted ? "interrupted" : to_text(run.status);
  return fmt::format("<span class=\"verdict {}\">{}</span>", good ? "good" : "bad", word);
}

std::string card(const std::string& inner) { return "<div class=\"card finding error\">" + inner + "</div>\n"; }

std::string wrongs(const ProgramRun& run) {
  const auto& record = run.record;
  std::string out;
  const auto error = [](const std::string& what) {
    return fmt::format("<p><strong class=\"bad\">error</strong> {}</p>\n", escaped(what));
  };
  const auto hint = [](const std::string& text) {
    return text.empty() ? "" : fmt::format("<p class=\"note\">{}</p>\n", escaped(text));
  };
  if (record.unsupported)
    out +=
        card(error(fmt::format("unsupported: {}, called by {}", record.unsupported->what, record.unsupported->caller)) +
             hint(record.unsupported->hint));
  if (!record.crash.empty()) out += card(error(record.crash));
  for (const auto& fault : record.faults) {
    std::string where;
    if (!fault.where.empty()) where = fmt::format("<p>at <code>{}</code></p>\n", escaped(fault.where));
    out += card(error(fault.what) + where +
                fmt::format("<p>in {}</p>\n<p>{}</p>\n", escaped(launch_text(fault)), escaped(told_text(fault))) +
                hint(fault.hint));
  }
  Result said;
  said.findings = shown_findings(run);
  out += pages::result_words(said);
  return out.empty() ? out : "<h2 id=\"found\">What was found</h2>\n" + out;
}

/// What costs the program its time, where lines were counted.
std::string advice_section(const ProgramRun& run) {
  const auto list = advice_of(run);
  if (list.total_ms <= 0) return {};
  std::string out;
  for (const auto& one : list.advices) {
    const auto remedy = one.remedy.empty() ? "" : fmt::format("<br>\nTry: {}", escaped(one.remedy));
    out += fmt::format("<li><code>{}</code> {}: {}{}</li>\n", escaped(one.where.empty() ? one.kernel : one.where),
                       duration_text(one.ms), escaped(one.text), remedy);
  }
  return fmt::format("<h2 id=\"advice\">What costs time, of {} as modelled</h2>\n{}", duration_text(list.total_ms),
                     out.empty() ? "<p>Nothing stands out.</p>\n" : "<ol>\n" + out + "</ol>\n");
}

std::string kernels_table(const ProgramRun& run, const std::vector<const cuda_api::KernelRecord*>& kernels) {
  std::vector<html::Column> columns;
  const auto column = [&](const std::string& heading, bool number, const auto& cell) {
    html::Column& added = columns.emplace_back(html::Column{escaped(heading), {}, number});
    for (const auto* kernel : kernels) added.cells.push_back(escaped(cell(*kernel)));
  };
  column("kernel", false, [](const auto& k) { return k.cpp_name; });
  columns.back().row_heading = true;
  column("launches", true, [](const auto& k) { return grouped(k.launches); });
  column("grid", true, [](const auto& k) { return dim_text(k.grid); });
  column("block", true, [](const auto& k) { return dim_text(k.block); });
  column("registers", true,
         [](const auto& k) { return k.registers ? std::to_string(*k.registers) : std::string("-"); });
  column("shared memory", true, [](const auto& k) { return grouped(k.shared_bytes) + " bytes"; });
  column("time of all, modelled", true, [&](const auto& k) { return escaped(modelled_time_of(k, run)); });
  column("bound", false, [](const auto& k) { return k.model ? k.model->bound : std::string("-"); });
  for (const auto& metric : run.metrics)
    column(metric, true, [&](const auto& k) {
      const auto value = metric_value(result_of(k), metric);
      return value ? metric_text(*value) : std::string("-");
    });
  column("launched by", false, [](const auto& k) { return k.caller; });
  return html::table("What the program launched", columns);
}

std::string copies_table(const cuda_api::Record& record) {
  if (record.copies.empty()) return {};
  html::Column name{"copy or fill", {}, false, true}, calls{"calls", {}, true}, bytes{"bytes", {}, true},
      time{"time of all, modelled", {}, true};
  for (const auto& [what, copies] : record.copies) {
    name.cells.push_back(escaped(what));
    calls.cells.push_back(grouped(copies.calls));
    bytes.cells.push_back(grouped(copies.bytes));
    time.cells.push_back(duration_text(copies.ms));
  }
  return html::table("What was copied", {name, calls, bytes, time});
}

std::string libraries_table(const cuda_api::Record& record) {
  if (record.libraries.empty()) return {};
  html::Column name{"library call", {}, false, true}, shape{"shape", {}, false}, calls{"calls", {}, true},
      bytes{"bytes", {}, true}, time{"time of all, estimated", {}, true};
  for (const auto& one : record.libraries) {
    name.cells.push_back(escaped(one.name));
    shape.cells.push_back(escaped(one.shape));
    calls.cells.push_back(grouped(one.calls));
    bytes.cells.push_back(grouped(one.bytes));
    time.cells.push_back(duration_text(one.ms));
  }
  return html::table("What libraries computed", {name, shape, calls, bytes, time});
}

/// A row for each stream; a bar for each launch, copy and fill.
std::string timeline(const std::vector<cuda_api::Activity>& all) {
  const std::size_t drawn = std::min(all.size(), most_drawn);
  std::map<std::uint32_t, std::size_t> rows;
  double end = 0;
  for (std::size_t i = 0; i < drawn; ++i) {
    rows.emplace(all[i].stream, 0);
    end = std::max(end, all[i].start_ms + all[i].ms);
  }
  if (rows.empty() || rows.size() > most_streams || end <= 0) return {};
  std::size_t next = 0;
  for (auto& [stream, row] : rows) row = next++;
  constexpr double left = 70, across = 560, tall = 24;
  const double bottom = tall * static_cast<double>(rows.size());
  std::string out = fmt::format(
      "<svg class=\"chart\" viewBox=\"0 0 640 {:.0f}\" role=\"img\"><title>Launches and copies of {} "
      "over {} of modelled time</title>\n",
      bottom + 22, rows.size() == 1 ? "one stream" : fmt::format("{} streams", rows.size()), duration_text(end));
  for (const auto& [stream, row] : rows)
    out += fmt::format("<text x=\"0\" y=\"{:.0f}\">stream {}</text>\n", tall * static_cast<double>(row) + 16, stream);
  for (int tick = 0; tick <= 4; ++tick) {
    const double x = left + across * tick / 4;
    out += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"0\" y2=\"{1:.0f}\"/><text x=\"{0:.1f}\" y=\"{2:.0f}\" "
        "text-anchor=\"{3}\">{4}</text>\n",
        x, bottom, bottom + 16, tick == 4 ? "end" : "middle", duration_text(end * tick / 4));
  }
  for (std::size_t i = 0; i < drawn; ++i) {
    const auto& one = all[i];
    out += fmt::format(
        "<rect class=\"fill s{}\" x=\"{:.2f}\" y=\"{:.0f}\" width=\"{:.2f}\" height=\"{:.0f}\"><title>{}: {} "
        "at {}</title></rect>\n",
        one.number == 0 ? 1 : 0, left + one.start_ms / end * across, tall * static_cast<double>(rows[one.stream]) + 4,
        std::max(one.ms / end * across, 0.8), tall - 8, escaped(one.what), duration_text(one.ms),
        duration_text(one.start_ms));
  }
  return fmt::format(
      "<figure>\n<figcaption>In modelled time <span class=\"soft\">launches blue, copies and fills "
      "orange{}</span></figcaption>\n{}</svg>\n</figure>\n",
      drawn < all.size() ? fmt::format("; the first {}", grouped(drawn)) : "", out);
}

std::string launches_section(const cuda_api::Record& record) {
  const auto& all = record.activities;
  if (all.empty()) return {};
  html::Column start{"start", {}, true}, time{"takes", {}, true}, what{"what", {}, false, true},
      shape{"grid, block", {}}, size{"bytes", {}, true}, stream{"stream", {}, true}, caller{"called by", {}};
  const std::size_t listed = std::min(all.size(), most_listed);
  for (std::size_t i = 0; i < listed; ++i) {
    const auto& one = all[i];
    start.cells.push_back(duration_text(one.start_ms));
    time.cells.push_back(duration_text(one.ms));
    what.cells.push_back(escaped(one.number == 0 ? one.what : fmt::format("{}: {}", one.number, one.what)));
    shape.cells.push_back(one.number == 0 ? "" : fmt::format("{}, {}", dim_text(one.grid), dim_text(one.block)));
    size.cells.push_back(one.number == 0 ? grouped(one.bytes) : "");
    stream.cells.push_back(std::to_string(one.stream));
    caller.cells.push_back(escaped(one.caller));
  }
  const std::uint64_t more = all.size() - listed + record.activities_cut;
  return "<h2 id=\"launches\">One after another</h2>\n" + timeline(all) +
         html::table("Launches, copies and fills; a launch’s number is what --launch takes",
                     {what, start, time, shape, size, stream, caller}) +
         (more == 0 ? "" : fmt::format("<p class=\"note\">{} more are not listed.</p>\n", grouped(more)));
}

}  // namespace

std::string program_page(const ProgramRun& run, const Style&) {
  std::string arguments;
  for (const auto& argument : run.arguments) arguments += (arguments.empty() ? "" : " ") + argument;
  std::string body = fmt::format(
      "<h1>{} {}</h1>\n<p class=\"lead\">A whole program on a simulated {}; nothing here is measured.</p>\n",
      escaped(run.program), badge(run), escaped(run.profile));
  body += html::facts({{"ended", escaped(end_text(run))},
                       {"arguments", escaped(arguments)},
                       {"confined", run.isolated ? "" : "no"},
                       {"its memory", escaped(never_freed(run))}});
  body += wrongs(run) + advice_section(run);
  const auto kernels = shown_kernels(run);
  Run counted;
  counted.device.kind = "sim";
  counted.device.profile = run.profile;
  counted.file = run.program;
  for (const auto* kernel : kernels) counted.results.push_back(result_of(*kernel));
  for (auto& result : counted.results) result.findings.clear();  // told above
  if (!kernels.empty()) body += "<h2 id=\"kernels\">Kernels</h2>\n" + kernels_table(run, kernels);
  body += copies_table(run.record) + libraries_table(run.record) + launches_section(run.record);
  if (!kernels.empty())
    body += pages::roofline_section(counted) + pages::busy_section(counted) + pages::counters_section(counted);
  if (const auto notes = program_notes(run); !notes.empty()) {
    body += "<h2 id=\"notes\">What these numbers are</h2>\n";
    for (const auto& note : notes) body += fmt::format("<p class=\"note\">{}</p>\n", escaped(note));
  }
  return html::document({.title = run.program + " · gpulab exec",
                         .description = "What a CUDA program did on the simulated GPU",
                         .body = body});
}

}  // namespace gpulab
