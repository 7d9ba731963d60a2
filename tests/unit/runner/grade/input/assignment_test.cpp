#include "runner/grade/input/assignment.h"

#include <random>

#include "common/error.h"
#include "labs/registry.h"
#include "runner/grade/input/roster.h"
#include "runner/grade/lint.h"
#include "tests/catch.h"

using namespace gpulab;

namespace {

const std::vector<Lab>& labs() {
  static const auto all = all_labs();
  return all;
}

const std::string head = R"("schema": "gpulab.assignment.v1", "title": "T", "lab": "reduce", "contract": "total")";

std::string with_items(const std::string& items) {
  return "{" + head + R"(, "reference": "r.cu", "items": [)" + items + "]}";
}

std::string refusal_of(const std::string& text) {
  try {
    (void)parse_assignment(text, "a.json", labs());
  } catch (const Error& error) {
    return std::string(error.what()) + " | " + error.hint;
  }
  return "none";
}

std::string item_refusal(const std::string& item) { return refusal_of(with_items("{" + item + "}")); }

constexpr const char* schema_hint = " | 'gpulab schema assignment' says what an assignment holds";

}  // namespace

TEST_CASE("a requirement brings the certificate along, but where it says that it does not") {
  const auto made =
      parse_assignment(with_items(R"({"name": "a", "kind": "require", "points": 1, "require": ["barriers==0"]},
                    {"name": "b", "kind": "require", "points": 1, "require": ["barriers==0"], "certificate": false})"),
                       "x/a.json", labs());
  CHECK(made.reference == "x/r.cu");
  CHECK((made.items[0].requirements.size() == 4 && made.items[0].certificate == 3));
  CHECK((made.items[1].requirements.size() == 1 && made.items[1].certificate == 0));
}

TEST_CASE("an item of any kind may say to students what it asks and what to look at") {
  for (const char* kind :
       {R"("correct")", R"("sanitize")", R"("require", "require": ["barriers==0"])",
        R"("static", "want": ["barriers"])", R"("speed", "rung": "warp", "full_at": 1, "zero_at": 2)"}) {
    const auto item = R"("name": "a", "points": 1, "kind": )" + std::string(kind);
    const auto made = parse_assignment(
        with_items("{" + item + R"(, "description": "what it asks\nin two lines", "hint": "look at `n`"})"), "a.json",
        labs());
    CHECK(made.items[0].description == "what it asks\nin two lines");
    CHECK(made.items[0].hint == "look at `n`");
    CHECK(parse_assignment(with_items("{" + item + "}"), "a.json", labs()).items[0].hint.empty());
  }
  const std::string item = R"("name": "a", "kind": "correct", "points": 1, )";
  CHECK(item_refusal(item + R"("hint": 1)") ==
        std::string("a.json: item 'a' has a 'hint' that is no text") + schema_hint);
  CHECK(item_refusal(item + R"("hint": ")" + std::string(2001, 'x') + "\"") ==
        "a.json: item 'a' has a 'hint' that is longer than 2000 bytes | be brief");
  CHECK(item_refusal(item + R"("description": "\u001b[2J")") ==
        std::string("a.json: item 'a' has a 'description' of characters that no terminal shows") + schema_hint);
}

