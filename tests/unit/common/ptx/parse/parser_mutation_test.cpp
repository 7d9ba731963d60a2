// Deterministic mutations of real modules: each is a module that keeps its promises, or an Error with a place. The
// fuzzer (tests/fuzz/ptx_parser_fuzz.cpp) goes much further.

#include <fstream>
#include <random>
#include <sstream>

#include "common/error.h"
#include "common/ptx/parser.h"
#include "tests/catch.h"
#include "tests/folder.h"
#include "tests/ptx/module_invariants.h"

using namespace gpulab;
using namespace gpulab::ptx;

namespace {

std::string module_text(const std::string& name) {
  std::ifstream file(tests::tests_folder().string() + "/ptx/modules/" + name, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Whether the text parses; fails the test if the module or the error is not as it must be.
bool parses(const std::string& text) {
  try {
    const Module module = parse(text, "mutant");
    REQUIRE(broken_invariant(module).empty());
    return true;
  } catch (const Error& error) {
    REQUIRE(error.code == ExitCode::usage);
    REQUIRE(error.where.starts_with("mutant:"));
    REQUIRE_FALSE(std::string(error.what()).empty());
    return false;
  }
}

std::string mutant(const std::string& text, std::mt19937& random) {
  static constexpr std::string_view pieces[] = {"{", "}",    "(",  ")",  "[",  "]",    ";",     ",",     ".",
                                                "%", "\"",   "@",  "/*", "//", "0x",   "-",     "<",     ">",
                                                ":", ".reg", "$L", "9",  "_",  ".loc", ".func", ".entry"};
  std::string changed = text;
  for (int i = static_cast<int>(random() % 3); i >= 0; --i) {
    const std::size_t at = random() % changed.size(), length = random() % 20;
    const std::size_t from = random() % changed.size();
    switch (random() % 5) {
      case 0:
        changed.erase(at, length);
        break;
      case 1:
        changed.insert(at, pieces[random() % std::size(pieces)]);
        break;
      case 2:
        changed.insert(at, changed.substr(from, length));
        break;
      case 3:
        changed[at] = static_cast<char>(random());
        break;
      default:
        changed.replace(at, length, changed.substr(from, random() % 40));
    }
    if (changed.empty()) changed = "x";
  }
  return changed;
}

}  // namespace

TEST_CASE("a mutated module is still a module or an error with a place") {
  const auto name = GENERATE(as<std::string>(), "handwritten.ptx", "sm75_rdc.ptx", "sm100.ptx");
  const std::string text = module_text(name);
  std::mt19937 random(1);
  int parsed = 0, refused = 0;
  for (int i = 0; i < 1500; ++i) ++(parses(mutant(text, random)) ? parsed : refused);
  CHECK(parsed > 20);  // comments and blanks take a lot
  CHECK(refused > 500);
}

TEST_CASE("a module cut off anywhere is an error or a shorter module") {
  const std::string text = module_text("handwritten.ptx");
  int parsed = 0;
  for (std::size_t length = 0; length < text.size(); ++length) parsed += parses(text.substr(0, length));
  CHECK(parsed > 0);
  CHECK(parsed < static_cast<int>(text.size()) / 2);
}

TEST_CASE("bytes at random are an error") {
  std::mt19937 random(5);
  for (int i = 0; i < 500; ++i) {
    std::string text = ".version 7.0\n.target sm_75\n";
    for (int n = 0; n < 60; ++n) text.push_back(static_cast<char>(32 + random() % 96));
    (void)parses(text);
    CHECK_FALSE(parses(text.substr(27)));
  }
}
