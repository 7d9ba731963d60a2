#include "runner/grade/input/assignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/simt/observers/tool.h"
#include "common/text.h"
#include "labs/registry.h"
#include "runner/grade/input/json_reader.h"
#include "runner/judge/inspection/constructs.h"
#include "runner/judge/kernel_search/launch_choice.h"
#include "runner/judge/rung_counts.h"
#include "runner/listing/contract_text.h"
#include "runner/student_file/source_file.h"

namespace gpulab {
namespace {

using Json = nlohmann::json;

constexpr std::size_t most_items = 100, most_words = 2000;
constexpr double most_points = 1e6;

/// One block, or blocks that leave the work to one, pass any count of sectors and conflicts: what a kernel is compared
/// by includes how it is spread. The reference's values, with room for other shapes of blocks.
constexpr const char* default_certificate = "sms_used>=0.5*reference,waves<=4*reference,block_imbalance<=4*reference";

/// "weights": {"odd": 2}.
void read_weights(const JsonReader& reader, AssignmentItem& item) {
  if (!reader.has("weights")) return;
  if (!item.partial) throw reader.refused("weighs classes, and gives points for all of them alone");
  const auto weights = reader.object("weights");
  auto known = item.visible;
  known.insert(known.end(), item.hidden.begin(), item.hidden.end());
  weights.allow(known);
  for (const auto& name : known)
    if (weights.has(name.c_str())) item.weights[name] = weights.number(name.c_str(), 0.01, 100);
}

void read_correct(const JsonReader& reader, const Assignment& assignment, AssignmentItem& item) {
  reader.allow(
      {"name", "kind", "points", "visibility", "description", "hint", "visible", "hidden", "weights", "partial"});
  std::vector<std::string> known;
  for (const auto& of : all_classes(*assignment.contract)) known.push_back(of.name);
  item.visible = reader.words("visible", known, "class");
  auto with_key = known;
  with_key.emplace_back("key");
  item.hidden = reader.words("hidden", with_key, "class");
  for (const auto& name : item.hidden)
    if (std::ranges::count(item.visible, name))
      throw reader.refused(fmt::format("has the class '{}' both visible and hidden", name));
  if (!reader.has("visible") && !reader.has("hidden")) item.visible = known;
  if (item.visible.empty() && item.hidden.empty()) throw reader.refused("has no class of inputs");
  item.partial = reader.flag("partial", true);
  read_weights(reader, item);
}

void add_requirements(const JsonReader& reader, const Assignment& assignment, const std::string& text,
                      AssignmentItem& item) {
  try {
    for (auto& one : parse_requirements(text, *assignment.lab, {std::string(reference_rung)}))
      item.requirements.push_back(std::move(one));
  } catch (const Error& error) {
    std::string what = error.what();
    if (what.starts_with("--require: ")) what.erase(0, 11);
    throw reader.refused("has a requirement that is none: " + what, error.hint);
  }
}

/// Needs the reference solution. What that lacks asks nothing of others.
void add_certificate(const JsonReader& reader, const Assignment& assignment, AssignmentItem& item) {
  if (!reader.flag("certificate", true)) return;
  if (assignment.reference.empty())
    throw reader.refused("is compared with the reference solution, and there is none",
                         R"(name it: "reference": "reference.cu"; or leave that out: "certificate": false)");
  const auto before = item.requirements.size();
  add_requirements(reader, assignment, default_certificate, item);
  item.certificate = item.requirements.size() - before;
}

/// "zero_at": 2, of 'warp_instructions<=1.3*warp': no points from 2*warp on.
void read_zero_at(const JsonReader& reader, AssignmentItem& item) {
  if (!reader.has("zero_at")) return;
  if (item.requirements.size() != 1)
    throw reader.refused("has a 'zero_at' and several requirements",
                         "a requirement with 'zero_at' is an item of its own");
  auto& one = item.requirements.front();
  if (one.op != "<=" && one.op != ">=")
    throw reader.refused(fmt::format("has a 'zero_at', and '{}' says of no side that it is near", one.text),
                         "write it with <= or >=: 'shared_load_bank_conflicts<=0'");
  const double zero = reader.number("zero_at", 0, 1e15);
  if (one.op == "<=" ? zero <= one.value : zero >= one.value)
    throw reader.refused(fmt::format("has a 'zero_at' of {:g}, where '{}' earns all points", zero, one.text),
                         "it is the number, or the factor of the rung, from which on there are no points: "
                         "'warp_instructions<=1.3*warp' with 2 earns nothing from 2*warp on");
  one.zero_at = zero;
}

void read_require(const JsonReader& reader, const Assignment& assignment, AssignmentItem& item) {
  reader.allow(
      {"name", "kind", "points", "visibility", "description", "hint", "require", "certificate", "partial", "zero_at"});
  const auto texts = reader.texts("require");
  if (texts.empty()) throw reader.refused("requires nothing");
  for (const auto& text : texts) add_requirements(reader, assignment, text, item);
  for (const auto& one : item.requirements)
    if (one.rung == reference_rung && assignment.reference.empty())
      throw reader.refused("is compared with the reference solution, and there is none",
                           R"(name it: "reference": "reference.cu")");
  item.partial = reader.flag("partial", false);
  read_zero_at(reader, item);
  add_certificate(reader, assignment, item);
}

void read_size(const JsonReader& reader, const Assignment& assignment, AssignmentItem& item) {
  item.size = assignment.contract->reference;
  if (!reader.has("size")) return;
  (void)reader.object("size");
  const auto& json = reader.at("size");
  std::vector<std::string> known;
  for (const auto& [name, value] : item.size) known.push_back(name);
  for (const auto& [name, value] : json.items()) {
    if (!std::ranges::count(known, name))
      throw reader.refused(fmt::format("has an unknown parameter '{}' in 'size'", visible(name)),
                           did_you_mean(name, known, "there is " + join(known)));
    if (!value.is_number_integer() || value < 1 || value > (std::int64_t{1} << 30))
      throw reader.refused(fmt::format("has a size '{}' that is no whole number from 1 to 2^30", name));
    item.size[name] = value.get<std::int64_t>();
  }
}

void read_speed(const JsonReader& reader, const Assignment& assignment, AssignmentItem& item) {
  reader.allow({"name", "kind", "points", "visibility", "description", "hint", "rung", "full_at", "zero_at", "size",
                "certificate"});
  item.rung = reader.text("rung");
  try {
    (void)parse_requirements("warp_instructions<=1*" + item.rung, *assignment.lab);
  } catch (const Error& error) {
    throw reader.refused(fmt::format("has no rung that it can be timed against: '{}'", visible(item.rung)), error.hint);
  }
  item.full_at = reader.number("full_at", 0.001, 1000);
  item.zero_at = reader.number("zero_at", 0.001, 1000);
  if (item.zero_at <= item.full_at)
    throw reader.refused("earns nothing where it is as fast as for full points",
                         "both are times, in times of the rung's: 'full_at' is less than 'zero_at'");
  read_size(reader, assignment, item);
  add_certificate(reader, assignment, item);
}

void read_static(const JsonReader& reader, AssignmentItem& item) {
  reader.allow({"name", "kind", "points", "visibility", "description", "hint", "forbid", "want"});
  std::vector<std::string> known;
  for (const auto& construct : constructs()) known.emplace_back(construct.name);
  item.forbidden = reader.words("forbid", known, "construct");
  item.wanted = reader.words("want", known, "construct");
  if (item.forbidden.empty() && item.wanted.empty()) throw reader.refused("neither forbids nor wants anything");
  for (const auto& name : item.wanted)
    if (std::ranges::count(item.forbidden, name))
      throw reader.refused(fmt::format("both forbids and wants '{}'", name));
}

void read_tools(const JsonReader& reader, AssignmentItem& item) {
  std::vector<std::string> known;
  for (const auto* tool : simt::tool_kinds()) known.emplace_back(tool->name);
  item.tools = reader.words("tools", known, "tool");
  if (reader.has("tools") && item.tools.empty()) throw reader.refused("has no tool in 'tools'");
}

void read_sanitize(const JsonReader& reader, AssignmentItem& item) {
  reader.allow({"name", "kind", "points", "visibility", "description", "hint", "tools"});
  read_tools(reader, item);
}

/// Cases of the program, each a part of the points.
void read_output(const JsonReader& reader, const Assignment& assignment, AssignmentItem& item) {
  reader.allow({"name", "kind", "points", "visibility", "description", "hint", "visible", "hidden", "weights",
                "partial", "gpu"});
  const auto& program = *assignment.program;
  item.visible = reader.words("visible", program.names(false), "case");
  item.hidden = program.lacks_hidden ? reader.texts("hidden") : reader.words("hidden", program.names(true), "case");
  if (!reader.has("visible") && !reader.has("hidden")) {
    item.visible = program.names(false);
    item.hidden = program.names(true);
    item.hidden_open = program.lacks_hidden;
  }
  if (item.visible.empty() && item.hidden.empty()) throw reader.refused("has no case");
  item.partial = reader.flag("partial", true);
  item.asks_for_gpu = reader.flag("gpu", true);
  read_weights(reader, item);
}

/// What the program's own process tells of itself: it can tell what it likes, and so gives points only where the
/// instructor says so.
void read_reported(const JsonReader& reader, const Assignment& assignment, AssignmentItem& item) {
  reader.allow({"name", "kind", "points", "visibility", "description", "hint", "case", "require", "tools"});
  const auto known = assignment.program->names(false);
  item.of_case = reader.has("case") ? reader.text("case") : known.front();
  if (!std::ranges::count(known, item.of_case))
    throw reader.refused(fmt::format("looks at an unknown case '{}'", visible(item.of_case)),
                         did_you_mean(item.of_case, known, "visible cases: " + join(known)));
  Assignment without_lab{.path = assignment.path, .text = {}, .title = {}, .reference = {}};
  const Lab no_rungs;
  without_lab.lab = &no_rungs;
  for (const auto& text : reader.texts("require")) {
    if (text.find('*') != std::string::npos)
      throw reader.refused(fmt::format("compares a program with a rung: '{}'", visible(text)),
                           "a program is compared with a number: 'warp_instructions<=1e6'; kernels with rungs, by a "
                           "contract");
    add_requirements(reader, without_lab, text, item);
  }
  if (reader.has("tools")) read_tools(reader, item);
  if (item.requirements.empty() && item.tools.empty())
    throw reader.refused("asks for nothing: it has neither 'require' nor 'tools'");
  if (item.points > 0 && !assignment.program->trusts_host)
    throw reader.refused("gives points for what the program's own process reports, which it can forge",
                         "0 points only show it; \"trust\": \"host\" of the assignment gives points all the same; a "
                         "contract judges the kernels by themselves");
}

/// For students.
std::string read_words(const JsonReader& reader, const char* key) {
  auto text = reader.text(key, true);
  if (text.size() > most_words)
    throw reader.refused(fmt::format("has a '{}' that is longer than {} bytes", key, most_words), "be brief");
  if (visible(text) != text) throw reader.refused(fmt::format("has a '{}' of characters that no terminal shows", key));
  return text;
}

AssignmentItem read_item(const Json& json, const Assignment& assignment, std::size_t number) {
  const JsonReader unnamed(json, assignment.path, fmt::format("item {}", number));
  AssignmentItem item{.name = unnamed.text("name")};
  if (item.name.empty() || item.name.size() > 100 || visible(item.name) != item.name ||
      item.name.find_first_of("\n\t") != std::string::npos)
    throw unnamed.refused("has a name that is empty, longer than 100 bytes, or of characters that no terminal shows");
  const JsonReader reader(json, assignment.path, fmt::format("item '{}'", item.name));
  const auto kind = reader.text("kind");
  const auto kinds = words_of(ItemKind{});
  const auto found = std::ranges::find(kinds, kind);
  if (found == kinds.end()) {
    const std::vector<std::string> known(kinds.begin(), kinds.end());
    throw reader.refused(fmt::format("is of an unknown kind '{}'", visible(kind)),
                         did_you_mean(kind, known, "kinds: " + join(known)));
  }
  item.kind = static_cast<ItemKind>(found - kinds.begin());
  if (is_of_programs(item.kind) && !assignment.program)
    throw reader.refused(fmt::format("is of the kind '{}', and the assignment asks for no program", kind),
                         "\"kind\": \"program\" of the assignment, and its \"cases\"");
  if (!is_of_programs(item.kind) && assignment.contract == nullptr)
    throw reader.refused(
        fmt::format("is of the kind '{}', which judges a kernel, and the assignment names no contract", kind),
        "\"lab\" and \"contract\" of the assignment say what the kernel must do");
  item.points = reader.number("points", 0, most_points);
  const auto visibility = reader.text("visibility", true);
  if (!visibility.empty() && visibility != "visible" && visibility != "hidden")
    throw reader.refused("has a 'visibility' that is neither 'visible' nor 'hidden'");
  item.is_hidden = visibility == "hidden";
  item.description = read_words(reader, "description");
  item.hint = read_words(reader, "hint");
  switch (item.kind) {
    case ItemKind::correct:
      read_correct(reader, assignment, item);
      break;
    case ItemKind::sanitize:
      read_sanitize(reader, item);
      break;
    case ItemKind::require:
      read_require(reader, assignment, item);
      break;
    case ItemKind::speed:
      read_speed(reader, assignment, item);
      break;
    case ItemKind::construct:
      read_static(reader, item);
      break;
    case ItemKind::output:
      read_output(reader, assignment, item);
      break;
    case ItemKind::reported:
      read_reported(reader, assignment, item);
      break;
  }
  return item;
}

void read_place(const JsonReader& reader, const std::vector<Lab>& labs, Assignment& made) {
  const auto lab = reader.text("lab");
  const auto found = std::ranges::find(labs, lab, &Lab::name);
  if (found == labs.end())
    throw reader.refused(fmt::format("is of an unknown lab '{}'", visible(lab)),
                         did_you_mean(lab, lab_names(labs), "'gpulab list' shows all labs"));
  made.lab = &*found;
  const auto contract = reader.text("contract");
  const auto named = std::ranges::find(found->contracts, contract, &Contract::name);
  std::vector<std::string> names;
  for (const auto& one : found->contracts) names.push_back(one.name);
  if (named == found->contracts.end())
    throw reader.refused(fmt::format("asks for a contract '{}' that {} does not have", visible(contract), lab),
                         did_you_mean(contract, names, "there is " + join(names)));
  made.contract = &*named;
}

/// "blocks", "every_block": a choice of the contract's launches.
void read_blocks(const JsonReader& reader, Assignment& made) {
  const bool every = reader.flag("every_block", made.contract->every_launch);
  if (!reader.has("blocks") && every == made.contract->every_launch) return;
  std::vector<std::string> known;
  for (const auto& launch : made.contract->launches) known.push_back(launch_text(launch));
  if (reader.has("blocks")) {
    for (const auto& text : reader.texts("blocks")) {
      const auto launch = launch_named(made.contract->launches, text);
      if (!launch)
        throw reader.refused(fmt::format("has an unknown block of threads '{}' in 'blocks'", visible(text)),
                             did_you_mean(text, known, "there is " + join(known)));
      made.launches.push_back(*launch);
    }
    if (made.launches.empty()) throw reader.refused("has no block in 'blocks'");
  }
  made.chosen = std::make_shared<const Contract>(with_launches(*made.contract, made.launches, every));
  made.contract = made.chosen.get();
}

void read_solutions(const JsonReader& reader, Assignment& made) {
  const auto folder = std::filesystem::path(made.path).parent_path();
  const auto beside = [&](const std::string& name) {
    return name.empty() ? name : (folder / name).lexically_normal().string();
  };
  made.reference = beside(reader.text("reference", true));
  made.starter = beside(reader.text("starter", true));
  if (!reader.has("wrong")) return;
  const auto& wrong = reader.at("wrong");
  if (!wrong.is_object()) throw reader.refused("has a 'wrong' that is no JSON object of files and items");
  for (const auto& [file, item] : wrong.items()) {
    if (!item.is_string())
      throw reader.refused(fmt::format("has no item's name for the wrong solution '{}'", visible(file)));
    made.wrong.emplace_back(beside(file), item.get<std::string>());
  }
}

void read_items(const JsonReader& reader, Assignment& made) {
  if (!reader.has("items") || !reader.at("items").is_array() || reader.at("items").empty())
    throw reader.refused("has no items");
  if (reader.at("items").size() > most_items) throw reader.refused(fmt::format("has more than {} items", most_items));
  std::vector<std::string> names;
  for (const auto& json : reader.at("items")) {
    made.items.push_back(read_item(json, made, made.items.size() + 1));
    if (std::ranges::count(names, made.items.back().name))
      throw reader.refused(fmt::format("has two items called '{}'", made.items.back().name));
    names.push_back(made.items.back().name);
  }
  for (const auto& [file, item] : made.wrong)
    if (!std::ranges::count(names, item))
      throw reader.refused(fmt::format("has a wrong solution that fails an unknown item '{}'", visible(item)),
                           did_you_mean(item, names, "items: " + join(names)));
}

}  // namespace

double Assignment::points() const {
  double sum = 0;
  for (const auto& item : items) sum += item.points;
  return sum;
}

std::string main_file(const Assignment& assignment, const std::string& solution) {
  std::error_code failed;
  const bool is_folder = assignment.program && std::filesystem::is_directory(solution, failed);
  return is_folder ? solution + "/" + assignment.file : solution;
}

Assignment parse_assignment(const std::string& text, const std::string& path, const std::vector<Lab>& labs) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw usage_error(fmt::format("{}: is no JSON", path), fmt::format("look at byte {}", error.byte));
  }
  const JsonReader reader(json, path, "the assignment");
  const auto kind = reader.text("kind", true);
  const std::vector<std::string> kinds{"kernel", "program"};
  if (!kind.empty() && !std::ranges::count(kinds, kind))
    throw reader.refused(fmt::format("is of an unknown kind '{}'", visible(kind)),
                         did_you_mean(kind, kinds, "kinds: " + join(kinds)));
  const bool is_program = kind == "program";
  std::vector<std::string> known{"schema",      "kind", "title",     "lab",     "contract", "blocks",
                                 "every_block", "file", "reference", "starter", "wrong",    "items"};
  if (is_program) known.insert(known.end(), {"cases", "hidden_cases", "compare", "limits", "files", "nvcc", "trust"});
  reader.allow(known);
  if (reader.text("schema") != "gpulab.assignment.v1")
    throw reader.refused("is not of the schema gpulab.assignment.v1");
  Assignment made{.path = path, .text = text, .title = reader.text("title"), .reference = {}};
  if (made.title.empty()) throw reader.refused("has an empty title");
  made.file = reader.text("file", true);
  if (made.file.find('/') != std::string::npos) throw reader.refused("has a 'file' that is in another folder");
  if (is_program) made.program = std::make_shared<const ProgramPart>(read_program(reader, path));
  if (!is_program || reader.has("lab") || reader.has("contract")) {
    read_place(reader, labs, made);
    read_blocks(reader, made);
  }
  if (is_program && !made.program->files.empty() && made.file.empty())
    throw reader.refused("has 'files' and no 'file'", "\"file\": the one with the kernels, \"files\": the others");
  read_solutions(reader, made);
  read_items(reader, made);
  return made;
}

Assignment read_assignment(const std::string& path, const std::vector<Lab>& labs) {
  return parse_assignment(read_source(path, "assignment"), path, labs);
}

}  // namespace gpulab