TEST_CASE("an assignment chooses among its contract's blocks, and may ask for each of them") {
  const auto with = [](const std::string& more) {
    return R"({"schema": "gpulab.assignment.v1", "title": "T", "lab": "transpose", "contract": "transpose", )" + more +
           R"("items": [{"name": "a", "kind": "correct", "points": 1}]})";
  };
  const auto chosen = parse_assignment(with(R"("blocks": ["16x16", "32x8 for 32x32 each"], )"), "a.json", labs());
  CHECK(chosen.launches == std::vector<std::size_t>{2, 1});
  REQUIRE(chosen.contract->launches.size() == 2);
  CHECK(chosen.contract->launches[0].block == Dim3{16, 16});
  CHECK(chosen.contract->launches[1].covers == Dim3{32, 32});
  CHECK_FALSE(chosen.contract->every_launch);
  const auto copy = chosen;  // a copy has the same contract
  CHECK(copy.contract == chosen.contract);

  const auto every = parse_assignment(with(R"("every_block": true, )"), "a.json", labs());
  CHECK((every.contract->every_launch && every.launches.empty() && every.contract->launches.size() > 2));
  CHECK(parse_assignment(with(""), "a.json", labs()).chosen == nullptr);

  CHECK(refusal_of(with(R"("blocks": ["32x9"], )"))
            .starts_with("a.json: the assignment has an unknown block of threads '32x9' in 'blocks' | did you mean "
                         "'32x8'? there is 32x32, 32x8 for 32x32, 16x16"));
  CHECK(refusal_of(with(R"("blocks": [], )")).starts_with("a.json: the assignment has no block in 'blocks'"));
  CHECK(
      refusal_of(with(R"("blocks": "16x16", )")).starts_with("a.json: the assignment has a 'blocks' that is no list"));
  CHECK(refusal_of(with(R"("every_block": 1, )"))
            .starts_with("a.json: the assignment has a 'every_block' that is neither true nor false"));
}

TEST_CASE("what an assignment has that nobody knows is refused with what was meant") {
  CHECK(refusal_of("{") == "a.json: is no JSON | look at byte 2");
  CHECK(refusal_of("[]") == std::string("a.json: the assignment is no JSON object") + schema_hint);
  CHECK(refusal_of("{" + head + R"(, "tittle": 1})")
            .starts_with("a.json: the assignment has an unknown key 'tittle' | did you mean 'title'?"));
  CHECK(refusal_of(R"({"schema": "gpulab.assignment.v2", "title": "T"})") ==
        std::string("a.json: the assignment is not of the schema gpulab.assignment.v1") + schema_hint);
  CHECK(refusal_of(R"({"schema": "gpulab.assignment.v1"})") ==
        std::string("a.json: the assignment has no 'title'") + schema_hint);
  CHECK(refusal_of(R"({"schema": "gpulab.assignment.v1", "title": 3})") ==
        std::string("a.json: the assignment has a 'title' that is no text") + schema_hint);
  CHECK(refusal_of(R"({"schema": "gpulab.assignment.v1", "title": ""})") ==
        std::string("a.json: the assignment has an empty title") + schema_hint);
  CHECK(refusal_of(R"({"schema": "gpulab.assignment.v1", "title": "T", "lab": "redu"})") ==
        "a.json: the assignment is of an unknown lab 'redu' | did you mean 'reduce'? 'gpulab list' shows all labs");
  CHECK(refusal_of(R"({"schema": "gpulab.assignment.v1", "title": "T", "lab": "reduce", "contract": "totl"})") ==
        "a.json: the assignment asks for a contract 'totl' that reduce does not have | did you mean 'total'? there is "
        "partials, total");
  CHECK(refusal_of("{" + head + R"(, "file": "../a.cu"})") ==
        std::string("a.json: the assignment has a 'file' that is in another folder") + schema_hint);
  CHECK(refusal_of("{" + head + "}") == std::string("a.json: the assignment has no items") + schema_hint);
  CHECK(refusal_of("{" + head + R"(, "wrong": [], "items": [1]})") ==
        std::string("a.json: the assignment has a 'wrong' that is no JSON object of files and items") + schema_hint);
  CHECK(refusal_of("{" + head + R"(, "wrong": {"w.cu": 1}, "items": [1]})") ==
        std::string("a.json: the assignment has no item's name for the wrong solution 'w.cu'") + schema_hint);
  const std::string item = R"({"name": "a", "kind": "sanitize", "points": 1})";
  CHECK(refusal_of("{" + head + R"(, "wrong": {"w.cu": "b"}, "items": [)" + item + "]}") ==
        "a.json: the assignment has a wrong solution that fails an unknown item 'b' | items: a");
  CHECK(refusal_of(with_items(item + "," + item)) ==
        std::string("a.json: the assignment has two items called 'a'") + schema_hint);
  std::string many = item;
  for (int i = 0; i < 100; ++i) many += "," + item;
  CHECK(refusal_of(with_items(many)) == std::string("a.json: the assignment has more than 100 items") + schema_hint);
}

