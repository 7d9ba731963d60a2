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

/// An object of the file, whose keys are asked for one by one.
class Reader {
 public:
  Reader(const Json& json, std::string path, std::string place)
      : json_(json), path_(std::move(path)), place_(std::move(place)) {
    if (!json.is_object()) throw refused("is no JSON object");
  }

  [[nodiscard]] Error refused(const std::string& why, std::string hint = {}) const {
    return usage_error(fmt::format("{}: {} {}", path_, place_, why),
                       hint.empty() ? "'gpulab schema assignment' says what an assignment holds" : std::move(hint));
  }

  void allow(const std::vector<std::string>& known) const {
    for (const auto& [key, value] : json_.items())
      if (!std::ranges::count(known, key))
        throw refused(fmt::format("has an unknown key '{}'", visible(key)),
                      did_you_mean(key, known, "there is " + join(known)));
  }

  [[nodiscard]] bool has(const char* key) const { return json_.contains(key); }

  [[nodiscard]] std::string text(const char* key, bool may_be_missing = false) const {
    const auto found = json_.find(key);
    if (found == json_.end() && may_be_missing) return {};
    if (found == json_.end()) throw refused(fmt::format("has no '{}'", key));
    if (!found->is_string()) throw refused(fmt::format("has a '{}' that is no text", key));
    return found->get<std::string>();
  }

  [[nodiscard]] double number(const char* key, double least, double most) const {
    const auto found = json_.find(key);
    if (found == json_.end()) throw refused(fmt::format("has no '{}'", key));
    const double value = found->is_number() ? found->get<double>() : -1;
    if (!found->is_number() || !(value >= least && value <= most))
      throw refused(fmt::format("has a '{}' that is no number from {:g} to {:g}", key, least, most));
    return value;
  }

  [[nodiscard]] bool flag(const char* key, bool fallback) const {
    const auto found = json_.find(key);
    if (found == json_.end()) return fallback;
    if (!found->is_boolean()) throw refused(fmt::format("has a '{}' that is neither true nor false", key));
    return found->get<bool>();
  }

  [[nodiscard]] std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> all;
    const auto found = json_.find(key);
    if (found == json_.end()) return all;
    if (!found->is_array()) throw refused(fmt::format("has a '{}' that is no list", key));
    for (const auto& one : *found) {
      if (!one.is_string()) throw refused(fmt::format("has a '{}' that is no list of texts", key));
      all.push_back(one.get<std::string>());
      if (std::ranges::count(all, all.back()) > 1)
        throw refused(fmt::format("has '{}' twice in '{}'", visible(all.back()), key));
    }
    return all;
  }

  /// The texts, each of which is one of `known`.
  [[nodiscard]] std::vector<std::string> words(const char* key, const std::vector<std::string>& known,
                                               const char* noun) const {
    auto all = texts(key);
    for (const auto& one : all)
      if (!std::ranges::count(known, one))
        throw refused(fmt::format("has an unknown {} '{}' in '{}'", noun, visible(one), key),
                      did_you_mean(one, known, "there is " + join(known)));
    return all;
  }

  /// What is an object itself.
  [[nodiscard]] Reader object(const char* key) const {
    const auto& json = json_.at(key);
    if (!json.is_object()) throw refused(fmt::format("has a '{}' that is no JSON object", key));
    return {json, path_, fmt::format("{} in '{}'", place_, key)};
  }

  [[nodiscard]] const Json& at(const char* key) const { return json_.at(key); }

 private:
  const Json& json_;
  std::string path_, place_;
};

/// "weights": {"odd": 2}.
void read_weights(const Reader& reader, AssignmentItem& item) {
  if (!reader.has("weights")) return;
  if (!item.partial) throw reader.refused("weighs classes, and gives points for all of them alone");
  const auto weights = reader.object("weights");
  auto known = item.visible;
  known.insert(known.end(), item.hidden.begin(), item.hidden.end());
  weights.allow(known);
  for (const auto& name : known)
    if (weights.has(name.c_str())) item.weights[name] = weights.number(name.c_str(), 0.01, 100);
}

