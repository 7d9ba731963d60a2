#include "runner/course/lab_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "common/embedded.h"
#include "common/text.h"
#include "runner/course/lab_trace.h"
#include "runner/course/markdown.h"
#include "runner/listing/contract_text.h"
#include "runner/report/html/escape.h"
#include "runner/report/html/grid.h"
#include "runner/report/html/page.h"
#include "runner/report/ladder/ladder.h"
#include "runner/report/pages/highlight.h"
#include "runner/report/pages/sections.h"

namespace gpulab {
namespace {

using html::escaped;
using Links = std::vector<std::pair<std::string, std::string>>;

std::string_view page_text(const std::string& path) {
  for (const auto& file : embedded_pages())
    if (file.path == path) return file.text;
  return {};
}

std::string notes_address(const std::string& lab) { return lab + "-notes.html"; }

/// Of a lecture: its notes, and other labs' lectures; of all else the words alone.
LinkTarget target_of(const Lab& lab) {
  return [name = lab.name](std::string_view address) -> std::string {
    if (address == "NOTES.md") return notes_address(name);
    return address.starts_with("https://") || address.starts_with('#') ? std::string(address) : std::string();
  };
}

/// For titles of windows, which have no markup.
std::string without_marks(std::string text) {
  std::erase_if(text, [](char c) { return c == '`' || c == '*'; });
  return text;
}

/// "reduce_warp" of "reduce_warp<{type}, {Op}>".
std::string stem_of(const Variant& variant) { return variant.kernel.substr(0, variant.kernel.find('<')); }

/// The line at which a kernel's definition begins, by its name.
std::map<std::uint32_t, std::string> kernel_lines(std::string_view source, const std::set<std::string>& stems) {
  std::map<std::uint32_t, std::string> lines;
  std::uint32_t number = 0;
  for (const auto& line : split(source, '\n')) {
    ++number;
    for (const auto& stem : stems) {
      const auto at = line.find(stem + "(");
      const bool whole = at != line.npos && (at == 0 || line[at - 1] == ' ');
      if (whole && line.find("__global__") != line.npos) lines.emplace(number, "kernel-" + html::slug(stem));
    }
  }
  return lines;
}

/// Each source once: kernels_debug.cu is compiled from the text of kernels.cu.
std::vector<const EmbeddedKernels*> sources_of(const Lab& lab) {
  std::vector<const EmbeddedKernels*> all;
  for (const auto& kernels : embedded_kernels()) {
    const auto same = [&](const EmbeddedKernels* other) { return other->source_file == kernels.source_file; };
    if (kernels.lab == lab.name && std::none_of(all.begin(), all.end(), same)) all.push_back(&kernels);
  }
  return all;
}

std::set<std::string> stems_of(const Lab& lab) {
  std::set<std::string> stems;
  for (const auto& variant : lab.variants)
    if (!variant.kernel.empty()) stems.insert(stem_of(variant));
  return stems;
}

SiteFile kernels_page(const Lab& lab) {
  const auto stems = stems_of(lab);
  std::string sources;
  std::set<std::string> placed;
  for (const auto* kernels : sources_of(lab)) {
    auto ids = kernel_lines(kernels->source, stems);
    for (auto it = ids.begin(); it != ids.end();) it = placed.insert(it->second).second ? std::next(it) : ids.erase(it);
    sources +=
        fmt::format("<h2 id=\"{}\"><code>{}</code></h2>\n{}", html::slug(kernels->source_file),
                    escaped(kernels->source_file), pages::source_block(kernels->source_file, kernels->source, 1, ids));
  }
  html::Column rung{"rung", {}, false, true}, kernel{"kernel", {}}, does{"what it does", {}};
  for (const auto& variant : lab.variants) {
    const auto id = "kernel-" + html::slug(stem_of(variant));
    const bool linked = !variant.kernel.empty() && placed.count(id) != 0;
    rung.cells.push_back(escaped(variant.name));
    kernel.cells.push_back(linked ? fmt::format("<a href=\"#{}\"><code>{}</code></a>", id, escaped(stem_of(variant)))
                                  : "-");
    does.cells.push_back(words_html(variant.summary));
  }
  const std::string body = fmt::format(
      "<h1>Kernels of {0}</h1>\n<p class=\"lead\">Ordinary CUDA C++, as it runs here; back to <a "
      "href=\"{1}\">the lecture</a>.</p>\n{2}{3}",
      escaped(lab.name), lab_address(lab.name),
      html::table("Rungs in the order of the lecture, and their kernels", {rung, kernel, does}), sources);
  return {kernels_address(lab.name), html::document({.title = "Kernels of " + lab.name + " · gpulab",
                                                     .description = "The CUDA kernels of the lab " + lab.name,
                                                     .body = body,
                                                     .top = site_links()})};
}

std::string contracts_section(const Lab& lab) {
  if (lab.contracts.empty()) return {};
  std::string out = "<h2 id=\"contracts\">Kernels of your own</h2>\n";
  for (const auto& contract : lab.contracts) {
    auto lines = contract_lines(contract);
    const auto starter = fmt::format("gpulab new {}\ngpulab check {} {}.cu{}", lab.name, lab.name, contract.name,
                                     lab.contracts.size() > 1 ? " --contract " + contract.name : "");
    out += fmt::format("<article class=\"card\">\n<h3>{}</h3>\n<p><code>{}{}</code></p>\n<ul>\n",
                       escaped(contract.name), escaped(contract.name), escaped(contract.signature));
    for (std::size_t i = 1; i < lines.size(); ++i) out += "<li>" + escaped(lines[i]) + "</li>\n";
    out += "</ul>\n" + html::wide("Commands", "<pre><code>" + escaped(starter) + "</code></pre>") + "</article>\n";
  }
  return out;
}

std::string assignments_section(const Lab& lab) {
  const auto all = assignments_of(lab);
  if (all.empty()) return {};
  std::string out = "<h2 id=\"assignments\">Assignments</h2>\n<ul>\n";
  for (const auto& [folder, title] : all)
    out += fmt::format(
        "<li>{}: <code>gpulab grade configs/assignments/{}/assignment.json --submission FILE.cu</code></li>\n",
        escaped(title), escaped(folder));
  return out + "</ul>\n";
}

/// Headings of the sections of the page, by their ids, for the list at its top.
std::string contents(const std::string& body) {
  std::string out;
  const std::string_view open = "<h2 id=\"";
  for (auto at = body.find(open); at != body.npos; at = body.find(open, at + 1)) {
    const auto id_end = body.find('"', at + open.size()), words = body.find('>', id_end) + 1;
    const auto end = body.find("</h2>", words);
    out += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", body.substr(at + open.size(), id_end - at - open.size()),
                       body.substr(words, end - words));
  }
  return out.empty()
             ? ""
             : "<details class=\"contents\"><summary>On this page</summary>\n<ul>\n" + out + "</ul>\n</details>\n";
}

std::string neighbours(const Course& course, const Lab& lab) {
  const auto it = std::find(course.labs.begin(), course.labs.end(), &lab);
  std::string out = "<nav class=\"pager\" aria-label=\"Lectures before and after\">";
  if (it != course.labs.begin())
    out += fmt::format("<a rel=\"prev\" href=\"{}\">← {}</a>", lab_address((*(it - 1))->name),
                       escaped((*(it - 1))->topic));
  if (it + 1 != course.labs.end())
    out += fmt::format("<a rel=\"next\" href=\"{}\">{} →</a>", lab_address((*(it + 1))->name),
                       escaped((*(it + 1))->topic));
  return out + "</nav>\n";
}

std::string prerequisites(const Course& course, const Lab& lab) {
  std::vector<std::string> links;
  for (const auto& name : lab.prerequisites)
    links.push_back(course.has(name) ? fmt::format("<a href=\"{}\">{}</a>", lab_address(name), escaped(name))
                                     : escaped(name));
  return links.empty() ? "" : "; builds on " + join(links);
}

std::string ladder_sections(const Lab& lab, const Run& ladder) {
  const auto sections = pages::run_sections(ladder);
  return fmt::format(
      "<hr>\n<h2 id=\"simulated\">The ladder, simulated</h2>\n<p>Every rung on the simulator, which models {}: {}. "
      "Counters "
      "are exact; times are modelled, not measured. Yours: <code>gpulab {} --variant all</code></p>\n{}",
      escaped(ladder.device.profile), escaped(shared_case(ladder)), escaped(lab.name), sections);
}

std::string traces_section(const Lab& lab, const std::vector<TracedRung>& traced) {
  if (traced.empty()) return {};
  std::string out =
      "<h2 id=\"steps\">Step by step</h2>\n<p>A block of the kernel, forward and back: warps as rows, lanes as cells, "
      "banks, "
      "sectors, values, and what happens in words.</p>\n<ul>\n";
  for (const auto& [variant, shows] : traced)
    out += fmt::format("<li><a href=\"{}\">{}</a>{}</li>\n", trace_address(lab.name, variant->name),
                       escaped(variant->name), shows.empty() ? "" : ": " + escaped(shows));
  return out + fmt::format("</ul>\n<p>Others: <code>gpulab trace {} --variant V --output FILE.html</code></p>\n",
                           escaped(lab.name));
}

SiteFile lecture_page(const Course& course, const Lab& lab, const Run& ladder, const std::vector<TracedRung>& traced) {
  const auto text = markdown_page(page_text("labs/" + lab.name + "/README.md"));
  std::string lecture = markdown_html(text.rest, target_of(lab));
  std::string rest =
      traces_section(lab, traced) + ladder_sections(lab, ladder) + contracts_section(lab) + assignments_section(lab);
  const auto notes = page_text("labs/" + lab.name + "/NOTES.md");
  const std::string head = fmt::format(
      "<h1>{}</h1>\n<p class=\"lead\">{}</p>\n<p class=\"soft\">Lecture {}{}; <a href=\"{}\">the kernels</a>{}</p>\n",
      words_html(lecture_title(lab)), words_html(lab.question), lab.lecture, prerequisites(course, lab),
      kernels_address(lab.name),
      notes.empty() ? "" : fmt::format(", <a href=\"{}\">notes</a>", notes_address(lab.name)));
  return {lab_address(lab.name),
          html::document({.title = without_marks(lecture_title(lab)) + " · gpulab",
                          .description = without_marks(lab.question),
                          .body = head + contents(lecture + rest) + lecture + rest + neighbours(course, lab),
                          .top = site_links()})};
}

}  // namespace

