#include "runner/grade/results/result_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "tests/catch.h"

using namespace gpulab;

namespace {

using Json = nlohmann::json;

/// A folder of its own, gone with the test.
struct Place {
  Place() : path("/tmp/gpulab_results_XXXXXX") { REQUIRE(mkdtemp(path.data()) != nullptr); }
  ~Place() { std::filesystem::remove_all(path); }
  [[nodiscard]] std::string out() const { return path + "/out"; }
  std::string path;
};

constexpr FolderUse merge, resume{.resumes = true}, fresh{.is_fresh = true}, resume_fresh{true, true};
const std::string of_today(64, 'a'), of_tomorrow(64, 'b'), digest(64, 'c');

Json grade(const std::string& name, const Json& score, const std::string& status = "graded") {
  return {{"schema", "gpulab.grade.v1"},
          {"submission", name},
          {"assignment", "Sums"},
          {"status", status},
          {"score", score}};
}

/// A run that grades these, each of another source than ever before.
std::vector<std::string> run(const Place& place, const std::vector<Json>& grades, FolderUse use = {},
                             const std::string& basis = of_today) {
  ResultFolder folder(place.out(), use);
  std::vector<std::string> names, others;
  for (const auto& one : grades) names.push_back(one.at("submission"));
  folder.begin(basis, "Sums", names);
  for (const auto& one : grades)
    folder.write(one.at("submission"), digest, one.dump(), one.at("status") != "infrastructure");
  for (const auto& one : folder.others()) others.push_back(one.at("submission"));
  others.push_back(folder.account(grades, others.size()));
  return others;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a run into a folder of results replaces those of its submissions and keeps the others") {
  const Place place;
  CHECK(run(place, {grade("ada", 0), grade("bob", 50)}) == Names{""});
  CHECK(run(place, {grade("ada", 100)}) == Names{"bob", place.out() + ": regraded ada (0 -> 100); 1 as it was"});
  CHECK(run(place, {grade("eve", 7), grade("ada", 100)}) ==
        Names{"bob", place.out() + ": regraded ada (100 as before); new: eve; 1 as it was"});
  CHECK(run(place, {grade("bob", nullptr, "attention")}) ==
        Names{"ada", "eve", place.out() + ": regraded bob (50 -> attention); 2 as they were"});
  // What is graded anew by the tens is not named one by one.
  std::vector<Json> many;
  for (int i = 0; i < 8; ++i) many.push_back(grade(fmt::format("s{}", i), 1));
  CHECK(run(place, many).back() == place.out() + ": new: s0, s1, s2, s3, s4 and 3 more; 3 as they were");
}

TEST_CASE("results of another assignment, key or version are never mixed with new ones") {
  const Place place;
  (void)run(place, {grade("ada", 0), grade("bob", 50)});
  CHECK_THROWS_WITH(
      run(place, {grade("ada", 100)}, merge, of_tomorrow),
      "--output: " + place.out() +
          " has results that cannot stand beside these: bob (of another assignment, key or version of gpulab)");
  CHECK_THROWS_AS(run(place, {grade("ada", 100)}, resume, of_tomorrow), Error);
  // All of them anew: nothing is mixed.
  CHECK(run(place, {grade("ada", 1), grade("bob", 2)}, merge, of_tomorrow).size() == 1);
  CHECK(run(place, {grade("ada", 3)}, fresh, of_today) == Names{""});
  CHECK(run(place, {grade("eve", 3)}) == Names{"ada", place.out() + ": new: eve; 1 as it was"});
}

TEST_CASE("a run that resumes and is fresh keeps what was made of the same, and nobody who is not in it") {
  const Place place;
  (void)run(place, {grade("ada", 0), grade("bob", 50), grade("eve", 7)});
  {
    ResultFolder folder(place.out(), resume_fresh);
    folder.begin(of_today, "Sums", {"ada", "eve"});
    CHECK(folder.others().empty());
    CHECK(folder.done("ada", digest));
    folder.write("eve", of_tomorrow, grade("eve", 8).dump(), true);
    CHECK(folder.account({grade("ada", 0), grade("eve", 8)}, 0) ==
          place.out() + ": regraded eve (7 -> 8); 1 as it was");
  }
  CHECK_FALSE(std::filesystem::exists(place.out() + "/bob.json"));
  CHECK(run(place, {grade("ada", 1)}, resume_fresh, of_tomorrow) == Names{place.out() + ": regraded ada (0 -> 1)"});
}

TEST_CASE("a result that somebody changed is no result, and what is no result of ours is left alone") {
  const Place place;
  (void)run(place, {grade("ada", 0), grade("bob", 50)});
  std::ofstream(place.out() + "/notes.json") << R"({"submission": "notes"})";
  std::ofstream(place.out() + "/eve.json") << grade("eve", nullptr, "tried").dump();
  CHECK(run(place, {grade("ada", 1)}).size() == 2);
  std::ofstream(place.out() + "/bob.json") << grade("bob", 1000).dump();
  CHECK_THROWS_WITH(run(place, {grade("ada", 100)}),
                    ContainsSubstring("bob (changed since it was written, or never finished)"));
  (void)run(place, {grade("ada", 2)}, fresh);
  CHECK_FALSE(std::filesystem::exists(place.out() + "/bob.json"));
  CHECK(std::filesystem::exists(place.out() + "/notes.json"));
}

TEST_CASE("what our trouble kept from being judged stays in the class, without points") {
  const Place place;
  (void)run(place, {grade("ada", 0), grade("bob", nullptr, "infrastructure")});
  CHECK(run(place, {grade("ada", 1)}).front() == "bob");
  ResultFolder folder(place.out(), resume);
  folder.begin(of_today, "Sums", {"ada", "bob"});
  CHECK(folder.done("ada", digest) == grade("ada", 1).dump());
  CHECK_FALSE(folder.done("bob", digest));
  CHECK_FALSE(folder.done("ada", of_tomorrow));  // another source
  CHECK(folder.account({grade("ada", 1), grade("bob", 5)}, 0) ==
        place.out() + ": regraded bob (infrastructure -> 5); 1 as it was");
}

TEST_CASE("a result's file has a name that leads nowhere and fits a file system") {
  CHECK(ResultFolder::file_name("ada-1_b.c") == "ada-1_b.c.json");
  CHECK(ResultFolder::file_name("../x") == "%2e.%2fx.json");
  CHECK(ResultFolder::file_name("ada", ".html") == "ada.html");
  CHECK(ResultFolder::file_name(std::string(250, 'x')).size() < 200);
}
