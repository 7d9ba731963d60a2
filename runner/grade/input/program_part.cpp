#include "runner/grade/input/program_part.h"

#include <filesystem>
#include <optional>

#include "runner/grade/input/json_reader.h"
#include "runner/student_file/compilers/sha256.h"
#include "runner/student_file/source_file.h"

namespace gpulab {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr std::size_t most_cases = 100, most_arguments = 64, most_files = 16;
constexpr std::uintmax_t most_file_bytes = std::uintmax_t{16} << 20;

/// A name without folders, of characters that every system has.
bool is_plain(const std::string& name) {
  return !name.empty() && name.size() <= 100 && name.front() != '.' && name.front() != '-' &&
         std::ranges::all_of(name, [](unsigned char c) {
           return (std::isalnum(c) != 0 && c < 128) || c == '.' || c == '_' || c == '-';
         });
}

std::string beside(const std::string& path, const std::string& name) {
  return name.empty() ? name : (fs::path(path).parent_path() / name).lexically_normal().string();
}

void check_plain(const JsonReader& reader, const char* key, const std::string& name) {
  if (!is_plain(name))
    throw reader.refused(fmt::format("has a name in '{}' that is none of a file here: '{}'", key, visible(name)),
                         "letters, digits, '.', '_' and '-'; no folder");
}

OutputRule read_rule(const JsonReader& outer, const std::string& path) {
  const auto reader = outer.object("compare");
  OutputRule made;
  const auto by = reader.text("by");
  const std::vector<std::string> known{"exact", "numbers", "checker"};
  const auto found = std::ranges::find(known, by);
  if (found == known.end())
    throw reader.refused(fmt::format("compares by an unknown '{}'", visible(by)),
                         did_you_mean(by, known, "there is " + join(known)));
  made.by = static_cast<OutputRule::By>(found - known.begin());
  if (made.by == OutputRule::By::exact) {
    reader.allow({"by", "trailing_space"});
    const auto space = reader.text("trailing_space", true);
    if (!space.empty() && space != "ignored" && space != "counts")
      throw reader.refused("has a 'trailing_space' that is neither 'ignored' nor 'counts'");
    made.space_counts = space == "counts";
  } else if (made.by == OutputRule::By::numbers) {
    reader.allow({"by", "absolute", "relative"});
    if (reader.has("absolute")) made.absolute = reader.number("absolute", 0, 1e300);
    if (reader.has("relative")) made.relative = reader.number("relative", 0, 1);
  } else {
    reader.allow({"by", "program"});
    made.checker = beside(path, reader.text("program"));
    const auto extension = fs::path(made.checker).extension();
    if (extension != ".py" && extension != ".cpp" && extension != ".cu")
      throw reader.refused(fmt::format("has a checker that is neither .py, .cpp nor .cu: '{}'", visible(made.checker)));
  }
  return made;
}

ProgramCase read_case(const JsonReader& unnamed, const std::string& path, const OutputRule& rule) {
  ProgramCase made{.name = unnamed.text("name"), .rule = rule};
  if (!is_plain(made.name))
    throw unnamed.refused(fmt::format("has a name that cannot be one: '{}'", visible(made.name)),
                          "letters, digits, '.', '_' and '-'");
  const auto reader = unnamed.named(fmt::format("case '{}'", made.name));
  reader.allow({"name", "arguments", "input", "files", "expected", "result", "exit_code", "compare"});
  made.arguments = reader.list("arguments");
  if (made.arguments.size() > most_arguments)
    throw reader.refused(fmt::format("has more than {} arguments", most_arguments));
  made.input = beside(path, reader.text("input", true));
  if (reader.has("files")) {
    const auto files = reader.object("files");
    for (const auto& name : files.keys()) {
      check_plain(reader, "files", name);
      made.files.emplace_back(name, beside(path, files.text(name.c_str())));
    }
    if (made.files.size() > most_files) throw reader.refused(fmt::format("has more than {} files", most_files));
  }
  if (reader.has("compare")) made.rule = read_rule(reader, path);
  made.expected = beside(path, reader.text("expected", made.rule.by == OutputRule::By::checker));
  made.result = reader.text("result", true);
  if (!made.result.empty()) check_plain(reader, "result", made.result);
  if (reader.has("exit_code")) {
    const double code = reader.number("exit_code", 0, 255);
    made.exit_code = static_cast<int>(code);
    if (made.exit_code != code) throw reader.refused("has an 'exit_code' that is no whole number");
  }
  return made;
}

/// The list "cases" of an object, behind those that there are.
void read_cases(const JsonReader& reader, const std::string& path, bool hidden, const OutputRule& rule,
                std::vector<ProgramCase>& all) {
  if (!reader.has("cases") || !reader.at("cases").is_array() || reader.at("cases").empty())
    throw reader.refused("has no cases",
                         R"("cases": [{"name": "small", "input": "small.in", "expected": "small.out"}])");
  std::size_t number = 0;
  for (const auto& json : reader.at("cases")) {
    all.push_back(read_case(JsonReader(json, path, fmt::format("case {}", ++number)), path, rule));
    all.back().is_hidden = hidden;
    if (std::ranges::count(all, all.back().name, &ProgramCase::name) > 1)
      throw reader.refused(fmt::format("has two cases called '{}'", all.back().name));
    if (all.size() > most_cases) throw reader.refused(fmt::format("has more than {} cases", most_cases));
  }
}

void read_hidden(const std::string& path, ProgramPart& made, const OutputRule& rule) {
  std::error_code failed;
  made.lacks_hidden = !fs::exists(path, failed);
  if (made.lacks_hidden) return;
  const auto text = read_source(path, "assignment");
  const auto json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw usage_error(fmt::format("{}: is no JSON", path), "it holds the hidden cases");
  const JsonReader reader(json, path, "the file of hidden cases");
  reader.allow({"schema", "cases"});
  if (reader.text("schema") != "gpulab.cases.v1") throw reader.refused("is not of the schema gpulab.cases.v1");
  read_cases(reader, path, true, rule, made.cases);
}

void read_limits(const JsonReader& outer, ProgramPart& made) {
  if (!outer.has("limits")) return;
  const auto reader = outer.object("limits");
  reader.allow({"seconds", "memory_mib", "output_kib"});
  if (reader.has("seconds")) made.seconds = reader.whole("seconds", 1, 120);
  if (reader.has("memory_mib")) made.memory_mib = reader.whole("memory_mib", 64, 16 << 10);
  if (reader.has("output_kib")) made.output_kib = reader.whole("output_kib", 1, 16 << 10);
}

std::string content(const ProgramCase& one, const std::string& path, const std::string& assignment) {
  std::error_code failed;
  const auto size = fs::file_size(path, failed);
  if (failed || !fs::is_regular_file(path, failed))
    throw usage_error(fmt::format("{}: case '{}' names a file that is not there: '{}'", assignment, one.name, path),
                      "paths are from the folder of the file that names them");
  if (size > most_file_bytes)
    throw usage_error(fmt::format("{}: case '{}' names a file of more than 16 MiB: '{}'", assignment, one.name, path));
  return read_file(path, "assignment");
}

}  // namespace

