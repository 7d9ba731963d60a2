#include <fmt/format.h>
#include <nettle/base64.h>
#include <png.h>

#include <algorithm>
#include <cstdint>

#include "common/text.h"
#include "runner/report/html/chart.h"
#include "runner/report/html/escape.h"
#include "runner/report/html/grid.h"
#include "runner/report/ladder/ladder.h"
#include "runner/report/ladder/model_text.h"
#include "runner/report/pages/sections.h"
#include "runner/report/plots/plot.h"
#include "runner/report/words/result_text.h"

namespace gpulab::pages {
namespace {

using html::escaped;

/// The picture as the address of an image that holds it; empty where it cannot be written.
std::string picture_data(const Picture& picture) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = picture.width;
  image.height = picture.height;
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = 0;
  if (png_image_write_to_memory(&image, nullptr, &size, 0, picture.rgb.data(), 0, nullptr) == 0) return {};
  std::vector<std::uint8_t> bytes(size);
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, picture.rgb.data(), 0, nullptr) == 0) return {};
  std::string text(BASE64_ENCODE_RAW_LENGTH(size), '\0');
  base64_encode_raw(text.data(), size, bytes.data());
  return "data:image/png;base64," + text;
}

std::string curve_figure(const Curve& curve) {
  const auto y_name = [&](double value) { return y_text(curve, value); };
  auto y = html::Axis::over(curve.y_label, curve.y, y_name);
  if (curve.y_max > 0) y = {curve.y_label, 0, curve.y_max, false, {}, y_name};
  for (int i = 0; curve.y_max > 0 && i <= 4; ++i) y.ticks.push_back(curve.y_max * i / 4);
  auto x = html::Axis::of_values(curve.x_label, curve.x, [](double value) { return fmt::format("{:.4g}", value); });
  x.logarithmic = false;  // as the lab's own drawing of it
  html::Chart chart(std::move(x), y, curve.name, fmt::format("{} over {}", curve.y_label, curve.x_label));
  html::Points points;
  for (std::size_t i = 0; i < curve.x.size(); ++i) points.emplace_back(curve.x[i], curve.y[i]);
  chart.curve(points, 0);
  for (const auto& [x, value] : points)
    if (x == curve.marked) chart.point(x, value, 1, fmt::format("{:.4g}: {}", x, y_text(curve, value)));
  return fmt::format("<figure>\n<figcaption>{} <span class=\"soft\">{}</span></figcaption>\n{}</figure>\n",
                     escaped(curve.name), escaped(curve.y_label), chart.svg());
}

std::string finding_text(const Finding& f) {
  std::string out = fmt::format("<div class=\"card finding {0}\"><p><strong class=\"{1}\">{0}</strong> {2}: {3}</p>\n",
                                to_text(f.severity), f.severity == Severity::error ? "bad" : "warn", escaped(f.tool),
                                escaped(f.message));
  if (!f.at.empty()) out += "<ul>\n";
  for (const auto& site : f.at)
    out += fmt::format("<li><code>{}:{}</code> {} by block ({},{},{}), thread ({},{},{}){}</li>\n", escaped(site.file),
                       site.line, escaped(site.access), site.block.x, site.block.y, site.block.z, site.thread.x,
                       site.thread.y, site.thread.z,
                       site.address.empty() ? "" : fmt::format(", <code>{}</code>", escaped(site.address)));
  return out + (f.at.empty() ? "" : "</ul>\n") + "</div>\n";
}

std::string mismatches(const Verification& v) {
  if (v.mismatches.empty()) return {};
  html::Column index{"index", {}, true, true}, got{"got", {}, true}, expected{"expected", {}, true};
  for (const auto& m : v.mismatches) {
    index.cells.push_back(std::to_string(m.index));
    got.cells.push_back(escaped(value_text(m.got)));
    expected.cells.push_back(escaped(value_text(m.expected)));
  }
  return html::table(fmt::format("The first of {} wrong elements", grouped(v.mismatch_count)), {index, got, expected});
}

/// Paragraphs; drawings in characters, whose lines begin with a space, as they are.
std::string note_lines(const std::vector<std::string>& notes) {
  std::string out;
  for (std::size_t i = 0; i < notes.size(); ++i) {
    if (!notes[i].starts_with(' ')) {
      out += fmt::format("<p>{}</p>\n", escaped(notes[i]));
      continue;
    }
    std::string drawing;
    for (; i < notes.size() && notes[i].starts_with(' '); ++i) drawing += escaped(notes[i]) + "\n";
    --i;
    out += "<pre>" + drawing + "</pre>\n";
  }
  return out;
}

}  // namespace

std::string result_facts(const Run& run, const Result& r) {
  std::vector<std::pair<std::string, std::string>> terms;
  const auto add = [&](const char* term, const std::string& text) { terms.emplace_back(term, escaped(text)); };
  add("device", device_text(run.device));
  Run only{run.device, run.lab, {r}};
  only.results[0].launch.reset();
  add("case", shared_case(only));
  add("kernel", r.kernel);
  if (r.launch) add("launch", launch_text(*r.launch));
  if (r.launch) add("resources", resources_text(*r.launch));
  if (r.occupancy) add("occupancy", occupancy_text(*r.occupancy));
  if (r.spread) add("SMs used", spread_text(*r.spread, r.occupancy));
  if (r.verification) add("verified", verification_text(*r.verification, !r.buffers.empty()));
  const bool timed = r.timing && r.timing->source != TimeSource::none;
  if (timed) add(r.timing->source == TimeSource::cpu_wall ? "CPU time" : "GPU time, measured", timing_text(*r.timing));
  add("time, modelled", modelled_text(r));
  add("rates and facts", metrics_text(r));
  for (const auto& b : r.buffers) {
    add("buffer", buffer_text(b));
    for (const auto& slice : b.slices) add("", slice_text(b, slice));
  }
  return html::facts(terms);
}

std::string result_words(const Result& r) {
  std::string out;
  if (!r.message.empty())
    out += fmt::format("<p><strong class=\"{}\">{}</strong>: {}</p>\n",
                       r.status == CaseStatus::skipped ? "soft" : "bad", to_text(r.status), escaped(r.message));
  if (r.verification) out += mismatches(*r.verification);
  for (const auto& f : r.findings) out += finding_text(f);
  if (r.curve && !r.curve->x.empty()) out += curve_figure(*r.curve);
  out += note_lines(r.notes);
  if (r.picture) {
    if (const auto data = picture_data(*r.picture); !data.empty())
      out += fmt::format("<figure><img src=\"{}\" width=\"{}\" height=\"{}\" alt=\"What {} drew\"></figure>\n", data,
                         r.picture->width, r.picture->height, escaped(r.variant));
  }
  if (!r.output.empty())
    out += fmt::format("<h4>Printed by {}</h4>\n{}", escaped(r.variant),
                       html::wide("Output", "<pre>" + escaped(r.output) + "</pre>"));
  if (r.output_cut != 0)
    out += fmt::format("<p class=\"note\">{} bytes more were printed and are left out (--print-limit)</p>\n",
                       grouped(r.output_cut));
  return out;
}

}  // namespace gpulab::pages