void read_correct(const Reader& reader, const Assignment& assignment, AssignmentItem& item) {
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

void add_requirements(const Reader& reader, const Assignment& assignment, const std::string& text,
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
void add_certificate(const Reader& reader, const Assignment& assignment, AssignmentItem& item) {
  if (!reader.flag("certificate", true)) return;
  if (assignment.reference.empty())
    throw reader.refused("is compared with the reference solution, and there is none",
                         R"(name it: "reference": "reference.cu"; or leave that out: "certificate": false)");
  const auto before = item.requirements.size();
  add_requirements(reader, assignment, default_certificate, item);
  item.certificate = item.requirements.size() - before;
}

/// "zero_at": 2, of 'warp_instructions<=1.3*warp': no points from 2*warp on.
void read_zero_at(const Reader& reader, AssignmentItem& item) {
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

void read_require(const Reader& reader, const Assignment& assignment, AssignmentItem& item) {
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

void read_size(const Reader& reader, const Assignment& assignment, AssignmentItem& item) {
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

void read_speed(const Reader& reader, const Assignment& assignment, AssignmentItem& item) {
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

void read_static(const Reader& reader, AssignmentItem& item) {
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

void read_sanitize(const Reader& reader, AssignmentItem& item) {
  reader.allow({"name", "kind", "points", "visibility", "description", "hint", "tools"});
  std::vector<std::string> known;
  for (const auto* tool : simt::tool_kinds()) known.emplace_back(tool->name);
  item.tools = reader.words("tools", known, "tool");
  if (reader.has("tools") && item.tools.empty()) throw reader.refused("has no tool in 'tools'");
}

/// For students.
std::string read_words(const Reader& reader, const char* key) {
  auto text = reader.text(key, true);
  if (text.size() > most_words)
    throw reader.refused(fmt::format("has a '{}' that is longer than {} bytes", key, most_words), "be brief");
  if (visible(text) != text) throw reader.refused(fmt::format("has a '{}' of characters that no terminal shows", key));
  return text;
}

AssignmentItem read_item(const Json& json, const Assignment& assignment, std::size_t number) {
  const Reader unnamed(json, assignment.path, fmt::format("item {}", number));
  AssignmentItem item{.name = unnamed.text("name")};
  if (item.name.empty() || item.name.size() > 100 || visible(item.name) != item.name ||
      item.name.find_first_of("\n\t") != std::string::npos)
    throw unnamed.refused("has a name that is empty, longer than 100 bytes, or of characters that no terminal shows");
  const Reader reader(json, assignment.path, fmt::format("item '{}'", item.name));
  const auto kind = reader.text("kind");
  const auto kinds = words_of(ItemKind{});
  const auto found = std::ranges::find(kinds, kind);
  if (found == kinds.end()) {
    const std::vector<std::string> known(kinds.begin(), kinds.end());
    throw reader.refused(fmt::format("is of an unknown kind '{}'", visible(kind)),
                         did_you_mean(kind, known, "kinds: " + join(known)));
  }
  item.kind = static_cast<ItemKind>(found - kinds.begin());
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
  }
  return item;
}

void read_place(const Reader& reader, const std::vector<Lab>& labs, Assignment& made) {
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
void read_blocks(const Reader& reader, Assignment& made) {
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

void read_solutions(const Reader& reader, Assignment& made) {
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

void read_items(const Reader& reader, Assignment& made) {
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

Assignment parse_assignment(const std::string& text, const std::string& path, const std::vector<Lab>& labs) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw usage_error(fmt::format("{}: is no JSON", path), fmt::format("look at byte {}", error.byte));
  }
  const Reader reader(json, path, "the assignment");
  reader.allow({"schema", "title", "lab", "contract", "blocks", "every_block", "file", "reference", "starter", "wrong",
                "items"});
  if (reader.text("schema") != "gpulab.assignment.v1")
    throw reader.refused("is not of the schema gpulab.assignment.v1");
  Assignment made{.path = path, .text = text, .title = reader.text("title"), .reference = {}};
  if (made.title.empty()) throw reader.refused("has an empty title");
  made.file = reader.text("file", true);
  if (made.file.find('/') != std::string::npos) throw reader.refused("has a 'file' that is in another folder");
  read_place(reader, labs, made);
  read_blocks(reader, made);
  read_solutions(reader, made);
  read_items(reader, made);
  return made;
}

Assignment read_assignment(const std::string& path, const std::vector<Lab>& labs) {
  return parse_assignment(read_source(path, "assignment"), path, labs);
}

}  // namespace gpulab