TEST_CASE("an item says what is wrong with it") {
  const std::string a = R"("name": "a", "points": 1, "kind": )", start = "a.json: item 'a' ";
  CHECK(refusal_of(with_items("1")) == std::string("a.json: item 1 is no JSON object") + schema_hint);
  CHECK(item_refusal(R"("points": 1)") == std::string("a.json: item 1 has no 'name'") + schema_hint);
  CHECK(item_refusal(R"("name": "a\n")")
            .starts_with("a.json: item 1 has a name that is empty, longer than 100 bytes, or of"));
  CHECK(item_refusal(a + R"("correkt")") == start +
                                                "is of an unknown kind 'correkt' | did you mean 'correct'? kinds: "
                                                "correct, sanitize, require, speed, static, output, reported");
  CHECK(item_refusal(R"("name": "a", "kind": "correct")") == start + "has no 'points'" + schema_hint);
  CHECK(item_refusal(R"("name": "a", "kind": "correct", "points": -1)") ==
        start + "has a 'points' that is no number from 0 to 1e+06" + schema_hint);
  CHECK(item_refusal(a + R"("correct", "visibility": "no")") ==
        start + "has a 'visibility' that is neither 'visible' nor 'hidden'" + schema_hint);
  CHECK(item_refusal(a + R"("correct", "visible": "odd")") == start + "has a 'visible' that is no list" + schema_hint);
  CHECK(item_refusal(a + R"("correct", "visible": [1])") ==
        start + "has a 'visible' that is no list of texts" + schema_hint);
  CHECK(item_refusal(a + R"("correct", "visible": ["od"])")
            .starts_with(start + "has an unknown class 'od' in 'visible' | did you mean 'odd'?"));
  CHECK(item_refusal(a + R"("correct", "visible": ["odd", "odd"])") ==
        start + "has 'odd' twice in 'visible'" + schema_hint);
  CHECK(item_refusal(a + R"("correct", "visible": ["odd"], "hidden": ["odd"])") ==
        start + "has the class 'odd' both visible and hidden" + schema_hint);
  CHECK(item_refusal(a + R"("correct", "visible": [])") == start + "has no class of inputs" + schema_hint);
  CHECK(item_refusal(a + R"("sanitize", "tools": [])") == start + "has no tool in 'tools'" + schema_hint);
  CHECK(item_refusal(a + R"("require")") == start + "requires nothing" + schema_hint);
  CHECK(item_refusal(a + R"("require", "require": ["bariers==0"])") ==
        start +
            "has a requirement that is none: unknown counter 'bariers' | did you mean 'barriers'? 'gpulab list "
            "--metrics' shows all");
  CHECK(item_refusal(a + R"("require", "require": ["barriers==0"], "certificate": 1)") ==
        start + "has a 'certificate' that is neither true nor false" + schema_hint);
  CHECK(item_refusal(a + R"("speed", "rung": "wrap", "full_at": 1, "zero_at": 2)")
            .starts_with(start + "has no rung that it can be timed against: 'wrap' | did you mean 'warp'?"));
  CHECK(item_refusal(a + R"("speed", "rung": "warp", "full_at": 2, "zero_at": 2)") ==
        start +
            "earns nothing where it is as fast as for full points | both are times, in times of the rung's: 'full_at' "
            "is less than 'zero_at'");
  CHECK(item_refusal(a + R"("speed", "rung": "warp", "full_at": 1, "zero_at": 2, "size": 3)") ==
        start + "has a 'size' that is no JSON object" + schema_hint);
  CHECK(item_refusal(a + R"("speed", "rung": "warp", "full_at": 1, "zero_at": 2, "size": {"m": 3})") ==
        start + "has an unknown parameter 'm' in 'size' | there is n");
  CHECK(item_refusal(a + R"("speed", "rung": "warp", "full_at": 1, "zero_at": 2, "size": {"n": 0}})")
            .find("look at byte") != std::string::npos);
  CHECK(item_refusal(a + R"("speed", "rung": "warp", "full_at": 1, "zero_at": 2, "size": {"n": 0})") ==
        start + "has a size 'n' that is no whole number from 1 to 2^30" + schema_hint);
  CHECK(item_refusal(a + R"("correct", "visible": ["odd"], "weights": 2)") ==
        start + "has a 'weights' that is no JSON object" + schema_hint);
  CHECK(item_refusal(a + R"("correct", "visible": ["odd"], "weights": {"od": 2})") ==
        start + "in 'weights' has an unknown key 'od' | did you mean 'odd'? there is odd");
  CHECK(item_refusal(a + R"("correct", "visible": ["odd"], "weights": {"odd": 0})") ==
        start + "in 'weights' has a 'odd' that is no number from 0.01 to 100" + schema_hint);
  CHECK(item_refusal(a + R"("correct", "partial": false, "weights": {"odd": 2})") ==
        start + "weighs classes, and gives points for all of them alone" + schema_hint);
  CHECK(item_refusal(a + R"("correct", "partial": 0)") ==
        start + "has a 'partial' that is neither true nor false" + schema_hint);
  CHECK(item_refusal(a + R"("require", "require": ["barriers<=1", "waves<=2"], "zero_at": 3)") ==
        start + "has a 'zero_at' and several requirements | a requirement with 'zero_at' is an item of its own");
  CHECK(item_refusal(a + R"("require", "require": ["barriers==1"], "zero_at": 3)") ==
        start +
            "has a 'zero_at', and 'barriers==1' says of no side that it is near | write it with <= or >=: "
            "'shared_load_bank_conflicts<=0'");
  CHECK(
      item_refusal(a + R"("require", "require": ["barriers<=1*warp"], "zero_at": 1)") ==
      start +
          "has a 'zero_at' of 1, where 'barriers<=1*warp' earns all points | it is the number, or the factor of the "
          "rung, from which on there are no points: 'warp_instructions<=1.3*warp' with 2 earns nothing from 2*warp on");
  CHECK(item_refusal(a + R"("require", "require": ["global_load_efficiency>=0.9"], "zero_at": 0.95)")
            .starts_with(start + "has a 'zero_at' of 0.95, where"));
  CHECK(item_refusal(a + R"("require", "require": ["barriers<=1"], "zero_at": "2")") ==
        start + "has a 'zero_at' that is no number from 0 to 1e+15" + schema_hint);
  CHECK(item_refusal(a + R"("static")") == start + "neither forbids nor wants anything" + schema_hint);
  CHECK(item_refusal(a + R"("static", "want": ["atomics"], "forbid": ["atomics"])") ==
        start + "both forbids and wants 'atomics'" + schema_hint);
  CHECK(refusal_of("{" + head +
                   R"(, "items": [{"name": "a", "points": 1, "kind": "require", "require": ["barriers==0"]}]})") ==
        start +
            "is compared with the reference solution, and there is none | name it: \"reference\": \"reference.cu\"; or "
            "leave that out: \"certificate\": false");
  CHECK(
      refusal_of(
          "{" + head +
          R"(, "items": [{"name": "a", "points": 1, "kind": "require", "require": ["barriers<=1*reference"], "certificate": false}]})") ==
      start + "is compared with the reference solution, and there is none | name it: \"reference\": \"reference.cu\"");
}

