#include <fmt/format.h>

#include "common/text.h"
#include "runner/report/html/escape.h"
#include "runner/report/html/grid.h"
#include "runner/report/html/page.h"
#include "runner/report/roofline/drawing.h"

namespace gpulab {
namespace {

using html::escaped;

std::string rows_table(const Roofline& roofline) {
  html::Column number{"", {}, true}, name{"kernel", {}, false, true}, time{"time", {}, true},
      intensity{escaped(roofline.operation()) + "s a byte", {}, true}, rate{escaped(roofline.rate_unit()), {}, true},
      share{"of its roof", {}, true}, shares{"of the ceilings", {}};
  const auto numbers = sheet::numbers(roofline);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto& row = roofline.rows[i];
    if (numbers[i] == 0) continue;
    std::string parts;
    for (const auto& one : row.shares)
      if (one.share >= 0.005)
        parts += fmt::format("{}{} {:.0f}%{}", parts.empty() ? "" : ", ", one.ceiling, 100 * one.share,
                             one.why.empty() ? "" : " (" + one.why + ")");
    number.cells.push_back(std::to_string(numbers[i]));
    name.cells.push_back(escaped(row.name));
    time.cells.push_back(escaped(duration_text(row.ms)));
    intensity.cells.push_back(fmt::format("{:.3g}", row.intensity()));
    rate.cells.push_back(si_text(row.per_second()));
    share.cells.push_back(fmt::format("{:.0f}%", 100 * row.per_second() / roofline.roof_over(row)));
    shares.cells.push_back(escaped(parts));
  }
  return number.cells.empty()
             ? ""
             : html::table("Each kernel under its roof", {number, name, time, intensity, rate, share, shares});
}

std::string ceilings_table(const Roofline& roofline) {
  html::Column name{"ceiling", {}, false, true}, value{"value", {}, true}, from{"from", {}};
  for (const auto& one : roofline.ceilings) {
    name.cells.push_back(escaped(one.name));
    value.cells.push_back(escaped(fmt::format("{:.4g} {}", one.value, sheet::unit_text(one))));
    from.cells.push_back(escaped(one.from));
  }
  return html::table("What the GPU does at most", {name, value, from});
}

}  // namespace

std::string roofline_page(const Roofline& roofline) {
  const std::string how = roofline.measured ? "measured" : "modelled, not measured";
  std::string body = fmt::format("<h1>Roofline: {}</h1>\n<p class=\"lead\">{}, {}</p>\n{}\n", escaped(roofline.of),
                                 escaped(roofline.gpu), how, html::wide("The roofline", roofline_svg(roofline, false)));
  body += rows_table(roofline);
  for (const auto& row : roofline.rows)
    if (!row.missing.empty())
      body += fmt::format("<p>Not in the picture: {}: {}</p>\n", escaped(row.name), escaped(row.missing));
  body += ceilings_table(roofline) + fmt::format("<p>Bytes: {}.</p>\n", escaped(roofline.bytes));
  for (const auto& note : roofline.notes) body += fmt::format("<p>{}</p>\n", escaped(note));
  return html::document({"Roofline: " + roofline.of, "Kernels under what a GPU can do at most, " + how, body});
}

}  // namespace gpulab
