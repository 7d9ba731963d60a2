#include "runner/grade/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/text.h"
#include "runner/export/export_text.h"
#include "runner/judge/requirement.h"

namespace gpulab {
namespace {

using Json = nlohmann::json;

constexpr std::size_t most_message = 4096, most_messages = 16 << 10, most_mismatches = 3;

std::string params_text(const JudgedShape& shape) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : shape.params)
    if (const auto* size = std::get_if<std::int64_t>(&value)) parts.push_back(fmt::format("{} = {}", name, *size));
  if (!shape.type.empty()) parts.push_back("T = " + shape.type);
  return fmt::format("{}; grid {}, block {}", join(parts), dim_text(shape.grid), dim_text(shape.block));
}

std::string number(const decltype(Mismatch::got)& value) {
  return std::visit([](const auto x) { return fmt::format("{}", x); }, value);
}

std::string place(const Dim3& d) { return fmt::format("({},{},{})", d.x, d.y, d.z); }

/// "n = 777, T = int; grid 4, block 256: out[0] is 3, not 4; …".
std::string reason_of(const JudgedShape& shape) {
  if (shape.status == CaseStatus::skipped) return shape.message;  // of no size more than of another
  std::string text = fmt::format("{}: {}: {}", params_text(shape), to_text(shape.status), shape.message);
  for (std::size_t i = 0; i < std::min(most_mismatches, shape.mismatches.size()); ++i) {
    const auto& one = shape.mismatches[i];
    text += fmt::format("\n{}[{}] got {}, expected {}", shape.buffer, one.mismatch.index, number(one.mismatch.got),
                        number(one.mismatch.expected));
    if (one.owner) text += fmt::format(" (block {}, thread {})", place(one.owner->first), place(one.owner->second));
  }
  if (!shape.hint.empty()) text += "\nhint: " + shape.hint;
  return text;
}

/// The message, then a line for each place in the file: who did what there.
std::string finding_text(const Finding& finding) {
  std::string text = finding.message;
  for (const auto& site : finding.at)
    text += fmt::format("\n{}:{} {} by block {}, thread {}{}{}", site.file, site.line, site.access, place(site.block),
                        place(site.thread), site.address.empty() ? "" : ", ", site.address);
  return text;
}

/// What a compiler says of its own memory differs from run to run, and a grade must not.
std::string repeatable(std::string messages) {
  constexpr std::string_view said = "out of memory allocating";
  for (auto at = messages.find(said); at != std::string::npos; at = messages.find(said, at + 1)) {
    const auto numbers = at + said.find(" allocating");
    messages.erase(numbers, std::min(messages.find('\n', numbers), messages.size()) - numbers);
  }
  return messages;
}

CountFact count_of(const Result& result, bool hidden, const std::vector<std::string>& counters) {
  CountFact made{.type = {},
                 .hidden = hidden,
                 .is_right = result.status == CaseStatus::ok || result.status == CaseStatus::finding};
  for (const auto& [name, value] : result.params)
    if (name == "type") made.type = std::get<std::string>(value);
  if (!measured(result, "model.time_ms")) made.model_problem = why_no_time(result);
  for (const auto& name : counters)
    if (const auto value = measured(result, name)) made.values[name] = *value;
  return made;
}

void add_classes(const Judgement& judgement, Facts& made) {
  for (const auto& shape : judgement.shapes) {
    if (shape.name == "reference") continue;
    auto found = std::ranges::find(made.classes, shape.name, &ClassFact::name);
    if (found == made.classes.end()) {
      made.classes.push_back({shape.name, true});
      found = made.classes.end() - 1;
    }
    found->late |= shape.status == CaseStatus::timeout;
    if (shape.status == CaseStatus::ok) continue;
    if (found->right) found->reason = cut(reason_of(shape), most_message);
    found->right = false;
  }
}

/// Where in a judging CPU time ends depends on the machine. That it ended does not: nothing is told of what came
/// before.
Facts without_times(Facts made) {
  for (auto& one : made.classes) {
    one.right = false;
    one.reason = "its launches take more CPU time than a submission has";
  }
  for (auto& one : made.hidden) one.right = false;
  made.findings.clear();
  made.counts.clear();
  made.timed.clear();
  made.wrong_at_reference.clear();
  return made;
}

/// Which class racecheck could not watch: whether the kernel is right there nobody knows, and no grade says so.
std::string unwatched_text(const Judgement& judgement) {
  for (const auto& shape : judgement.shapes)
    if (shape.unwatched) return fmt::format("class '{}': {}", shape.name, cut(shape.message, most_message));
  for (const auto& one : judgement.hidden)
    if (one.unwatched) return "racecheck could not watch a class of the key";
  return {};
}

}  // namespace