const ProgramCase* ProgramPart::find(const std::string& name) const {
  const auto found = std::ranges::find(cases, name, &ProgramCase::name);
  return found == cases.end() ? nullptr : &*found;
}

std::vector<std::string> ProgramPart::names(bool hidden) const {
  std::vector<std::string> all;
  for (const auto& one : cases)
    if (one.is_hidden == hidden) all.push_back(one.name);
  return all;
}

ProgramPart read_program(const JsonReader& reader, const std::string& path) {
  ProgramPart made;
  made.files = reader.texts("files");
  for (const auto& name : made.files) check_plain(reader, "files", name);
  made.nvcc = reader.texts("nvcc");
  const auto trust = reader.text("trust", true);
  if (!trust.empty() && trust != "host")
    throw reader.refused(
        "has a 'trust' that is not 'host'",
        "\"trust\": \"host\" lets what a program's own process reports give points; absent: it does not");
  made.trusts_host = trust == "host";
  read_limits(reader, made);
  const auto rule = reader.has("compare") ? read_rule(reader, path) : OutputRule{};
  read_cases(reader, path, false, rule, made.cases);
  made.hidden_path = beside(path, reader.text("hidden_cases", true));
  if (!made.hidden_path.empty()) read_hidden(made.hidden_path, made, rule);
  return made;
}

LoadedCase load(const ProgramCase& one, const std::string& assignment) {
  LoadedCase made;
  if (!one.input.empty()) made.input = content(one, one.input, assignment);
  if (!one.expected.empty()) made.expected = content(one, one.expected, assignment);
  for (const auto& [name, path] : one.files) made.files.emplace_back(name, content(one, path, assignment));
  return made;
}

std::string digest_of(const ProgramPart& program, const std::string& assignment) {
  if (program.lacks_hidden)
    throw usage_error(fmt::format("{}: the file of hidden cases is not there: '{}'", assignment, program.hidden_path),
                      "students try what everybody can see: gpulab check --assignment ASSIGNMENT FILE.cu");
  std::string all;
  const auto add = [&](const std::string& part) { all += sha256({part}); };
  for (const auto& one : program.cases) {
    const auto loaded = load(one, assignment);
    add(one.name);
    add(loaded.input);
    add(loaded.expected);
    for (const auto& [name, text] : loaded.files) {
      add(name);
      add(text);
    }
    if (!one.rule.checker.empty()) add(content(one, one.rule.checker, assignment));
  }
  if (!program.hidden_path.empty()) add(read_source(program.hidden_path, "assignment"));
  return sha256({all});
}

}  // namespace gpulab
