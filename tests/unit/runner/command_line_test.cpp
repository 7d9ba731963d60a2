#include "runner/command_line.h"

#include <algorithm>
#include <memory>
#include <set>

#include "tests/catch.h"
#include "tests/unit/error_of.h"
#include "tests/unit/test_lab.h"

using namespace gpulab;

namespace {

const Labs& labs() {
  static const auto all = std::make_shared<const std::vector<Lab>>(std::vector<Lab>{doubling_lab()});
  return all;
}
CommandLine parsed(const std::vector<std::string>& words) { return parse_command_line(words, labs()).line; }
std::string help(const std::vector<std::string>& words) {
  const auto call = parse_command_line(words, labs());
  return call.command->name == "help" ? help_text(call.line.arguments, *labs()) : "no help";
}
std::string refusal_of(const std::vector<std::string>& arguments) {
  return error_of([&] { return parsed(arguments); });
}

}  // namespace

TEST_CASE("options of a lab come as they were typed, in both spellings") {
  const auto command = parsed({"reduce", "--n", "2^10,5", "--variant=all", "--warm", "--block", "32x8"});
  CHECK(command.name == "reduce");
  CHECK(command.given == Given{{"n", {"2^10,5"}}, {"variant", {"all"}}, {"warm", {"true"}}, {"block", {"32x8"}}});
}

TEST_CASE("negative and empty values reach the options, which refuse them by name") {
  CHECK(parsed({"reduce", "--n", "-5"}).given.at("n") == std::vector<std::string>{"-5"});
  CHECK(parsed({"reduce", "--n=-5"}).given.at("n") == std::vector<std::string>{"-5"});
  CHECK(parsed({"reduce", "--n", ""}).given.at("n") == std::vector<std::string>{""});
}

TEST_CASE("an option given twice is kept twice") {
  CHECK(parsed({"reduce", "--n", "1", "--n=2"}).given.at("n") == std::vector<std::string>{"1", "2"});
}

TEST_CASE("unknown options, arguments and missing values are refused") {
  CHECK(refusal_of({"reduce", "--nn", "5"}) ==
        "reduce: unknown option '--nn' | did you mean '--n'? 'gpulab reduce --help' shows its options");
  CHECK(refusal_of({"reduce", "plain"}) ==
        "reduce: unexpected argument 'plain' | 'gpulab reduce --help' shows its options");
  CHECK(refusal_of({"reduce", "--block"}) == "--block needs a value | 'gpulab reduce --help' shows its options");
  CHECK(refusal_of({"devices", "--variant", "x"}) ==
        "devices: unknown option '--variant' | 'gpulab devices --help' shows its options");
  CHECK(refusal_of({"list", "a", "b"}) == "list: unexpected argument 'b' | 'gpulab list --help' shows its options");
}

TEST_CASE("an unknown name is answered with the nearest one") {
  CHECK(refusal_of({"reducton"}) ==
        "'reducton' is neither a command nor a lab | did you mean 'reduce'? 'gpulab --help' shows all commands and "
        "labs, 'gpulab help --glossary' all terms");
}

TEST_CASE("flags take no value, and a switch needs none") {
  CHECK(refusal_of({"reduce", "--warm=no"}) == "--warm takes no value | 'gpulab reduce --help' shows its options");
  CHECK(parsed({"reduce", "--n="}).given.at("n") == std::vector<std::string>{""});
}

TEST_CASE("arguments that a command needs are asked for") {
  CHECK(refusal_of({"run"}) == "run: which file? | as in: gpulab run scale.cu --kernel scale --arg 'x:f32[1024]=iota'");
  CHECK(refusal_of({"explain", "--phases"}) ==
        "explain: which lab or file? | as in: gpulab explain reduce --variant shared_strided");
}

TEST_CASE("behind two dashes all words are arguments") {
  CHECK(parsed({"list", "--", "--metrics"}).arguments == std::vector<std::string>{"--metrics"});
  CHECK(refusal_of({"reduce", "--", "--n"}) ==
        "reduce: unexpected argument '--n' | 'gpulab reduce --help' shows its options");
}

TEST_CASE("the lab that a command line names decides which options there are") {
  CHECK(parsed({"explain", "--variant", "slow", "reduce"}).lab->name == "reduce");
  CHECK(parsed({"explain", "x.cu", "--kernel", "k"}).lab == nullptr);
  // A kernel may have the name of a lab.
  const auto line = parsed({"explain", "reduce.cu", "--kernel", "reduce"});
  CHECK(line.lab == nullptr);
  CHECK(line.arguments == std::vector<std::string>{"reduce.cu"});
}

TEST_CASE("help names every option and the ladder") {
  const auto text = help({"reduce", "--help"});
  for (const auto* part : {"--n", "--type", "--variant", "--max-noise", "--output", "*plain", "Does it double?"}) {
    CHECK_THAT(text, ContainsSubstring(part));
  }
  CHECK_THAT(help({}), ContainsSubstring("doctor"));
  CHECK_THAT(help({"run", "--help"}), ContainsSubstring("Usage: gpulab run [OPTIONS] FILE\n"));
}

TEST_CASE("help is asked for in three ways") {
  CHECK(help({"help"}) == help({}));
  CHECK(help({"--help"}) == help({}));
  CHECK(help({"help", "reduce"}) == help({"reduce", "--help"}));
  CHECK(help({"reduce", "--nonsense", "-h"}) == help({"reduce", "--help"}));
  CHECK(help({"help", "explain", "reduce"}) == help({"explain", "reduce", "--help"}));
  CHECK_THAT(help({"explain", "reduce", "--help"}), ContainsSubstring("--variant"));
  CHECK_THAT(help({"explain", "--help"}), ContainsSubstring("--kernel"));
  CHECK(error_of([] {
          return help({"help", "reducton"});
        }) ==
        "'reducton' is neither a command nor a lab | did you mean 'reduce'? 'gpulab --help' shows all commands "
        "and labs, 'gpulab help --glossary' all terms");
}

TEST_CASE("explain's help names the formats that explain takes, and no others") {
  const auto text = help({"explain", "--help"});
  CHECK_THAT(text, ContainsSubstring(" json [table]"));
  CHECK_THAT(text, !ContainsSubstring("csv"));
}

TEST_CASE("no option stands twice in a command, and each command says what it is for") {
  for (const auto* command : commands()) {
    INFO(command->name);
    CHECK(command->run != nullptr);
    CHECK_FALSE(command->help.empty());
    std::set<std::string> seen;
    for (const auto& option : usage_of(*command, nullptr).options) CHECK(seen.insert(option.name).second);
    for (const auto& place : command->positionals) CHECK((place.question.empty() || !command->example.empty()));
  }
}

TEST_CASE("no name is of a command and of a later one") {
  const auto later = later_commands();
  for (const auto* command : commands()) CHECK(std::find(later.begin(), later.end(), command->name) == later.end());
}