bool Facts::is_late() const {
  return std::ranges::any_of(classes, &ClassFact::late) || std::ranges::any_of(hidden, &HiddenClass::late) ||
         (program && program->is_late());
}

Facts facts_of(const Judgement& judgement, const std::vector<std::string>& counters) {
  Facts made;
  for (const auto& item : judgement.items) {
    if (item.name == "signature" && item.verdict == Verdict::passed) made.note = item.message;
    if (item.verdict != Verdict::failed) continue;
    if (item.name == "compile") made.uncompiled = cut(item.message, most_message);
    if (item.name == "signature") made.no_kernel = cut(item.message, most_message);
  }
  made.messages = cut(repeatable(judgement.messages), most_messages);
  made.kernels = judgement.kernels;
  made.blocks = judgement.blocks;
  made.asks_for_blocks = judgement.asks_for_blocks;
  add_classes(judgement, made);
  made.hidden = judgement.hidden;
  for (const auto& shape : judgement.shapes)
    if (shape.name == "reference") made.wrong_at_reference = cut(reason_of(shape), most_message);
  for (const auto& finding : judgement.findings)
    if (finding.severity == Severity::error)
      made.findings.push_back({finding.tool, cut(finding_text(finding), most_message)});
  for (const auto& result : judgement.counted) made.counts.push_back(count_of(result, false, counters));
  for (const auto& result : judgement.hidden_counted) made.counts.push_back(count_of(result, true, counters));
  made.constructs = judgement.constructs;
  made.timed = judgement.timed;
  made.trouble = unwatched_text(judgement);
  if (judgement.out_of_time) return without_times(std::move(made));
  made.output = judgement.output;
  made.output_cut = judgement.output_cut;
  return made;
}

nlohmann::json facts_json(const Facts& facts) {
  Json classes = Json::array(), hidden = Json::array(), findings = Json::array(), counts = Json::array(),
       timed = Json::array();
  for (const auto& one : facts.classes) classes.push_back({one.name, one.right, one.late, one.reason});
  for (const auto& one : facts.hidden) hidden.push_back({one.name, one.right, one.late, one.unwatched, one.accused});
  for (const auto& one : facts.findings) findings.push_back({one.tool, one.message});
  for (const auto& one : facts.counts)
    counts.push_back({one.type, one.hidden, one.is_right, one.values, one.model_problem});
  for (const auto& one : facts.timed)
    timed.push_back({one.ratio ? Json(*one.ratio) : Json(), cut(one.wrong, most_message), one.problem});
  return {{"uncompiled", facts.uncompiled},
          {"no_kernel", facts.no_kernel},
          {"trouble", facts.trouble},
          {"was_killed", facts.was_killed},
          {"messages", facts.messages},
          {"kernels", facts.kernels},
          {"blocks", facts.blocks},
          {"asks_for_blocks", facts.asks_for_blocks},
          {"note", facts.note},
          {"classes", classes},
          {"hidden", hidden},
          {"wrong_at_reference", facts.wrong_at_reference},
          {"findings", findings},
          {"counts", counts},
          {"timed", timed},
          {"constructs", facts.constructs},
          {"output", facts.output},
          {"output_cut", facts.output_cut},
          {"program", facts.program ? program_facts_json(*facts.program) : Json()}};
}

Facts facts_in(const nlohmann::json& json) {
  Facts made;
  made.uncompiled = json.at("uncompiled");
  made.no_kernel = json.at("no_kernel");
  made.trouble = json.at("trouble");
  made.was_killed = json.at("was_killed");
  made.messages = json.at("messages");
  made.kernels = json.at("kernels");
  made.blocks = json.at("blocks");
  made.asks_for_blocks = json.at("asks_for_blocks");
  made.note = json.at("note");
  for (const auto& one : json.at("classes")) made.classes.push_back({one.at(0), one.at(1), one.at(2), one.at(3)});
  for (const auto& one : json.at("hidden"))
    made.hidden.push_back({one.at(0), one.at(1), one.at(2), one.at(3), one.at(4)});
  for (const auto& one : json.at("findings")) made.findings.push_back({one.at(0), one.at(1)});
  for (const auto& one : json.at("counts"))
    made.counts.push_back({one.at(0), one.at(1), one.at(2), one.at(3), one.at(4)});
  for (const auto& one : json.at("timed")) {
    auto& ratio = made.timed.emplace_back(TimedRatio{.ratio = {}, .wrong = one.at(1), .problem = one.at(2)});
    if (!one.at(0).is_null()) ratio.ratio = one.at(0).get<double>();
  }
  made.wrong_at_reference = json.at("wrong_at_reference");
  made.constructs = json.at("constructs");
  made.output = json.at("output");
  made.output_cut = json.at("output_cut");
  if (const auto& program = json.at("program"); !program.is_null()) made.program = program_facts_in(program);
  return made;
}

}  // namespace gpulab