std::string words_html(std::string_view words) {
  return markdown_inline(words, [](std::string_view) { return std::string(); });
}

bool Course::has(const std::string& lab) const {
  return std::any_of(labs.begin(), labs.end(), [&](const Lab* other) { return other->name == lab; });
}

std::string lab_address(const std::string& lab) { return lab + ".html"; }
std::string kernels_address(const std::string& lab) { return lab + "-kernels.html"; }

std::string lecture_title(const Lab& lab) {
  const auto title = markdown_page(page_text("labs/" + lab.name + "/README.md")).title;
  return title.empty() ? lab.name : title;
}

std::vector<std::pair<std::string, std::string>> assignments_of(const Lab& lab) {
  Links all;
  for (const auto& file : embedded_configs()) {
    const std::string_view folder = "assignments/", name = "/assignment.json";
    if (!file.path.starts_with(folder) || !file.path.ends_with(name)) continue;
    const auto json = nlohmann::json::parse(file.text, nullptr, false);
    if (json.is_discarded() || json.value("lab", "") != lab.name) continue;
    const auto place = file.path.substr(folder.size(), file.path.size() - folder.size() - name.size());
    all.emplace_back(place, json.value("title", std::string(place)));
  }
  return all;
}

std::vector<std::pair<std::string, std::string>> site_links() {
  return {{"gpulab", "index.html"}, {"Lectures", "index.html#lectures"}, {"Counters and metrics", "metrics.html"}};
}

std::vector<SiteFile> lab_pages(const Course& course, const Lab& lab, const Run& ladder,
                                const std::vector<TracedRung>& traced) {
  std::vector<SiteFile> files{lecture_page(course, lab, ladder, traced), kernels_page(lab)};
  if (const auto notes = page_text("labs/" + lab.name + "/NOTES.md"); !notes.empty()) {
    const auto text = markdown_page(notes);
    const std::string body =
        fmt::format("<h1>{}</h1>\n<p class=\"soft\">Notes to <a href=\"{}\">{}</a></p>\n{}", words_html(text.title),
                    lab_address(lab.name), words_html(lecture_title(lab)), markdown_html(text.rest, target_of(lab)));
    files.push_back(
        {notes_address(lab.name),
         html::document({.title = without_marks(text.title) + " · gpulab", .body = body, .top = site_links()})});
  }
  return files;
}

}  // namespace gpulab