TEST_CASE("lint says what an instructor may regret") {
  const auto advice = [](const std::string& items) {
    std::string text;
    for (const auto& note : advice_on(parse_assignment(with_items(items), "a.json", labs())))
      text += (note.is_error ? "error: " : "advice: ") + note.text + "\n";
    return text;
  };
  CHECK(advice(R"({"name": "a", "kind": "correct", "points": 0, "visible": ["odd"]})") ==
        "error: all points together are 0\n"
        "advice: there is no starter\n"
        "advice: there are no wrong solutions: nobody knows that an item tells right from wrong\n"
        "advice: item 'a' is worth no points\n"
        "advice: item 'a' is failed by no wrong solution\n"
        "advice: item 'a' has no hidden classes: a kernel may know all the sizes that it is tried on\n");
  const auto timed = advice(R"({"name": "t", "kind": "require", "points": 1, "certificate": false,
    "require": ["model.time_ms<=1.2*warp", "model.time_ms<=3", "warp_instructions==7", "model.time_ms<=1.3*warp"]},
    {"name": "s", "kind": "speed", "points": 1, "rung": "warp", "full_at": 1, "zero_at": 1.1},
    {"name": "c", "kind": "correct", "points": 1, "hidden": ["odd"]})");
  for (const auto* line :
       {"advice: item 't' has no certificate: one block that does all the work may pass\n",
        "error: item 't': 'model.time_ms<=1.2*warp' leaves a modelled time less room than 1.3 times\n",
        "error: item 't': 'model.time_ms<=3' compares a modelled time with a number: compare it with a rung",
        "advice: item 't': 'warp_instructions==7' asks for one exact number, which another compiler changes\n",
        "advice: item 's': 'full_at' and 'zero_at' are nearer than 1.3 times: chance decides\n",
        "advice: item 'c' has no class 'key' among its hidden ones: all sizes can be read in 'gpulab list'\n",
        "advice: item 'c' has no visible classes: nobody learns what is wrong\n"})
    CHECK(timed.find(line) != std::string::npos);
  CHECK(timed.find("1.3*warp' leaves") == std::string::npos);
  CHECK(advice(R"({"name": "a", "kind": "sanitize", "points": 1})").find("error: no item is of the kind 'correct'") !=
        std::string::npos);
}

