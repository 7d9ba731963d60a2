#include "runner/options/cli.h"

#include <algorithm>

#include "tests/catch.h"
#include "tests/unit/error_of.h"
#include "tests/unit/test_lab.h"

using namespace gpulab;

namespace {

const std::vector<Lab>& labs() {
  static const std::vector<Lab> all{doubling_lab()};
  return all;
}
Command parsed(const std::vector<std::string>& arguments) { return parse_command_line(arguments, labs()); }
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

TEST_CASE("unknown commands and those of later versions are told apart") {
  CHECK(refusal_of({"reducton"}) == "unknown lab 'reducton' | did you mean 'reduce'? 'gpulab list' shows all labs");
  CHECK(refusal_of({"grade"}) ==
        "'grade' is not in this version of gpulab | 'gpulab --help' shows all commands and labs");
}

TEST_CASE("help names every option and the ladder") {
  const auto help = parsed({"reduce", "--help"}).help;
  for (const auto* text : {"--n", "--type", "--variant", "--max-noise", "--output", "*plain", "Does it double?"}) {
    CHECK_THAT(help, ContainsSubstring(text));
  }
  CHECK_THAT(parsed({}).help, ContainsSubstring("doctor"));
}

TEST_CASE("JSON is recognised in a command line that cannot be parsed") {
  CHECK(asks_for_json({"nonsense", "--format", "json"}));
  CHECK(asks_for_json({"nonsense", "--format=json"}));
  CHECK_FALSE(asks_for_json({"nonsense", "--format", "csv"}));
  CHECK_FALSE(asks_for_json({"json", "--format"}));
}

TEST_CASE("no lab can take the name of a command, of this version or a later one") {
  const auto names = command_names();
  for (const auto* name : {"list", "devices", "doctor", "schema", "explain", "run", "check", "grade", "completion"}) {
    CHECK(std::find(names.begin(), names.end(), name) != names.end());
  }
}
