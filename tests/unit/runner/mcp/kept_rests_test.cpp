#include "runner/mcp/kept_rests.h"

#include <string>

#include "common/error.h"
#include "tests/catch.h"

namespace gpulab::mcp {
namespace {

Json elements(const char* status, int count, std::size_t length = 100) {
  Json all = Json::array();
  for (int i = 0; i < count; ++i)
    all.push_back({{"number", i}, {"status", status}, {"text", std::string(length, 'x')}});
  return all;
}

TEST_CASE("an answer that fits stays as it is") {
  Json answer{{"findings", elements("wrong", 5)}};
  const auto before = answer;
  CHECK(cut(answer, 10'000).empty());
  CHECK(answer == before);
}

TEST_CASE("what is right leaves before what is wrong, and findings leave last") {
  Json shapes = elements("ok", 10);
  shapes[3]["status"] = "wrong";
  Json answer{{"shapes", shapes}, {"findings", elements("", 10)}};
  auto smaller = answer;
  CHECK(cut(answer, 1'650).size() == 9);
  REQUIRE(answer["shapes"].size() == 1);
  CHECK(answer["shapes"][0] == shapes[3]);
  CHECK(answer["findings"].size() == 10);
  (void)cut(smaller, 1'000);
  CHECK(smaller["shapes"].size() == 1);
  CHECK(smaller["findings"].size() < 10);
  CHECK(smaller["findings"][0]["number"] == 0);
  CHECK(smaller.dump().size() <= 1'000);
}

TEST_CASE("parts say where they stood in the whole answer, also where a list was cut twice") {
  Json results = Json::array();
  for (int i = 0; i < 20; ++i)
    results.push_back({{"status", i == 11 ? "wrong" : "ok"}, {"findings", elements("", 30)}});
  const Json whole{{"document", {{"results", results}}}};
  auto answer = whole;
  const auto parts = cut(answer, 1'500);
  CHECK(answer.dump().size() <= 1'500);
  CHECK(answer["document"]["results"][0]["status"] == "wrong");
  for (const auto& part : parts) CHECK(whole.at(Json::json_pointer(part.of)).at(part.from) == part.value);
}

TEST_CASE("texts are cut between characters") {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "\xe2\x82\xac";
  Json answer{{"stdout", text}};
  const auto parts = cut(answer, 5'000);
  auto whole = answer["stdout"].get<std::string>();
  for (const auto& part : parts) {
    CHECK(part.from == whole.size());
    whole += part.value.get<std::string>();
    CHECK_NOTHROW(Json(part.value).dump());
  }
  CHECK(whole == text);
}

TEST_CASE("what left is kept for ten minutes, page by page, under a name that nobody guesses") {
  KeptRests rests;
  const auto start = KeptRests::Clock::now();
  const auto name = rests.keep({{"/a", 0, "one"}, {"/a", 1, "two"}, {"/a", 2, "three"}}, start);
  CHECK(name.size() == 34);
  CHECK(name != rests.keep({{"/a", 0, "one"}}, start));
  const auto page = rests.page(name, 60, start + std::chrono::minutes(9));
  CHECK(page["parts"].size() == 1);
  CHECK(page["left"] == 2);
  CHECK(rests.page(page["more"], 10'000, start)["parts"].size() == 2);
  CHECK_THROWS_WITH(rests.page(name, 60, start + std::chrono::minutes(10)),
                    "more: nothing is kept under '" + name + "'");
  CHECK_THROWS_WITH(rests.page("no name", 60, start), "more: nothing is kept under 'no name'");
}

TEST_CASE("where too much is kept the oldest is forgotten") {
  KeptRests rests;
  const auto first = rests.keep({{"/a", 0, std::string(most_kept_bytes / 2, 'x')}});
  const auto second = rests.keep({{"/a", 0, std::string(most_kept_bytes * 3 / 4, 'x')}});
  CHECK_THROWS_AS(rests.page(first, 1), Error);
  CHECK_NOTHROW(rests.page(second, 1));
}

}  // namespace
}  // namespace gpulab::mcp
