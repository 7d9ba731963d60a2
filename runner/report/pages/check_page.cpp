#include "runner/report/pages/check_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/text.h"
#include "runner/report/check/check_report.h"
#include "runner/report/html/escape.h"
#include "runner/report/html/grid.h"
#include "runner/report/html/page.h"
#include "runner/report/ladder/ladder.h"
#include "runner/report/pages/sections.h"
#include "runner/report/words/result_text.h"

namespace gpulab {
namespace {

using html::escaped;

std::string badge_of(Verdict verdict) {
  const char* of_class = verdict == Verdict::passed ? "good" : verdict == Verdict::failed ? "bad" : "soft";
  const auto word = verdict == Verdict::not_run ? std::string("not run") : std::string(to_text(verdict));
  return fmt::format("<span class=\"verdict {}\">{}</span>", of_class, word);
}

std::string items_table(const Judgement& judgement) {
  html::Column name{"asked", {}, false, true}, verdict{"verdict", {}}, why{"why", {}};
  const auto add = [&](const std::string& what, Verdict how, const std::string& message) {
    name.cells.push_back(escaped(what));
    verdict.cells.push_back(badge_of(how));
    why.cells.push_back(escaped(message));
  };
  for (const auto& item : judgement.items) add(item.name, item.verdict, item.message);
  for (const auto& one : judgement.requirements) {
    add(one.text, one.verdict, one.message);
    if (const auto lines = explain_command(judgement, one); !lines.empty())
      why.cells.back() += "; line by line: <code>" + escaped(lines) + "</code>";
  }
  return html::table("What was judged", {name, verdict, why});
}

std::string place(const Dim3& d) { return fmt::format("({},{},{})", d.x, d.y, d.z); }

/// One size at which it is wrong.
std::string failure(const JudgedShape& shape) {
  std::vector<std::string> sizes;
  for (const auto& [param, value] : shape.params) sizes.push_back(param + " " + param_text(value));
  std::string out = fmt::format(
      "<article class=\"card finding error\">\n<h3>{}</h3>\n<p>{}: {}; grid {}, block {}</p>\n<p><strong "
      "class=\"bad\">{}</strong>: {}</p>\n",
      escaped(shape.name), escaped(shape.about), escaped(join(sizes)), dim_text(shape.grid), dim_text(shape.block),
      to_text(shape.status), escaped(shape.message));
  if (!shape.mismatches.empty()) {
    html::Column index{"element", {}, false, true}, got{"got", {}, true}, expected{"expected", {}, true},
        whose{"made by", {}};
    for (const auto& [mismatch, owner] : shape.mismatches) {
      index.cells.push_back(fmt::format("{}[{}]", escaped(shape.buffer), mismatch.index));
      got.cells.push_back(escaped(value_text(mismatch.got)));
      expected.cells.push_back(escaped(value_text(mismatch.expected)));
      whose.cells.push_back(owner ? fmt::format("block {}, thread {}", place(owner->first), place(owner->second)) : "");
    }
    out += html::table("The first elements that are wrong", {index, got, expected, whose});
  }
  if (!shape.hint.empty()) out += "<p>" + escaped(shape.hint) + "</p>\n";
  return out + "</article>\n";
}

/// Of each class its first failure.
std::string failures(const Judgement& judgement) {
  std::vector<std::string> seen;
  std::string out;
  for (const auto& shape : judgement.shapes) {
    const bool right = shape.status == CaseStatus::ok || shape.status == CaseStatus::skipped;
    if (right || std::find(seen.begin(), seen.end(), shape.name) != seen.end()) continue;
    seen.push_back(shape.name);
    out += failure(shape);
  }
  return out.empty() ? "" : "<h2 id=\"wrong\">Where it is wrong</h2>\n" + out;
}

}  // namespace

std::string check_page(const Judgement& judgement, const Style&) {
  const bool good = judgement.passed();
  std::string body =
      fmt::format("<h1>{} <span class=\"verdict {}\">{}</span></h1>\n<p class=\"lead\">{}</p>\n",
                  escaped(judgement.file), good ? "good" : "bad", good ? "passed" : "failed",
                  escaped(judgement.lab + (judgement.contract.empty() ? "" : " · " + judgement.contract)));
  body += html::facts({{"kernel", escaped(join(judgement.kernels))}, {"signature", escaped(judgement.signature)}});
  body += items_table(judgement) + failures(judgement);
  Result said;
  said.findings = judgement.findings;
  said.output = judgement.output;
  said.output_cut = judgement.output_cut;
  said.variant = "the kernel";
  if (const auto words = pages::result_words(said); !words.empty())
    body += "<h2 id=\"found\">What was found</h2>\n" + words;
  if (!judgement.messages.empty())
    body += "<h2 id=\"compiler\">The compiler</h2>\n" +
            html::wide("The compiler's messages", "<pre>" + escaped(judgement.messages) + "</pre>");
  if (!judgement.beside.empty()) {
    Run run{judgement.device, judgement.lab, judgement.beside};
    run.subject = judgement.subject;
    body += fmt::format("<h2 id=\"beside\">Beside rungs of {}</h2>\n<p class=\"soft\">{}</p>\n", escaped(judgement.lab),
                        escaped(shared_case(run)));
    body += pages::ladder_section(run, false) + pages::roofline_section(run) + pages::busy_section(run) +
            pages::occupancy_section(run) + pages::counters_section(run) + pages::notes_section(run);
  }
  return html::document(
      {.title = judgement.file + " · gpulab check", .description = "A kernel judged by a contract", .body = body});
}

}  // namespace gpulab
