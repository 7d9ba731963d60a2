#include "runner/export/export.h"

#include <nlohmann/json.hpp>
#include <set>

#include "common/error.h"
#include "runner/export/export_text.h"
#include "tests/catch.h"

namespace gpulab {
namespace {

TEST_CASE("every export format writes in one way, and says whose format it keeps to") {
  std::set<std::string_view> names;
  for (const auto* format : export_formats()) {
    names.insert(format->name);
    CHECK((format->submission != nullptr) + (format->whole != nullptr) + (format->fill != nullptr) == 1);
    CHECK_FALSE(format->follows.empty());
    CHECK_FALSE(format->summary.empty());
    CHECK((format->submission != nullptr) == !format->file_name.empty());
  }
  CHECK(names.size() == export_formats().size());
}

TEST_CASE("an export's path is a file, a name with a place in it, or a folder of folders") {
  const auto path = [](const std::string& text, const std::string& submission) {
    return export_path(parse_export(text), submission);
  };
  CHECK(path("gradescope=r.json", "ada") == "r.json");
  CHECK(path("gradescope=out/", "ada") == "out/ada/results.json");
  CHECK(path("classroom50=out/", "ada") == "out/ada/result.json");
  CHECK(path("gradescope=r/{submission}.json", "../x") == "r/%2e.%2fx.json");
  CHECK(path("gradescope=r/", "..") == "r/%2e./results.json");
  CHECK(path("gradescope=r/", "50%") == "r/50%25/results.json");
  CHECK(path("gradescope=r/", "a\nb") == "r/a%0ab/results.json");
}

TEST_CASE("texts for other formats are escaped for them") {
  CHECK(xml_escaped("a<b>&\"\n\t\xef\xbf\xbf\xef\xbf\xbd") == "a&lt;b&gt;&amp;&quot;&#10;&#9;\\uffff\xef\xbf\xbd");
  CHECK(markdown_escaped("a|b\n[x](y)") == "a\\|b \\[x\\]\\(y\\)");
  CHECK(defused("=1") == "'=1");
  CHECK(defused("\t=1") == "'\t=1");
  CHECK(defused("ada-1") == "ada-1");
  CHECK(defused("").empty());
}

TEST_CASE("texts are cut between characters, and points have no exponent") {
  CHECK(cut("12345", 5) == "12345");
  CHECK(cut("\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac", 14) == "\xe2\x82\xac \xe2\x80\xa6 (cut)");
  CHECK(cut("1234567890123", 3) == " \xe2\x80\xa6 (cut)");
  CHECK(points_text(70) == "70");
  CHECK(points_text(100.0 / 3) == "33.3333");
  CHECK(points_text(0) == "0");
  CHECK(points_text(1e9) == "1000000000");
  CHECK(points_text(0.00001) == "0");
}

TEST_CASE("hidden items are one for students, and open where one of them is") {
  nlohmann::json document{{"schema", "gpulab.grade.v1"}, {"submission", "ada"}, {"status", "pending"}, {"max", 3}};
  for (const auto* earned : {"1", "null"})
    document["items"].push_back({{"name", "secret"},
                                 {"points", 1},
                                 {"earned", nlohmann::json::parse(earned)},
                                 {"reason", "of secret shapes"},
                                 {"visibility", "hidden"}});
  const auto total = hidden_total(grade_of(document));
  REQUIRE(total);
  CHECK((total->points == 2 && !total->earned && total->status == "pending" && total->reason.empty()));
  document["items"].erase(1);
  CHECK(hidden_total(grade_of(document))->passed());
  document["items"][0]["visibility"] = "visible";
  CHECK_FALSE(hidden_total(grade_of(document)));
}

}  // namespace
}  // namespace gpulab
