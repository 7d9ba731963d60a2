#include "runner/student_file/compile_cache.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/catch.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

/// $XDG_CACHE_HOME is an empty folder while this lives.
struct EmptyCache {
  EmptyCache() {
    fs::remove_all(folder);
    setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  }
  ~EmptyCache() {
    before.empty() ? unsetenv("XDG_CACHE_HOME") : setenv("XDG_CACHE_HOME", before.c_str(), 1);
    fs::remove_all(folder);
  }
  EmptyCache(const EmptyCache&) = delete;
  EmptyCache& operator=(const EmptyCache&) = delete;
  fs::path folder = fs::temp_directory_path() / "gpulab_compile_cache_test";
  std::string before = std::getenv("XDG_CACHE_HOME") != nullptr ? std::getenv("XDG_CACHE_HOME") : "";
};

TEST_CASE("what was kept is found again, under its key only") {
  const EmptyCache cache;
  CHECK_FALSE(cached("1"));
  keep("1", {".version 8.0\n\"quoted\" \xff", "a warning\n"});
  REQUIRE(cached("1"));
  CHECK(cached("1")->ptx == ".version 8.0\n\"quoted\" \xff");
  CHECK(cached("1")->log == "a warning\n");
  CHECK_FALSE(cached("2"));
}

TEST_CASE("a damaged entry counts as none, and is written anew") {
  const EmptyCache cache;
  keep("7", {"ptx", "log"});
  const auto path = cache.folder / "gpulab/7.entry";
  std::ifstream file(path);
  const std::string good{std::istreambuf_iterator<char>(file), {}};
  auto changed = good, longer = good + "x", cut = good.substr(0, good.size() - 1);
  changed.replace(changed.find("ptx"), 3, "ptX");
  for (const auto& text : {std::string(), std::string("{"), changed, longer, cut, std::string(100, '\n')}) {
    std::ofstream(path, std::ios::binary) << text;
    CHECK_FALSE(cached("7"));
    keep("7", {"ptx", "log"});
    CHECK(cached("7"));
  }
  fs::copy_file(path, cache.folder / "gpulab/8.entry");  // another key's
  CHECK_FALSE(cached("8"));
}

TEST_CASE("an entry that is a folder, a pipe or a link to one counts as none, and is replaced") {
  const EmptyCache cache;
  keep("7", {"ptx", ""});
  const auto path = cache.folder / "gpulab/7.entry";
  const auto expect_replaced = [&] {
    CHECK_FALSE(cached("7"));
    keep("7", {"ptx", ""});
    CHECK(cached("7"));
    fs::remove_all(path);
  };
  fs::remove(path);
  fs::create_directories(path / "full");
  expect_replaced();
  mkfifo(path.c_str(), 0600);
  expect_replaced();
  fs::create_symlink("/dev/zero", path);
  expect_replaced();
}

TEST_CASE("a cache that others may write to is not read") {
  const EmptyCache cache;
  keep("7", {"ptx", ""});
  CHECK(cached("7"));
  fs::permissions(cache.folder / "gpulab", fs::perms::all);
  CHECK_FALSE(cached("7"));
}

TEST_CASE("where the cache cannot be written nothing is kept and nothing fails") {
  const EmptyCache cache;
  std::ofstream(cache.folder.string()) << "a file where the folder would be";
  keep("1", {"ptx", ""});
  CHECK_FALSE(cached("1"));
}

TEST_CASE("of many entries the newest stay") {
  const EmptyCache cache;
  for (int key = 0; key < 605; ++key) keep(std::to_string(key), {"ptx", ""});
  const auto entries = std::distance(fs::directory_iterator(cache.folder / "gpulab"), fs::directory_iterator());
  CHECK(entries == 600);
  CHECK(cached("604"));
  CHECK_FALSE(cached("0"));
}

}  // namespace
}  // namespace gpulab