TEST_CASE("lint says where one race costs two items, and what to do about it") {
  const auto advice = [](const std::string& sanitize) {
    std::string text;
    const auto items = R"({"name": "right", "kind": "correct", "points": 1}, {"name": "clean", "kind": "sanitize",
      "points": 1)" + sanitize +
                       "}";
    for (const auto& note : advice_on(parse_assignment(with_items(items), "a.json", labs())))
      if (note.text.find("race") != std::string::npos) text += note.text;
    return text;
  };
  const std::string costs = "item 'clean': one race costs it and 'right', for a kernel that races is wrong; ";
  CHECK(advice("") == costs + R"(give it the other tools: "tools": ["memcheck", "initcheck", "synccheck"])");
  CHECK(advice(R"(, "tools": ["memcheck", "racecheck"])") ==
        costs + R"(give it the other tools: "tools": ["memcheck"])");
  CHECK(advice(R"(, "tools": ["racecheck"])") == costs + "leave it out");
  CHECK(advice(R"(, "tools": ["memcheck", "initcheck", "synccheck"])").empty());
}

TEST_CASE("whatever bytes stand in an assignment or a roster, it is read or refused") {
  const std::string good = with_items(R"({"name": "a", "kind": "require", "points": 1, "require": ["barriers==0"]},
    {"name": "b", "kind": "correct", "points": 1.5, "visible": ["odd"], "hidden": ["key"]})");
  const std::string roster = "submission,name\nada,\"A, B\"\nbob,\n";
  std::mt19937 random(7);
  for (int turn = 0; turn < 4000; ++turn) {
    for (std::string text : {good, roster}) {
      for (int i = 0; i < 1 + turn % 4; ++i) {
        const auto at = random() % text.size();
        if (random() % 3 == 0)
          text.erase(at, 1 + random() % 5);
        else if (random() % 2 == 0)
          text[at] = static_cast<char>(random());
        else
          text.insert(at, text.substr(random() % text.size(), random() % 9));
        if (text.empty()) text = "x";
      }
      try {
        (void)parse_assignment(text, "a.json", labs());
      } catch (const Error& error) {
        CHECK(error.code == ExitCode::usage);
      }
      try {
        (void)parse_roster(text, "r.csv");
      } catch (const Error& error) {
        CHECK(error.code == ExitCode::usage);
      }
    }
  }
}
