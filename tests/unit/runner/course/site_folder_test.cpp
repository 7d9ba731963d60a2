#include "runner/course/site_folder.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/catch.h"
#include "tests/unit/error_of.h"

using namespace gpulab;
namespace fs = std::filesystem;

namespace {

/// A folder that goes with the test.
struct Place {
  Place() { fs::create_directories(path); }
  ~Place() { fs::remove_all(path); }
  fs::path path = fs::temp_directory_path() / ("gpulab-site-test-" + std::to_string(getpid()));
};

std::string text_of(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::size_t entries(const fs::path& path) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("a site takes a new folder, an empty one, and the place of an older site, of which nothing stays") {
  const Place place;
  const auto site = place.path / "deep/site";
  write_site(site.string(), {{"index.html", "1"}, {"old.html", "2"}});
  CHECK(text_of(site / "index.html") == "1");
  write_site(site.string() + "/", {{"index.html", "3"}});
  CHECK(text_of(site / "index.html") == "3");
  CHECK(!fs::exists(site / "old.html"));
  CHECK(entries(site.parent_path()) == 1);  // nothing beside it
  fs::create_directory(place.path / "empty");
  write_site((place.path / "empty").string(), {{"index.html", "4"}});
  CHECK(text_of(place.path / "empty/index.html") == "4");
}

TEST_CASE("a site never takes what is not its own") {
  const Place place;
  const auto site = place.path / "site";
  write_site(site.string(), {{"index.html", "1"}});
  std::ofstream(site / "mine.txt") << "x";
  CHECK_THAT(error_of([&] {
               write_site(site.string(), {{"index.html", "2"}});
             }),
             ContainsSubstring("holds 'mine.txt', which is no page of a site of ours"));
  CHECK(text_of(site / "index.html") == "1");
  CHECK_THAT(error_of([&] { check_site_folder((site / "mine.txt").string()); }), ContainsSubstring("is no folder"));
  CHECK_THAT(error_of([&] { check_site_folder(""); }), ContainsSubstring("--html: the folder's name is empty"));
  fs::remove(site / "mine.txt");
  fs::remove(site / "index.html");
  fs::create_directory(site / "index.html");  // of a page's name, and no page
  CHECK_THAT(error_of([&] { check_site_folder(site.string()); }), ContainsSubstring("holds 'index.html'"));
  fs::create_directory_symlink(place.path, place.path / "link");
  CHECK_THAT(error_of([&] { check_site_folder((place.path / "link").string()); }), ContainsSubstring("is no folder"));
}
